/* cgroup_find.c: finds the control groups of batch jobs, where Slurm, PBS and LSF make them.
 *
 *     version 2  SLICE/slurmstepd.scope/job_123, SLICE/NODE_slurmstepd.scope/job_123
 *                SLICE/slurmstepd.scope/s5K1KKYAYG5D00        Slurm from 26.05, unless CgroupJobIdPaths=yes
 *                pbs_jobs.service/jobs/123.server
 *     version 1  CONTROLLER/slurm/uid_1000/job_123, CONTROLLER/slurm_NODE/uid_1000/job_123
 *                CONTROLLER/pbs_jobs.service/jobid/123.server
 *                CONTROLLER/lsf/CLUSTER/job.123.4567.1700000000
 *
 * These folders are root's. Groups that users make are in their job's group or in their session's,
 * and are not read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"

typedef void group_function(void *state, const jst_group *g);

struct walk {
    group_function *each;
    void *state;
    int version;
    bool opening; /* nothing is reported yet */
    unsigned groups;
};

static bool all_digits(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == 0;
}

bool jst_is_sluid(const char *name)
{
    return name[0] == 's' && strlen(name) == 14 &&
           strspn(name + 1, "0123456789ABCDEFGHJKMNPQRSTVWXYZ") == 13;
}

bool jst_job_of_title(const char *title, uint64_t *job)
{
    static const char begin[] = "slurmstepd: [";
    const char *end;
    return !strncmp(title, begin, sizeof begin - 1) &&
           jst_scan_number(title + sizeof begin - 1, job, &end) && *end == '.';
}

/* ---- jobs that Slurm names by an id of its own ---- */

/* The owner of a process; -1: gone, or hidden. */
static long owner_of(const char *pid)
{
    char full[2 * JST_PATH];
    struct stat st;
    int n = snprintf(full, sizeof full, "%s/proc/%s", jst_root, pid);
    return n < (int)sizeof full && stat(full, &st) == 0 ? (long)st.st_uid : -1;
}

static bool read_title(const char *pid, char *title, size_t n)
{
    char folder[JST_PATH];
    return jst_join(folder, "/proc", pid) &&
           jst_file_text(folder, "cmdline", title, n) == JST_THERE;
}

/* The job's number is in the title of its slurmstepd, which is root's (like process 1): a user's
 * process cannot claim another job. */
static bool job_of_process(const char *pid, uint64_t *job)
{
    char title[256];
    return all_digits(pid) && strlen(pid) < 20 && owner_of(pid) >= 0 &&
           owner_of(pid) == owner_of("1") && read_title(pid, title, sizeof title) &&
           jst_job_of_title(title, job);
}

static bool job_of_processes(const char *folder, uint64_t *job)
{
    static char pids[16384];
    if (jst_file_text(folder, "cgroup.procs", pids, sizeof pids) != JST_THERE)
        return false;
    for (char *pid = pids, *end; (end = strchr(pid, '\n')); pid = end + 1) {
        *end = 0;
        if (job_of_process(pid, job))
            return true;
    }
    return false;
}

static bool job_of_steps(const char *path, uint64_t *job)
{
    bool found = false;
    DIR *steps = jst_open_folder(path);
    for (const char *step; steps && !found && (step = jst_next_name(steps, "step_"));) {
        char folder[JST_PATH], of_slurm[JST_PATH];
        if (!jst_join(folder, path, step) || !jst_join(of_slurm, folder, "slurm"))
            continue;
        found = job_of_processes(of_slurm, job) || job_of_processes(folder, job);
    }
    if (steps)
        closedir(steps);
    return found;
}

/* Facts about an id. Where its job is not found at once, the group waits for TRIES samples, so that
 * nothing is counted under two names; then it is reported without a job. */
#define TRIES 4
struct known {
    char sluid[16];
    uint64_t job; /* 0: not found */
    unsigned tries;
    bool old; /* older than the agent */
};

#define KNOWN 512
static struct known known[KNOWN];
static unsigned next_known;

static struct known *known_of(const char *sluid)
{
    for (unsigned i = 0; i < KNOWN; i++)
        if (!strcmp(known[i].sluid, sluid))
            return &known[i];
    struct known *k = &known[next_known++ % KNOWN];
    *k = (struct known){.job = 0};
    snprintf(k->sluid, sizeof k->sluid, "%.15s", sluid);
    return k;
}

/* False: wait. job: "" where it was not found. */
static bool job_of_sluid(const char *path, struct known *k, char job[JST_NAME])
{
    job[0] = 0;
    if (!k->job && k->tries < TRIES) {
        k->tries++;
        job_of_steps(path, &k->job);
    }
    if (k->job)
        snprintf(job, JST_NAME, "slurm-%llu", (unsigned long long)k->job);
    return k->job || k->tries == TRIES;
}

/* ---- names ---- */

static void report(struct walk *w, const char *path, const char *name, const char *job, bool old)
{
    static jst_group g;
    const char *behind = path + sizeof JST_CGROUP - 1;
    if (w->version == 1) /* after the controller */
        behind = strchr(behind + 1, '/');
    snprintf(g.path, sizeof g.path, "%s", w->version == 1 ? behind : path);
    snprintf(g.name, sizeof g.name, "%s", name);
    snprintf(g.job, sizeof g.job, "%s", job);
    g.version = w->version;
    g.old = old;
    w->groups++;
    if (w->each)
        w->each(w->state, &g);
}

