/* A librocprofiler-sdk of our own making: what jostle's recorder calls, and fake_play and fake_call, by which
 * a test program says what the GPU and HIP do. It behaves as documented: tools are looked for once, when the
 * first runtime hands its functions over; requests are taken only meanwhile; several tools get the same records;
 * tools are finalised at exit. A call in a forked child hangs, as the real one may. FAKE_VERSION: other
 * than 1.1.0. FAKE_FAILS: a function that fails. FAKE_DROPS: of records each n-th is dropped.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOCKED 15
#define FINALIZED 21
#define TOOLS 4

struct header {
    uint32_t category, kind;
    void *record;
};
struct copy {
    uint64_t size;
    uint32_t kind, operation;
    uint64_t correlation, external, thread, start, end, to, from, bytes, to_address, from_address;
};
struct kernel {
    uint64_t size;
    uint32_t kind, operation;
    uint64_t correlation, external, thread, start, end;
    struct {
        uint64_t size, agent, queue, kernel, dispatch;
        uint32_t more[8];
        uint8_t reserved[56];
    } dispatch;
};
struct call {
    uint64_t context, thread, correlation, external, ancestor;
    uint32_t kind, operation, phase;
    void *payload;
};
struct bank {
    uint32_t heap, flags, width, clock;
    uint64_t bytes;
};
struct agent {
    uint64_t size, id;
    uint32_t type, cores, simds, banks, before[19], location, domain, after[27];
    const struct bank *bank;
    void *caches, *links;
    const char *name, *vendor, *product, *model;
    uint32_t node, numbers[2], visible;
    uint8_t uuid[16];
};
_Static_assert(sizeof(struct kernel) == 56 + 128 && sizeof(struct copy) == 96 &&
                   sizeof(struct call) == 64 && sizeof(struct agent) == 312 &&
                   __builtin_offsetof(struct agent, location) == 108 &&
                   __builtin_offsetof(struct agent, product) == 264,
               "as in AMD's headers");

typedef void filled_type(uint64_t, uint64_t, struct header **, size_t, void *, uint64_t);
typedef void called_type(struct call, uint64_t *, void *);
struct result {
    size_t size;
    int (*initialize)(void *, void *);
    void (*finalize)(void *);
    void *data;
};
typedef struct result *configure_type(uint32_t, const char *, uint32_t, void *);

static struct tool {
    configure_type *configure;
    struct result *result;
    int started, kinds[16];
    uint8_t wanted[64];
    called_type *called;
    filled_type *filled;
    size_t bytes, used;
    uint64_t dropped;
    unsigned count;
    struct header headers[1024];
    union {
        struct copy copy;
        struct kernel kernel;
    } records[1024];
} tools[TOOLS];
static unsigned tool_count;
static int status; /* 0, -1: looking for tools, 1, 2: finalised */
static struct tool *initializing;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t process;

static const char *const names[] = {
    "hipApiName",           "hipLaunchKernel", "hipModuleLaunchKernel",
    "hipGraphLaunch",       "hipMemcpy",       "hipStreamSynchronize",
    "hipDeviceSynchronize", "hipMemsetAsync",  "hipMemsetD32",
};
#define NAMES (sizeof names / sizeof *names)

__attribute__((constructor)) static void loaded(void)
{
    if (!getenv("ROCPROFILER_LOG_LEVEL"))
        fprintf(stderr, "rocprofiler-sdk warns of something\n");
}

static int enter(const char *function)
{
    const char *fails = getenv("FAKE_FAILS");
    if (!process)
        process = getpid();
    if (process != getpid()) {
        fprintf(stderr, "rocprofiler-sdk was called in a forked child\n");
        pause();
    }
    return fails && !strcmp(fails, function) ? 1 : 0;
}

int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
    const char *version = getenv("FAKE_VERSION");
    return sscanf(version ? version : "1.1.0", "%u.%u.%u", major, minor, patch) == 3 ? 0 : 1;
}

int rocprofiler_is_initialized(int *is)
{
    *is = status > 1 ? 1 : status;
    return 0;
}

/* Another clock than any of the kernel's. */
int rocprofiler_get_timestamp(uint64_t *ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    *ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec + 987654321;
    return 0;
}

int rocprofiler_create_context(uint64_t *context)
{
    int failed = enter("rocprofiler_create_context");
    if (!initializing || *context)
        return LOCKED;
    *context = (uint64_t)(initializing - tools) + 1;
    return failed;
}

int rocprofiler_start_context(uint64_t context)
{
    int failed = enter("rocprofiler_start_context");
    tools[context - 1].started = !failed;
    return failed;
}

int rocprofiler_stop_context(uint64_t context)
{
    enter("");
    tools[context - 1].started = 0;
    return 0;
}

