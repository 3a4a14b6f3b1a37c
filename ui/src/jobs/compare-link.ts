// The comparison of some jobs, as a link.

/** As many runs as are compared at once. */
export const MOST_COMPARED = 8;

/** The address of the page that compares jobs. */
export const compareAddress = (jobs: readonly string[]) => `/compare?${jobs.map((job) => `job=${encodeURIComponent(job)}`).join('&')}`;
