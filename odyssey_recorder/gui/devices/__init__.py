"""The Devices page: devices, their state, and what can be done with them."""
