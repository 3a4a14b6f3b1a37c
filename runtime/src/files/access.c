/* access.c: handles writes that do not begin where the previous one ended (access.h). */
#include "access.h"
#include "block.h"
#include "common.h"
#include "core.h"
#include "mount.h"
#include "read_order.h"
#include "sys.h"

/* twin_of: which descriptor this one was duplicated from: its number + 1 in the lower half, and
 * in the upper half its count of duplications at that time, so that a later file with the same
 * number is not mistaken for it. 0: not a duplicate. A shell that writes by `echo >&5` makes and
 * closes a duplicate for every line. */

/* NOTE: queries the kernel only when the answer matters, so a descriptor that is written in order
 * costs no system call. */
static bool appends(int fd, jst_access *a)
{
    uint64_t before = JST_LOAD(a->before);
    if (!(before & JST_ACCESS_ASKED) && jst_may_syscall()) {
        long flags = jst_sys2(SYS_fcntl, fd, F_GETFL);
        before |= JST_ACCESS_ASKED | (flags > 0 && (flags & O_APPEND) ? JST_ACCESS_APPENDS : 0);
        JST_STORE(a->before, before);
    }
    return before & JST_ACCESS_APPENDS;
}

__attribute__((noinline)) void jst_access_elsewhere(jst_block *b, unsigned slot, int fd,
                                                    uint64_t at, uint64_t n, bool stays)
{
    jst_access *a = &jst_descriptors[fd].access;
    if (n == 0 || jst_tls_vfork)
        return;
    uint64_t end = jst_access_end(a);
    bool follows = at == end || appends(fd, a); /* these go to the end, whatever the offset */
    uint64_t run = JST_LOAD(a->run), before = JST_LOAD(a->before);
    bool first = run == 0 && (before & JST_ACCESS_BYTES) == 0;
    if (follows)
        at = end;
    if (!first && at < end) {
        uint64_t *cells = jst_slot_cells(b, slot);
        jst_add(&cells[JST_CELL_ACCESS_BACK_OPS], 1);
        jst_add(&cells[JST_CELL_ACCESS_BACK_BYTES], run);
        before += run;
        run = 0;
    } else if (!first && at > end) {
        jst_add(&jst_slot_cells(b, slot)[JST_CELL_ACCESS_GAP_OPS], 1);
    }
    JST_STORE(a->origin, at - run);
    JST_STORE(a->run, run + n);
    if (!stays) {
        before &= ~JST_ACCESS_AWAY;
    } else if (!(before & JST_ACCESS_AWAY)) {
        JST_STORE(a->offset, end);
        before |= JST_ACCESS_AWAY;
    }
    JST_STORE(a->before, before);
}

void jst_access_sought(int fd, uint64_t at, bool asked_only)
{
    if ((unsigned)fd >= JST_FDS || jst_tls_vfork)
        return;
    jst_read_sought(fd, at, asked_only);
    jst_access *a = &jst_descriptors[fd].access;
    uint64_t before = JST_LOAD(a->before), end = jst_access_end(a);
    if (asked_only && !(before & JST_ACCESS_AWAY)) {
        /* A file that was inherited or appended to did not begin at 0. */
        JST_STORE(a->origin, at - JST_LOAD(a->run));
    } else if (at == end) {
        JST_STORE(a->before, before & ~JST_ACCESS_AWAY);
    } else {
        JST_STORE(a->offset, at);
        JST_STORE(a->before, before | JST_ACCESS_AWAY);
    }
}

void jst_access_twin(int fd, int to)
{
    if ((unsigned)fd >= JST_FDS || (unsigned)to >= JST_FDS || jst_tls_vfork)
        return;
    jst_access *a = &jst_descriptors[fd].access;
    uint64_t before = JST_LOAD(a->before);
    if (!(before & JST_ACCESS_TWINNED)) {
        JST_STORE(a->before, before | JST_ACCESS_TWINNED);
        jst_descriptors[fd].twinned++;
    }
    jst_read_twin(fd, to);
    jst_descriptors[to].twin_of =
        (uint64_t)jst_descriptors[fd].twinned << 32 | ((uint64_t)(unsigned)fd + 1);
}

int jst_access_source(int fd)
{
    int source = (int)(jst_descriptors[fd].twin_of & UINT32_MAX) - 1;
    bool same = source >= 0 && source != fd &&
                jst_descriptors[source].twinned == jst_descriptors[fd].twin_of >> 32;
    return same && (JST_LOAD(jst_descriptors[source].access.before) & JST_ACCESS_TWINNED) ? source
                                                                                          : -1;
}

uint64_t jst_access_take(int fd)
{
    if ((unsigned)fd >= JST_FDS || jst_tls_vfork) /* a vfork child's descriptors are its own */
        return 0;
    jst_read_forget(fd);
    jst_access *a = &jst_descriptors[fd].access;
    uint64_t bytes = jst_access_bytes(fd);
    if (bytes | JST_LOAD(a->origin) | JST_LOAD(a->before)) {
        JST_STORE(a->origin, 0);
        JST_STORE(a->run, 0);
        JST_STORE(a->offset, 0);
        JST_STORE(a->before, 0);
    }
    if (JST_LIKELY(!jst_descriptors[fd].twin_of))
        return bytes;
    int source = jst_access_source(fd);
    jst_descriptors[fd].twin_of = 0;
    if (source < 0)
        return bytes;
    jst_add(&jst_descriptors[source].access.run,
            bytes); /* they share the offset: it moved on by as much */
    return 0;
}

void jst_access_child(uint32_t used)
{
    for (uint32_t fd = 0; fd < used && fd < JST_FDS; fd++)
        jst_access_take((int)fd);
}

void jst_access_flags_changed(int fd)
{
    if ((unsigned)fd < JST_FDS)
        JST_STORE(jst_descriptors[fd].access.before, JST_LOAD(jst_descriptors[fd].access.before) &
                                                         ~(JST_ACCESS_ASKED | JST_ACCESS_APPENDS));
}
