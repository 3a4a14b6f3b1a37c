/* A CUPTI of our own making: what jostle's recorder calls, and fake_play and fake_call, by which a test
 * program says what the GPU and the driver do. It behaves as documented: one subscriber, buffers asked for
 * and handed back, incomplete records kept back until a forced flush. A call in a forked child hangs, as
 * the real one may.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECORD_BYTES 128 /* as long as CUpti_ActivityMemcpy7, so that buffers end amid a record */
#define LINES 64

typedef void requested_type(uint8_t **, size_t *, size_t *);
typedef void completed_type(void *, uint32_t, uint8_t *, size_t, size_t);
typedef void callback_type(void *, uint32_t, uint32_t, const void *);

struct record {
    uint32_t kind;
    uint8_t copy_kind, more[3];
    uint64_t bytes, start, end;
    uint32_t device;
    uint8_t rest[RECORD_BYTES - 36];
};
struct kernel {
    uint32_t kind;
    uint8_t more[12];
    uint64_t start, end, completed;
    uint32_t device;
};

unsigned fake_device; /* of what is played next */

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

#ifdef SEVERAL
static int several, second; /* the first one allows others; the second one is there */
#define FIRST_ALONE                                                                                \
    if (several)                                                                                   \
    return 1
#else
#define FIRST_ALONE
#endif
unsigned fake_seen_by_second;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static requested_type *requested;
static completed_type *completed;
static callback_type *callback;
static void *callback_data;
static int enabled[64], calls[1024];
static pid_t process;
static size_t dropped;
struct line {
    uint8_t *buffer;
    size_t size, used;
    int incomplete;
};
static struct line lines[LINES], kept[512]; /* full, but not complete */
static unsigned keeps;

static void enter(void)
{
    if (!process)
        process = getpid();
    if (process != getpid()) {
        fprintf(stderr, "CUPTI was called in a forked child\n");
        pause();
    }
}

static int failure(const char *function)
{
    const char *name = getenv("FAKE_FAILS");
    return name && !strcmp(name, function) ? 999 : 0;
}

int cuptiSubscribe(void **handle, callback_type *f, void *data)
{
    enter();
    if (callback || getenv("FAKE_TAKEN"))
        return 39;
    callback = f;
    callback_data = data;
    *handle = &callback;
    return failure("cuptiSubscribe");
}

int cuptiUnsubscribe(void *handle)
{
    enter();
    callback = NULL;
#ifdef SEVERAL
    several = 0;
#endif
    return handle == &callback ? 0 : 1;
}

int cuptiEnableCallback(uint32_t enable, void *handle, uint32_t domain, uint32_t id)
{
    enter();
    if (handle != &callback || domain != 1 || id >= 1024)
        return 1;
    calls[id] = (int)enable;
    return 0;
}

int cuptiActivityRegisterCallbacks(requested_type *r, completed_type *c)
{
    enter();
    FIRST_ALONE;
    requested = r;
    completed = c;
    return failure("cuptiActivityRegisterCallbacks");
}

int cuptiActivityEnable(uint32_t kind)
{
    enter();
    FIRST_ALONE;
    enabled[kind] = 1;
    return failure("cuptiActivityEnable");
}

int cuptiActivityDisable(uint32_t kind)
{
    enter();
    FIRST_ALONE;
    enabled[kind] = 0;
    return 0;
}

static int get_next(uint8_t *buffer, size_t valid, uint8_t **record)
{
    uint8_t *next = *record ? *record + RECORD_BYTES : buffer;
    enter();
    if (next + RECORD_BYTES > buffer + valid)
        return 12;
    *record = next;
    return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record)
{
    FIRST_ALONE;
    return get_next(buffer, valid, record);
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
    enter();
    (void)context, (void)stream;
    *n = __atomic_exchange_n(&dropped, 0, __ATOMIC_SEQ_CST);
    return 0;
}

/* Another clock than any of the kernel's. */
int cuptiGetTimestamp(uint64_t *ns)
{
    struct timespec t;
    enter();
    clock_gettime(CLOCK_MONOTONIC, &t);
    *ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + 123456789;
    return 0;
}

static void hand_back(struct line *line)
{
    struct line old = *line;
    memset(line, 0, sizeof *line);
    completed(NULL, 0, old.buffer, old.size, old.used);
}

int cuptiActivityFlushAll(uint32_t flag)
{
    enter();
    struct timespec moment = {0, getenv("FAKE_SLOW") ? 300000000 : 0};
    pthread_mutex_lock(&lock);
    nanosleep(&moment, NULL);
    for (unsigned i = 0; i < LINES; i++)
        if (lines[i].buffer && (flag || !lines[i].incomplete))
            hand_back(&lines[i]);
    while (flag && keeps)
        hand_back(&kept[--keeps]);
    pthread_mutex_unlock(&lock);
    return 0;
}

