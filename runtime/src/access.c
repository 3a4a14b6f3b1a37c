/* access.c: writes that do not begin where the one before them ended (access.h). */
#include "access.h"

jst_access jst_accesses[JST_FDS] __attribute__((aligned(64)));

/* NOTE: asked for only where it matters, so that a descriptor that is written in order costs no
 * system call. */
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

__attribute__((noinline)) void jst_access_elsewhere(jst_block *b, unsigned place, int fd,
                                                    uint64_t at, uint64_t n, bool stays)
{
    jst_access *a = &jst_accesses[fd];
    if (n == 0 || jst_tls_vfork)
        return;
    uint64_t end = jst_access_end(a);
    bool follows = at == end || appends(fd, a); /* these go to the end, whatever the offset */
    uint64_t run = JST_LOAD(a->run), before = JST_LOAD(a->before);
    bool first = run == 0 && (before & JST_ACCESS_BYTES) == 0;
    if (follows)
        at = end;
    if (!first && at < end) {
        uint64_t *slot = jst_slot(b, place);
        jst_add(&slot[JST_CELL_ACCESS_BACK_OPS], 1);
        jst_add(&slot[JST_CELL_ACCESS_BACK_BYTES], run);
        before += run;
        run = 0;
    } else if (!first && at > end) {
        jst_add(&jst_slot(b, place)[JST_CELL_ACCESS_GAP_OPS], 1);
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

void jst_access_sought(int fd, uint64_t at, bool told)
{
    if ((unsigned)fd >= JST_FDS || jst_tls_vfork)
        return;
    jst_access *a = &jst_accesses[fd];
    uint64_t before = JST_LOAD(a->before), end = jst_access_end(a);
    if (told && !(before & JST_ACCESS_AWAY)) {
        /* What was inherited or appended began somewhere else than at 0. */
        JST_STORE(a->origin, at - JST_LOAD(a->run));
    } else if (at == end) {
        JST_STORE(a->before, before & ~JST_ACCESS_AWAY);
    } else {
        JST_STORE(a->offset, at);
        JST_STORE(a->before, before | JST_ACCESS_AWAY);
    }
}

JST_COLD uint64_t jst_access_take(int fd)
{
    if ((unsigned)fd >= JST_FDS || jst_tls_vfork) /* a vfork child's descriptors are its own */
        return 0;
    jst_access *a = &jst_accesses[fd];
    uint64_t bytes = jst_access_bytes(fd);
    if (bytes | JST_LOAD(a->origin) | JST_LOAD(a->before)) {
        JST_STORE(a->origin, 0);
        JST_STORE(a->run, 0);
        JST_STORE(a->offset, 0);
        JST_STORE(a->before, 0);
    }
    return bytes;
}

void jst_access_child(uint32_t used)
{
    for (uint32_t fd = 0; fd < used && fd < JST_FDS; fd++)
        jst_access_take((int)fd);
}

void jst_access_flags_changed(int fd)
{
    if ((unsigned)fd < JST_FDS)
        JST_STORE(jst_accesses[fd].before,
                  JST_LOAD(jst_accesses[fd].before) & ~(JST_ACCESS_ASKED | JST_ACCESS_APPENDS));
}
