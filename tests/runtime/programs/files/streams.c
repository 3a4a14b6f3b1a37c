/* Pipes and sockets are streams, not files. */
#include "../truth.h"

#include <sys/socket.h>
#include <sys/uio.h>

static char buffer[1000];

static void exchange(int from, int to, int n)
{
    MUST(write(to, buffer, n) == n);
    DID(stream_write_ops, 1), DID(stream_write_bytes, n);
    MUST(read(from, buffer, n) == n);
    DID(stream_read_ops, 1), DID(stream_read_bytes, n);
}

int main(int argc, char **argv)
{
    int ends[2], pair[2], fd;
    FILE *f;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    MUST(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 1; i <= 100; i++) {
        exchange(ends[0], ends[1], i);
        exchange(pair[0], pair[1], i);
    }
    f = fdopen(ends[1], "w");
    MUST(fwrite(buffer, 1, 123, f) == 123 && fflush(f) == 0);
    DID(stream_write_ops, 1), DID(stream_write_bytes, 123);
    /* A number that was a pipe becomes a file, and the other way round. */
    fd = open("file", O_RDWR | O_CREAT, 0644);
    DID(posix_open_ops, 1);
    MUST(dup2(fd, ends[0]) == ends[0]);
    MUST(write(ends[0], buffer, 10) == 10);
    DID_WRITE(10);
    MUST(dup2(pair[1], fd) == fd);
    MUST(write(fd, buffer, 20) == 20);
    DID(stream_write_ops, 1), DID(stream_write_bytes, 20);
    return 0;
}
