"""The Record page: the mirror, the steps, the task card, and the controller behind them."""
