/* process_facts.c: reads what the kernel shows of one process. No command line and no environment
 * is recorded. */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "config.h"
#include "process.h"

#define KERNELS 0x200000 /* PF_KTHREAD of the kernel */
#define GENERATIONS 32   /* how far up the job's first process is searched */

pid_t jst_job_root;
const char *jst_job_name = "";

static char text[4096]; /* the source has a thread of its own */

uint64_t jst_process_cpu(uint32_t pid)
{
    /* As in the kernel: the clock of the scheduler's time of all threads of a process. */
    clockid_t clock = (clockid_t)(~pid << 3 | 2);
    struct timespec t;
    if (clock_gettime(clock, &t) != 0)
        return 0;
    uint64_t ns = (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
    return ns ? ns : 1;
}

static long read_of(uint32_t pid, const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/%s", pid, file);
    return jst_read_text(path, text, sizeof text);
}

typedef struct stat_line {
    char name[32];
    uint32_t parent;
    uint64_t flags, threads, start;
} stat_line;

/* Fields 2, 4, 9, 20 and 22. The name is in parentheses and may contain anything. */
static bool read_stat(uint32_t pid, stat_line *to)
{
    if (read_of(pid, "stat") <= 0)
        return false;
    const char *begin = strchr(text, '('), *end = strrchr(text, ')');
    if (!begin || !end || end < begin)
        return false;
    size_t n = (size_t)(end - begin - 1), most = sizeof to->name - 1;
    memcpy(to->name, begin + 1, n < most ? n : most);
    to->name[n < most ? n : most] = 0;
    const char *p = end + 1;
    /* A kernel's worker is named after its current task. */
    if (strncmp(to->name, "kworker/", 8) == 0)
        to->name[strcspn(to->name, "-+")] = 0;
    for (unsigned field = 3; *p == ' ' && field <= 22; field++) {
        uint64_t number = strtoull(p + 1, NULL, 10);
        if (field == 4)
            to->parent = (uint32_t)number;
        else if (field == 9)
            to->flags = number;
        else if (field == 20)
            to->threads = number;
        else if (field == 22)
            to->start = number;
        p += 1 + strcspn(p + 1, " ");
    }
    return true;
}

/* A name that does not fit is left out as a whole. */
static void read_cores(jst_process *p)
{
    static unsigned long mask[JST_MOST_CORES / (8 * sizeof(unsigned long))];
    static bool has[JST_MOST_CORES];
    p->cores[0] = 0;
    memset(mask, 0, sizeof mask);
    if (sched_getaffinity((pid_t)p->pid, sizeof mask, (cpu_set_t *)(void *)mask) != 0)
        return;
    for (size_t core = 0; core < JST_MOST_CORES; core++)
        has[core] = CPU_ISSET_S(core, sizeof mask, (cpu_set_t *)(void *)mask);
    jst_list_cores(p->cores, has);
}

/* Version 2 if it is used, else a version 1 controller in which the process is not at the root. */
static void read_group(jst_process *p)
{
    p->group[0] = 0;
    if (read_of(p->pid, "cgroup") <= 0)
        return;
    for (char *line = text, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        char *path = strchr(line, ':');
        path = path ? strchr(path + 1, ':') : NULL;
        if (path && path[1] && path[2] && (!p->group[0] || strncmp(line, "0::", 3) == 0))
            snprintf(p->group, sizeof p->group, "%s", path + 1);
    }
}

/* The name of a profile ends in process, start and, if it goes on, part: .PID.START. */
static bool has_profile(uint32_t pid)
{
    char part[16];
    bool found = false;
    snprintf(part, sizeof part, ".%u.", pid);
    DIR *d = opendir(jst_cfg.spool);
    for (struct dirent *e; d && !found && (e = readdir(d));) {
        const char *at = strstr(e->d_name, part);
        found = at && at[strlen(part)] >= '0' && at[strlen(part)] <= '9';
    }
    if (d)
        closedir(d);
    return found;
}

/* By its parents, of which none is older than the job; an orphan has another parent, so that its
 * environment is read. */
static bool is_of_job(const jst_process *p)
{
    static uint64_t job_start;
    char wanted[160];
    stat_line line = {.parent = p->parent, .start = p->start};
    if (!jst_job_root || p->pid == (uint32_t)jst_job_root)
        return jst_job_root != 0;
    if (!job_start) {
        stat_line root = {0};
        job_start = read_stat((uint32_t)jst_job_root, &root) ? root.start : 1;
    }
    for (unsigned i = 0; i < GENERATIONS && line.parent > 1 && line.start >= job_start; i++) {
        if (line.parent == (uint32_t)jst_job_root)
            return true;
        if (!read_stat(line.parent, &line))
            break;
    }
    if (line.start < job_start)
        return false;
    long n = read_of(p->pid, "environ");
    snprintf(wanted, sizeof wanted, "JOSTLE_JOB=%s", jst_job_name);
    for (const char *at = text; n > 0 && at < text + n; at += strlen(at) + 1)
        if (strcmp(at, wanted) == 0)
            return true;
    return false;
}

bool jst_process_identify(jst_process *p)
{
    char folder[64];
    struct stat st;
    stat_line line = {0};
    if (!read_stat(p->pid, &line))
        return false;
    p->parent = line.parent;
    p->start = line.start;
    p->has_threads = line.threads > 1;
    p->is_kernels = line.flags & KERNELS;
    strcpy(p->name, line.name);
    p->of_job = is_of_job(p);
    p->is_profiled = p->of_job && has_profile(p->pid);
    read_cores(p);
    if (jst_cfg.unprofiled == JST_FILES_NAMES) {
        snprintf(folder, sizeof folder, "/proc/%u", p->pid);
        p->uid = stat(folder, &st) == 0 ? (uint32_t)st.st_uid + 1 : 0;
        read_group(p);
    } else {
        p->name[0] = 0;
    }
    return true;
}

bool jst_process_look_again(jst_process *p)
{
    stat_line line = {0};
    if (!read_stat(p->pid, &line) || line.start != p->start)
        return false;
    if (jst_cfg.unprofiled == JST_FILES_NAMES)
        strcpy(p->name, line.name);
    if (p->has_threads != (line.threads > 1))
        p->has_bytes = false; /* its bytes are read elsewhere from here on */
    p->has_threads = line.threads > 1;
    read_cores(p);
    if (p->of_job && !p->is_profiled)
        p->is_profiled = has_profile(p->pid);
    return true;
}

bool jst_process_bytes(jst_process *p, bool from_zero, uint64_t gained[JST_PROCESS_BYTES])
{
    static const char *const keys[JST_PROCESS_BYTES] = {
        "rchar: ", "\nwchar: ", "\nread_bytes: ", "\nwrite_bytes: "};
    char file[32];
    memset(gained, 0, JST_PROCESS_BYTES * sizeof *gained);
    /* RATIONALE: the kernel adds to a process its children's traffic, once it has waited for them:
     * it would count twice. The numbers of a thread are its own, but those of threads that ended
     * are not there. */
    snprintf(file, sizeof file, p->has_threads ? "io" : "task/%u/io", p->pid);
    if (read_of(p->pid, file) <= 0)
        return false;
    for (unsigned i = 0; i < JST_PROCESS_BYTES; i++) {
        const char *at = strstr(text, keys[i]);
        uint64_t now = at ? strtoull(at + strlen(keys[i]), NULL, 10) : 0;
        uint64_t more = p->has_bytes ? now > p->bytes[i] ? now - p->bytes[i] : 0
                        : from_zero  ? now
                                     : 0;
        gained[i] = more;
        p->bytes[i] = now;
    }
    p->has_bytes = true;
    return true;
}
