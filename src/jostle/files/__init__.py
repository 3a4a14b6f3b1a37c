"""Access to files that users name: regular files, repositories, settings and libraries."""
