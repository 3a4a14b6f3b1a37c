/*
 * Files whose first bytes say what they are, or seem to; argv[1] is the folder. A file's name is the format
 * that is expected, and a number.
 */
#include "../truth.h"

#include <sys/uio.h>

static const char hdf5[] = "\x89HDF\r\n\x1a\n and what follows";
static const char cdf1[] = "CDF\x01 and what follows", cdf5[] = "CDF\x05 and what follows";

static int opened(const char *folder, const char *name, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, flags | O_CREAT, 0600);
    MUST(fd >= 0);
    return fd;
}

static void closed(int fd)
{
    MUST(close(fd) == 0);
}

int main(int argc, char **argv)
{
    char buffer[16];
    MUST(argc == 2);
    truth_begin();
    static char much[1 << 17]; /* so that it is no short process */
    int big = opened(argv[1], "-4", O_RDWR);
    MUST(write(big, much, sizeof much) == sizeof much);
    closed(big);

    /* As HDF5 writes: data first, then the beginning. */
    int fd = opened(argv[1], "HDF5-1", O_RDWR);
    MUST(pwrite(fd, buffer, sizeof buffer, 2048) == sizeof buffer);
    MUST(pwrite(fd, hdf5, sizeof hdf5, 0) == sizeof hdf5);
    closed(fd);
    /* As netCDF writes: the beginning after a seek. */
    fd = opened(argv[1], "netCDF-1", O_RDWR);
    MUST(lseek(fd, 24, SEEK_SET) == 24 && write(fd, buffer, 8) == 8);
    MUST(lseek(fd, 0, SEEK_SET) == 0 && write(fd, cdf1, sizeof cdf1) == sizeof cdf1);
    closed(fd);
    /* At once, in one part of several. */
    fd = opened(argv[1], "netCDF-2", O_RDWR);
    struct iovec parts[] = {{(void *)cdf5, 8}, {buffer, sizeof buffer}};
    MUST(writev(fd, parts, 2) == 8 + sizeof buffer);
    closed(fd);
    /* What begins so elsewhere than at the beginning, or only begins to. */
    fd = opened(argv[1], "-1", O_RDWR);
    MUST(pwrite(fd, hdf5, sizeof hdf5, 512) == sizeof hdf5);
    MUST(write(fd, "CDF", 3) == 3 && write(fd, cdf1, sizeof cdf1) == sizeof cdf1);
    closed(fd);
    fd = opened(argv[1], "-2", O_RDWR);
    MUST(write(fd, hdf5, 7) == 7);
    closed(fd);
    fd = opened(argv[1], "-3", O_RDWR);
    MUST(write(fd, "CDF\x03 is none", 12) == 12);
    closed(fd);
    /* Read only: the library asks for eight bytes, or for more. */
    int in = opened(argv[1], "HDF5-1", O_RDONLY);
    fd = opened(argv[1], "HDF5-2", O_RDWR | O_APPEND);
    struct iovec part = {buffer, 8};
    MUST(pread(in, buffer, 8, 0) == 8);
    MUST(writev(fd, &part, 1) == 8 && preadv(fd, &part, 1, 0) == 8);
    closed(in);
    closed(fd);
    return 0;
}
