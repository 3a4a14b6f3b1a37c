/* alive.c: finds whether writers of profiles run, by the rule of is_alive in
 * src/jostle/reader/liveness.py. The spool belongs to this machine: writers of another boot have
 * ended. */
#include "spool/alive.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROCESSES 65536

const char *jst_alive_proc = "/proc";

/* A process as its own namespace numbers it. */
typedef struct inner {
    uint32_t pid;
    uint64_t start;
} inner;

static inner *inners;
static size_t inner_count;
static bool inners_known;

static long read_file(const char *path, char *to, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, to, n - 1);
    close(fd);
    if (got >= 0)
        to[got] = 0;
    return got;
}

/* State and field 22 of a stat, counted after the name, which may contain anything. A first thread that has
 * ended remains as a zombie while others of its process (field 20) go on: that process runs. */
static bool read_stat(const char *pid, char *state, uint64_t *start)
{
    char path[300], text[1024];
    snprintf(path, sizeof path, "%s/%.20s/stat", jst_alive_proc, pid);
    if (read_file(path, text, sizeof text) <= 0)
        return false;
    const char *p = strrchr(text, ')');
    if (!p || p[1] != ' ' || !p[2])
        return false;
    *state = p[2];
    int field = 2;
    unsigned long threads = 1;
    for (; *p && field < 22; p++) {
        if (*p == ' ' && ++field == 20)
            threads = strtoul(p + 1, NULL, 10);
    }
    if (*state == 'Z' && threads > 1)
        *state = 'S';
    *start = strtoull(p, NULL, 10);
    return field == 22;
}

static enum jst_life life_of(char state, uint64_t start, uint64_t proc_start)
{
    bool ended = state == 'Z' || state == 'X';
    return !ended && (proc_start == 0 || proc_start == start) ? JST_LIFE_RUNS : JST_LIFE_GONE;
}

/* The last number of NSpid: 0 when there is only one, which needs no search. */
static uint32_t inner_pid(const char *pid)
{
    char path[300], text[4096];
    snprintf(path, sizeof path, "%s/%.20s/status", jst_alive_proc, pid);
    if (read_file(path, text, sizeof text) <= 0)
        return 0;
    char *line = strstr(text, "\nNSpid:");
    if (!line)
        return 0;
    line += 7;
    line[strcspn(line, "\n")] = 0;
    unsigned numbers = 0;
    uint32_t number = 0;
    for (char *word = strtok(line, " \t"); word; word = strtok(NULL, " \t"), numbers++)
        number = (uint32_t)strtoul(word, NULL, 10);
    return numbers > 1 ? number : 0;
}

static void find_inners(void)
{
    inners_known = true;
    inner_count = 0;
    if (!inners)
        inners = malloc(PROCESSES * sizeof *inners);
    DIR *d = inners ? opendir(jst_alive_proc) : NULL;
    if (!d)
        return;
    for (struct dirent *e; inner_count < PROCESSES && (e = readdir(d));) {
        char state;
        uint64_t start;
        uint32_t pid = isdigit((unsigned char)e->d_name[0]) ? inner_pid(e->d_name) : 0;
        if (pid && read_stat(e->d_name, &state, &start) && state != 'Z' && state != 'X')
            inners[inner_count++] = (inner){pid, start};
    }
    closedir(d);
}

void jst_alive_forget(void)
{
    inners_known = false;
}

/* Whether processes of others, and of all namespaces, are visible here. */
static bool sees_all(uint64_t own_namespace)
{
    char state;
    uint64_t start;
    return own_namespace == 0xEFFFFFFCu && read_stat("1", &state, &start);
}

static enum jst_life runs_within(const jst_head *h, uint64_t own_namespace)
{
    if (!inners_known)
        find_inners();
    for (size_t i = 0; i < inner_count; i++)
        if (inners[i].pid == h->pid && (!h->proc_start || inners[i].start == h->proc_start))
            return JST_LIFE_RUNS;
    return sees_all(own_namespace) && inner_count < PROCESSES ? JST_LIFE_GONE : JST_LIFE_UNKNOWN;
}

static bool is_this_boot(const uint8_t *boot_id)
{
    char path[300], text[64];
    uint8_t id[16] = {0};
    snprintf(path, sizeof path, "%s/sys/kernel/random/boot_id", jst_alive_proc);
    long n = read_file(path, text, sizeof text);
    unsigned digits = 0;
    for (long i = 0; i < n && digits < 32; i++)
        if (isxdigit((unsigned char)text[i])) {
            unsigned digit = (unsigned)(isdigit((unsigned char)text[i])
                                            ? text[i] - '0'
                                            : tolower((unsigned char)text[i]) - 'a' + 10);
            id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | digit);
            digits++;
        }
    return digits == 32 && memcmp(id, boot_id, 16) == 0;
}

enum jst_life jst_alive(const jst_head *h)
{
    char path[300], pid[16], state;
    uint64_t start;
    struct stat st;
    if (!is_this_boot(h->boot_id))
        return JST_LIFE_GONE;
    snprintf(path, sizeof path, "%s/self/ns/pid", jst_alive_proc);
    uint64_t own = stat(path, &st) == 0 ? st.st_ino : 0;
    if (h->pid_namespace && h->pid_namespace != own)
        return runs_within(h, own);
    if (!h->pid || h->pid > INT32_MAX)
        return JST_LIFE_GONE;
    snprintf(pid, sizeof pid, "%u", h->pid);
    if (read_stat(pid, &state, &start))
        return life_of(state, start, h->proc_start);
    /* /proc may hide the processes of others; a signal still shows whether its target exists. */
    return kill((pid_t)h->pid, 0) < 0 && errno == ESRCH ? JST_LIFE_GONE : JST_LIFE_UNKNOWN;
}
