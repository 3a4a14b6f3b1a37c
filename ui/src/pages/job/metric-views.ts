// The metrics with a button of their own on a job's page.
const EVERY: [string, string][] = [
  ['bytes', 'Bytes'], ['ops', 'Calls'], ['time', 'Time in calls'], ['cpu', 'CPU'], ['mpi', 'MPI'], ['wait', 'Waiting'],
];

/** Returns the buttons for a job with these metrics: one for GPUs where it has numbers of them. */
export const metricViews = (has: readonly string[] | undefined): [string, string][] =>
  has?.some((metric) => metric.startsWith('gpu_')) ? [...EVERY, ['gpu', 'GPU copies']] : EVERY;
