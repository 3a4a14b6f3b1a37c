"""Analysis: pure functions on tables (no files, no printing).

digest(tables: JobTables) -> Digest
timeline(series: Mapping[str, pa.Table], metric: str) -> Timeline
    with series[job] = repository.series(job, metric); one time axis for all jobs
background(job: str, metric: str, own: pa.Table, others: pa.Table) -> Background
    with own = repository.series(job, metric), others = repository.background(job, metric)
All results are dataclasses with to_json().
"""
