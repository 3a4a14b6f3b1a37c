/*
 * micro: the time of one call, as the calling program sees it.
 *
 *   micro CALL DIR THREADS CPU[,CPU...]   measure; prints the median ns per call of each thread
 *   micro hold DIR THREADS -              every thread does I/O once; then wait for end of input
 *   micro tick DIR SECONDS -              a small write every millisecond
 *
 * Every thread works on a file of its own. The first 150 ms are not measured: by then a profiler
 * that starts lazily is at work. Time is taken over chunks of calls and the median chunk is
 * reported, so that being preempted now and then does not count.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 256, MAX_CHUNKS = 8192, WARM_NS = 150000000, MEASURE_NS = 120000000 };

struct worker {
    const struct call *call;
    const char *dir;
    int index;
    int cpu; /* -1: not pinned */
    int fd;
    FILE *stream;
    char path[4096];
    double median;
};

struct call {
    const char *name;
    int per_chunk;
    void (*chunk)(struct worker *, int);
};

static pthread_barrier_t start_line;

static void die(const char *what)
{
    fprintf(stderr, "micro: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void chunk_pwrite(struct worker *w, int calls)
{
    char buffer[8] = "jostle!";
    for (int i = 0; i < calls; i++)
        if (pwrite(w->fd, buffer, sizeof buffer, 0) != sizeof buffer)
            die("pwrite");
}

static void chunk_pread(struct worker *w, int calls)
{
    char buffer[8];
    for (int i = 0; i < calls; i++)
        if (pread(w->fd, buffer, sizeof buffer, 0) != sizeof buffer)
            die("pread");
}

static void chunk_fwrite(struct worker *w, int calls)
{
    char buffer[64] = {0};
    for (int i = 0; i < calls; i++)
        if (fwrite(buffer, 1, sizeof buffer, w->stream) != sizeof buffer)
            die("fwrite");
}

static void chunk_fputc(struct worker *w, int calls)
{
    for (int i = 0; i < calls; i++)
        if (fputc('j', w->stream) == EOF)
            die("fputc");
}

static void chunk_open(struct worker *w, int calls)
{
    for (int i = 0; i < calls; i++) {
        int fd = open(w->path, O_RDONLY);
        if (fd < 0 || close(fd))
            die("open");
    }
}

/* A loop without a call: the time of the harness itself, and how steady this machine is. */
static void chunk_none(struct worker *w, int calls)
{
    for (int i = 0; i < calls; i++)
        __asm__ volatile("" : : "r"(w) : "memory");
}

/* The two costs on which nanoseconds depend from machine to machine: two reads of the time stamp,
 * and a system call that does nothing. */
static void chunk_stamps(struct worker *w, int calls)
{
    (void)w;
    for (int i = 0; i < 2 * calls; i++) {
#if defined(__x86_64__)
        (void)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
#endif
    }
}

static void chunk_system(struct worker *w, int calls)
{
    (void)w;
    for (int i = 0; i < calls; i++)
        syscall(SYS_getppid);
}

static const struct call calls[] = {
    {"pwrite", 1000, chunk_pwrite}, {"pread", 1000, chunk_pread},   {"fwrite", 6400, chunk_fwrite},
    {"fputc", 65536, chunk_fputc},  {"openclose", 400, chunk_open}, {"none", 100000, chunk_none},
    {"stamps", 1000, chunk_stamps}, {"system", 1000, chunk_system},
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void open_files(struct worker *w)
{
    snprintf(w->path, sizeof w->path, "%s/micro.%d.%d", w->dir, (int)getpid(), w->index);
    w->fd = open(w->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (w->fd < 0)
        die(w->path);
    w->stream = fdopen(dup(w->fd), "w");
    if (!w->stream)
        die("fdopen");
    if (pwrite(w->fd, "jostle!", 8, 0) != 8)
        die("pwrite");
}

static void close_files(struct worker *w)
{
    fclose(w->stream);
    close(w->fd);
    unlink(w->path);
}

static void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (cpu < 0)
        return;
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set); /* may be forbidden: then it is only noisier */
}

static double run_chunk(struct worker *w)
{
    int64_t before = now_ns();
    w->call->chunk(w, w->call->per_chunk);
    double ns = (double)(now_ns() - before) / w->call->per_chunk;
    rewind(w->stream); /* the file does not grow beyond one chunk */
    return ns;
}

static void *measure(void *argument)
{
    struct worker *w = argument;
    static __thread double samples[MAX_CHUNKS];
    int n = 0;

    pin(w->cpu);
    open_files(w);
    for (int64_t end = now_ns() + WARM_NS; now_ns() < end;)
        run_chunk(w);
    pthread_barrier_wait(&start_line);
    for (int64_t end = now_ns() + MEASURE_NS; now_ns() < end;) {
        double ns = run_chunk(w);
        if (n < MAX_CHUNKS)
            samples[n++] = ns;
    }
    pthread_barrier_wait(&start_line); /* no thread measures after another has finished */
    qsort(samples, (size_t)n, sizeof *samples, by_value);
    w->median = samples[n / 2];
    close_files(w);
    return NULL;
}

static void *hold(void *argument)
{
    struct worker *w = argument;
    static char block[8192];
    open_files(w);
    for (int i = 0; i < 16; i++)
        if (pwrite(w->fd, block, sizeof block, 0) != sizeof block)
            die("pwrite");
    pthread_barrier_wait(&start_line);
    pthread_barrier_wait(&start_line);
    close_files(w);
    return NULL;
}

static void tick(const char *dir, double seconds)
{
    struct worker w = {.dir = dir};
    static char block[131072];
    struct timespec pause = {0, 1000000};
    open_files(&w);
    if (pwrite(w.fd, block, sizeof block, 0) != sizeof block)
        die("pwrite");
    for (int64_t end = now_ns() + (int64_t)(seconds * 1e9); now_ns() < end;) {
        chunk_pwrite(&w, 1);
        nanosleep(&pause, NULL);
    }
    close_files(&w);
}

/* With one thread the main thread works: a process with a second thread is a slower one. */
static void run_all(struct worker *workers, int threads, void *(*body)(void *))
{
    pthread_t ids[MAX_THREADS];
    for (int i = 1; i < threads; i++)
        if (pthread_create(&ids[i], NULL, body, &workers[i]))
            die("pthread_create");
    body(&workers[0]);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
}

static void *wait_for_input(void *unused)
{
    char c;
    (void)unused;
    pthread_barrier_wait(&start_line);
    puts("ready");
    fflush(stdout);
    while (read(0, &c, 1) > 0)
        ;
    pthread_barrier_wait(&start_line);
    return NULL;
}

static int hold_all(struct worker *workers, int threads)
{
    pthread_t ids[MAX_THREADS];
    pthread_barrier_init(&start_line, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, hold, &workers[i]))
            die("pthread_create");
    wait_for_input(NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static struct worker workers[MAX_THREADS];
    if (argc != 5) {
        fputs("usage: micro CALL|hold|tick DIR THREADS|SECONDS CPUS|-\n", stderr);
        return 2;
    }
    if (!strcmp(argv[1], "tick")) {
        tick(argv[2], atof(argv[3]));
        return 0;
    }
    int threads = atoi(argv[3]);
    if (threads < 1 || threads > MAX_THREADS)
        return 2;
    char *cpus = argv[4];
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){.dir = argv[2], .index = i, .cpu = -1};
        if (*cpus >= '0' && *cpus <= '9')
            workers[i].cpu = (int)strtol(cpus, &cpus, 10);
        cpus += *cpus == ',';
    }
    if (!strcmp(argv[1], "hold"))
        return hold_all(workers, threads);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        if (strcmp(argv[1], calls[c].name))
            continue;
        for (int i = 0; i < threads; i++)
            workers[i].call = &calls[c];
        pthread_barrier_init(&start_line, NULL, (unsigned)threads);
        run_all(workers, threads, measure);
        for (int i = 0; i < threads; i++)
            printf("%.3f\n", workers[i].median);
        return 0;
    }
    return 2;
}
