/* Work of known size after the counters are open, in threads of every descent.
 *
 *   counting before|after|nested|main|fork LOOPS     LOOPS iterations of two instructions each
 *   counting sleeps|faults|moves|storm N
 *
 * Prints what it did as "name value" lines.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long amount;
static pthread_barrier_t gate;

static void nap(double s)
{
    struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
    while (nanosleep(&t, &t) < 0)
        ;
}

/* Two instructions an iteration, whatever the compiler. */
static void loop(long n)
{
#if defined(__x86_64__)
    __asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(n)::"cc");
#elif defined(__aarch64__)
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n)::"cc");
#endif
}

static void *work(void *unused)
{
    loop(amount);
    return unused;
}

static void *wait_and_work(void *unused)
{
    pthread_barrier_wait(&gate);
    return work(unused);
}

static void *make_and_work(void *unused)
{
    pthread_t child;
    pthread_create(&child, NULL, work, NULL);
    loop(amount);
    pthread_join(child, NULL);
    return unused;
}

/* The profile starts with 64 KiB moved; the counters are opened a quarter of a second later. */
static void begin(void)
{
    static char bytes[1 << 17];
    char name[512];
    snprintf(name, sizeof name, "%s/counting", getenv("DATA") ? getenv("DATA") : ".");
    FILE *f = fopen(name, "w");
    fwrite(bytes, 1, sizeof bytes, f);
    fclose(f);
    nap(0.9);
}

static long switches(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_nvcsw + u.ru_nivcsw;
}

static void fault(long pages)
{
    size_t n = (size_t)pages * 4096;
    char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, n, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n; i += 4096)
        p[i] = 1;
}

static void move(long times)
{
    for (long i = 0; i < times; i++) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(i % 2, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
}

static void *echo(void *pipes)
{
    int *fd = pipes;
    char c;
    while (read(fd[0], &c, 1) == 1 && write(fd[3], &c, 1) == 1)
        ;
    return NULL;
}

/* Two threads that wake each other, n times. */
static void storm(long n)
{
    int fd[4];
    pthread_t other;
    char c = 0;
    if (pipe(fd) < 0 || pipe(fd + 2) < 0)
        abort();
    pthread_create(&other, NULL, echo, fd);
    for (long i = 0; i < n; i++)
        if (write(fd[1], &c, 1) != 1 || read(fd[2], &c, 1) != 1)
            abort();
    close(fd[1]);
    pthread_join(other, NULL);
}

static void run_threads(const char *what)
{
    pthread_t t[2];
    void *(*start)(void *) = strcmp(what, "nested") == 0 ? make_and_work : work;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, start, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("instructions %ld\n", amount * 2 * (start == work ? 2 : 4));
}

static void run_before(void)
{
    pthread_t t[2];
    pthread_barrier_init(&gate, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, wait_and_work, NULL);
    begin();
    pthread_barrier_wait(&gate);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("instructions %ld\n", amount * 4);
}

static void run_fork(void)
{
    fflush(stdout);
    if (fork() == 0) {
        loop(amount * 4);
        _exit(0);
    }
    wait(NULL);
    loop(amount);
    printf("instructions %ld\n", amount * 2);
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    amount = argc > 2 ? atol(argv[2]) : 1;
    if (strcmp(what, "before") != 0)
        begin();
    long had = switches();
    if (strcmp(what, "before") == 0) {
        run_before();
    } else if (strcmp(what, "main") == 0) {
        loop(amount);
        printf("instructions %ld\n", amount * 2);
    } else if (strcmp(what, "after") == 0 || strcmp(what, "nested") == 0) {
        run_threads(what);
    } else if (strcmp(what, "fork") == 0) {
        run_fork();
    } else if (strcmp(what, "sleeps") == 0) {
        for (long i = 0; i < amount; i++)
            nap(0.0005);
    } else if (strcmp(what, "faults") == 0) {
        fault(amount);
    } else if (strcmp(what, "moves") == 0) {
        move(amount);
    } else if (strcmp(what, "storm") == 0) {
        for (time_t end = time(NULL) + 3; time(NULL) < end;)
            storm(amount);
    }
    printf("switches %ld\n", switches() - had);
    nap(0.3); /* on a busy machine the heartbeat may be late; the end waits for it but briefly */
    return 0;
}