/* Groups of Slurm's jobs in a folder. */
static void slurm_jobs(struct walk *w, const char *folder)
{
    DIR *d = jst_open_folder(folder);
    if (!d)
        return;
    for (const char *name; (name = jst_next_name(d, ""));) {
        char path[JST_PATH], job[JST_NAME];
        bool old = false;
        if (!jst_join(path, folder, name))
            continue;
        if (!strncmp(name, "job_", 4) && all_digits(name + 4)) {
            snprintf(job, sizeof job, "slurm-%.100s", name + 4);
        } else if (jst_is_sluid(name)) {
            struct known *k = known_of(name);
            k->old |= w->opening;
            old = k->old;
            if (!job_of_sluid(path, k, job))
                continue;
        } else {
            continue;
        }
        report(w, path, name, job, old);
    }
    closedir(d);
}

/* Groups whose name begins with `with`; all of the name, or its digits after `with`, are the
 * job. */
static void other_jobs(struct walk *w, const char *folder, const char *with, const char *system)
{
    DIR *d = jst_open_folder(folder);
    if (!d)
        return;
    for (const char *name; (name = jst_next_name(d, with));) {
        char path[JST_PATH], job[JST_NAME];
        struct stat st;
        const char *id = name + strlen(with);
        if (*id < '0' || *id > '9' || !jst_join(path, folder, name))
            continue;
        if (fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
            continue;
        int n = (int)(with[0] ? strcspn(id, ".") : strlen(id));
        snprintf(job, sizeof job, "%s-%.*s", system, n < 100 ? n : 100, id);
        report(w, path, name, job, false);
    }
    closedir(d);
}

/* Calls `then` for each folder in `folder` whose name begins and ends so. */
static void folders(struct walk *w, const char *folder, const char *begin, const char *end,
                    void (*then)(struct walk *w, const char *folder))
{
    DIR *d = jst_open_folder(folder);
    if (!d)
        return;
    for (const char *name; (name = jst_next_name(d, begin));) {
        char path[JST_PATH];
        size_t n = strlen(name), m = strlen(end);
        if (n >= m && !strcmp(name + n - m, end) && jst_join(path, folder, name))
            then(w, path);
    }
    closedir(d);
}

/* Several slurmd of one machine have a folder each, with the node's name in its own. Where one has
 * this host's name, the others belong to other nodes: a cluster that is simulated on one
 * machine. */
static bool has_own(const char *folder, const char *format, char name[JST_NAME])
{
    char host[65] = "", path[JST_PATH];
    if (gethostname(host, sizeof host - 1) != 0 || strchr(host, '/'))
        return false;
    snprintf(name, JST_NAME, format, host);
    if (!jst_join(path, folder, name))
        return false;
    DIR *d = jst_open_folder(path);
    return d && closedir(d) == 0;
}

static void slice(struct walk *w, const char *folder)
{
    char own[JST_NAME];
    bool only = has_own(folder, "%s_slurmstepd.scope", own);
    folders(w, folder, only ? own : "", only ? own : "slurmstepd.scope", slurm_jobs);
}

static void slurm_users(struct walk *w, const char *folder)
{
    folders(w, folder, "uid_", "", slurm_jobs);
}

static void lsf_cluster(struct walk *w, const char *folder)
{
    other_jobs(w, folder, "job.", "lsf");
}

static void second(struct walk *w, const char *root)
{
    char folder[JST_PATH];
    folders(w, root, "", ".slice", slice);
    slice(w, root);
    if (jst_join(folder, root, "pbs_jobs.service/jobs"))
        other_jobs(w, folder, "", "pbs");
}

static void first(struct walk *w, const char *controller)
{
    char folder[JST_PATH], own[JST_NAME];
    bool only = has_own(controller, "slurm_%s", own);
    folders(w, controller, only ? own : "slurm", only ? own : "", slurm_users);
    if (jst_join(folder, controller, "pbs_jobs.service/jobid"))
        other_jobs(w, folder, "", "pbs");
    if (jst_join(folder, controller, "lsf"))
        folders(w, folder, "", "", lsf_cluster);
}

int jst_each_group(group_function *each, void *state)
{
    /* The batch system makes the same groups in each controller it uses: one controller is enough
     * to find all. */
    static const char *const controllers[] = {"memory", "cpuacct", "cpu,cpuacct", "cpu", "pids"};
    static const char *const roots[] = {JST_CGROUP, JST_CGROUP "/unified"};
    struct walk w = {.each = each, .state = state, .opening = !each};
    bool mounted = false;
    char text[256], path[JST_PATH];
    if (!each)
        memset(known, 0, sizeof known);
    w.version = 2;
    for (unsigned i = 0; i < 2; i++)
        if (jst_file_text(roots[i], "cgroup.controllers", text, sizeof text) != JST_ABSENT) {
            mounted = true;
            second(&w, roots[i]);
        }
    w.version = 1;
    for (unsigned i = 0; !w.groups && i < sizeof controllers / sizeof *controllers; i++)
        if (jst_join(path, JST_CGROUP, controllers[i]) &&
            jst_file_text(path, "cgroup.procs", text, sizeof text) != JST_ABSENT) {
            mounted = true;
            first(&w, path);
        }
    return mounted ? (int)w.groups : -1;
}