int rocprofiler_create_buffer(uint64_t context, size_t bytes, size_t watermark, uint32_t policy,
                              filled_type *filled, void *data, uint64_t *buffer)
{
    int failed = enter("rocprofiler_create_buffer");
    (void)data, (void)watermark;
    if (!initializing || policy != 2)
        return LOCKED;
    tools[context - 1].filled = filled;
    tools[context - 1].bytes = bytes;
    *buffer = 100 + context;
    return failed;
}

static void hand_over(struct tool *t)
{
    struct header *headers[1024];
    for (unsigned i = 0; i < t->count; i++)
        headers[i] = &t->headers[i];
    if (t->count)
        t->filled((uint64_t)(t - tools) + 1, 0, headers, t->count, NULL, t->dropped);
    t->used = t->count = 0;
}

int rocprofiler_flush_buffer(uint64_t buffer)
{
    struct timespec moment = {0, getenv("FAKE_SLOW") ? 300000000 : 0};
    enter("");
    if (status > 1) {
        fprintf(stderr, "a buffer was flushed after the end\n");
        return FINALIZED;
    }
    pthread_mutex_lock(&lock);
    nanosleep(&moment, NULL);
    hand_over(&tools[buffer - 101]);
    pthread_mutex_unlock(&lock);
    return 0;
}

int rocprofiler_configure_buffer_tracing_service(uint64_t context, uint32_t kind,
                                                 const int32_t *operations, size_t count,
                                                 uint64_t buffer)
{
    int failed = enter("rocprofiler_configure_buffer_tracing_service");
    (void)operations, (void)count, (void)buffer;
    if (!initializing)
        return LOCKED;
    tools[context - 1].kinds[kind] = 1;
    return failed;
}

int rocprofiler_configure_callback_tracing_service(uint64_t context, uint32_t kind,
                                                   const int32_t *operations, size_t count,
                                                   called_type *called, void *data)
{
    int failed = enter("rocprofiler_configure_callback_tracing_service");
    (void)data;
    if (!initializing || kind != 5)
        return LOCKED;
    tools[context - 1].called = called;
    for (size_t i = 0; i < count; i++)
        tools[context - 1].wanted[operations[i]] = 1;
    return failed;
}

int rocprofiler_iterate_callback_tracing_kind_operations(uint32_t kind,
                                                         int (*each)(uint32_t, int32_t, void *),
                                                         void *data)
{
    for (int32_t i = 0; i < (int32_t)NAMES && each(kind, i, data) == 0; i++)
        ;
    return enter("rocprofiler_iterate_callback_tracing_kind_operations");
}

int rocprofiler_query_callback_tracing_kind_operation_name(uint32_t kind, int32_t operation,
                                                           const char **name, uint64_t *length)
{
    *name = names[operation];
    *length = strlen(*name);
    return kind == 5 ? 0 : 1;
}

/* A CPU, and three GPUs of which the last does not say its number. */
int rocprofiler_query_available_agents(uint32_t version,
                                       int (*each)(uint32_t, const void **, size_t, void *),
                                       size_t bytes, void *data)
{
    static const struct bank banks[] = {{.heap = 1, .bytes = 1 << 30},
                                        {.heap = 2, .bytes = 1 << 20},
                                        {.heap = 4, .bytes = 1 << 16}};
    static struct agent agents[4];
    const void *list[4];
    if (bytes > sizeof(struct agent))
        return 17;
    for (unsigned i = 0; i < 4; i++) {
        agents[i] = (struct agent){.size = sizeof *agents, .id = 1000 + i, .type = i ? 2 : 1};
        agents[i].product = i ? "Fake MI300X" : "Fake EPYC";
        agents[i].location = (0x3a + i) << 8 | 2 << 3;
        agents[i].domain = 1;
        agents[i].banks = 3;
        agents[i].bank = banks;
        agents[i].uuid[0] = i < 3 ? (uint8_t)(0x10 + i) : 0;
        list[i] = &agents[i];
    }
    return each(version, list, 4, data) + enter("rocprofiler_query_available_agents");
}

/* ---- tools ---- */

static void add_tool(configure_type *configure)
{
    for (unsigned i = 0; i < tool_count; i++)
        if (tools[i].configure == configure)
            return;
    if (configure && tool_count < TOOLS)
        tools[tool_count++].configure = configure;
}

