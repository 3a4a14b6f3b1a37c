/* jump.c: handles jumps out of calls in progress.
 *
 * A thread that jumps while it is marked as inside a call runs a signal handler that interrupted
 * the call, or a function that the call has called (an error handler of an MPI, a callback of a
 * stream). It nearly always leaves the call by it: shells, R and wget end too long reads in this
 * manner.
 *
 * RATIONALE: the target of the jump is not checked, since C libraries store that address encrypted.
 * If it is within the handler, and the call continues, the rest of its time is in no state: too
 * little rather than too much. Counts, and times of operations, are not touched.
 */
#include <setjmp.h>
#include <ucontext.h>

#include "common.h"
#include "process/left.h"
#include "symbols/resolve.h"

void __longjmp_chk(struct __jmp_buf_tag to[1], int value) __attribute__((noreturn));

#define JUMP(name)                                                                                 \
    JST_EXPORT __attribute__((noreturn)) void name(struct __jmp_buf_tag to[1], int value)          \
    {                                                                                              \
        jst_call_left();                                                                           \
        JST_REAL(name)(to, value);                                                                 \
        __builtin_unreachable();                                                                   \
    }

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)

JST_EXPORT int setcontext(const ucontext_t *to)
{
    jst_call_left();
    return JST_REAL(setcontext)(to);
}

/* The frame of this wrapper is on the stack that is left, and remains there until control returns
 * to it. */
JST_EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    jst_call_left();
    return JST_REAL(swapcontext)(from, to);
}
