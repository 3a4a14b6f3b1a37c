/* text.c: string functions that the runtime needs, without libc and without a locale. */
#include <errno.h>
#include <sys/auxv.h>

#include "common.h"
#include "sys.h"
#include "text.h"

size_t jst_strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

const char *jst_behind(const char *s)
{
    return s + jst_strlen(s) + 1;
}

/* Always writes the terminating NUL, within the limit. */
char *jst_put_text(char *p, const char *end, const char *s)
{
    while (*s && p + 1 < end)
        *p++ = *s++;
    if (p < end)
        *p = 0;
    return p;
}

char *jst_put_number(char *p, const char *end, uint64_t v)
{
    char digits[24];
    size_t n = sizeof digits - 1;
    digits[n] = 0;
    do
        digits[--n] = (char)('0' + v % 10);
    while (v /= 10);
    return jst_put_text(p, end, digits + n);
}

bool jst_str_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

void jst_copy(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;
    size_t i = 0;
    for (uint64_t word; i + sizeof word <= n; i += sizeof word) {
        __builtin_memcpy(&word, f + i, sizeof word);
        __builtin_memcpy(t + i, &word, sizeof word);
    }
    for (; i < n; i++)
        t[i] = f[i];
}

void jst_zero(void *to, size_t n)
{
    volatile uint64_t *t = to; /* volatile: the compiler must not make a call to memset of it */
    for (size_t i = 0; i < n / 8; i++)
        t[i] = 0;
}

/* getenv without libc's lock or another preload's wrapper. */
const char *jst_env(const char *name)
{
    extern char **environ;
    if (getauxval(AT_SECURE)) /* a set-uid program: its caller must not control it */
        return NULL;
    size_t n = jst_strlen(name);
    for (char **e = environ; e && *e; e++) {
        size_t i = 0;
        while (i < n && (*e)[i] == name[i])
            i++;
        if (i == n && (*e)[n] == '=')
            return *e + n + 1;
    }
    return NULL;
}

/* The bit of a name's first two letters in a set of 256 bits. */
static unsigned bit_of(const char *name)
{
    return name[0] ? ((unsigned)name[0] * 5 + (unsigned)name[1] * 37) % 256 : 0;
}

static bool is_name(const char *entry, const char *name)
{
    while (*name && *entry == *name)
        entry++, name++;
    return !*name && *entry == '=';
}

/* One pass over the environment, in which most entries are distinguished from all names by their
 * first two letters: the cost must not grow with the number of names if none of them is set. */
void jst_env_all(const char *names, const char **values, unsigned count)
{
    extern char **environ;
    uint64_t begins[4] = {0};
    const char *at[JST_NAMES];
    for (unsigned i = 0; i < count; i++, names = jst_behind(names)) {
        at[i] = names;
        values[i] = NULL;
        begins[bit_of(names) / 64] |= 1ull << bit_of(names) % 64;
    }
    if (getauxval(AT_SECURE))
        return;
    for (char **e = environ; e && *e; e++) {
        if (!(begins[bit_of(*e) / 64] >> bit_of(*e) % 64 & 1))
            continue;
        for (unsigned i = 0; i < count; i++)
            if (!values[i] && is_name(*e, at[i]))
                values[i] = *e + jst_strlen(at[i]) + 1;
    }
}

static long read_all(int fd, char *buf, size_t n)
{
    size_t have = 0;
    long r = 0;
    while (have + 1 < n && (r = jst_read(fd, buf + have, n - 1 - have)) > 0)
        have += (size_t)r;
    jst_close(fd);
    buf[have] = 0;
    return r < 0 ? r : (long)have;
}

/* Reads the first n - 1 bytes of a file of the kernel. */
long jst_read_file(const char *path, char *buf, size_t n)
{
    int fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    buf[0] = 0;
    return fd < 0 ? fd : read_all(fd, buf, n);
}

/* The same for a few lines, which the kernel returns at once: one call less. */
long jst_read_lines(const char *path, char *buf, size_t n)
{
    int fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    long r = fd < 0 ? fd : jst_read(fd, buf, n - 1);
    if (fd >= 0)
        jst_close(fd);
    buf[r > 0 ? r : 0] = 0;
    return r;
}

/* RATIONALE: a pipe without a writer would block, opening some devices has effects, and others
 * never end. So the type is checked first, and again after opening, since the file may have been
 * replaced in between. Neither is a terminal acquired nor a lease waited for. */
/* A name for no file at all. */
static bool is_null(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == jst_device(1, 3);
}

long jst_read_regular(const char *path, char *buf, size_t n)
{
    struct stat st;
    const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    long r = jst_fstatat(AT_FDCWD, path, &st, 0);
    if (r == 0 && !S_ISREG(st.st_mode))
        return is_null(&st) ? 0 : -ESPIPE;
    int fd = r == 0 ? jst_openat(AT_FDCWD, path, flags, 0) : (int)r;
    if (fd < 0)
        return fd;
    r = jst_fstat(fd, &st);
    if (r == 0 && (!S_ISREG(st.st_mode) || (size_t)st.st_size >= n))
        r = S_ISREG(st.st_mode) ? -EFBIG : -ESPIPE;
    if (r == 0)
        return read_all(fd, buf, n);
    jst_close(fd);
    return r;
}

uint64_t jst_next_number(const char **p)
{
    uint64_t v = 0;
    while (**p && (**p < '0' || **p > '9'))
        ++*p;
    for (; **p >= '0' && **p <= '9'; ++*p)
        v = v * 10 + (uint64_t)(**p - '0');
    return v;
}

const char *jst_base_name(const char *path)
{
    const char *base = path;
    for (const char *p = path; *p; p++)
        if (*p == '/')
            base = p + 1;
    return base;
}

size_t jst_library_folder(const char *path)
{
    size_t n = (size_t)(jst_base_name(path) - path);
    unsigned slashes = 3;
    for (size_t i = n; i-- && slashes;)
        if (path[i] == '/' && slashes--)
            if (jst_begins_with(path + i, "/jostle-preload/"))
                return i + 1;
    return n;
}

bool jst_begins_with(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}
