/* mounts.c: reads the lines of /proc/mounts (mounts.h). */
#include "mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* The next field of a line, with its octal escapes undone. Returns where it ends, NULL: it is too long. */
static const char *take_field(const char *c, char to[JST_MOUNT_TEXT])
{
    size_t used = 0;
    while (*c == ' ')
        c++;
    while (*c && *c != ' ') {
        if (used == JST_MOUNT_TEXT - 1)
            return NULL;
        if (c[0] == '\\' && is_octal(c[1]) && is_octal(c[2]) && is_octal(c[3])) {
            to[used++] = (char)((c[1] - '0') * 64 + (c[2] - '0') * 8 + (c[3] - '0'));
            c += 4;
        } else {
            to[used++] = *c++;
        }
    }
    to[used] = 0;
    return c;
}

static void take_line(const char *line, const char *type,
                      void (*each)(void *to, const char *source, const char *path), void *to)
{
    char source[JST_MOUNT_TEXT], path[JST_MOUNT_TEXT], its_type[JST_MOUNT_TEXT];
    line = take_field(line, source);
    if (line)
        line = take_field(line, path);
    if (line && take_field(line, its_type) && !strcmp(its_type, type))
        each(to, source, path);
}

void jst_mounts(const char *type, void (*each)(void *to, const char *source, const char *path),
                void *to)
{
    char place[512], text[4096]; /* a longer line is not needed: overlay has such */
    size_t used = 0;
    bool skip = false;
    snprintf(place, sizeof place, "%s/proc/mounts", jst_root);
    int fd = open(place, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    for (long n;
         (n = read(fd, text + used, sizeof text - 1 - used)) > 0 || (n < 0 && errno == EINTR);) {
        used += n > 0 ? (size_t)n : 0;
        text[used] = 0;
        char *line = text;
        for (char *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (!skip)
                take_line(line, type, each, to);
            skip = false;
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
        if (used == sizeof text - 1) {
            used = 0;
            skip = true;
        }
    }
    close(fd);
}
