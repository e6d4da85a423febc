"""What tasks are made from: templates, pools and catalogues of apps, in files that people write by hand."""
