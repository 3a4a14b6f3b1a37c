// Links to the comparison of jobs.

/** The greatest number of runs in one comparison. */
export const MOST_COMPARED = 8;

/** The address of the page that compares jobs. */
export const compareAddress = (jobs: readonly string[]) => `/compare?${jobs.map((job) => `job=${encodeURIComponent(job)}`).join('&')}`;
