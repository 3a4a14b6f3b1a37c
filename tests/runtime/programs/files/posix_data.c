/* Every call that opens, moves bytes, seeks and syncs, with the account of each. */
#include "../truth.h"

#include <aio.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

static char buffer[1 << 16];

static int opened(int fd)
{
    MUST(fd >= 0);
    DID(posix_open_ops, 1);
    return fd;
}

static void closed(int fd)
{
    MUST(close(fd) == 0);
    DID(posix_close_ops, 1);
}

static void wrote(ssize_t n, ssize_t wanted)
{
    MUST(n == wanted);
    DID_WRITE(n);
}

static void got(ssize_t n, ssize_t wanted)
{
    MUST(n == wanted);
    DID_READ(n);
}

static void sought(off_t at, off_t wanted)
{
    MUST(at == wanted);
    DID(posix_seek_ops, 1);
}

static void synced(int rc)
{
    MUST(rc == 0);
    DID(posix_sync_ops, 1);
}

static void opening(void)
{
    char name[64];
    closed(opened(open("a", O_RDWR | O_CREAT, 0644)));
    closed(opened(open64("a", O_RDONLY)));
    closed(opened(openat(AT_FDCWD, "a", O_RDONLY)));
    closed(opened(openat64(AT_FDCWD, "a", O_RDONLY)));
    closed(opened(creat("b", 0600)));
    closed(opened(creat64("b", 0600)));
    strcpy(name, "mk-XXXXXX");
    closed(opened(mkstemp(name)));
    strcpy(name, "mk-XXXXXX");
    closed(opened(mkstemp64(name)));
    strcpy(name, "mk-XXXXXX");
    closed(opened(mkostemp(name, O_CLOEXEC)));
    strcpy(name, "mk-XXXXXX");
    closed(opened(mkostemp64(name, O_CLOEXEC)));
    strcpy(name, "mk-XXXXXX.txt");
    closed(opened(mkstemps(name, 4)));
    strcpy(name, "mk-XXXXXX.txt");
    closed(opened(mkstemps64(name, 4)));
    strcpy(name, "mk-XXXXXX.txt");
    closed(opened(mkostemps(name, 4, O_CLOEXEC)));
    strcpy(name, "mk-XXXXXX.txt");
    closed(opened(mkostemps64(name, 4, O_CLOEXEC)));
}

static void moving(int fd)
{
    struct iovec parts[3] = {{buffer, 10}, {buffer + 10, 0}, {buffer + 10, 100}};
    wrote(write(fd, buffer, 1000), 1000);
    wrote(write(fd, buffer, 0), 0);
    wrote(pwrite(fd, buffer, 4096, 1000), 4096);
    wrote(pwrite64(fd, buffer, 7, 5096), 7);
    wrote(writev(fd, parts, 3), 110);
    wrote(pwritev(fd, parts, 3, 50), 110);
    wrote(pwritev64(fd, parts, 3, 50), 110);
    wrote(pwritev2(fd, parts, 3, 60, 0), 110);
    wrote(pwritev64v2(fd, parts, 1, 60, 0), 10);
    sought(lseek(fd, 0, SEEK_SET), 0);
    got(read(fd, buffer, 1000), 1000);
    got(pread(fd, buffer, 4096, 1000), 4096);
    got(pread64(fd, buffer, 7, 5096), 7);
    got(pread(fd, buffer, 100, 1 << 20), 0);
    got(readv(fd, parts, 3), 110);
    got(preadv(fd, parts, 3, 0), 110);
    got(preadv64(fd, parts, 3, 0), 110);
    got(preadv2(fd, parts, 3, 0, 0), 110);
    got(preadv64v2(fd, parts, 1, 0, 0), 10);
    sought(lseek64(fd, 5, SEEK_SET), 5);
}

static void copying(int from)
{
    int to = opened(open("copy", O_RDWR | O_CREAT | O_TRUNC, 0644));
    int ends[2];
    off_t at = 0;
    off64_t at_in = 100, at_out = 9000;
    got(sendfile(to, from, &at, 3000), 3000);
    DID_WRITE(3000);
    at = 0;
    got(sendfile64(to, from, &at, 200), 200);
    DID_WRITE(200);
    got(copy_file_range(from, &at_in, to, &at_out, 1234, 0), 1234);
    DID_WRITE(1234);
    MUST(pipe(ends) == 0);
    at_in = 0;
    got(splice(from, &at_in, ends[1], NULL, 500, 0), 500);
    DID(stream_write_ops, 1), DID(stream_write_bytes, 500);
    at_out = 0;
    wrote(splice(ends[0], NULL, to, &at_out, 500, 0), 500);
    DID(stream_read_ops, 1), DID(stream_read_bytes, 500);
    close(ends[0]), close(ends[1]);
    closed(to);
}

static void syncing(int fd)
{
    synced(fsync(fd));
    synced(fdatasync(fd));
    synced(sync_file_range(fd, 0, 100, SYNC_FILE_RANGE_WRITE));
    synced(syncfs(fd));
}

static ssize_t finish(struct aiocb *job)
{
    const struct aiocb *list[1] = {job};
    while (aio_error(job) == EINPROGRESS) {
        aio_suspend(list, 1, NULL);
    }
    return aio_return(job);
}

static void asynchronous(int fd)
{
    struct aiocb job = {.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 2000};
    struct aiocb64 job64 = {.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 300};
    struct aiocb one = {.aio_fildes = fd, .aio_buf = buffer, .aio_nbytes = 40};
    struct aiocb two = {.aio_fildes = fd, .aio_buf = buffer + 40, .aio_nbytes = 50};
    struct aiocb *list[3] = {&one, NULL, &two};
    const struct aiocb64 *wait64[1] = {&job64};
    MUST(aio_write(&job) == 0);
    wrote(finish(&job), 2000);
    MUST(aio_read(&job) == 0);
    got(finish(&job), 2000);
    MUST(aio_write64(&job64) == 0);
    while (aio_error64(&job64) == EINPROGRESS) {
        aio_suspend64(wait64, 1, NULL);
    }
    wrote(aio_return64(&job64), 300);
    one.aio_lio_opcode = LIO_READ;
    two.aio_lio_opcode = LIO_WRITE;
    MUST(lio_listio(LIO_WAIT, list, 3, NULL) == 0);
    got(finish(&one), 40);
    wrote(finish(&two), 50);
}

/* Copies of a descriptor keep its mount. */
static void duplicating(int fd)
{
    int a = dup(fd), b = dup2(fd, 200), c = dup3(fd, 201, O_CLOEXEC);
    int d = fcntl(fd, F_DUPFD, 300), e = fcntl64(fd, F_DUPFD_CLOEXEC, 300);
    int all[5] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++) {
        MUST(all[i] >= 0);
        wrote(pwrite(all[i], buffer, 11, 0), 11);
        closed(all[i]);
    }
}

int main(int argc, char **argv)
{
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    opening();
    fd = opened(open("data", O_RDWR | O_CREAT, 0644));
    moving(fd);
    copying(fd);
    syncing(fd);
    asynchronous(fd);
    duplicating(fd);
    closed(fd);
    return 0;
}
