"""What the subcommands do that takes more than one call: each file is one subcommand."""
