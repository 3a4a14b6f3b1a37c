/* Directories whose files are not all on one mount: what was learned of some files must not be applied to
 * others. leaving HERE THERE: two folders on two file systems.
 *
 * A note says how many files were opened on THERE. */
#include "../truth.h"

#include <sys/stat.h>

enum { LEARN = 40, LINKS = 30 };

static long long there; /* files opened on THERE */

static int open_one(int dir, const char *path, int flags)
{
    int fd = openat(dir, path, flags, 0644);
    MUST(fd >= 0);
    DID(posix_open_ops, 1);
    return fd;
}

static void close_one(int fd)
{
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
}

static void make(const char *folder, const char *name, int n)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s%d", folder, name, n);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0644);
    MUST(fd >= 0 && syscall(SYS_close, fd) == 0);
}

/* Opens and closes so many plain files of a folder. */
static void learn(int dir, const char *prefix)
{
    char path[600];
    for (int i = 0; i < LEARN; i++) {
        snprintf(path, sizeof path, "%sf%d", prefix, i);
        close_one(open_one(dir, path, O_RDONLY));
    }
}

/* Through links to files on the other mount: written to, or only opened. */
static void follow(const char *prefix, int writes)
{
    char path[600], data[1000] = {0};
    for (int i = 0; i < LINKS; i++) {
        snprintf(path, sizeof path, "%sl%d", prefix, i);
        int fd = open_one(AT_FDCWD, path, O_WRONLY);
        there++;
        for (int k = 0; k < writes; k++) {
            MUST(write(fd, data, sizeof data) == sizeof data);
            DID_WRITE(sizeof data);
        }
        close_one(fd);
    }
}

static void folder_with_links(const char *here, const char *beyond, const char *name, int writes)
{
    char folder[512], link[600], target[600];
    snprintf(folder, sizeof folder, "%s/%s", here, name);
    MUST(syscall(SYS_mkdirat, AT_FDCWD, folder, 0755) == 0);
    for (int i = 0; i < LEARN; i++)
        make(folder, "f", i);
    for (int i = 0; beyond && i < LINKS; i++) {
        make(beyond, name, i);
        snprintf(link, sizeof link, "%s/l%d", folder, i);
        snprintf(target, sizeof target, "%s/%s%d", beyond, name, i);
        MUST(syscall(SYS_symlinkat, target, AT_FDCWD, link) == 0);
    }
    snprintf(folder, sizeof folder, "%s/%s/", here, name);
    learn(AT_FDCWD, folder);
    if (beyond)
        follow(folder, writes);
}

/* A queue among files: what passes it belongs to no mount. Its open and close are no file's, but may be
 * taken for that. */
static void queue(const char *here)
{
    char path[600], data[100] = {0};
    folder_with_links(here, NULL, "queued", 0);
    snprintf(path, sizeof path, "%s/queued/queue", here);
    MUST(syscall(SYS_mknodat, AT_FDCWD, path, S_IFIFO | 0600, 0) == 0);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR);
    MUST(fd >= 0 && syscall(SYS_close, fd) == 0);
    fd = open(path, O_RDWR);
    MUST(fd >= 0 && write(fd, data, sizeof data) == sizeof data);
    DID(stream_write_ops, 1);
    DID(stream_write_bytes, sizeof data);
    MUST(close(fd) == 0);
}

/* The same names, number of directory and working directory, on one mount and then on the other. */
static void change_folder(const char *here, const char *beyond)
{
    const char *const folders[] = {here, beyond};
    int number = -1;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < LEARN; i++)
            make(folders[side], "f", i);
        int dir = open_one(AT_FDCWD, folders[side], O_RDONLY | O_DIRECTORY);
        MUST(number < 0 || dir == number);
        number = dir;
        learn(dir, "");
        MUST(chdir(folders[side]) == 0);
        learn(AT_FDCWD, "");
        close_one(dir);
        there += side ? 2 * LEARN + 1 : 0;
    }
}

int main(int argc, char **argv)
{
    char text[32];
    MUST(argc == 3);
    truth_begin();
    usleep(150000); /* the profile is begun by the next call */
    folder_with_links(argv[1], argv[2], "written", 3);
    queue(argv[1]);
    folder_with_links(argv[1], argv[2], "opened", 0);
    change_folder(argv[1], argv[2]);
    snprintf(text, sizeof text, "%lld", there);
    truth_note("there", text);
    return 0;
}
