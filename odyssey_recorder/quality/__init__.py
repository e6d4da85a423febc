"""What makes an episode good: what a machine can prove of it, what people judge, and how far both can be trusted."""
