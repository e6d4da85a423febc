"""Language models: one question and its answer, whoever gives it, what it costs, and how many are asked at once."""
