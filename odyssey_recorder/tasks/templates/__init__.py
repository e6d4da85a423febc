"""Templates, pools and catalogues of apps, in files that people write by hand."""
