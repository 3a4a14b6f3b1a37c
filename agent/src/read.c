/* read.c: files of the kernel, for sources. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

const char *jst_root = "";

static bool put_path(char *to, size_t n, const char *path)
{
    int length = snprintf(to, n, "%s%s", jst_root, path);
    return length >= 0 && (size_t)length < n;
}

long jst_read_text(const char *path, char *to, size_t n)
{
    char whole[512];
    size_t have = 0;
    to[0] = 0;
    if (!put_path(whole, sizeof whole, path))
        return -ENAMETOOLONG;
    /* Neither a pipe that nobody writes to nor a terminal is waited for. */
    int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    ssize_t r = 1;
    while (have < n - 1 && (r = read(fd, to + have, n - 1 - have)) > 0)
        have += (size_t)r;
    long error = r < 0 ? -errno : 0;
    char more;
    if (error == 0 && have == n - 1 && read(fd, &more, 1) > 0)
        error = -EFBIG;
    close(fd);
    to[have] = 0;
    return error ? error : (long)have;
}

long jst_read_number(const char *path, uint64_t *to)
{
    char text[32], *end;
    long n = jst_read_text(path, text, sizeof text);
    if (n < 0)
        return n == -EFBIG ? -EINVAL : n;
    errno = 0;
    if (text[0] < '0' || text[0] > '9')
        return -EINVAL;
    unsigned long long v = strtoull(text, &end, 10);
    if (errno || (*end && *end != '\n') || (*end && end[1]))
        return -EINVAL;
    *to = v;
    return 0;
}

long jst_each_name(const char *path, void (*each)(const char *name, void *with), void *with)
{
    char whole[512];
    if (!put_path(whole, sizeof whole, path))
        return -ENAMETOOLONG;
    DIR *d = opendir(whole);
    if (!d)
        return -errno;
    errno = 0;
    for (struct dirent *e; (e = readdir(d)); errno = 0)
        if (e->d_name[0] != '.')
            each(e->d_name, with);
    long error = errno;
    closedir(d);
    return -error;
}
