/* left.h: calls in progress that never return, and threads that end within one (left.c). */
#ifndef JST_LEFT_H
#define JST_LEFT_H

#include "block.h"
#include "common.h"

/** Ends the state of a call that is in progress in a block: it lasted until `now`, in ticks. */
void jst_end_mark(jst_block *b, uint64_t now);

/** A file call begins at t although a mark is there. True if it may set its own: the other one was of a file
 *  call, and ends. It was left without our knowledge, or a signal handler in it makes this one. */
bool jst_end_mark_before(jst_block *b, uint64_t t);

/** The calling thread leaves the call that it is in, if it is in any. Signal-safe. */
void jst_call_left(void);

bool jst_thread_is_dead(uint32_t tid);

/** For the heartbeat: ends marks of threads that no longer exist. seen: time of the last check,
 * ticks. */
void jst_end_marks_of_dead(uint64_t seen);

#endif
