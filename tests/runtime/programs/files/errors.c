/* Calls that fail, by class of error; errno is the kernel's, and success leaves it alone. */
#include "../truth.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define FAILS(call, number, class)                                                                 \
    do {                                                                                           \
        errno = 0;                                                                                 \
        MUST((long)(call) == -1 && errno == (number));                                             \
        DID(error_##class##_ops, 1);                                                               \
    } while (0)

/* A call that succeeds must leave errno as it was, as it does without us. */
#define WORKS(call)                                                                                \
    do {                                                                                           \
        errno = 4242;                                                                              \
        MUST((long)(call) != -1);                                                                  \
        MUST(errno == 4242);                                                                       \
    } while (0)

static char buffer[100];

static void failing(int fd, int reader)
{
    struct stat s;
    struct iovec bad = {(void *)8, 10};
    void *volatile wild = (void *)8;
    FAILS(open("none", O_RDONLY), ENOENT, missing);
    FAILS(open("data/x", O_RDONLY), ENOTDIR, missing);
    FAILS(stat("none", &s), ENOENT, missing);
    FAILS(lstat("none", &s), ENOENT, missing);
    FAILS(unlink("none"), ENOENT, missing);
    FAILS(rename("none", "none2"), ENOENT, missing);
    FAILS(rmdir("none"), ENOENT, missing);
    FAILS(mkdir(".", 0755), EEXIST, invalid);
    FAILS(open("data", O_CREAT | O_EXCL, 0644), EEXIST, invalid);
    FAILS(open(".", O_WRONLY), EISDIR, invalid);
    FAILS(read(777, buffer, 1), EBADF, invalid);
    FAILS(write(reader, buffer, 1), EBADF, invalid);
    FAILS(close(778), EBADF, invalid);
    FAILS(lseek(fd, -1, SEEK_SET), EINVAL, invalid);
    FAILS(pread(fd, buffer, 1, -1), EINVAL, invalid);
    FAILS(write(fd, wild, 10), EFAULT, invalid);
    FAILS(read(fd, wild, 10), EFAULT, invalid);
    FAILS(writev(fd, &bad, 1), EFAULT, invalid);
    FAILS(writev(fd, wild, 1), EFAULT, invalid);
    FAILS(open(wild, O_RDONLY), EFAULT, invalid);
    FAILS(stat(wild, &s), EFAULT, invalid);
    FAILS(stat("data", wild), EFAULT, invalid);
    FAILS(truncate("data", -1), EINVAL, invalid);
    errno = 0;
    MUST(opendir("none") == NULL && errno == ENOENT);
    DID(error_missing_ops, 1);
    errno = 0;
    MUST(fopen("none", "r") == NULL && errno == ENOENT);
    DID(error_missing_ops, 1);
}

static void working(int fd)
{
    struct stat s;
    struct iovec part = {buffer, 10};
    FILE *f;
    int fd2 = -1;
    WORKS(write(fd, buffer, 10));
    WORKS(pwrite(fd, buffer, 10, 0));
    WORKS(writev(fd, &part, 1));
    WORKS(lseek(fd, 0, SEEK_SET));
    WORKS(read(fd, buffer, 10));
    WORKS(pread(fd, buffer, 10, 0));
    WORKS(fsync(fd));
    WORKS(fstat(fd, &s));
    WORKS(stat("data", &s));
    WORKS(fd2 = open("data", O_RDONLY));
    WORKS(dup2(fd2, fd2 + 1));
    WORKS(close(fd2 + 1));
    WORKS(close(fd2));
    WORKS(rename("data", "data2"));
    WORKS(unlink("data2"));
    f = fopen("stream", "w+");
    WORKS(fwrite(buffer, 1, 10, f));
    WORKS(fputc('c', f));
    WORKS(fflush(f));
    WORKS(fseek(f, 0, SEEK_SET));
    WORKS(fread(buffer, 1, 10, f));
    WORKS(fclose(f));
}

int main(int argc, char **argv)
{
    int fd, reader;
    MUST(argc == 2 && chdir(argv[1]) == 0);
    truth_begin();
    fd = open("data", O_RDWR | O_CREAT, 0644);
    reader = open("data", O_RDONLY);
    MUST(fd >= 0 && reader >= 0);
    MUST(pwrite(fd, buffer, 50, 0) == 50);
    failing(fd, reader);
    working(fd);
    return 0;
}
