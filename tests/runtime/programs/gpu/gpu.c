/* Does what a program with a GPU does, without one: loads the library that CUDA_INJECTION64_PATH names as
 * the driver does, and plays copies, launches and waits to it through the stand-in of CUPTI (fake_cupti.c).
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *cupti;
static void (*play)(unsigned, uint32_t, uint8_t, uint64_t, uint64_t, uint64_t);
static void (*call)(uint32_t, long);
static int (*stamp)(uint64_t *);
static int (*flush)(uint32_t);
static unsigned *device;

static uint64_t now(void)
{
    uint64_t ns = 0;
    stamp(&ns);
    return ns;
}

static void rest(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*initialize)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
    if (initialize)
        initialize();
}

static void find_cupti(void)
{
    cupti = dlopen("libcupti.so.13", RTLD_NOW);
    if (!cupti)
        exit(3);
    play = (void (*)(unsigned, uint32_t, uint8_t, uint64_t, uint64_t, uint64_t))dlsym(cupti,
                                                                                      "fake_play");
    call = (void (*)(uint32_t, long))dlsym(cupti, "fake_call");
    stamp = (int (*)(uint64_t *))dlsym(cupti, "cuptiGetTimestamp");
    device = (unsigned *)dlsym(cupti, "fake_device");
    flush = (int (*)(uint32_t))dlsym(cupti, "cuptiActivityFlushAll");
}

/* Known to the test: of copy kind k (1 to 10) k copies of 1000 k + 1 bytes and 100 k ns; of fills 7. */
static void known(void)
{
    for (unsigned k = 1; k <= 10; k++)
        for (unsigned i = 0; i < k; i++) {
            uint64_t t = now();
            play(k, 1, (uint8_t)k, 1000 * k + 1, t - 100 * k, t);
        }
    for (unsigned i = 0; i < 7; i++) {
        uint64_t t = now();
        play(0, 2, 1, 64, t - 50, t);
        play(0, 22, 10, 5000, t - 70, t);
    }
    for (unsigned i = 0; i < 11; i++)
        call(i & 1 ? 307 : 652, 0);
    for (unsigned i = 0; i < 3; i++)
        call(514, 0);
    call(126, 20000000);
    call(17, 10000000);
}

static void *many(void *line)
{
    for (int i = 0; i < 20000; i++) {
        uint64_t t = now();
        play((unsigned)(uintptr_t)line, 1, 1, 8, t - 1, t);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t thread[8];
    for (uintptr_t i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, many, (void *)i);
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], NULL);
}

/* Eight slices of 200 ms: n copies in the n-th, each after its slice's begin and well before its end. */
static void slices(void)
{
    for (int n = 1; n <= 8; n++) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        long left = 200000000 - t.tv_nsec % 200000000 + 50000000;
        struct timespec moment = {0, left};
        nanosleep(&moment, NULL);
        for (int i = 0; i < n; i++)
            play(0, 1, 2, 100, now() - 1000, now());
    }
    rest(300);
}

/* A recorder whose flush is in progress: neither parent nor child may hang. */
static void forks(void)
{
    for (int i = 0; i < 8; i++) {
        play(0, 1, 1, 10, now() - 5, now());
        rest(40);
        pid_t child = fork();
        if (child == 0) {
            if (i & 1)
                exit(7);
            _exit(7);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
            exit(4);
    }
}

/* On GPU d: d + 1 copies of 1000 bytes, 2 d + 1 launches; and two kernels, of 30 ms each, of which 10 ms are
 * together. */
static void devices(void)
{
    for (unsigned d = 0; d < 3; d++) {
        *device = d;
        for (unsigned i = 0; i <= d; i++)
            play(d, 1, 1, 1000, now() - 100, now());
        for (unsigned i = 0; i < 2 * d + 1; i++)
            call(307, 0);
        uint64_t t = now();
        play(8 + d, 10, 0, 0, t - 50000000, t - 20000000);
        play(8 + d, 10, 0, 0, t - 30000000, t);
    }
}

static void nothing(void) {}

/* The program's own profiler: as one that is linked with CUPTI calls it, by its name in the process. */
static int subscribe_itself(void)
{
    int (*subscribe)(void **, void *, void *) =
        (int (*)(void **, void *, void *))dlsym(RTLD_DEFAULT, "cuptiSubscribe");
    void *handle = NULL;
    return subscribe ? subscribe(&handle, (void *)nothing, NULL) : -1;
}

/* As a profiler for CUPTI 13.2 and later does: with others, or alone. */
static int subscribe_v2(int alongside_others)
{
    struct {
        size_t size;
        const char *name;
        char *other;
        size_t other_size;
        uint8_t several, more[7];
    } request = {.size = sizeof request, .several = (uint8_t)alongside_others};
    int (*subscribe)(void **, void *, void *, void *) =
        (int (*)(void **, void *, void *, void *))dlsym(RTLD_DEFAULT, "cuptiSubscribe_v2");
    int (*take)(void *, void *, void *) =
        (int (*)(void *, void *, void *))dlsym(RTLD_DEFAULT, "cuptiActivityRegisterCallbacks_v2");
    void *handle = NULL;
    if (!subscribe || !take || subscribe(&handle, (void *)nothing, NULL, &request) != 0)
        return -1;
    return take(handle, (void *)nothing, (void *)nothing);
}

int main(int count, char **values)
{
    const char *mode = count > 1 ? values[1] : "known";
    if (!strcmp(mode, "first")) {
        find_cupti();
        if (subscribe_itself() != 0)
            return 5;
    }
    if (!strcmp(mode, "devices") && !dlopen("libcuda.so.1", RTLD_NOW))
        return 8;
    inject();
    find_cupti();
    if (!strcmp(mode, "alongside") && subscribe_v2(1) != 0)
        return 7;
    if (!strcmp(mode, "threads")) {
        threads();
    } else if (!strcmp(mode, "slices")) {
        slices();
    } else if (!strcmp(mode, "forks")) {
        forks();
    } else if (!strcmp(mode, "devices")) {
        devices();
    } else {
        known();
    }
    if (!strcmp(mode, "second")) {
        if (subscribe_itself() != 0)
            return 6;
        known();
    } else if (!strcmp(mode, "alongside")) {
        printf("%u\n", *(unsigned *)dlsym(cupti, "fake_seen_by_second"));
    } else if (!strcmp(mode, "alone")) {
        if (subscribe_v2(0) != 0)
            return 9;
        known();
    } else if (!strcmp(mode, "dropped")) {
        for (unsigned line = 0; line < 64; line++) /* incomplete: no buffer comes back */
            for (int i = 0; i < 300; i++)
                play(line, 1, 1, 1, 0, 0);
    } else if (!strcmp(mode, "_exit")) {
        rest(300);
        _exit(0);
    } else if (!strcmp(mode, "killed")) {
        rest(1300);
        raise(9);
    } else if (!strcmp(mode, "waiting")) {
        call(121, 1200000000);
        _exit(0);
    }
    return 0;
}