static int look_in(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    void *object = dlopen(info->dlpi_name[0] ? info->dlpi_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (object)
        add_tool((configure_type *)dlsym(object, "rocprofiler_configure"));
    return 0;
}

static void finalize(void)
{
    if (process != getpid())
        return;
    for (unsigned i = 0; i < tool_count; i++)
        if (tools[i].result && tools[i].result->finalize)
            tools[i].result->finalize(tools[i].result->data);
    status = 2;
}

/* As in the versions looked at: behind the last of several, there must be a colon. */
static void find_listed_tools(void)
{
    const char *listed = getenv("ROCP_TOOL_LIBRARIES"), *colon;
    char list[8192];
    snprintf(list, sizeof list, "%s%s", listed ? listed : "",
             listed && !strchr(listed, ':') ? ":" : "");
    for (char *p = list; (colon = strchr(p, ':')); p = list + (colon - list) + 1) {
        list[colon - list] = 0;
        void *object = *p ? dlopen(p, RTLD_LAZY | RTLD_LOCAL) : NULL;
        if (*p && !object)
            abort();
        if (object)
            add_tool((configure_type *)dlsym(object, "rocprofiler_configure"));
    }
}

static void find_tools(void)
{
    struct {
        size_t size;
        const char *name;
        uint32_t handle;
    } client = {sizeof client, NULL, 7};
    find_listed_tools();
    add_tool((configure_type *)dlsym(RTLD_DEFAULT, "rocprofiler_configure"));
    if (dlsym(RTLD_DEFAULT, "rocprofiler_configure"))
        dl_iterate_phdr(look_in, NULL);
    for (unsigned i = 0; i < tool_count; i++)
        tools[i].result = tools[i].configure(10100, "1.1.0", i, &client);
    for (unsigned i = 0; i < tool_count; i++) {
        initializing = &tools[i];
        if (tools[i].result && tools[i].result->initialize)
            tools[i].result->initialize(NULL, tools[i].result->data);
    }
    initializing = NULL;
}

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
                              uint64_t count)
{
    (void)name, (void)version, (void)instance, (void)tables, (void)count;
    enter("");
    if (status == 0) {
        status = -1;
        setenv("ROCPROFILER_REGISTER_LIBRARY", "/where/it/is", 0);
        atexit(finalize);
        find_tools();
        status = 1;
    }
    return 0;
}

/* ---- what a test program says ---- */

unsigned fake_tools(void)
{
    return tool_count;
}

static void add(struct tool *t, uint32_t kind, const void *record, size_t bytes)
{
    static unsigned played;
    const char *drops = getenv("FAKE_DROPS");
    if (!t->kinds[kind] || !t->started)
        return;
    if (drops && ++played % (unsigned)atoi(drops) == 0) {
        t->dropped++;
        return;
    }
    if (t->used + bytes > t->bytes || t->count == 1024)
        hand_over(t);
    memcpy(&t->records[t->count], record, bytes);
    t->headers[t->count] = (struct header){1, kind, &t->records[t->count]};
    t->used += bytes;
    t->count++;
}

void fake_copy(uint32_t operation, unsigned from, unsigned to, uint64_t bytes, uint64_t start,
               uint64_t end)
{
    struct copy c = {.size = sizeof c, .kind = 10, .operation = operation, .thread = 5};
    c.start = start, c.end = end, c.bytes = bytes, c.to = 1000 + to, c.from = 1000 + from;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < tool_count; i++)
        add(&tools[i], 10, &c, sizeof c);
    pthread_mutex_unlock(&lock);
}

void fake_kernel(unsigned on, uint64_t start, uint64_t end)
{
    struct kernel k = {.size = sizeof k, .kind = 11, .operation = 2, .start = start, .end = end};
    k.dispatch.size = 72, k.dispatch.agent = 1000 + on;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < tool_count; i++)
        add(&tools[i], 11, &k, sizeof k);
    pthread_mutex_unlock(&lock);
}

/* A call of HIP's, which takes so many nanoseconds; one that fills does so with so many units. */
void fake_call(const char *name, size_t units, long ns)
{
    struct {
        uint64_t size;
        void *to;
        int value;
        size_t count;
        uint8_t more[200];
    } payload = {sizeof payload, NULL, 0, units, {0}};
    struct timespec moment = {ns / 1000000000, ns % 1000000000};
    struct call c = {.context = 1, .kind = 5, .phase = 1, .payload = &payload};
    uint64_t words[TOOLS] = {0};
    while (c.operation < NAMES && strcmp(names[c.operation], name))
        c.operation++;
    if (c.operation == NAMES)
        abort();
    for (unsigned i = 0; i < tool_count; i++)
        if (tools[i].started && tools[i].wanted[c.operation])
            tools[i].called(c, &words[i], NULL);
    nanosleep(&moment, NULL);
    c.phase = 2;
    for (unsigned i = 0; i < tool_count; i++)
        if (tools[i].started && tools[i].wanted[c.operation])
            tools[i].called(c, &words[i], NULL);
}
