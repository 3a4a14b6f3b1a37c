/* read.c: reads files of the kernel, for sources. */
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

/* Does not wait for a pipe without a writer or a terminal. */
static int open_below_root(const char *path)
{
    char whole[512];
    if (!put_path(whole, sizeof whole, path))
        return -ENAMETOOLONG;
    int fd = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return fd < 0 ? -errno : fd;
}

long jst_read_text(const char *path, char *to, size_t n)
{
    size_t have = 0;
    to[0] = 0;
    int fd = open_below_root(path);
    if (fd < 0)
        return fd;
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

/* Passes on the whole lines of a text; returns how many bytes of an incomplete line are left, at
 * the text's beginning. */
static size_t give_lines(char *text, size_t n, size_t room, bool *cut,
                         void (*each)(const char *line, void *with), void *with)
{
    char *line = text, *end;
    while ((end = memchr(line, '\n', n - (size_t)(line - text)))) {
        *end = 0;
        if (!*cut)
            each(line, with);
        *cut = false;
        line = end + 1;
    }
    size_t rest = n - (size_t)(line - text);
    if (rest < room) {
        memmove(text, line, rest);
        return rest;
    }
    text[room] = 0; /* the line fills the buffer: the rest of it is skipped */
    if (!*cut)
        each(text, with);
    *cut = true;
    return 0;
}

long jst_each_line(const char *path, void (*each)(const char *line, void *with), void *with)
{
    char text[4096 + 1];
    const size_t room = sizeof text - 1;
    size_t have = 0;
    ssize_t r;
    bool cut = false;
    int fd = open_below_root(path);
    if (fd < 0)
        return fd;
    while ((r = read(fd, text + have, room - have)) > 0)
        have = give_lines(text, have + (size_t)r, room, &cut, each, with);
    long error = r < 0 ? -errno : 0;
    close(fd);
    return error;
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
