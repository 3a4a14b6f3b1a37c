/* perf_self_serve.h: the heartbeat's side of perf_self.h. */
#ifndef JST_PERF_SLOTS_H
#define JST_PERF_SLOTS_H

/** What does reading a counter cost, given an open one of the calling thread? */
void jst_perf_self_probe(int fd);
void jst_perf_self_serve(void);  /* opens what threads asked for, lets go of the dead */
void jst_perf_self_close(void);  /* for good: nobody reads any more */
void jst_perf_self_forget(void); /* this heartbeat has none of the descriptors */

#endif
