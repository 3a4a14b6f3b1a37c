/* test_cgroup_real.c: tests real control groups of the machine that runs the test, and a program in
 * them that knows its own use. Skipped where groups cannot be made: they need root, and a kernel
 * that has them.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"

#include "../src/sources/hardware.h"
#include "../src/sources/host/cgroup.h"

#define NAME "job_4242424"
#define MEMORY ((size_t)48 << 20)
#ifdef JST_SANITIZE
#define MEMORY_MOST (20 * MEMORY) /* a sanitizer shadows what the job uses */
#else
#define MEMORY_MOST (2 * MEMORY)
#endif
#define WRITTEN ((size_t)16 << 20)
#define PIECE ((size_t)1 << 20)

static jst_sample s;

static uint64_t cpu_ns(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (uint64_t)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000000 +
           (uint64_t)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1000;
}

/* Makes all folders of a path; false: not allowed, or no such file system. */
static bool make_folders(const char *path)
{
    char part[512];
    snprintf(part, sizeof part, "%s", path);
    for (char *p = part + sizeof JST_CGROUP; (p = strchr(p, '/')); *p++ = '/') {
        *p = 0;
        mkdir(part, 0755);
    }
    return mkdir(part, 0755) == 0;
}

/* Removes the folders again, up to the first that is not the test's. */
static void remove_folders(const char *path)
{
    char part[512];
    snprintf(part, sizeof part, "%s", path);
    for (char *p; strstr(part, "jostletest") && rmdir(part) == 0 && (p = strrchr(part, '/'));)
        *p = 0;
}

static void join(const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    FILE *f = fopen(path, "w");
    if (!f || fprintf(f, "%d\n", (int)getpid()) < 0 || fclose(f) != 0)
        _exit(3);
}

/* Newer kernels count a group's bytes in version 1 only where it has a limit: one that is never
 * reached. */
static void count_bytes(const char *folder)
{
    char path[512];
    struct stat st;
    snprintf(path, sizeof path, "%s/blkio.throttle.write_bps_device", folder);
    FILE *f = stat("/tmp", &st) == 0 ? fopen(path, "w") : NULL;
    if (f) {
        fprintf(f, "%u:%u 1000000000000\n", major(st.st_dev), minor(st.st_dev));
        fclose(f); /* refused where /tmp is on no disk */
    }
}

/* Bytes that reached a disk: written past the page cache; 0 where the file system cannot. */
static uint64_t write_directly(void)
{
    char path[] = "/tmp/jostle-test-XXXXXX";
    uint64_t written = 0;
    int made = mkstemp(path), fd = open(path, O_WRONLY | O_DIRECT);
    char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(piece, 1, PIECE);
    while (fd >= 0 && written < WRITTEN && write(fd, piece, PIECE) == (ssize_t)PIECE)
        written += PIECE;
    close(fd);
    close(made);
    unlink(path);
    munmap(piece, PIECE);
    return written;
}

struct used {
    uint64_t cpu, written;
};

/* The job: joins its groups, works, reports its use, and waits to be ended. */
static void work(const char *const *folders, int say)
{
    for (; *folders; folders++) {
        count_bytes(*folders);
        join(*folders);
    }
    uint64_t before = cpu_ns();
    char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, MEMORY);
    struct used used = {.written = write_directly()};
    while ((used.cpu = cpu_ns() - before) < 300000000)
        ;
    if (write(say, &used, sizeof used) != (ssize_t)sizeof used)
        _exit(4);
    for (;;)
        pause();
}

static const jst_component *sample(void)
{
    jst_sample_begin(&s);
    assert_null(jst_source_batch_jobs.sample(&s));
    jst_sample_end(&s);
    for (uint32_t i = 0; i < s.room; i++)
        if (s.table[i] && s.table[i]->seen == s.number && !strcmp(s.table[i]->names.name, NAME))
            return s.table[i];
    return NULL;
}

static uint64_t gained(const jst_component *c, enum jst_component_metric m)
{
    return jst_test_gained(c, m);
}

/* Programs that compute concurrently with the job, until the test ends: more than there are
 * cores. */
static void crowd(pid_t others[4])
{
    for (int i = 0; i < 4; i++)
        if ((others[i] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;)
                cpu_ns();
        }
}

