"""Everything that people can have done, one module per capability.

Window, command line and Python API call these functions and show what they return; nothing here prints or knows Qt.
"""
