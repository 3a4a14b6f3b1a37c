/* process_cores.c: samples the cores on which large processes ran, where that makes a difference.
 *
 * A process that is bound to some cores shares only these. So the cores are divided into parts that
 * each known process may use as a whole or not at all, and for a process that may use several parts
 * it is sampled twice a second which one it was on. Where no process is bound, there is one part,
 * and nothing is sampled.
 *
 * Only the first thread of a process is followed: the use of its other threads is assigned to all
 * cores that it may use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "process.h"

#define SETS 16       /* sets of cores to which processes are bound; more are ignored */
#define SAME 3        /* checks before the last report count as so many, if it is still there */
#define NEARLY_ALL 90 /* percent of the CPU time of its process: such a thread is all of it */

static char sets[SETS][JST_CORE_LIST], fresh[SETS][JST_CORE_LIST];
static unsigned set_count, fresh_count;
static uint16_t part_of[JST_MOST_CORES]; /* bit k: the core is in set k */
static uint32_t cut;                     /* number of this division */

/* The next range of a list such as 0-3,8; false: there is none. */
static bool next_range(const char **list, size_t *first, size_t *last)
{
    char *end;
    if (!**list)
        return false;
    *first = *last = strtoul(*list, &end, 10);
    if (*end == '-')
        *last = strtoul(end + 1, &end, 10);
    *list = *end == ',' ? end + 1 : "";
    return *last < JST_MOST_CORES;
}

void jst_list_cores(char to[JST_CORE_LIST], const bool has[JST_MOST_CORES])
{
    size_t at = 0;
    to[0] = 0;
    for (size_t first = 0, last; first < JST_MOST_CORES; first = last + 1) {
        last = first;
        if (!has[first])
            continue;
        while (last + 1 < JST_MOST_CORES && has[last + 1])
            last++;
        int n = snprintf(to + at, JST_CORE_LIST - at, last > first ? "%s%zu-%zu" : "%s%zu",
                         at ? "," : "", first, last);
        if (n < 0 || (size_t)n >= JST_CORE_LIST - at) {
            to[0] = 0;
            return;
        }
        at += (size_t)n;
    }
}

void jst_cores_begin(void)
{
    fresh_count = 0;
}

void jst_cores_bound(const char *list)
{
    for (unsigned k = 0; k < fresh_count; k++)
        if (strcmp(fresh[k], list) == 0)
            return;
    if (*list && fresh_count < SETS)
        snprintf(fresh[fresh_count++], sizeof fresh[0], "%s", list);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

void jst_cores_cut(void)
{
    size_t first, last;
    qsort(fresh, fresh_count, sizeof fresh[0], by_text);
    if (cut && fresh_count == set_count && memcmp(fresh, sets, set_count * sizeof sets[0]) == 0)
        return;
    memcpy(sets, fresh, sizeof sets);
    set_count = fresh_count;
    memset(part_of, 0, sizeof part_of);
    for (unsigned k = 0; k < set_count; k++)
        for (const char *at = sets[k]; next_range(&at, &first, &last);)
            for (size_t core = first; core <= last; core++)
                part_of[core] |= (uint16_t)(1u << k);
    cut++;
}

bool jst_cores_are_apart(const char *list)
{
    size_t first, last, any = JST_MOST_CORES;
    while (next_range(&list, &first, &last)) {
        any = any == JST_MOST_CORES ? first : any;
        for (size_t core = first; core <= last; core++)
            if (part_of[core] != part_of[any])
                return true;
    }
    return false;
}

/* CPU time of the first thread of a process, ns, and the core that it was on last. */
static bool read_thread(uint32_t pid, uint64_t *ns, size_t *core)
{
    static uint64_t tick_ns;
    char path[48], text[1024];
    uint64_t ticks = 0;
    if (!tick_ns)
        tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, pid);
    if (jst_read_text(path, text, sizeof text) <= 0)
        return false;
    const char *p = strrchr(text, ')'); /* after the name, field 2 */
    unsigned field = 3;
    for (p = p ? p + 1 : ""; *p == ' ' && field <= 39; field++) {
        uint64_t number = strtoull(p + 1, NULL, 10);
        if (field == 14 || field == 15)
            ticks += number;
        *core = (size_t)number;
        p += 1 + strcspn(p + 1, " ");
    }
    *ns = ticks * tick_ns;
    return field == 40 && *core < JST_MOST_CORES;
}

/* Its index among the parts on which it was; further parts count as any that it may use. */
static void was_on(jst_seen *s, uint16_t part, uint64_t ns)
{
    for (unsigned k = 0; ns && k < JST_PARTS; k++) {
        if (s->on[k] && s->part[k] != part)
            continue;
        s->part[k] = part;
        s->on[k] += ns;
        return;
    }
}

void jst_process_see(jst_process *p, uint64_t cpu, uint64_t lately)
{
    jst_seen *s = &p->seen;
    uint64_t ns;
    size_t core;
    if (!read_thread(p->pid, &ns, &core))
        return;
    uint16_t part = part_of[core];
    if (s->cut != cut || s->is_reported) {
        uint32_t looks = s->cut == cut && s->last == part ? s->looks : 0;
        *s = (jst_seen){
            .cut = cut, .cpu = s->cpu, .thread = s->thread, .looks = looks < SAME ? looks : SAME};
    }
    s->last = part;
    s->looks++;
    if (s->cpu && cpu > s->cpu && ns >= s->thread) {
        s->of_all += cpu - s->cpu;
        was_on(s, part, ns - s->thread);
        s->of_thread += ns - s->thread;
    } else if (!s->cpu) { /* the thread's part in it is that of its whole life */
        s->of_all = lately;
        s->of_thread = ns < cpu ? (uint64_t)((double)lately * (double)ns / (double)cpu) : lately;
        was_on(s, part, s->of_thread);
    }
    s->cpu = cpu;
    s->thread = ns;
}

uint64_t jst_process_ran_on(jst_process *p, unsigned k, uint64_t cpu, char list[JST_CORE_LIST])
{
    static bool has[JST_MOST_CORES];
    jst_seen *s = &p->seen;
    const char *may = p->cores;
    size_t first, last;
    bool is_old = s->is_reported && jst_cfg.slice_ns >= JST_LOOK_NS; /* no check in this slice */
    if (s->cut != cut || is_old || !s->on[k] || !s->of_all)
        return 0;
    memset(has, 0, sizeof has);
    while (next_range(&may, &first, &last))
        for (size_t core = first; core <= last; core++)
            has[core] = part_of[core] == s->part[k];
    jst_list_cores(list, has);
    if (!*list)
        return 0;
    bool all = s->of_thread * 100 >= s->of_all * NEARLY_ALL;
    double share = (double)s->on[k] / (double)(all ? s->of_thread : s->of_all);
    /* Between checks it may have been elsewhere: of n checks one counts as missing. */
    double sure = (double)s->looks / (double)(s->looks + 1);
    return (uint64_t)((double)cpu * (share < 1 ? share : 1) * sure);
}
