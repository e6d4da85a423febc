"""What can be told of a dataset only when all its episodes are looked at together."""
