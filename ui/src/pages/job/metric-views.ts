// The views of a job that have a button of their own.
export const METRIC_VIEWS: [string, string][] = [
  ['bytes', 'Bytes'], ['ops', 'Calls'], ['time', 'Time in calls'], ['cpu', 'CPU'], ['mpi', 'MPI'], ['wait', 'Waiting'],
];
