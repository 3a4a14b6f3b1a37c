/* left.c: handles calls in progress that never return, and threads that end within one.
 *
 * The time of such a call ends where the thread leaves it: by a jump (wrappers/jump.c), by unwinding
 * (jst_frame.h), with the thread, or at its next call, whichever comes first. The thread that ends
 * a mark adds its time, so a call that returns after all finds none and adds nothing: no time
 * counts twice.
 */
#include <errno.h>

#include "clock.h"
#include "core.h"
#include "left.h"
#include "modules/os.h"
#include "profile/area.h"
#include "sys.h"

#include "../include/jst_frame.h"

JST_COLD void jst_end_mark(jst_block *b, uint64_t now)
{
    uint32_t mark = b->mark;
    uint64_t since = b->since;
    if (mark == 0 || mark >= JST_CELL_COUNT)
        return;
    JST_STORE(b->mark, 0); /* before the addition: see jst_elapsed in files/io.h */
    __asm__ volatile("" ::: "memory");
    if (now > since)
        jst_add(&b->cells[mark], now - since);
}

JST_COLD bool jst_end_mark_before(jst_block *b, uint64_t t)
{
    if (b->mark != JST_CELL_STATE_IO_NS)
        return false; /* part of an MPI call, or of waiting for a GPU */
    jst_end_mark(b, t);
    return true;
}

/* Called by unwinders for each frame that jst_frame() marks, in the thread whose frame it is. */
__attribute__((used, visibility("hidden"))) int
jst_frame_left(int version, int actions, uint64_t exception_class, void *exception, void *context)
{
    (void)version, (void)exception_class, (void)exception, (void)context;
    if (actions & JST_UNWIND_CLEANUP)
        jst_call_left();
    return JST_UNWIND_CONTINUE;
}

/* ---- dead threads ---- */

/* A main thread that ended before the others stays in the kernel's table as a zombie. */
bool jst_thread_is_dead(uint32_t tid)
{
    if (tid == (uint32_t)jst_now_life.pid)
        return jst_os_leader_gone();
    return jst_sys3(SYS_tgkill, jst_now_life.pid, tid, 0) == -ESRCH;
}

/* Such a thread ended by a bare system call, or in a C library that does not unwind; when is not known.
 * So its call counts until `seen`, when it certainly lived: too little rather than too much. While
 * the block is checked, it does not count as a dead thread's, and no other thread takes it over. */
static void end_if_dead(jst_block *b, uint64_t seen, uint32_t me)
{
    uint32_t tid = atomic_load_explicit(&b->tid, memory_order_relaxed);
    if (tid == 0 || !jst_thread_is_dead(tid) || !atomic_compare_exchange_strong(&b->tid, &tid, me))
        return;
    jst_end_mark(b, seen);
    atomic_store(&b->tid, tid);
}

/* Only for calls that have lasted since then, and for few in each slice: a system call for each of
 * a thousand threads that wait would cost more than the rest of the slice. */
void jst_end_marks_of_dead(uint64_t seen)
{
    enum { FEW = 8 };
    static uint32_t next;
    uint32_t used = atomic_load(&jst_blocks), me = (uint32_t)jst_gettid(), asked = 0;
    for (uint32_t i = 1; i < used && asked < FEW; i++, next++) {
        jst_block *b = jst_block_at(1 + next % (used - 1));
        if (JST_LOAD(b->mark) == 0 || JST_LOAD(b->since) > seen)
            continue;
        asked++;
        end_if_dead(b, seen, me);
    }
}
