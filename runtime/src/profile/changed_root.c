/* changed_root.c: handles processes that lose the path to their spool, by chroot or in another
 * mount namespace.
 *
 * The process itself gets its profile before: its heartbeat has a root of its own, and the profile is
 * mapped. A child that it forks afterwards has neither. It keeps its counts in memory, and writes
 * them at its end as a short-lived process does, by a descriptor of the job's file of compact
 * profiles that its ancestor opened before.
 *
 * RATIONALE: a descriptor of the spool would give such a child a profile with slices. But a
 * directory outside of the new root allows to leave it, and programs that sandbox themselves check
 * for one: Chromium ends if it finds any. A file that can only be appended to does not allow this.
 */
#include "changed_root.h"

#include <errno.h>

#include "block.h"
#include "core.h"
#include "files/mount.h"
#include "profile_layout.h"
#include "records/record.h"
#include "spool.h"
#include "text.h"

#define KEPT_FROM 900 /* above what programs choose, below the usual limit of 1024 */

static int kept = -1;
static bool kept_is_new; /* opened for the current call */
static uint64_t kept_device, kept_inode;
static uint64_t spool_device, spool_inode; /* the spool before the call */
static bool changed;
static _Atomic uint32_t *unrecorded; /* processes; shared with all that are forked */
static int counted_by;               /* whose profile has the note */

static int check_kept(struct stat *st)
{
    if (kept < 0 || jst_fstat(kept, st) < 0 || st->st_dev != kept_device ||
        st->st_ino != kept_inode)
        return -EBADF; /* the program closed it */
    return st->st_nlink == 1 ? 0 : -ENOENT;
}

static void keep_shorts(void)
{
    struct stat st;
    if (check_kept(&st) == -ENOENT)
        jst_close(kept);
    kept = -1;
    int fd = jst_open_shorts(&st);
    if (fd < 0)
        return;
    kept = (int)jst_sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, KEPT_FROM);
    jst_close(fd);
    kept_device = st.st_dev;
    kept_inode = st.st_ino;
    kept_is_new = kept >= 0;
}

static void share_number(void)
{
    long p =
        jst_sys6(SYS_mmap, 0, JST_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p < 0 && p > -4096)
        return;
    unrecorded = (_Atomic uint32_t *)p;
    counted_by = jst_now_life.pid;
}

bool jst_root_may_change(void)
{
    struct stat st;
    uint64_t signals;
    if (jst_tls_vfork || !jst_may_syscall() || !jst_enter())
        return false;
    if (jst_getpid() != jst_now_life.pid) /* a child that borrows our memory, not by our vfork */
        return false;
    jst_start();
    jst_block_signals(&signals);
    kept_is_new = false;
    int dir = jst_spool_open();
    if (dir >= 0 && jst_fstat(dir, &st) == 0) {
        spool_device = st.st_dev;
        spool_inode = st.st_ino;
        if (check_kept(&st) < 0)
            keep_shorts();
    }
    if (dir >= 0)
        jst_close(dir);
    if (!unrecorded)
        share_number();
    jst_restore_signals(&signals);
    return true;
}

void jst_root_may_have_changed(int r)
{
    if (r == 0) {
        changed = true;
        jst_spool_left_device = spool_device;
        jst_spool_left_inode = spool_inode;
        jst_mounts_forget();
    } else if (kept_is_new) {
        jst_close(kept);
        kept = -1;
    }
}

bool jst_root_has_changed(void)
{
    return changed;
}

int jst_kept_shorts(struct stat *st)
{
    if (!changed)
        return -ENOENT;
    int fd = check_kept(st);
    if (fd == 0)
        fd = (int)jst_sys3(SYS_fcntl, kept, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 && unrecorded)
        atomic_fetch_add(unrecorded, 1);
    st->st_uid = (uid_t)jst_sys0(SYS_geteuid); /* it was ours when it was opened */
    return fd;
}

void jst_root_note(int fd, uint64_t now_ns)
{
    static char text[160];
    const char *end = text + sizeof text;
    uint32_t n = unrecorded && counted_by == jst_now_life.pid ? atomic_load(unrecorded) : 0;
    if (!n)
        return;
    char *p = jst_put_number(text, end, n);
    jst_put_text(p, end,
                 " processes are missing: the root was changed, and the path to the spool was "
                 "closed or removed");
    jst_note(fd, now_ns, text);
}
