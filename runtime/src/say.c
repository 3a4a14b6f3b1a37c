/* say.c: writes messages to standard error: once per job, and only where the program still has it
 * open. */
#include "common.h"
#include "config.h"
#include "profile/spool.h"
#include "sys.h"
#include "text.h"

/* Once per command of a shell: the first process of a process group leaves the group's number in a
 * marker file of the job. Where there is no spool for it, every process with the error writes the
 * message. */
static bool leave_mark(void)
{
    char name[192] = "";
    jst_shared_file_name(name, name + sizeof name, ".said");
    int dir = jst_spool_open();
    if (dir < 0)
        return true;
    int fd = jst_openat(dir, name, O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    jst_close(dir);
    if (fd < 0)
        return true;
    struct stat st;
    uint32_t group = (uint32_t)jst_sys1(SYS_getpgid, 0), known = 0;
    /* A file of ours that somebody else has linked there is none of the job's. */
    bool regular = jst_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1;
    bool first =
        !regular || jst_pread(fd, &known, sizeof known, 0) != sizeof known || known != group;
    if (first && regular && st.st_uid == (uid_t)jst_sys0(SYS_geteuid) && jst_size_allowed(4))
        jst_pwrite(fd, &group, sizeof group, 0);
    jst_close(fd);
    return first;
}

static bool first_to_say(void)
{
    static int first = -1; /* checked once: a process writes all of its messages or none */
    if (first < 0)
        first = leave_mark();
    return first != 0;
}

/* The target of standard error at the program's start. The program may close it, and open its data
 * under the same number. */
static uint64_t error_device, error_inode;

static void look_at_stderr(uint64_t *device, uint64_t *inode)
{
    struct stat st;
    bool open = jst_fstat(2, &st) == 0;
    *device = open ? st.st_dev : 0;
    *inode = open ? st.st_ino : 0;
}

void jst_say_begin(void)
{
    look_at_stderr(&error_device, &error_inode);
}

bool jst_stderr_is_the_same(void)
{
    uint64_t device, inode;
    look_at_stderr(&device, &inode);
    return inode && device == error_device && inode == error_inode;
}

void jst_say(const char *what, const char *value, const char *fix)
{
    char line[512] = "";
    const char *end = line + sizeof line - 1;
    if (!jst_stderr_is_the_same() || !first_to_say())
        return;
    char *p = jst_put_text(line, end, "jostle: ");
    p = jst_put_text(p, end, what);
    if (value) {
        p = jst_put_text(p, end, " '");
        p = jst_put_text(p, end - 200, value);
        p = jst_put_text(p, end, "'");
    }
    p = jst_put_text(p, end, fix);
    *p++ = '\n';
    jst_write(2, line, (size_t)(p - line));
}
