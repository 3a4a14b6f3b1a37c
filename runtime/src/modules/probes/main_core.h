/* main_core.h: takes the heartbeat to the core on which the program's main thread is (main_core.c). */
#ifndef JST_MAIN_CORE_H
#define JST_MAIN_CORE_H

#include "common.h"

/** A heartbeat begins: what an earlier one had open is not its own. */
void jst_main_core_begin(void);
/** Moves the heartbeat to the core on which the main thread was last seen. False: it is there already, or
 *  cannot move. After true jst_main_core_leave must follow: until then its own mask is not in force. */
bool jst_main_core_visit(void);
void jst_main_core_leave(void);

#endif
