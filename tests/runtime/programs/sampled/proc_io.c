/* Known work over several slices, then what the kernel says about this process, as a note, and a line
 * on stdout. Ends when its input does. */
#include "../truth.h"

int main(int argc, char **argv)
{
    static char buffer[4096];
    char line[1024];
    int fd;
    ssize_t n;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    for (int i = 0; i < 300; i++) {
        MUST(pwrite(fd, buffer, sizeof buffer, 0) == sizeof buffer);
        DID_WRITE(4096);
        MUST(pread(fd, buffer, 100, 0) == 100);
        DID_READ(100);
        usleep(1000);
    }
    fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/io", O_RDONLY);
    n = syscall(SYS_read, fd, line, sizeof line - 1);
    MUST(n > 0);
    line[n] = 0;
    for (char *c = line; *c; c++) {
        if (*c == '\n') {
            *c = ';';
        }
    }
    truth_note("io", line);
    syscall(SYS_write, 1, "done\n", 5L);
    while (syscall(SYS_read, 0, line, sizeof line) > 0) {
    }
    return 0;
}
