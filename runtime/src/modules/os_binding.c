/* os_binding.c: finds the cores and NUMA nodes on which the process may run.
 *
 * Where a thread may run decides which memory and which devices are near it. The header has it as
 * text, in the form of a launcher's option. It seldom changes: files are read only when it does.
 */
#include "os_binding.h"

#include "common.h"
#include "gpu_devices.h"
#include "profile/area.h"
#include "sys.h"
#include "text.h"

#if JST_WITH_OS

#ifndef JST_NODES
#define JST_NODES "/sys/devices/system/node/"
#endif
#ifndef JST_CPUS_ONLINE
#define JST_CPUS_ONLINE "/sys/devices/system/cpu/online"
#endif
#ifndef JST_GROUPS
#define JST_GROUPS "/sys/fs/cgroup"
#endif
#ifndef JST_OWN_GROUPS
#define JST_OWN_GROUPS "/proc/self/cgroup"
#endif

#define CPUS (sizeof(jst_cpus) * 8)
#define FOLDER_BYTES 400

static jst_cpus said;
static bool any_said;
static bool mapped;                     /* node_of is filled */
static bool several;                    /* NUMA nodes: only then it matters where it runs */
JST_LARGE static uint8_t node_of[CPUS]; /* plus 1; 0: unknown, or beyond those that are counted */

/* ---- lists as the kernel writes them ---- */

static void put_in(jst_cpus *set, uint64_t cpu)
{
    set->words[cpu / 64] |= 1ull << cpu % 64;
}

static bool is_in(const jst_cpus *set, uint64_t cpu)
{
    return set->words[cpu / 64] >> cpu % 64 & 1;
}

/* Of a text such as "0-15,64-79". */
static void read_list(const char *text, jst_cpus *set)
{
    jst_zero(set, sizeof *set);
    while (*text >= '0' && *text <= '9') {
        uint64_t first = jst_next_number(&text), last = first;
        if (*text == '-')
            last = jst_next_number(&text);
        for (uint64_t i = first; i <= last && i < CPUS; i++)
            put_in(set, i);
        text += *text == ',';
    }
}

/* A list that does not fit ends with "...", after the last range that fits. */
static void put_list(char *start, const char *end, const jst_cpus *set)
{
    static const char more[] = "...";
    char *p = start;
    *p = 0;
    for (uint64_t i = 0; i < CPUS; i++) {
        if (!is_in(set, i))
            continue;
        uint64_t first = i;
        while (i + 1 < CPUS && is_in(set, i + 1))
            i++;
        char range[16], *q = jst_put_number(range, range + sizeof range, first);
        if (i > first)
            q = jst_put_number(jst_put_text(q, range + sizeof range, "-"), range + sizeof range, i);
        jst_put_text(q, range + sizeof range, ",");
        if ((size_t)(end - p) < jst_strlen(range) + sizeof more) {
            jst_put_text(p, end, more);
            return;
        }
        p = jst_put_text(p, end, range);
    }
    if (p != start)
        p[-1] = 0; /* the last comma */
}

/* ---- reading from the kernel ---- */

static bool equal(const jst_cpus *a, const jst_cpus *b)
{
    for (unsigned i = 0; i < sizeof a->words / sizeof *a->words; i++)
        if (a->words[i] != b->words[i])
            return false;
    return true;
}

static bool meet(const jst_cpus *a, const jst_cpus *b)
{
    for (unsigned i = 0; i < sizeof a->words / sizeof *a->words; i++)
        if (a->words[i] & b->words[i])
            return true;
    return false;
}

static unsigned count_of(const jst_cpus *set)
{
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof set->words / sizeof *set->words; i++)
        count += (unsigned)__builtin_popcountll(set->words[i]);
    return count;
}

static bool read_node(uint64_t node, jst_cpus *cpus)
{
    char path[80], text[2048];
    const char *end = path + sizeof path;
    char *p = jst_put_text(path, end, JST_NODES "node");
    jst_put_text(jst_put_number(p, end, node), end, "/cpulist");
    if (jst_read_file(path, text, sizeof text) <= 0)
        return false;
    read_list(text, cpus);
    return true;
}

static void find_nodes(const jst_cpus *now, jst_cpus *nodes)
{
    char text[2048];
    jst_cpus online, cpus;
    jst_zero(nodes, sizeof *nodes);
    if (jst_read_file(JST_NODES "online", text, sizeof text) <= 0)
        return;
    read_list(text, &online);
    for (uint64_t node = 0; node < CPUS; node++)
        if (is_in(&online, node) && read_node(node, &cpus) && meet(now, &cpus))
            put_in(nodes, node);
}

/* Most processes do not need it, and no page of node_of is touched. */
static void map_nodes(void)
{
    jst_cpus cpus;
    mapped = true;
    for (uint64_t node = 0; node < JST_NODE_SAMPLES; node++)
        for (uint64_t i = read_node(node, &cpus) ? 0 : CPUS; i < CPUS; i++)
            if (is_in(&cpus, i))
                node_of[i] = (uint8_t)(node + 1);
}

static jst_cpus group; /* of look_for_group */
static bool group_known;

