/* alive.h: whether the process that writes a profile still runs. */
#ifndef JST_SHIP_ALIVE_H
#define JST_SHIP_ALIVE_H

#include "../../../runtime/include/jst_profile.h"
#include "ship.h"

enum jst_life { JST_LIFE_GONE, JST_LIFE_RUNS, JST_LIFE_UNKNOWN };

/** The visible state. Unknown: it runs, or ran, where processes are not visible (a container while
 *  processes of others are hidden). */
enum jst_life jst_alive(const jst_head *head);
/** Processes are searched again from here on. */
void jst_alive_forget(void);
/** /proc in tests. */
extern const char *jst_alive_proc;

#endif
