/* os_cores.h: cores that the process may use, and waits for (os_cores.c): for os.c.
 *
 * os.c and os_cores.c call each other: os.c samples the cores after it knows the number of threads,
 * and os_cores.c needs to know whether the main thread is gone. They are one unit in two files. */
#ifndef JST_OS_CORES_H
#define JST_OS_CORES_H

#include "block.h"

void jst_cores_child(void);          /* in a forked child */
void jst_cores_open(int task_fd);    /* of /proc/self/task; in the heartbeat, as the next */
void jst_cores_sample(jst_block *b); /* after OS_THREADS is known */

#endif