/* The nearest group that has a list: those below it have the same cores. */
static void look_for_group(char *folder, size_t root)
{
    static const char names[][24] = {"/cpuset.cpus.effective", "/cpuset.effective_cpus"};
    char text[2048];
    for (size_t n = jst_strlen(folder); !group_known; n--) {
        for (unsigned i = 0; i < 2 && !group_known; i++) {
            jst_put_text(folder + n, folder + n + sizeof names[i], names[i]);
            group_known = jst_read_file(folder, text, sizeof text) > 0 && text[0] >= '0';
            if (group_known)
                read_list(text, &group);
        }
        while (n > root && folder[n - 1] != '/')
            n--;
        if (n <= root)
            break;
    }
}

static void find_group(void)
{
    char text[2048];
    group_known = false;
    jst_groups_look("cpuset", look_for_group);
    if (!group_known && jst_read_file(JST_CPUS_ONLINE, text, sizeof text) > 0)
        read_list(text, &group);
    else if (!group_known)
        jst_zero(&group, sizeof group);
}

/* ---- the control groups of a process ---- */

/* Is a controller among the names of a line, up to their colon? */
static bool names_it(const char *names, const char *controller)
{
    size_t n = jst_strlen(controller);
    for (bool begins = true; *names && *names != ':'; begins = *names++ == ',')
        if (begins && jst_begins_with(names, controller) && (names[n] == ',' || names[n] == ':'))
            return true;
    return false;
}

/* One line of /proc/self/cgroup: "0::/path" of version 2, "4:cpu,cpuacct:/path" of version 1, where
 * the folder has the names, or one of them, as its name. */
static void look_at(const char *line, const char *end, const char *controller,
                    void (*look)(char *folder, size_t root))
{
    const char *names = line;
    while (names < end && *names++ != ':')
        ;
    const char *path = names;
    while (path < end && *path++ != ':')
        ;
    bool second = path == names + 1; /* no names */
    if (!second && !names_it(names, controller))
        return;
    char folder[FOLDER_BYTES];
    for (unsigned all_names = 0; all_names < (second ? 1U : 2U); all_names++) {
        const char *until = folder + sizeof folder;
        char *p = jst_put_text(folder, until, second ? JST_GROUPS : JST_GROUPS "/");
        if (!second && !all_names)
            p = jst_put_text(p, until, controller);
        for (const char *name = names; all_names && *name != ':' && p < folder + 64; name++)
            *p++ = *name;
        size_t root = (size_t)(p - folder);
        if (end - path > 1 && (size_t)(end - path) < sizeof folder - root - 32) {
            jst_copy(p, path, (size_t)(end - path));
            p += end - path;
        }
        *p = 0;
        look(folder, root);
    }
}

void jst_groups_look(const char *controller, void (*look)(char *folder, size_t root))
{
    char text[4096];
    if (jst_read_file(JST_OWN_GROUPS, text, sizeof text) <= 0)
        return;
    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        for (end = line; *end && *end != '\n'; end++)
            ;
        look_at(line, end, controller, look);
    }
}

/* ---- writing it ---- */

void jst_binding_begin(void)
{
    any_said = several = false;
}

#define PUT_LIST(to, set) put_list(to, (to) + sizeof(to), set)

void jst_binding_say(const jst_cpus *now)
{
    jst_cpus nodes;
    if (any_said && equal(now, &said))
        return;
    jst_copy(&said, now, sizeof said);
    any_said = true;
    jst_binding *b = jst_a.head.bindings;
    uint64_t first = atomic_load(&b[0].number), second = atomic_load(&b[1].number);
    b += first > second;
    atomic_store(&b->number, 0); /* it is empty while it is written */
    PUT_LIST(b->allowed_cpus, now);
    find_nodes(now, &nodes);
    PUT_LIST(b->allowed_nodes, &nodes);
    several = count_of(&nodes) > 1;
    find_group();
    PUT_LIST(b->group_cpus, &group);
    find_nodes(&group, &nodes);
    PUT_LIST(b->group_nodes, &nodes);
    atomic_store(&b->number, (first > second ? first : second) + 1);
}

/* The core on which a thread ran last is field 39 of its stat; fields are counted after the name,
 * which may contain anything. RATIONALE: one more file for each thread and slice, so only where it
 * is useful: with a GPU, for a process that its binding allows on several nodes. */
void jst_binding_ran(uint32_t tid)
{
    if (!several || !jst_gpus_used())
        return;
    if (!mapped)
        map_nodes();
    char path[64], text[768];
    const char *end = path + sizeof path;
    char *p = jst_put_text(path, end, "/proc/self/task/");
    jst_put_text(jst_put_number(p, end, tid), end, "/stat");
    long n = jst_read_file(path, text, sizeof text);
    while (n > 0 && text[n - 1] != ')')
        n--;
    const char *c = text + (n > 0 ? n : 0);
    for (unsigned at = 2; *c && at < 39; c++)
        at += *c == ' ';
    if (n <= 0 || *c < '0' || *c > '9')
        return;
    uint64_t cpu = jst_next_number(&c);
    if (cpu < CPUS && node_of[cpu])
        JST_STORE(jst_a.head.node_samples[node_of[cpu] - 1],
                  jst_a.head.node_samples[node_of[cpu] - 1] + 1);
}

#endif
