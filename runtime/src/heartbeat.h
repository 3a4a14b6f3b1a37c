/* heartbeat.h: the thread that wakes at slice boundaries (heartbeat.c). */
#ifndef JST_HEARTBEAT_H
#define JST_HEARTBEAT_H

#include <stdbool.h>

bool jst_heartbeat_start(int fd);
bool jst_heartbeat_runs(void); /* in this process */
bool jst_heartbeat_stop(void); /* true: it ran, and is gone */
/** Requests that the ring of segments is moved into records; does not wait. */
void jst_heartbeat_drain(void);
void jst_heartbeat_sample(void); /* fresh os metrics in block 0, waited for at most 50 ms */
/** Makes the heartbeat do a system call too (set*id are per thread in the kernel). */
void jst_heartbeat_also(long number, long a, long b, long c);

/* The name of its thread, by which other heartbeats recognise it. */
#define JST_HEARTBEAT_NAME "jostle"

#endif
