"""How well models predict the actions of recorded episodes: predictions, protocols, scores, reports."""
