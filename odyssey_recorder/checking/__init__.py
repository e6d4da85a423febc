"""What makes an episode good: what a program can check, what people judge, and how far both can be trusted."""
