"""Episodes on disk: JSON dialects, drafts and the published folder."""
