"""How episodes lie on disk: the JSON dialects, the drafts and the published folder."""
