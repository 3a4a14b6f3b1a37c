/* lustre.c: common functions of the sources of Lustre (lustre.h). */
#include "lustre.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MOST (1 << 20) /* bytes of a file of statistics */

static const char *const roots[] = {"/proc/fs/lustre", "/sys/fs/lustre",
                                    "/sys/kernel/debug/lustre"};

/* A kernel with Lustre has one of these, which all users may see. */
static bool is_loaded(void)
{
    for (int i = 0; i < 2; i++) {
        DIR *d = jst_open_folder(roots[i]);
        if (d) {
            closedir(d);
            return true;
        }
    }
    return false;
}

int jst_lustre_each(const char *folder, const char *file,
                    void (*each)(void *to, const char *entry, int fd), void *to)
{
    bool denied = false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        char place[JST_PATH], path[JST_PATH];
        int count = 0;
        DIR *d = jst_join(place, roots[i], folder) ? jst_open_folder(place) : NULL;
        if (!d) {
            denied = denied || errno == EACCES;
            continue;
        }
        for (const char *entry; (entry = jst_next_name(d, ""));) {
            if (!jst_join(path, entry, file))
                continue;
            int fd = openat(dirfd(d), path, O_RDONLY | O_CLOEXEC);
            if (fd < 0) {
                denied = denied || errno == EACCES;
                continue;
            }
            each(to, entry, fd);
            close(fd);
            count++;
        }
        closedir(d);
        if (count)
            return count;
    }
    return denied && is_loaded() ? -EACCES : 0;
}

static void nothing(void *to, const char *entry, int fd)
{
    (void)to;
    (void)entry;
    (void)fd;
}

const char *jst_lustre_missing(const char *folder, const char *file, const char *none)
{
    int count = jst_lustre_each(folder, file, nothing, NULL);
    if (count == -EACCES)
        return JST_LUSTRE_ROOT_ONLY;
    return count ? NULL : none;
}

void jst_lustre_read(int fd, jst_lustre_totals *t)
{
    char text[4096]; /* a line has some 100 bytes, a file some 100 lines */
    size_t used = 0, total = 0;
    long n = 1;
    memset(t, 0, sizeof *t);
    while (n && used < sizeof text && total < MOST) {
        n = read(fd, text + used, sizeof text - used);
        if (n < 0 && errno != EINTR)
            break;
        used += n > 0 ? (size_t)n : 0;
        total += n > 0 ? (size_t)n : 0;
        size_t lines = jst_lustre_stats(text, used, t);
        used -= lines;
        memmove(text, text + lines, used);
    }
    if (n || used)
        t->torn = true;
}

bool jst_lustre_file_system(const char *target, char to[JST_NAME])
{
    const char *end = NULL;
    for (const char *dash = strchr(target, '-'); dash; dash = strchr(dash + 1, '-'))
        if (!strncmp(dash, "-OST", 4) || !strncmp(dash, "-MDT", 4))
            end = dash;
    if (!end || end == target)
        return false;
    snprintf(to, JST_NAME, "%.*s", (int)(end - target), target);
    return true;
}

uint64_t jst_lustre_hash(uint64_t from, const char *text)
{
    uint64_t h = from ^ 0xcbf29ce484222325u;
    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    h ^= h >> 32; /* the low bits choose the place in a table */
    return h ? h : 1;
}
