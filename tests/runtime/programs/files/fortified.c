/* Calls whose sizes the compiler can only check at run time: __read_chk, __open_2 and so on. */
#include "../truth.h"

#include <poll.h>

int main(int argc, char **argv)
{
    static char buffer[256];
    volatile int flags = O_RDWR;
    volatile size_t n = 100;
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    memset(buffer, 'a', 200);
    MUST(write(fd, buffer, 200) == 200);
    DID_WRITE(200);
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
    fd = open("data", flags);
    MUST(fd >= 0);
    DID(posix_open_ops, 1);
    MUST(read(fd, buffer, n) == 100);
    DID_READ(100);
    MUST(pread(fd, buffer, n, 50) == 100);
    DID_READ(100);
    MUST(pread64(fd, buffer, n, 50) == 100);
    DID_READ(100);
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
    fd = open64("data", flags);
    DID(posix_open_ops, 1);
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
    fd = openat(AT_FDCWD, "data", flags);
    DID(posix_open_ops, 1);
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
    fd = openat64(AT_FDCWD, "data", flags);
    DID(posix_open_ops, 1);
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
    return 0;
}
