/*
 * gpu_records: the time of jostle's own part of recording a GPU. A CUPTI of ours (this file with
 * -DLIBRARY, as libcupti.so.13) hands records and callbacks to the recorder and does nothing else;
 * it needs no GPU.
 *
 *   gpu_records CPU     prints the median ns of a record of a copy, of a launch (two callbacks), of a wait (two)
 *
 * A record's figure contains the request for its buffer. The time of the loops themselves, some
 * nanoseconds, is subtracted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void requested_type(uint8_t **, size_t *, size_t *);
typedef void completed_type(void *, uint32_t, uint8_t *, size_t, size_t);
typedef void callback_type(void *, uint32_t, uint32_t, const void *);
struct to_call {
    requested_type *requested;
    completed_type *completed;
    callback_type *callback;
};
enum { RECORD_BYTES = 128 };

#ifdef LIBRARY

struct to_call gpu_records;

int cuptiSubscribe(void **handle, callback_type *f, void *data)
{
    (void)data;
    gpu_records.callback = f;
    return *handle = &gpu_records, 0;
}
int cuptiUnsubscribe(void *handle)
{
    return (void)handle, 0;
}
int cuptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t id)
{
    return (void)enable, (void)handle, (void)domain, (void)id, 0;
}
int cuptiActivityRegisterCallbacks(requested_type *r, completed_type *c)
{
    gpu_records.requested = r;
    gpu_records.completed = c;
    return 0;
}
int cuptiActivityEnable(uint32_t kind)
{
    return (void)kind, 0;
}
int cuptiActivityDisable(uint32_t kind)
{
    return (void)kind, 0;
}
int cuptiActivityFlushAll(uint32_t flag)
{
    return (void)flag, 0;
}
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
    uint8_t *next = *record ? *record + RECORD_BYTES : buffer;
    if (next + RECORD_BYTES > buffer + valid)
        return 12;
    return *record = next, 0;
}
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    return (void)context, (void)stream, *n = 0, 0;
}
int cuptiGetTimestamp(uint64_t *ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return *ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec, 0;
}
int cuptiGetDeviceId(void *context, uint32_t *device)
{
    return (void)context, *device = 0, 0;
}

#else

enum { CHUNKS = 4000, ROUNDS = 50, LAUNCH = 307, WAIT = 126 };

extern struct to_call gpu_records;
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);

struct record {
    uint32_t kind;
    uint8_t copy_kind, more[3];
    uint64_t bytes, start, end;
    uint32_t device, context;
};
struct call {
    uint32_t site;
    const char *function;
    const void *parameters;
    void *result;
    const char *symbol;
    void *context;
    uint32_t uid;
    uint64_t *word;
    uint32_t correlation;
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- without jostle ---- */

static uint8_t bare_buffer[8192];

static void bare_requested(uint8_t **buffer, size_t *size, size_t *records)
{
    *buffer = bare_buffer;
    *size = sizeof bare_buffer;
    *records = 0;
}

static void bare_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                           size_t valid)
{
    uint8_t *record = NULL;
    (void)context, (void)stream, (void)size;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0)
        __asm__ volatile("" ::"r"(record) : "memory");
}

static void bare_callback(void *data, uint32_t domain, uint32_t id, const void *about)
{
    (void)data, (void)domain, (void)id;
    __asm__ volatile("" ::"r"(about) : "memory");
}

static const struct to_call bare = {bare_requested, bare_completed, bare_callback};

/* ---- what is timed ---- */

/* A buffer full of copies of 4 KiB that took 2 us. */
static double records(const struct to_call *to)
{
    uint8_t *buffer;
    size_t size, most;
    uint64_t spent = 0, n = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = now_ns();
        to->requested(&buffer, &size, &most);
        spent += now_ns() - before;
        for (size_t at = 0; at + RECORD_BYTES <= size; at += RECORD_BYTES) {
            struct record r = {.kind = 1, .copy_kind = 1, .bytes = 4096, .start = before - 5000};
            r.end = r.start + 2000;
            memcpy(buffer + at, &r, sizeof r);
            n++;
        }
        before = now_ns();
        to->completed(NULL, 0, buffer, size, size);
        spent += now_ns() - before;
    }
    return (double)spent / (double)n;
}

static double callbacks(const struct to_call *to, uint32_t id)
{
    uint64_t word = 0, before = now_ns();
    struct call about = {.word = &word, .context = &word, .uid = 1};
    for (int round = 0; round < ROUNDS * 10; round++)
        for (about.site = 0; about.site < 2; about.site++)
            to->callback(NULL, 1, id, &about);
    return (double)(now_ns() - before) / (ROUNDS * 10);
}

static double launches(const struct to_call *to)
{
    return callbacks(to, LAUNCH);
}

static double waits(const struct to_call *to)
{
    return callbacks(to, WAIT);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double (*what)(const struct to_call *), const struct to_call *to)
{
    static double chunks[CHUNKS];
    for (int i = 0; i < CHUNKS; i++)
        chunks[i] = what(to);
    qsort(chunks, CHUNKS, sizeof *chunks, ascending);
    return chunks[CHUNKS / 2];
}

int main(int count, char **words)
{
    static double (*const all[])(const struct to_call *) = {records, launches, waits};
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*initialize)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
    cpu_set_t cpu;
    if (count < 2)
        return 2;
    CPU_ZERO(&cpu);
    CPU_SET(atoi(words[1]), &cpu);
    sched_setaffinity(0, sizeof cpu, &cpu);
    if (initialize)
        initialize();
    if (!gpu_records.completed || !gpu_records.callback) {
        fprintf(stderr, "gpu_records: the recorder is not there\n");
        return 3;
    }
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        printf("%.2f %.2f\n", median(all[i], &bare), median(all[i], &gpu_records));
    return 0;
}

#endif
