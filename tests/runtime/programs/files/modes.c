/* O_CREAT and O_TMPFILE take a mode; a wrapper that drops it makes unusable files. */
#include "../truth.h"

#include <sys/stat.h>

static void has(int fd, mode_t mode)
{
    struct stat s;
    MUST(fd >= 0 && fstat(fd, &s) == 0);
    MUST((s.st_mode & 07777) == mode);
    close(fd);
}

int main(int argc, char **argv)
{
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    umask(0);
    has(open("a", O_WRONLY | O_CREAT, 0641), 0641);
    has(open64("b", O_WRONLY | O_CREAT, 0642), 0642);
    has(openat(AT_FDCWD, "c", O_WRONLY | O_CREAT, 0643), 0643);
    has(openat64(AT_FDCWD, "d", O_WRONLY | O_CREAT, 0644), 0644);
    has(creat("e", 0645), 0645);
    has(creat64("f", 0646), 0646);
    has(open("a", O_RDONLY), 0641);
    fd = open(".", O_TMPFILE | O_RDWR, 0631);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
        truth_note("tmpfile", "unsupported");
        return 0;
    }
    has(fd, 0631);
    has(open64(".", O_TMPFILE | O_RDWR, 0632), 0632);
    has(openat(AT_FDCWD, ".", O_TMPFILE | O_RDWR, 0633), 0633);
    return 0;
}
