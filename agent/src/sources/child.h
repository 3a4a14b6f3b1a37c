/* child.h: a program that a source keeps running on a pipe and queries, or runs repeatedly
 * (child.c).
 *
 * Its source never waits longer than a given time, and it is at most one process: one that hangs is
 * killed, and the next begins only when the kernel has released it, each time later.
 */
#ifndef JST_CHILD_H
#define JST_CHILD_H

#include <sys/types.h>

#include "source.h"

typedef struct jst_child {
    char *const *arguments; /* the first is the program's path, to which jst_root is prepended */
    pid_t pid;              /* 0: there is none */
    int to, from;           /* its standard input and output, while it may be queried */
    bool ending;            /* its pipes are closed */
    int64_t not_before_ns;  /* of CLOCK_MONOTONIC: when the next may be started */
    int64_t pause_ns;       /* how long that was after the last failure */
} jst_child;

/** Is the program installed? */
bool jst_child_there(const jst_child *c);
/** Sends a request, and reads until `is_whole` says that the n bytes are the whole answer; starts the program
 *  if need be. Late answers to earlier requests are skipped. Returns the bytes of the answer, which
 *  a NUL ends, or -ETIMEDOUT, -EPIPE (it ended), -EFBIG (more than `size`), -EAGAIN (it is too early to
 *  start it again) or another -errno of starting it. After each of them it is not running. */
long jst_child_ask(jst_child *c, const char *request, char *to, size_t size, int deadline_ms,
                   bool (*is_whole)(const char *text, size_t n));
/** Runs it to its end; all output is the answer. Returns as jst_child_ask; an exit status other
 *  than 0 is -EPIPE. *cpu_ns: its CPU time. */
long jst_child_run(jst_child *c, char *to, size_t size, int deadline_ms, int64_t *cpu_ns);
/** Starts it once more without a pause: when the failure was the request's. */
void jst_child_no_pause(jst_child *c);

#endif
