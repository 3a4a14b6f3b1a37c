// The metrics with a button of their own on a job's page.
export const METRIC_VIEWS: [string, string][] = [
  ['bytes', 'Bytes'], ['ops', 'Calls'], ['time', 'Time in calls'], ['cpu', 'CPU'], ['mpi', 'MPI'], ['wait', 'Waiting'],
];
