"""Language models: requests and answers, their cost, and concurrency."""
