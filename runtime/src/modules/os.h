/* os.h: the kernel's accounts of the process (os.c). */
#ifndef JST_OS_H
#define JST_OS_H

#include "block.h"

void jst_os_begin(void); /* at the start of an image: values from before us */
void jst_os_open(void);  /* in the heartbeat: opens /proc files in its own descriptor table */
void jst_os_sample(jst_block *b);
/* Adds the use since the last sample to the cells from os_user_ns to os_major_faults: only what
 * needs one system call. */
#define JST_OS_USAGE (JST_CELL_OS_MAJOR_FAULTS - JST_CELL_OS_USER_NS + 1)
void jst_os_sample_short(uint64_t *usage);
const char *jst_os_missing(void);
bool jst_os_leader_gone(void); /* the main thread has ended on its own */

#endif
