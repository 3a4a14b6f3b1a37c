/* os.h: what the kernel knows about the process (os.c). */
#ifndef JST_OS_H
#define JST_OS_H

#include "block.h"

void jst_os_begin(void); /* at the start of an image: what was there before us */
void jst_os_open(void);  /* in the heartbeat: opens /proc files in its own descriptor table */
void jst_os_sample(jst_block *b);
void jst_os_sample_short(jst_block *b); /* only what costs one system call */
const char *jst_os_missing(void);
bool jst_os_leader_gone(void); /* the main thread has ended on its own */

#endif
