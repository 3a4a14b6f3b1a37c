/* changed_root.h: descriptors for processes that lose the path to their spool (changed_root.c). */
#ifndef JST_CHANGED_ROOT_H
#define JST_CHANGED_ROOT_H

#include "common.h"
#include "sys.h"

/** Before a call that may change the root. Returns whether there is anything to do afterwards. */
bool jst_root_may_change(void);
/** After it; r is what it returned. */
void jst_root_may_have_changed(int r);
bool jst_root_has_changed(void);
/** The job's file of compact profiles, as it was kept: a new descriptor and its state, or
 * -errno. */
int jst_kept_shorts(struct stat *st);
/** At the end: a note on the processes that could not be recorded. */
void jst_root_note(int fd, uint64_t now_ns);

#endif
