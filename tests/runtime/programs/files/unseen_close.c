/*
 * A descriptor is closed behind everybody's back, as libuv does it, and its number becomes a
 * socket: a slice later at the latest the traffic must not pass for the file's any more.
 */
#include "../truth.h"

#include <sys/socket.h>

int main(int argc, char **argv)
{
    static char buffer[100000];
    int fd, pair[2], second;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    MUST(write(fd, buffer, sizeof buffer) == sizeof buffer);
    DID_WRITE((long long)sizeof buffer);
    syscall(SYS_close, fd);
    MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pair[0] == fd);
    usleep(250000);
    MUST(write(pair[0], buffer, 100) == 100);
    DID(stream_write_ops, 1), DID(stream_write_bytes, 100);
    /* And the other way round: the socket's number becomes a file, by a raw call too. */
    syscall(SYS_close, pair[0]);
    second = (int)syscall(SYS_openat, AT_FDCWD, "data", O_RDWR);
    MUST(second == pair[0]);
    usleep(250000);
    MUST(pwrite(second, buffer, 55, 0) == 55);
    DID_WRITE(55);
    return 0;
}
