// The metrics with a button of their own on a job's page.

/** Returns the buttons for a job with these metrics: communication as what it used, GPUs where it has numbers of them. */
export function metricViews(has: readonly string[] | undefined): [string, string][] {
  const any = (begin: string) => has?.some((metric) => metric.startsWith(begin)) ?? false;
  const communication = any('mpi_') === any('ccl_') ? 'Communication' : any('mpi_') ? 'MPI' : 'Collectives';
  return [
    ['bytes', 'Bytes'], ['ops', 'Calls'], ['time', 'Time in calls'], ['cpu', 'CPU'], ['communication', communication], ['wait', 'Waiting'],
    ...(any('gpu_') ? [['gpu', 'GPU copies'] as [string, string]] : []),
  ];
}
