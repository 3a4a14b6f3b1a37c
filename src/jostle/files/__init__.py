"""Files that users name: what may be opened, where a repository is, which libraries load."""