/* off: how far the kernel's CPU time may be from the program's, ns. */
static void run(const char *const *folders, uint64_t off)
{
    int said[2];
    struct used used;
    pid_t others[4];
    jst_sample_free(&s); /* of a test that failed */
    jst_root = "";
    for (const char *const *f = folders; *f; f++)
        if (!make_folders(*f)) {
            while (f-- > folders)
                remove_folders(*f);
            skip();
        }
    assert_null(jst_source_batch_jobs.open());
    jst_sample_begin(&s); /* the agent starts before the job */
    jst_sample_end(&s);
    assert_int_equal(pipe(said), 0);
    crowd(others);
    pid_t job = fork();
    if (job == 0)
        work(folders, said[1]);
    bool worked = read(said[0], &used, sizeof used) == (ssize_t)sizeof used;
    const jst_component *c = sample();
    for (int i = 0; i < 4; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    kill(job, SIGKILL);
    waitpid(job, NULL, 0);
    for (const char *const *f = folders; *f; f++)
        for (int i = 0; i < 100 && access(*f, F_OK) == 0; i++) {
            remove_folders(*f);
            usleep(10000);
        }
    assert_true(worked);
    assert_non_null(c);
    assert_string_equal(c->names.job, "slurm-4242424");
    uint64_t cpu = gained(c, JST_CPU_USER_NS) + gained(c, JST_CPU_SYSTEM_NS);
    print_message("%s: %.1f of %.1f ms of CPU", folders[0], (double)cpu / 1e6,
                  (double)used.cpu / 1e6);
    assert_in_range(cpu, used.cpu - off, used.cpu + off);
    if (jst_test_has(c, JST_MEMORY_USED_BYTES)) {
        uint64_t bytes = jst_test_number(c, JST_MEMORY_USED_BYTES);
        print_message(", %.1f of %.1f MiB", (double)bytes / 1048576, (double)MEMORY / 1048576);
        assert_in_range(bytes, MEMORY, MEMORY_MOST);
    }
    uint64_t written = gained(c, JST_STORAGE_WRITE_BYTES);
    if (written) { /* the temporary folder is on a disk whose bytes are counted by group */
        print_message(", %.1f of %.1f MiB written", (double)written / 1048576,
                      (double)used.written / 1048576);
        assert_in_range(written, used.written, used.written + (4 << 20));
    }
    print_message("\n");
    assert_null(sample()); /* gone */
    jst_sample_free(&s);
}

__attribute__((noreturn)) static void begin_and_end_for_ever(const char *folder)
{
    char job[320];
    for (unsigned i = 0;; i++) {
        snprintf(job, sizeof job, "%s/job_%u", folder, 1 + i % 4);
        if (i & 4)
            rmdir(job);
        else
            mkdir(job, 0755);
    }
}

/* Jobs that begin and end while their groups are listed and read: a removed group is no error. */
static void jobs_come_and_go(void **state)
{
    (void)state;
    char folder[256], job[320];
    jst_sample_free(&s); /* of a test that failed */
    const char *root =
        access(JST_CGROUP "/cgroup.controllers", F_OK) == 0 ? JST_CGROUP : JST_CGROUP "/unified";
    snprintf(folder, sizeof folder, "%s/jostletest.slice/slurmstepd.scope", root);
    if (access(root, F_OK) != 0 || !make_folders(folder))
        skip();
    jst_root = "";
    assert_null(jst_source_batch_jobs.open());
    pid_t site = fork();
    if (site == 0)
        begin_and_end_for_ever(folder);
    unsigned seen = 0;
    for (unsigned i = 0; i < 3000; i++) {
        jst_sample_begin(&s);
        const char *said = jst_source_batch_jobs.sample(&s);
        jst_sample_end(&s);
        if (said)
            break;
        for (uint32_t c = 0; c < s.room; c++)
            seen += s.table[c] && s.table[c]->seen == s.number;
    }
    kill(site, SIGKILL);
    waitpid(site, NULL, 0);
    for (unsigned i = 1; i <= 4; i++) {
        snprintf(job, sizeof job, "%s/job_%u", folder, i);
        rmdir(job);
    }
    remove_folders(folder);
    assert_int_equal(s.number, 3000);
    assert_true(seen > 0);
    for (uint32_t c = 0; c < s.room; c++)
        assert_true(!s.table[c] || !s.table[c]->unknown);
    print_message("%u groups in 3000 samples\n", seen);
    jst_sample_free(&s);
}

static void second_version(void **state)
{
    (void)state;
    static char folder[256];
    const char *root =
        access(JST_CGROUP "/cgroup.controllers", F_OK) == 0 ? JST_CGROUP : JST_CGROUP "/unified";
    snprintf(folder, sizeof folder, "%s/jostletest.slice/slurmstepd.scope/" NAME, root);
    if (access(root, F_OK) != 0)
        skip();
    run((const char *const[]){folder, NULL}, 50000000);
}

static void first_version(void **state)
{
    (void)state;
    static char folders[4][256];
    static const char *const controllers[] = {"cpuacct", "memory", "blkio", "pids"};
    const char *there[5] = {NULL};
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        char procs[256];
        snprintf(procs, sizeof procs, JST_CGROUP "/%s/cgroup.procs", controllers[i]);
        snprintf(folders[i], sizeof folders[i], JST_CGROUP "/%s/slurm_jostletest/uid_0/" NAME,
                 controllers[i]);
        if (access(procs, F_OK) == 0)
            there[n++] = folders[i];
    }
    if (!n || strcmp(there[0], folders[0]) != 0)
        skip();
    run(there, 50000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_version),
        cmocka_unit_test(first_version),
        cmocka_unit_test(jobs_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
