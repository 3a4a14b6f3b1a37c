/* sysfs.c: reads small files of the kernel (sysfs.h). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfs.h"

bool jst_scan_number(const char *text, uint64_t *number, const char **end)
{
    uint64_t n = 0;
    while (*text == ' ' || *text == '\t')
        text++;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*text - '0'), &n))
            return false;
    *number = n;
    if (end)
        *end = text;
    return true;
}

unsigned jst_cpu_list(const char *text, unsigned *cpus, unsigned n)
{
    unsigned count = 0;
    for (;;) {
        uint64_t first, last;
        if (!jst_scan_number(text, &first, &text))
            return 0;
        last = first;
        if (*text == '-' && !jst_scan_number(text + 1, &last, &text))
            return 0;
        if (last < first || last > 65535)
            return 0;
        for (; first <= last; first++, count++)
            if (count < n)
                cpus[count] = (unsigned)first;
        if (*text != ',')
            return *text == '\n' || *text == 0 ? count : 0;
        text++;
    }
}

jst_found jst_scan_key(const char *text, const char *key, uint64_t *number)
{
    size_t n = strlen(key);
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *behind;
        if (strncmp(text, key, n) != 0 || (text[n] != ' ' && text[n] != '\t'))
            continue;
        return jst_scan_number(text + n, number, &behind) && behind == end ? JST_THERE : JST_BAD;
    }
    return JST_ABSENT;
}

bool jst_join(char to[JST_PATH], const char *folder, const char *name)
{
    int n = snprintf(to, JST_PATH, "%s/%s", folder, name);
    return n > 0 && n < JST_PATH;
}

jst_found jst_file_text(const char *folder, const char *name, char *to, size_t n)
{
    char path[JST_PATH];
    to[0] = 0;
    if (!jst_join(path, folder, name))
        return JST_ABSENT;
    long got = jst_read_text(path, to, n);
    if (got >= 0)
        return JST_THERE;
    to[0] = 0;
    /* ENODEV, EOPNOTSUPP: a control group that is being removed, a counter that is disabled in the
     * kernel. */
    return got == -ENOENT || got == -ENODEV || got == -EOPNOTSUPP || got == -ENOTDIR ? JST_ABSENT
                                                                                     : JST_BAD;
}

jst_found jst_file_number(const char *folder, const char *name, uint64_t *number)
{
    char text[64];
    const char *end;
    jst_found found = jst_file_text(folder, name, text, sizeof text);
    if (found != JST_THERE)
        return found;
    if (!jst_scan_number(text, number, &end))
        return JST_BAD;
    return *end == '\n' || *end == 0 ? JST_THERE : JST_BAD;
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-_.:+[]@", c));
}

jst_found jst_file_word(const char *folder, const char *name, char word[JST_NAME])
{
    jst_found found = jst_file_text(folder, name, word, JST_NAME);
    if (found != JST_THERE)
        return found;
    word[strcspn(word, "\n")] = 0;
    for (char *p = word; *p; p++)
        if (!is_plain(*p))
            *p = '_';
    return word[0] ? JST_THERE : JST_BAD;
}

DIR *jst_open_folder(const char *path)
{
    char full[2 * JST_PATH];
    int n = snprintf(full, sizeof full, "%s%s", jst_root, path);
    return n > 0 && n < (int)sizeof full ? opendir(full) : NULL;
}

const char *jst_next_name(DIR *folder, const char *with)
{
    for (const struct dirent *d; (d = readdir(folder));) {
        if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
            continue;
        if (!strncmp(d->d_name, with, strlen(with)) && strlen(d->d_name) < JST_NAME)
            return d->d_name;
    }
    return NULL;
}

jst_place jst_place_of(const char *device)
{
    static const char devices[] = "/sys/devices/";
    jst_place place = {.path = ""};
    char link[JST_PATH], whole[PATH_MAX];
    uint64_t node;
    if (snprintf(link, sizeof link, "%s%s", jst_root, device) >= (int)sizeof link ||
        !realpath(link, whole))
        return place;
    const char *from = strstr(whole, devices);
    if (!from || strlen(from) - strlen(devices) >= sizeof place.path)
        return place;
    strcpy(place.path, from + strlen(devices));
    /* A device of virtio has no NUMA node, but its parent has. */
    for (int up = 0; up < 2 && strrchr(from, '/'); up++) {
        if (jst_file_number(from, "numa_node", &node) == JST_THERE && node < UINT16_MAX) {
            place.numa = (uint32_t)node + 1;
            break;
        }
        *strrchr(from, '/') = 0;
    }
    return place;
}
