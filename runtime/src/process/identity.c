/* identity.c: finds which job this process belongs to.
 *
 * JOSTLE_JOB names it; else the batch system's number and the world, which is what one mpirun has in
 * common on all nodes and with no other: its own address (Open MPI, MPICH's hydra), its name space
 * (PRRTE) or its step (Slurm). Training jobs have no mpirun: their launchers (torchrun, accelerate,
 * deepspeed) give each rank the address of rank 0, which their ranks have in common. A process
 * without any of them belongs to its login session.
 */
#include "identity.h"
#include "common.h"
#include "config.h"
#include "profile/spool.h"
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
    RANK,
    SIZE,
    NODE_SIZE,
    DEEPSPEED_NODE_SIZE,
    ADDRESS,
    PORT,
    RUN,
    RESTARTS,
    FIRST,
    VARIABLES
};

static const char variables[] = /* in one text, as jst_env_all takes them */
    "JOSTLE_JOB\0"
    "SLURM_JOB_ID\0"
    "PBS_JOBID\0"
    "LSB_JOBID\0"
    "OMPI_MCA_orte_hnp_uri\0"
    "PMIX_NAMESPACE\0"
    "PMI_RANK\0"
    "PMI_FD\0"
    "PMI_PORT\0"
    "SLURM_STEP_ID\0"
    "SLURM_PROCID\0"
    "RANK\0"
    "WORLD_SIZE\0"
    "LOCAL_WORLD_SIZE\0"
    "LOCAL_SIZE\0"
    "MASTER_ADDR\0"
    "MASTER_PORT\0"
    "TORCHELASTIC_RUN_ID\0"
    "TORCHELASTIC_RESTART_COUNT\0"
    "JOSTLE_FIRST\0";

/* What one launch has in common on all nodes, as the end of the job's name. The world is the same,
 * except for launchers that restart their ranks. */
static char launch[9];

#define END_OF(field) ((field) + sizeof(field))

/* ---- the world ---- */

/* The launchers' values may be long and contain addresses: a hash of them names the world. */
static void put_hash(char *out, const char *text, char until)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text && *text != until; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    uint32_t folded = (uint32_t)(hash ^ hash >> 32);
    for (unsigned i = 0; i < 8; i++)
        out[i] = "0123456789abcdef"[folded >> (28 - 4 * i) & 15];
    out[8] = 0;
}

static void set_world(const char *launcher, const char *text, char until)
{
    put_hash(launch, text, until);
    jst_put_text(jst_cfg.world, END_OF(jst_cfg.world), launch);
    jst_put_text(jst_cfg.launcher, END_OF(jst_cfg.launcher), launcher);
}

static void put_path(char *path, const char *end, uint64_t pid, const char *name)
{
    char *p = jst_put_text(path, end, "/proc/");
    jst_put_text(jst_put_number(p, end, pid), end, name);
}

/* A number in /proc/PID/stat: fields are counted after the name, which may contain anything; the
 * state is the third. */
static uint64_t stat_field(uint64_t pid, unsigned field)
{
    char path[40], text[512];
    put_path(path, END_OF(path), pid, "/stat");
    long n = jst_read_file(path, text, sizeof text);
    while (n > 0 && text[n - 1] != ')')
        n--;
    if (n <= 0)
        return 0;
    const char *c = text + n;
    for (unsigned at = 2; *c && at < field; c++)
        at += *c == ' ';
    uint64_t number = 0;
    for (; *c >= '0' && *c <= '9'; c++)
        number = number * 10 + (uint64_t)(*c - '0');
    return number;
}

