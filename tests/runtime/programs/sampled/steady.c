/* argv: file, milliseconds: writes 1000 bytes about every 2 ms; prints a line when it has begun.
 * Ends before its time when a file of that name with ".end" behind it is there. */
#include "../truth.h"

#include <time.h>

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
    static char buffer[1000], ended[4096];
    long long end;
    int fd;
    MUST(argc == 3);
    snprintf(ended, sizeof ended, "%s.end", argv[1]);
    truth_begin();
    end = now_ms() + atoi(argv[2]);
    fd = open(argv[1], O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    for (int first = 1; first || now_ms() < end; first = 0) {
        if (syscall(SYS_faccessat, AT_FDCWD, ended, F_OK) == 0) {
            break;
        }
        MUST(pwrite(fd, buffer, 1000, 0) == 1000);
        DID_WRITE(1000);
        if (first) {
            syscall(SYS_write, 1, "begun\n", 6L);
        }
        usleep(2000);
    }
    return 0;
}
