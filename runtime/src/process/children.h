/* children.h: processes below this one without a profile (children.c): in the heartbeat only. */
#ifndef JST_CHILDREN_H
#define JST_CHILDREN_H

#include <stdint.h>

void jst_children_begin(void);
void jst_children_look(uint64_t now_ns);

#endif
