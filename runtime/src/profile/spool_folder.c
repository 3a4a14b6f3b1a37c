/* spool_folder.c: the spool folder, and the fields on machine and process in the header of a
 * profile. The agent is also linked with it.
 *
 * The folder may be shared between users: it is never reached through a link, and must be root's, our
 * own or sticky.
 */
#include <errno.h>
#include <sys/resource.h>

#include "common.h"
#include "config.h"
#include "profile_layout.h"
#include "spool.h"
#include "sys.h"
#include "text.h"

static uint8_t boot_id[16];
static bool boot_id_known;

static unsigned hex(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

const uint8_t *jst_boot_id(void)
{
    char text[64];
    if (boot_id_known)
        return boot_id;
    long n = jst_read_lines("/proc/sys/kernel/random/boot_id", text, sizeof text);
    for (long i = 0, digit = 0; i < n && digit < 32; i++)
        if ((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')) {
            boot_id[digit / 2] = (uint8_t)(boot_id[digit / 2] << 4 | hex(text[i]));
            digit++;
        }
    boot_id_known = true;
    return boot_id;
}

uint64_t jst_spool_left_device, jst_spool_left_inode;

/* In another root, another folder may have the spool's name, and its files would not be read. */
static bool is_another(const struct stat *st)
{
    return jst_spool_left_inode &&
           (st->st_dev != jst_spool_left_device || st->st_ino != jst_spool_left_inode);
}

int jst_spool_open(void)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int dir = jst_openat(AT_FDCWD, jst_cfg.spool, flags, 0);
    if (dir == -ENOENT && !jst_spool_left_inode) {
        long made = jst_sys3(SYS_mkdirat, AT_FDCWD, jst_cfg.spool, 0700);
        dir = jst_openat(AT_FDCWD, jst_cfg.spool, flags, 0);
        if (made == 0 && dir >= 0 && !jst_cfg.spool_from_user) /* shared; past the umask */
            jst_sys2(SYS_fchmod, dir, 01777);
    }
    struct stat st;
    if (dir < 0 || jst_fstat(dir, &st) < 0)
        return dir < 0 ? dir : -EIO;
    if (is_another(&st)) {
        jst_close(dir);
        return -ENOENT;
    }
    uid_t me = (uid_t)jst_sys0(SYS_geteuid);
    bool trusted = (st.st_uid == 0 || st.st_uid == me) && !(st.st_mode & S_IWOTH);
    if (!trusted && !(st.st_mode & S_ISVTX)) {
        jst_close(dir);
        return -EPERM;
    }
    return dir;
}

/* Field 22 of its stat, counted after the name, which may contain anything. */
uint64_t jst_process_start(void)
{
    char text[1024];
    uint64_t start = 0;
    long n = jst_read_file("/proc/self/stat", text, sizeof text);
    while (n > 0 && text[n - 1] != ')')
        n--;
    const char *p = text + (n > 0 ? n : 0);
    for (int field = 2; n > 0 && *p && field < 22; p++)
        field += *p == ' ';
    for (; n > 0 && *p >= '0' && *p <= '9'; p++)
        start = start * 10 + (uint64_t)(*p - '0');
    return start;
}

/* A write beyond the limit would be a signal for the program. */
bool jst_size_allowed(uint64_t n)
{
    struct rlimit limit;
    long r = jst_sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit);
    return r < 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= n;
}

/* The header's space is allocated, not left as a hole: a store into a hole of a full file system
 * would raise SIGBUS in the program. */
int jst_head_allocate(int fd, uint32_t bytes)
{
    long r = jst_sys4(SYS_fallocate, fd, 0, 0, bytes);
    if (r != -EOPNOTSUPP && r != -ENOSYS && r != -EPERM)
        return (int)r;
    static const char zeros[JST_PAGE];
    for (uint32_t at = 0; at < bytes; at += JST_PAGE)
        if ((r = jst_pwrite(fd, zeros, JST_PAGE, at)) != JST_PAGE)
            return r < 0 ? (int)r : -ENOSPC;
    return 0;
}
