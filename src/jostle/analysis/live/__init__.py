"""Evaluates jobs while they run, slice by slice, to find which jobs slow which at present.

The code reads no files. Results are provisional, since they use only the past of a job. After the
end of the job `identify` and `estimate` use the whole run.
"""
