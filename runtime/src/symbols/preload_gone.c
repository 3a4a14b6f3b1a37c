/* preload_gone.c: leaves this library out of LD_PRELOAD where the started program will not find it.
 *
 * Launchers of containers change the root and then exec: the image has no such file, and the loader
 * of every program there would report this on the job's output. Only an absolute path without a
 * file counts.
 *
 * RATIONALE: the check is the first thing that the loader does with the name, too (an openat), so that
 * a sandbox which allows the loader to run allows it.
 */
#include "preload_gone.h"

#include <errno.h>
#include <fcntl.h>

#include "common.h"
#include "sys.h"
#include "text.h"

#define MOST_VARIABLES 16384
#define MOST_PATH 1024
static const char variable[] = "LD_PRELOAD=";
static const char library[] = "/libjostle.so";
static const char platform[] = "/$PLATFORM/";

static size_t word(const char *p)
{
    size_t n = 0;
    while (p[n] && p[n] != ':' && p[n] != ' ')
        n++;
    return n;
}

static bool is_ours(const char *p, size_t n)
{
    size_t tail = sizeof library - 1;
    if (p[0] != '/' || n < tail)
        return false;
    for (size_t i = 0; i < tail; i++)
        if (p[n - tail + i] != library[i])
            return false;
    return true;
}

/* Launchers name jostle-preload/$PLATFORM/libjostle.so (runtime/launcher/preload.cmake);
 * jostle-preload/libjostle.so is checked for all of them, whatever the next loader puts in. */
static void for_all_platforms(char *path, const char *p, size_t n)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++)
        if (jst_begins_with(p + i, platform))
            i += sizeof platform - 3; /* the last slash stays */
        else
            path[out++] = p[i];
    path[out] = 0;
}

static bool is_gone(const char *p, size_t n)
{
    char path[MOST_PATH];
    if (n >= sizeof path)
        return false;
    for_all_platforms(path, p, n);
    int fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd >= 0)
        jst_close(fd);
    return fd == -ENOENT || fd == -ENOTDIR;
}

struct jst_preload_gone jst_preload_gone(char *const envp[])
{
    struct jst_preload_gone what = {0};
    const char *value = NULL;
    size_t n = 0;
    for (; envp && envp[n] && n <= MOST_VARIABLES; n++)
        if (!value && jst_begins_with(envp[n], variable)) {
            what.place = n;
            value = envp[n] + sizeof variable - 1;
        }
    what.variables = n;
    if (!value || n > MOST_VARIABLES)
        return what;
    for (const char *p = value; *p; p += *p != 0) {
        size_t length = word(p);
        if (is_ours(p, length)) {
            if (is_gone(p, length))
                what.bytes = jst_strlen(envp[what.place]) + 1;
            return what;
        }
        p += length;
    }
    return what;
}

void jst_without_preload(struct jst_preload_gone what, char *const old[], char **envp, char *text)
{
    for (size_t i = 0; i <= what.variables; i++)
        envp[i] = old[i];
    envp[what.place] = text;
    jst_copy(text, variable, sizeof variable - 1);
    char *begin = text + sizeof variable - 1, *out = begin;
    for (const char *p = old[what.place] + sizeof variable - 1; *p; p += *p != 0) {
        size_t n = word(p);
        if (n && !is_ours(p, n)) {
            if (out > begin)
                *out++ = ':';
            jst_copy(out, p, n);
            out += n;
        }
        p += n;
    }
    *out = 0;
}
