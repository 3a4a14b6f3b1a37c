"""The digest of a job: each figure's minimum, mean and maximum over its processes."""
