/* errors.c: failed calls of the program, by class of error number. */
#include <errno.h>

#include "block.h"
#include "clock.h"
#include "common.h"
#include "errors.h"
#include "mount.h"
#include "process/left.h"

JST_COLD void jst_fail(jst_block *b, unsigned slot, int error)
{
    unsigned cell;
    if (b->mark == JST_CELL_STATE_IO_NS) /* the call has ended: see jst_elapsed in io.h */
        jst_end_mark(b, jst_ticks());
    if (!jst_is_mount(slot))
        return;
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        cell = JST_CELL_ERROR_MISSING_OPS;
        break;
    case EACCES:
    case EPERM:
    case EROFS:
        cell = JST_CELL_ERROR_ACCESS_OPS;
        break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        cell = JST_CELL_ERROR_SPACE_OPS;
        break;
    case EIO:
    case ENXIO:
    case ENODEV:
    case EUCLEAN:
        cell = JST_CELL_ERROR_IO_OPS;
        break;
    case ESTALE:
    case ETIMEDOUT:
    case ENOTCONN:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ECONNRESET:
    case EREMOTEIO:
    case ESHUTDOWN:
        cell = JST_CELL_ERROR_REMOTE_OPS;
        break;
    case EAGAIN:
    case EINTR:
    case EBUSY:
    case ETXTBSY:
        cell = JST_CELL_ERROR_AGAIN_OPS;
        break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOLCK:
        cell = JST_CELL_ERROR_LIMIT_OPS;
        break;
    case EINVAL:
    case EBADF:
    case EFAULT:
    case ENOSYS:
    case EOPNOTSUPP:
    case EEXIST:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ESPIPE:
    case EXDEV:
    case ENOTEMPTY:
        cell = JST_CELL_ERROR_INVALID_OPS;
        break;
    default:
        cell = JST_CELL_ERROR_OTHER_OPS;
    }
    jst_add(&jst_slot_cells(b, slot)[cell], 1);
}
