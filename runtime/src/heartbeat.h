/* heartbeat.h: the thread that wakes at slice boundaries (heartbeat.c). */
#ifndef JST_HEARTBEAT_H
#define JST_HEARTBEAT_H

#include <stdbool.h>

bool jst_heartbeat_start(int fd);
bool jst_heartbeat_runs(void); /* in this process */
bool jst_heartbeat_stop(void); /* true: it ran, and is gone */
/** Asks for the ring of segments to be moved into records; does not wait. */
void jst_heartbeat_drain(void);
void jst_heartbeat_sample(void); /* fresh os metrics in block 0, waited for at most 50 ms */
/** Makes the heartbeat do a system call too (set*id are per thread in the kernel). */
void jst_heartbeat_also(long number, long a, long b, long c);

/* What its thread is called, so that other heartbeats know it. */
#define JST_HEARTBEAT_NAME "jostle"

#endif
