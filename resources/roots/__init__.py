"""Raw files under a source's root: a folder, an archive or a bucket."""
