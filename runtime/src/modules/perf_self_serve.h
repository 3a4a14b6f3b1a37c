/* perf_self_serve.h: the heartbeat's side of perf_self.h. */
#ifndef JST_PERF_SLOTS_H
#define JST_PERF_SLOTS_H

/** Measures the cost of reading a counter, given an open one of the calling thread. */
void jst_perf_self_probe(int fd);
void jst_perf_self_serve(void);  /* opens requested counters, closes those of dead threads */
void jst_perf_self_close(void);  /* for good: no thread reads any more */
void jst_perf_self_forget(void); /* this heartbeat has none of the descriptors */

#endif