static uint64_t parent_of(uint64_t pid)
{
    return stat_field(pid, 4);
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

/* A proxy of hydra knows the address of its mpiexec, and its ranks do not; it is their nearest
 * ancestor with such an option. Where Open MPI has also left its variables, the nearest launcher
 * counts. */
static bool find_hydra(uint64_t pid, bool orte_too)
{
    static const char option[] = "--control-port";
    char path[40], text[4096];
    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
        put_path(path, END_OF(path), pid, "/cmdline");
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

/* Was a process started as a rank of a training job, or by one? Its environment may be long. */
static bool has_rank(uint64_t pid)
{
    static const char name[] = "RANK=";
    char path[40], text[1024];
    put_path(path, END_OF(path), pid, "/environ");
    int fd = jst_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    unsigned same = 0; /* letters of the name seen; more than it has: within another variable */
    long n = fd < 0 ? 0 : jst_read(fd, text, sizeof text);
    for (; n > 0 && same != sizeof name - 1; n = jst_read(fd, text, sizeof text))
        for (long i = 0; i < n && same != sizeof name - 1; i++)
            same = !text[i]                                      ? 0
                   : same < sizeof name && text[i] == name[same] ? same + 1
                                                                 : sizeof name;
    if (fd >= 0)
        jst_close(fd);
    return same == sizeof name - 1;
}

/* The process that started all ranks of this node. */
static uint64_t training_launcher(void)
{
    uint64_t pid = (uint64_t)jst_sys0(SYS_getppid);
    for (int i = 0; i < ANCESTORS && pid > 1 && has_rank(pid); i++)
        pid = parent_of(pid);
    return pid;
}

/* RATIONALE: the address of rank 0 does not identify one launch: torchrun without options uses the
 * same port each time. If it has started all ranks, the launcher itself identifies it. Otherwise
 * the number that the user gave to torchrun does, which is also more stable than the port:
 * restarted ranks may use another. */
static void find_training(const char **v)
{
    char text[512], *p = text;
    const char *on_node = v[NODE_SIZE] ? v[NODE_SIZE] : v[DEEPSPEED_NODE_SIZE];
    bool one_launcher = on_node && jst_str_equal(on_node, v[SIZE]);
    bool one_node = one_launcher || jst_str_equal(v[ADDRESS], "localhost") ||
                    jst_begins_with(v[ADDRESS], "127.");
    for (unsigned i = 0; one_node && i < 16; i++)
        p = jst_put_text(jst_put_number(p, END_OF(text), jst_boot_id()[i]), END_OF(text), ".");
    if (one_launcher) {
        uint64_t pid = training_launcher();
        p = jst_put_text(jst_put_number(p, END_OF(text), pid), END_OF(text), ".");
        p = jst_put_text(jst_put_number(p, END_OF(text), stat_field(pid, 22)), END_OF(text), ".");
    }
    bool numbered = v[RUN] && (one_launcher || !jst_str_equal(v[RUN], "none"));
    p = jst_put_text(jst_put_text(p, END_OF(text), v[ADDRESS]), END_OF(text), ":");
    jst_put_text(p, END_OF(text), numbered ? v[RUN] : v[PORT] ? v[PORT] : "");
    set_world("torch", text, 0);
}

/* Ranks that torchrun restarts after one of them failed are another world. */
static void set_restart(const char *restarts)
{
    if (!restarts || !jst_cfg.world[0] || jst_str_equal(restarts, "0"))
        return;
    char text[64];
    char *p = jst_put_text(jst_put_text(text, END_OF(text), launch), END_OF(text), ".");
    jst_put_text(p, END_OF(text), restarts);
    put_hash(jst_cfg.world, text, 0);
}

static void find_world(const char **v)
{
    bool hydra = v[PMI_RANK] || v[PMI_FD] || v[PMI_PORT];
    const char *space =
        v[PMIX_SPACE] && !jst_begins_with(v[PMIX_SPACE], "slurm.") ? v[PMIX_SPACE] : NULL;
    /* The proxy itself may be profiled, too; it has a session of its own. */
    bool proxy = jst_begins_with(program_invocation_short_name, "hydra_pmi");
    if ((hydra || proxy) &&
        find_hydra((uint64_t)(proxy ? jst_getpid() : jst_sys0(SYS_getppid)), v[ORTE_URI] || space))
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
    } else if (v[RANK] && v[SIZE] && v[ADDRESS])
        find_training(v);
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

/* jostle run marks its children with its process id. jostle-run becomes the program, and adds `,self`:
 * else each child of the program would take the id for that of `jostle run`. Others lead a session:
 * batch scripts, tasks of a batch system, processes of a login or cron. */
static bool is_first(const char *launcher, uint64_t session)
{
    uint64_t n = 0, me = (uint64_t)jst_getpid();
    for (; launcher && *launcher >= '0' && *launcher <= '9' && n < UINT32_MAX; launcher++)
        n = n * 10 + (uint64_t)(*launcher - '0');
    bool child = n != 0 && n != me && !*launcher && n == (uint64_t)jst_sys0(SYS_getppid);
    return (n != 0 && n == me) || child || session == me;
}

void jst_identify(void)
{
    const char *v[VARIABLES];
    char *p = jst_cfg.job, *end = END_OF(jst_cfg.job);
    jst_env_all(variables, v, VARIABLES);
    for (unsigned i = 0; i < VARIABLES; i++)
        if (v[i] && !v[i][0])
            v[i] = NULL;
    uint64_t session = (uint64_t)jst_sys1(SYS_getsid, 0);
    jst_cfg.is_first = is_first(v[FIRST], session);
    find_batch(v);
    find_world(v);
    set_restart(v[RESTARTS]);
    if (v[JOB]) {
        jst_put_text(p, end, v[JOB]);
    } else if (jst_cfg.batch[0]) {
        p = jst_put_text(p, end, jst_cfg.batch);
        if (jst_str_equal(jst_cfg.launcher, "slurm"))
            jst_put_text(jst_put_text(p, end, "-s"), end, v[SLURM_STEP]);
        else if (launch[0])
            jst_put_text(jst_put_text(p, end, "-w"), end, launch);
    } else if (launch[0]) {
        bool training = jst_str_equal(jst_cfg.launcher, "torch");
        jst_put_text(jst_put_text(p, end, training ? "train-" : "mpi-"), end, launch);
    } else {
        jst_cfg.job_is_session = true;
        jst_put_number(p, end, session);
    }
}
