/* inject.c: libjostle.so's side of the injector of delays (include/jst_inject.h).
 *
 * RATIONALE: a weak reference, bound by the loader. Whether an injector is loaded is checked when a
 * real function is looked up and when the MPI is chosen, never on the path of a call: where there
 * is none, calls run the same instructions as without this file.
 */
#include "inject.h"
#include "block.h"
#include "core.h"
#include "files/mount.h"
#include "mpi/mpi_account.h"

#include "../include/jst_inject.h"

__attribute__((weak)) extern jst_inject_get_type jst_inject_get;

static const jst_injector *injector;

/* An MPI call in progress keeps its own mark: what an MPI reads and writes is part of its call. A
 * stream's call that only uses the buffer has no mark: it contacts no server, and is not
 * delayed. */
static bool timed(void)
{
    jst_block *b = jst_tls_vfork || !jst_may_syscall() ? NULL : jst_enter();
    return b && b->mark == JST_CELL_STATE_IO_NS;
}

static bool is_file(int fd)
{
    return jst_is_mount(jst_fd_slot_now(fd));
}

void jst_inject_begin(void)
{
    static jst_inject_host host;
    if (!jst_inject_get)
        return;
    host = (jst_inject_host){
        .interface = JST_INJECT_INTERFACE,
        .size = sizeof host,
        .timed = timed,
        .is_file = is_file,
    };
    const jst_injector *found = jst_inject_get(&host);
    if (found && found->interface == JST_INJECT_INTERFACE && found->size == sizeof *found)
        injector = found;
}

void *jst_inject_io(unsigned index, void *real)
{
    return injector ? injector->io(index, real) : real;
}

/* A poll never waits, so nothing can delay it; and the number of polls is random. */
static bool enter(jst_mpi_call *call)
{
    if (!jst_mpi_enter(call))
        return false;
    if (!(call->flags & JST_MPI_POLL) && jst_may_syscall())
        injector->mpi(call->klass, call->func);
    return true;
}

jst_inject_enter_type *jst_inject_enter(void)
{
    return injector ? enter : jst_mpi_enter;
}

void jst_inject_ranked(uint32_t rank)
{
    if (injector)
        injector->ranked(rank);
}

void jst_inject_child(void)
{
    if (injector)
        injector->forked();
}
