/* mount_record.c: writes 'M' records: path, type and source of each mount that was used. */
#include "mount_record.h"
#include "common.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "record.h"
#include "sys.h"
#include "text.h"

static uint64_t mounts_written; /* a bit per mount in the header */

void jst_mount_records_begin(void)
{
    mounts_written = 0;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* The next field of a mountinfo line, with its end marked by a NUL; octal escapes are undone. */
static char *next_field(char **line)
{
    char *from = *line, *to = from, *p = from;
    while (*p && *p != ' ' && *p != '\n') {
        if (p[0] == '\\' && is_octal(p[1]) && is_octal(p[2]) && is_octal(p[3])) {
            *to++ = (char)(uint8_t)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
            p += 4;
        } else {
            *to++ = *p++;
        }
    }
    *line = *p ? p + 1 : p;
    *to = 0;
    return from;
}

static uint64_t number(const char **p)
{
    uint64_t v = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        v = v * 10 + (uint64_t)(**p - '0');
    return v;
}

static void write_mount(int fd, unsigned mount, const char *path, const char *type,
                        const char *source)
{
    uint8_t *p = jst_put_varint(jst_record_buffer + JST_FRAME_GAP, mount);
    size_t n = jst_strlen(path), m = jst_strlen(source);
    p = jst_put_varint(p, jst_a.head.mounts[mount].major);
    p = jst_put_varint(p, jst_a.head.mounts[mount].minor);
    p = jst_put_varint(p, jst_a.head.mounts[mount].mnt_id);
    p = jst_put_varint(p, jst_a.head.mounts[mount].fs_magic);
    p = jst_put_string(p, path, n < 1024 ? n : 1024);
    p = jst_put_string(p, type, jst_strlen(type) < 64 ? jst_strlen(type) : 64);
    p = jst_put_string(p, source, m < 1024 ? m : 1024);
    jst_append(fd, JST_RECORD_MOUNT, jst_record_buffer,
               (size_t)(p - jst_record_buffer) - JST_FRAME_GAP);
    mounts_written |= 1ull << mount;
}

/* mountinfo: id parent major:minor root path options [optional ...] - type source super */
static void match_line(int fd, char *line, uint64_t wanted, bool by_device)
{
    char *at = line;
    const char *p = next_field(&at);
    uint64_t id = number(&p);
    next_field(&at);
    p = next_field(&at);
    uint64_t maj = number(&p);
    p += *p == ':';
    uint64_t min = number(&p);
    next_field(&at);
    const char *path = next_field(&at);
    const char *field = path;
    while (*field && !(field[0] == '-' && !field[1]))
        field = next_field(&at);
    const char *type = next_field(&at), *source = next_field(&at);
    for (unsigned mount = 0; mount < JST_MOUNT_SLOTS; mount++) {
        if (!(wanted & 1ull << mount) || (mounts_written & 1ull << mount))
            continue;
        bool same = by_device ? jst_a.head.mounts[mount].major == maj &&
                                    jst_a.head.mounts[mount].minor == min
                              : jst_a.head.mounts[mount].mnt_id == id;
        if (same)
            write_mount(fd, mount, path, type, source);
    }
}

static void scan_mounts(int fd, uint64_t wanted, bool by_device)
{
    JST_SCRATCH static char text[16384];
    int in = jst_openat(AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC, 0);
    size_t have = 0;
    for (long n = 1; in >= 0 && n > 0;) {
        n = jst_read(in, text + have, sizeof text - 1 - have);
        if (n > 0)
            have += (size_t)n;
        size_t from = 0;
        for (size_t i = 0; i < have; i++)
            if (text[i] == '\n') {
                text[i] = 0;
                match_line(fd, text + from, wanted, by_device);
                from = i + 1;
            }
        for (size_t i = from; i < have; i++)
            text[i - from] = text[i];
        have = from == 0 && have == sizeof text - 1 ? 0 : have - from;
    }
    if (in >= 0)
        jst_close(in);
}

void jst_mount_records_write(int fd)
{
    uint64_t wanted = 0;
    for (unsigned mount = 0; mount < JST_MOUNT_SLOTS; mount++)
        if (atomic_load(&jst_a.head.mounts[mount].used))
            wanted |= 1ull << mount;
    if (!(wanted & ~mounts_written))
        return;
    scan_mounts(fd, wanted, false);
    if (wanted & ~mounts_written)
        scan_mounts(fd, wanted, true);
    for (unsigned mount = 0; mount < JST_MOUNT_SLOTS; mount++)
        if (wanted & ~mounts_written & 1ull << mount)
            write_mount(fd, mount, "", "", ""); /* known by its device number only */
}
