/* aio.c: wraps asynchronous I/O, counted as posix reads and writes when aio_return gives the
 * result.
 *
 * The length of the transfer is not known: it is not timed. libc does it in threads that it makes
 * itself, so the first submission starts the profile as a thread of the program would. Requests
 * whose result is never fetched are not counted.
 */
#include <aio.h>

#include "block.h"
#include "common.h"
#include "core.h"
#include "files/access.h"
#include "files/errors.h"
#include "files/io.h"
#include "files/mount.h"
#include "symbols/resolve.h"

/* aio_lio_opcode as libc leaves it in a submitted request: bit 7 marks the 64-bit calls. */
#define OPCODE_MASK 127
#define OPCODE_DSYNC 3
#define OPCODE_SYNC 4

static inline jst_block *enter_to_submit(void)
{
    if (JST_UNLIKELY(atomic_load_explicit(&jst_state, memory_order_relaxed) == JST_LAZY))
        jst_start();
    return jst_enter();
}

/* The descriptor is read beforehand: another thread may have the result, and the request be gone. */
static void submit_done(jst_block *b, int fd, int r)
{
    if (JST_UNLIKELY(r < 0))
        jst_fail(b, jst_fd_slot(fd), errno);
}

/* aio_return does not set errno: the error is in the request. */
static void return_done(jst_block *b, int fd, int opcode, off_t at, ssize_t r, int error)
{
    unsigned slot = jst_fd_slot(fd);
    if (error == EINPROGRESS)
        return;
    if (r < 0) {
        jst_fail(b, slot, error);
        return;
    }
    switch (opcode & OPCODE_MASK) {
    case LIO_READ:
        jst_count(b, slot, fd, &jst_posix_read, (uint64_t)r, 0);
        if (r > 0)
            jst_access_read_at(b, slot, fd, (uint64_t)at, (uint64_t)r);
        break;
    case LIO_WRITE:
        jst_count(b, slot, fd, &jst_posix_write, (uint64_t)r, 0);
        jst_access_appended(slot, fd, (uint64_t)r);
        break;
    case OPCODE_DSYNC:
    case OPCODE_SYNC:
        jst_fd_event(b, slot, fd, JST_CELL_POSIX_SYNC_OPS, 0, 0);
        break;
    default:
        break;
    }
}

/* For a list no single file failed: EIO only means that aio_return has the errors. */
static void submit_list_done(jst_block *b, int r)
{
    if (JST_UNLIKELY(r < 0 && errno != EIO))
        jst_fail(b, JST_SLOT_OTHER, errno);
}

#include "generated/aio.inc"
