/* Calls with strange but legal, or wrong, arguments: result and errno of each are printed. */
#include "../truth.h"

#include <aio.h>
#include <dirent.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define SHOW(call)                                                                                 \
    do {                                                                                           \
        errno = 77;                                                                                \
        long long result = (long long)(call);                                                      \
        printf("%s = %lld, %d\n", #call, result, errno);                                           \
    } while (0)

static void paths(int fd, void *volatile null)
{
    struct stat s;
    struct statx x;
    char link[8];
    char template[] = "no-template";
    SHOW(utimensat(fd, null, NULL, 0));
    SHOW(statx(fd, null, AT_EMPTY_PATH, STATX_SIZE, &x));
    SHOW(statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &x));
    SHOW(fstatat(fd, "", &s, AT_EMPTY_PATH));
    SHOW(fstatat(fd, null, &s, 0));
    SHOW(open(null, O_RDONLY));
    SHOW(open("", O_RDONLY));
    SHOW(openat(-5, "data", O_RDONLY));
    SHOW(openat(fd, "data", O_RDONLY));
    SHOW(access(null, R_OK));
    SHOW(access("data", 99));
    SHOW(rename(null, "x"));
    SHOW(rename("data", null));
    SHOW(readlink("data", link, sizeof link));
    SHOW(readlink("data", link, 0));
    SHOW(mkstemp(template));
    SHOW(unlinkat(AT_FDCWD, "data", 12345));
    SHOW(truncate(null, 0));
    SHOW(mkdir(null, 0));
    SHOW(opendir("") != NULL);
    SHOW(closedir(null));
    SHOW(fdopendir(fd) != NULL);
}

static void transfers(int fd)
{
    struct iovec many[2000] = {{0}};
    off64_t negative = -1;
    volatile int minus = -1;
    char c = 0;
    SHOW(writev(fd, many, minus));
    SHOW(writev(fd, many, 2000));
    SHOW(writev(fd, many, 0));
    SHOW(readv(fd, NULL, 0));
    SHOW(preadv2(fd, many, 1, 0, 0x7fff));
    SHOW(pwrite(fd, &c, 1, -1));
    SHOW(write(fd, NULL, 0));
    SHOW(read(-1, &c, 1));
    SHOW(read(1 << 30, &c, 1));
    SHOW(write(0x7fffffff, &c, 1));
    SHOW(sendfile(fd, fd, NULL, 0));
    SHOW(sendfile(-1, fd, NULL, 1));
    SHOW(copy_file_range(fd, &negative, fd, NULL, 1, 0));
    SHOW(copy_file_range(fd, NULL, fd, NULL, 1, 9));
    SHOW(splice(fd, NULL, fd, NULL, 1, 0));
    SHOW(lseek(fd, 0, 99));
    SHOW(fallocate(fd, 0, 0, 0));
    SHOW(posix_fallocate(fd, 0, -1));
    SHOW(posix_fallocate(-1, 0, 1));
    SHOW(sync_file_range(fd, -1, 0, 0));
    SHOW(fsync(-1));
}

static void descriptors(int fd)
{
    SHOW(dup(-1));
    SHOW(dup2(fd, fd));
    SHOW(dup2(-1, fd));
    SHOW(dup3(fd, fd, 0));
    SHOW(dup2(fd, 1 << 30));
    SHOW(fcntl(fd, 9999, 0));
    SHOW(fcntl(-1, F_GETFD));
    SHOW(fcntl(fd, F_DUPFD, -1));
    SHOW(close(-1));
    SHOW(close(1 << 30));
    SHOW(close_range(5, 3, 0));
    SHOW(write(fd, "x", 1));
}

static void streams(void)
{
    char line[4], *grown = NULL;
    size_t room = 0;
    FILE *f = fopen("data", "r");
    SHOW(fwrite("x", 1, 1, f));
    SHOW(fread(line, 0, 5, f));
    SHOW(fread(line, 5, 0, f));
    SHOW(fgets(line, 1, f) == line);
    SHOW(fputc('x', f));
    SHOW(fseek(f, -99, SEEK_SET));
    SHOW(getline(&grown, &room, f));
    SHOW(fgetc(f));
    SHOW(setvbuf(f, NULL, 99, 0));
    SHOW(fopen("data", "nonsense") != NULL);
    SHOW(fdopen(-1, "r") != NULL);
    SHOW((f = freopen(NULL, "r", f)) != NULL);
    SHOW(fclose(f));
    SHOW(fflush(NULL));
    free(grown);
}

static void requests(int fd)
{
    struct aiocb bad = {.aio_fildes = -1, .aio_nbytes = 1}, *list[] = {&bad, NULL};
    bad.aio_lio_opcode = LIO_NOP;
    SHOW(aio_read(&bad));
    while (aio_error(&bad) == EINPROGRESS) {
    }
    SHOW(aio_return(&bad));
    SHOW(lio_listio(99, list, 2, NULL));
    SHOW(lio_listio(LIO_WAIT, list, 2, NULL));
    SHOW(lio_listio(LIO_WAIT, list, -1, NULL));
    (void)fd;
}

int main(int argc, char **argv)
{
    int fd;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    unlink("data");
    fd = open("data", O_RDWR | O_CREAT, 0644);
    MUST(write(fd, "0123456789\n", 11) == 11);
    paths(fd, NULL);
    transfers(fd);
    descriptors(fd);
    streams();
    requests(fd);
    return 0;
}
