/* child.h: a program that a source keeps running on a pipe, and asks, or runs again and again (child.c).
 *
 * It never makes its source wait longer than it was told to, and it is at most one process: one that
 * hangs is killed, and the next begins only when the kernel has let go of it, each time later.
 */
#ifndef JST_CHILD_H
#define JST_CHILD_H

#include <sys/types.h>

#include "source.h"

typedef struct jst_child {
    char *const *arguments; /* the first is the program's path, before which jst_root stands */
    pid_t pid;              /* 0: there is none */
    int to, from;           /* its standard input and output, while it may be asked */
    bool ending;            /* its pipes are closed */
    int64_t not_before_ns;  /* of CLOCK_MONOTONIC: when the next may be started */
    int64_t pause_ns;       /* how long that was after the last failure */
} jst_child;

/** Is the program installed? */
bool jst_child_there(const jst_child *c);
/** Sends a request, and reads until `is_whole` says that the n bytes are the whole answer; starts the program
 *  if need be. What came after an earlier question is passed over. Returns the bytes of the answer, which
 *  a NUL ends, or -ETIMEDOUT, -EPIPE (it ended), -EFBIG (more than `size`), -EAGAIN (it is too early to
 *  start it again) or another -errno of starting it. After each of them it is not running. */
long jst_child_ask(jst_child *c, const char *request, char *to, size_t size, int deadline_ms,
                   bool (*is_whole)(const char *text, size_t n));
/** Runs it to its end, of which all output is the answer. Returns as jst_child_ask; an exit status other than
 *  0 is -EPIPE. *cpu_ns: what it cost. */
long jst_child_run(jst_child *c, char *to, size_t size, int deadline_ms, int64_t *cpu_ns);
/** Starts it once more without a pause: when the failure was the request's. */
void jst_child_no_pause(jst_child *c);

#endif
