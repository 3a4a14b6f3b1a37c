/* identity.c: finds which job this process belongs to.
 *
 * JOSTLE_JOB names it; else the batch system's number and the world, which is what one mpirun has in
 * common on all nodes and with no other: its own address (Open MPI, MPICH's hydra), its name space
 * (PRRTE) or its step (Slurm). A process without any of them belongs to its login session.
 */
#include "identity.h"
#include "common.h"
#include "config.h"
#include "sys.h"
#include "text.h"

#define ANCESTORS 8

extern char *program_invocation_short_name;

enum variable {
    JOB,
    SLURM_JOB,
    PBS_JOB,
    LSF_JOB,
    ORTE_URI,
    PMIX_SPACE,
    PMI_RANK,
    PMI_FD,
    PMI_PORT,
    SLURM_STEP,
    SLURM_RANK,
    FIRST,
    VARIABLES
};

static const char *const variables[VARIABLES] = {
    "JOSTLE_JOB",     "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "OMPI_MCA_orte_hnp_uri",
    "PMIX_NAMESPACE", "PMI_RANK",     "PMI_FD",    "PMI_PORT",  "SLURM_STEP_ID",
    "SLURM_PROCID",   "JOSTLE_FIRST"};

#define END_OF(field) ((field) + sizeof(field))

/* ---- the world ---- */

/* What the launchers say may be long and holds addresses: a hash of it names the world. */
static void set_world(const char *launcher, const char *text, char until)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text && *text != until; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    uint32_t folded = (uint32_t)(hash ^ hash >> 32);
    for (unsigned i = 0; i < 8; i++)
        jst_cfg.world[i] = "0123456789abcdef"[folded >> (28 - 4 * i) & 15];
    jst_cfg.world[8] = 0;
    jst_put_text(jst_cfg.launcher, END_OF(jst_cfg.launcher), launcher);
}

/* Field 4 of /proc/PID/stat, counted behind the name, which may hold anything. */
static uint64_t parent_of(uint64_t pid)
{
    char path[40], text[512];
    char *p = jst_put_text(path, END_OF(path), "/proc/");
    jst_put_text(jst_put_number(p, END_OF(path), pid), END_OF(path), "/stat");
    long n = jst_read_file(path, text, sizeof text);
    while (n > 0 && text[n - 1] != ')')
        n--;
    if (n <= 0 || !text[n] || !text[n + 1] || !text[n + 2])
        return 0;
    uint64_t parent = 0;
    for (const char *c = text + n + 3; *c >= '0' && *c <= '9'; c++)
        parent = parent * 10 + (uint64_t)(*c - '0');
    return parent;
}

static bool is_orte(const char *command)
{
    static const char names[][8] = {"orted", "orterun", "mpirun", "mpiexec", "prted", "prterun"};
    const char *name = jst_base_name(command);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (jst_begins_with(name, names[i]))
            return true;
    return false;
}

/* A proxy of hydra knows where its mpiexec listens, and its ranks do not; it is their nearest
 * ancestor with such an option. Where Open MPI has left its variables, too, the nearest launcher is
 * the one that counts. */
static bool find_hydra(uint64_t pid, bool orte_too)
{
    static const char option[] = "--control-port";
    char path[40], text[4096];
    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
        char *p = jst_put_text(path, END_OF(path), "/proc/");
        jst_put_text(jst_put_number(p, END_OF(path), pid), END_OF(path), "/cmdline");
        long n = jst_read_file(path, text, sizeof text);
        for (long at = 0; at < n; at += (long)jst_strlen(text + at) + 1)
            if (jst_str_equal(text + at, option) && at + (long)sizeof option < n) {
                set_world("hydra", text + at + sizeof option, 0);
                return true;
            }
        if (orte_too && n > 0 && is_orte(text))
            return false;
    }
    return false;
}

/* Numbers above are Slurm's own steps: the batch script, an interactive shell. */
static bool is_step(const char *step)
{
    uint64_t n = 0;
    for (const char *p = step; *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
        n = n * 10 + (uint64_t)(*p - '0');
    return n < 0xfffffff0u;
}

static void find_world(const char **v)
{
    bool hydra = v[PMI_RANK] || v[PMI_FD] || v[PMI_PORT];
    const char *space =
        v[PMIX_SPACE] && !jst_begins_with(v[PMIX_SPACE], "slurm.") ? v[PMIX_SPACE] : NULL;
    /* The proxy itself may be profiled, too; it has a session of its own. */
    bool proxy = jst_begins_with(program_invocation_short_name, "hydra_pmi");
    uint64_t from = (uint64_t)(proxy ? jst_getpid() : jst_sys0(SYS_getppid));
    if ((hydra || proxy) && find_hydra(from, v[ORTE_URI] || space))
        return;
    if (v[ORTE_URI])
        set_world("orte", v[ORTE_URI], 0);
    else if (space) /* PRRTE numbers what one mpirun and its spawned worlds have in common */
        set_world(jst_begins_with(space, "prte") ? "prrte" : "pmix", space, '@');
    else if (v[SLURM_RANK] && v[SLURM_JOB] && v[SLURM_STEP] && is_step(v[SLURM_STEP])) {
        char text[80];
        char *p = jst_put_text(text, END_OF(text), v[SLURM_JOB]);
        jst_put_text(jst_put_text(p, END_OF(text), "."), END_OF(text), v[SLURM_STEP]);
        set_world("slurm", text, 0);
    }
}

/* ---- the name ---- */

static void find_batch(const char **v)
{
    static const char prefixes[][8] = {"slurm-", "pbs-", "lsf-"};
    for (unsigned i = 0; i < 3; i++)
        if (v[SLURM_JOB + i]) {
            char *p = jst_put_text(jst_cfg.batch, END_OF(jst_cfg.batch), prefixes[i]);
            jst_put_text(p, END_OF(jst_cfg.batch), v[SLURM_JOB + i]);
            return;
        }
}

/* jostle run says who it is, and jostle-run becomes the program. Others lead a session: batch scripts,
 * tasks of a batch system, what a login or cron starts. */
static bool is_first(const char *launcher)
{
    uint64_t n = 0, me = (uint64_t)jst_getpid();
    for (; launcher && *launcher >= '0' && *launcher <= '9' && n < UINT32_MAX; launcher++)
        n = n * 10 + (uint64_t)(*launcher - '0');
    return (n != 0 && (n == me || n == (uint64_t)jst_sys0(SYS_getppid))) ||
           (uint64_t)jst_sys1(SYS_getsid, 0) == me;
}

void jst_identify(void)
{
    const char *v[VARIABLES];
    char *p = jst_cfg.job, *end = END_OF(jst_cfg.job);
    jst_env_all(variables, v, VARIABLES);
    for (unsigned i = 0; i < VARIABLES; i++)
        if (v[i] && !v[i][0])
            v[i] = NULL;
    jst_cfg.is_first = is_first(v[FIRST]);
    find_batch(v);
    find_world(v);
    if (v[JOB]) {
        jst_put_text(p, end, v[JOB]);
    } else if (jst_cfg.batch[0]) {
        p = jst_put_text(p, end, jst_cfg.batch);
        if (jst_cfg.world[0])
            jst_put_text(jst_put_text(p, end, "-w"), end, jst_cfg.world);
    } else if (jst_cfg.world[0]) {
        jst_put_text(jst_put_text(p, end, "mpi-"), end, jst_cfg.world);
    } else {
        jst_cfg.job_is_session = true;
        jst_put_number(p, end, (uint64_t)jst_sys1(SYS_getsid, 0));
    }
}
