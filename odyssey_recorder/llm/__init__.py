"""Language models: one question and its answer, what it costs, and how many are asked at once."""
