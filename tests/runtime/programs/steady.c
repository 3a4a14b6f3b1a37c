/* argv: file, milliseconds: writes 1000 bytes about every 2 ms; prints a line when it has begun. */
#include "truth.h"

#include <time.h>

int main(int argc, char **argv)
{
    static char buffer[1000];
    struct timespec now, end;
    int fd, ms;
    MUST(argc == 3);
    ms = atoi(argv[2]);
    truth_begin();
    fd = open(argv[1], O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += ms / 1000, end.tv_nsec += ms % 1000 * 1000000;
    for (int first = 1;; first = 0) {
        MUST(pwrite(fd, buffer, 1000, 0) == 1000);
        DID_WRITE(1000);
        if (first) {
            syscall(SYS_write, 1, "begun\n", 6L);
        }
        usleep(2000);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec)) {
            return 0;
        }
    }
}
