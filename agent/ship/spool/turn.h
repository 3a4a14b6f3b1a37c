/* turn.h: the order of files in posts: users take turns, and so do the files of a user. */
#ifndef JST_SHIP_TURN_H
#define JST_SHIP_TURN_H

#include "spool/file.h"
#include "spool/state.h"

/** Fills a post with data to send, of at most `files` files. Returns false when there is
 * nothing. */
bool jst_turn_fill(jst_spool *s, jst_state *state, jst_post *p, size_t room, uint32_t files);
/** Processes an answer. */
void jst_turn_take(jst_spool *s, jst_state *state, const jst_post *p, const jst_answer *a);
/** A post had no answer. */
void jst_turn_lost(const jst_post *p);
/** A post of one file was not understood: it waits an hour. Returns false when it had several. */
bool jst_turn_set_aside(const jst_post *p);
/** Drops the oldest files whose writers are gone while the spool is larger than its quota: of the
 *  user whose files take most. Records each as a gap. */
void jst_turn_keep_quota(jst_spool *s, jst_state *state, uint64_t quota);

#endif
