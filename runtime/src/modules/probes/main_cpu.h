/* main_cpu.h: moves the heartbeat to the core on which the program's main thread is
 * (main_cpu.c). */
#ifndef JST_MAIN_CPU_H
#define JST_MAIN_CPU_H

#include "common.h"

/** A heartbeat begins: files that an earlier one had open are not its own. */
void jst_main_cpu_begin(void);
/** Moves the heartbeat to the core on which the main thread was last seen. False: it is there already, or
 *  cannot move. After true jst_main_cpu_leave must follow: until then its own mask is not in force. */
bool jst_main_cpu_visit(void);
void jst_main_cpu_leave(void);

#endif