int cuptiGetDeviceId(void *context, uint32_t *device)
{
    enter();
    *device = (uint32_t)(uintptr_t)context - 1;
    return 0;
}

/* A copy, fill or kernel on one of LINES lines, each with a buffer of its own; end 0: it is not over yet. */
void fake_play(unsigned line, uint32_t kind, uint8_t copy_kind, uint64_t bytes, uint64_t start,
               uint64_t end)
{
    struct record record;
    enter();
#ifdef SEVERAL
    fake_seen_by_second += (unsigned)second;
#endif
    pthread_mutex_lock(&lock);
    if (lines[line].buffer && lines[line].used + sizeof record > lines[line].size) {
        if (!lines[line].incomplete)
            hand_back(&lines[line]);
        else
            kept[keeps++] = lines[line];
        lines[line].buffer = NULL;
    }
    size_t most = 0;
    if (!lines[line].buffer && requested && enabled[kind]) {
        lines[line] = (struct line){0};
        requested(&lines[line].buffer, &lines[line].size, &most);
    }
    if (enabled[kind] && !lines[line].buffer) {
        __atomic_fetch_add(&dropped, 1, __ATOMIC_SEQ_CST);
    } else if (enabled[kind]) {
        memset(&record, 0xaa, sizeof record);
        record.kind = kind;
        record.copy_kind = copy_kind;
        record.bytes = bytes;
        record.start = start;
        record.end = end;
        record.device = fake_device;
        if (kind == 10) {
            struct kernel kernel = {
                .kind = kind, .start = start, .end = end, .device = fake_device};
            memset(&record, 0xaa, sizeof record);
            memcpy(&record, &kernel, sizeof kernel);
        }
        memcpy(lines[line].buffer + lines[line].used, &record, sizeof record);
        lines[line].used += sizeof record;
        lines[line].incomplete |= end == 0;
    }
    pthread_mutex_unlock(&lock);
}

/* A call of the driver, which takes so many nanoseconds. */
void fake_call(uint32_t id, long ns)
{
    uint64_t word = 0;
    struct call about = {
        .word = &word, .context = (void *)(uintptr_t)(fake_device + 1), .uid = fake_device + 1};
    struct timespec moment = {ns / 1000000000, ns % 1000000000};
    callback_type *f = callback;
    if (f && calls[id])
        f(callback_data, 1, id, &about);
    nanosleep(&moment, NULL);
    about.site = 1;
    if (f && calls[id])
        f(callback_data, 1, id, &about);
}

#ifdef SEVERAL
/* As of version 13.3: who allows others is served by functions that name the subscriber. The second one sees
 * what is played, and no more of it is here. */
struct parameters {
    size_t size;
    const char *name;
    char *other;
    size_t other_size;
    uint8_t several, more[7];
};
static void (*requested_v2)(uint8_t **, size_t *, size_t *, void *);
static void (*completed_v2)(uint8_t *, size_t, size_t, void *);

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
    requested_v2(buffer, size, records, NULL);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)stream;
    completed_v2(buffer, size, valid, NULL);
}

int cuptiSubscribe_v2(void **handle, callback_type *f, void *data, struct parameters *p)
{
    enter();
    if (p && p->size != sizeof *p)
        return 1;
    int allows = p && p->several;
    if (callback && !(allows && several))
        return 39;
    if (callback) {
        second = 1;
        *handle = &second;
        return 0;
    }
    several = allows;
    callback = f;
    callback_data = data;
    *handle = &callback;
    return 0;
}

int cuptiActivityRegisterCallbacks_v2(void *handle, void *r, void *c)
{
    if (handle == &callback) {
        requested_v2 = (void (*)(uint8_t **, size_t *, size_t *, void *))r;
        completed_v2 = (void (*)(uint8_t *, size_t, size_t, void *))c;
        requested = request;
        completed = complete;
    }
    return 0;
}

int cuptiActivityEnable_v2(void *handle, uint32_t kind, void *configuration)
{
    (void)configuration;
    enabled[kind] |= handle == &callback;
    return 0;
}

int cuptiActivityDisable_v2(void *handle, uint32_t kind, void *configuration)
{
    (void)configuration;
    if (handle == &callback)
        enabled[kind] = 0;
    return 0;
}

int cuptiActivityGetNextRecord_v2(void *handle, uint8_t *buffer, size_t valid, uint8_t **record)
{
    return handle == &callback ? get_next(buffer, valid, record) : 1;
}

int cuptiActivityGetNumDroppedRecords_v2(void *handle, void *context, uint32_t stream, size_t *n)
{
    return handle == &callback ? cuptiActivityGetNumDroppedRecords(context, stream, n) : 1;
}

int cuptiGetTimestamp_v2(void *handle, uint64_t *ns)
{
    return handle == &callback ? cuptiGetTimestamp(ns) : 1;
}
#endif
