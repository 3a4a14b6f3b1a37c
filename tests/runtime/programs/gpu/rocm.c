/* Does what a program with an AMD GPU does, without one: loads HIP (fake_hip.c), which comes up, and plays
 * copies, launches and waits through the stand-in of rocprofiler-sdk (fake_rocprofiler.c), if some tool has
 * brought that into the process. */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void (*copy)(uint32_t, unsigned, unsigned, uint64_t, uint64_t, uint64_t);
static void (*kernel)(unsigned, uint64_t, uint64_t);
static void (*call)(const char *, size_t, long);
static int (*stamp)(uint64_t *);
static int *device;

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

static void begin_hip(void)
{
    void *hip = dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_LOCAL);
    int (*begin)(void) = hip ? (int (*)(void))dlsym(hip, "fake_hip_begin") : NULL;
    if (!begin)
        exit(3);
    static const char *const variables[] = {"ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY",
                                            "ROCPROFILER_LOG_LEVEL"};
    char before[3][4096] = {{0}};
    for (int i = 0; i < 3; i++)
        snprintf(before[i], sizeof before[i], "%s",
                 getenv(variables[i]) ? getenv(variables[i]) : "");
    begin();
    for (int i = 0; i < 3; i++) /* a child would have it */
        if (strcmp(before[i], getenv(variables[i]) ? getenv(variables[i]) : ""))
            exit(9);
#ifndef TOOL
    if (dlsym(RTLD_DEFAULT, "rocprofiler_configure"))
        exit(10);
#endif
    device = (int *)dlsym(hip, "fake_hip_device");
}

/* False: no tool wanted it. */
static int find_rocprofiler(void)
{
    void *object = dlopen("librocprofiler-sdk.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!object)
        return 0;
    copy = (void (*)(uint32_t, unsigned, unsigned, uint64_t, uint64_t, uint64_t))dlsym(object,
                                                                                       "fake_copy");
    kernel = (void (*)(unsigned, uint64_t, uint64_t))dlsym(object, "fake_kernel");
    call = (void (*)(const char *, size_t, long))dlsym(object, "fake_call");
    stamp = (int (*)(uint64_t *))dlsym(object, "rocprofiler_get_timestamp");
    return 1;
}

/* Known to the test: of operation k (1: host to host, ..., 4: device to device) k copies of 1000 k + 1 bytes
 * and 100 k ns; 7 between devices; fills of 64 and of 3 * 4 bytes. */
static void known(void)
{
    for (unsigned k = 1; k <= 4; k++)
        for (unsigned i = 0; i < k; i++) {
            uint64_t t = now();
            copy(k, k >= 3, k == 2 || k == 4, 1000 * k + 1, t - 100 * k, t);
        }
    for (unsigned i = 0; i < 7; i++) {
        uint64_t t = now();
        copy(4, 1, 2, 5000, t - 70, t);
        call("hipMemsetAsync", 64, 0);
    }
    call("hipMemsetD32", 3, 0);
    call("hipMemcpy", 0, 0);
    for (unsigned i = 0; i < 11; i++)
        call(i & 1 ? "hipLaunchKernel" : "hipModuleLaunchKernel", 0, 0);
    for (unsigned i = 0; i < 3; i++)
        call("hipGraphLaunch", 0, 0);
    call("hipStreamSynchronize", 0, 20000000);
    call("hipDeviceSynchronize", 0, 10000000);
}

/* On GPU d: d + 1 copies of 1000 bytes, 2 d + 1 launches, and two kernels of 30 ms of which 10 ms are together. */
static void devices(void)
{
    for (int d = 0; d < 3; d++) {
        *device = d;
        for (int i = 0; i <= d; i++)
            copy(2, 0, (unsigned)d + 1, 1000, now() - 100, now());
        for (int i = 0; i < 2 * d + 1; i++)
            call("hipLaunchKernel", 0, 0);
        uint64_t t = now();
        kernel((unsigned)d + 1, t - 50000000, t - 20000000);
        kernel((unsigned)d + 1, t - 30000000, t);
    }
}

static void many(void)
{
    for (int i = 0; i < 20000; i++) {
        uint64_t t = now();
        copy(2, 0, 1, 8, t - 1, t);
    }
}

static void slices(void)
{
    for (int n = 1; n <= 8; n++) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        struct timespec moment = {0, 200000000 - t.tv_nsec % 200000000 + 50000000};
        nanosleep(&moment, NULL);
        for (int i = 0; i < n; i++)
            copy(3, 1, 0, 100, now() - 1000, now());
    }
    rest(300);
}

static void forks(void)
{
    for (int i = 0; i < 6; i++) {
        copy(2, 0, 1, 10, now() - 5, now());
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

/* ---- the program's own tool: it counts bytes, and says so ---- */

#ifdef TOOL
static uint64_t context, buffer, seen;

static void filled(uint64_t c, uint64_t b, void **headers, size_t count, void *data, uint64_t lost)
{
    (void)c, (void)b, (void)headers, (void)data, (void)lost;
    seen += count;
}

static int begin_tool(void *finalize, void *data)
{
    void *object = dlopen("librocprofiler-sdk.so.1", RTLD_NOW | RTLD_NOLOAD);
    int (*create)(uint64_t *) = (int (*)(uint64_t *))dlsym(object, "rocprofiler_create_context");
    int (*make)(uint64_t, size_t, size_t, uint32_t, void *, void *, uint64_t *) =
        (int (*)(uint64_t, size_t, size_t, uint32_t, void *, void *, uint64_t *))dlsym(
            object, "rocprofiler_create_buffer");
    int (*trace)(uint64_t, uint32_t, void *, size_t, uint64_t) =
        (int (*)(uint64_t, uint32_t, void *, size_t, uint64_t))dlsym(
            object, "rocprofiler_configure_buffer_tracing_service");
    int (*start)(uint64_t) = (int (*)(uint64_t))dlsym(object, "rocprofiler_start_context");
    (void)finalize, (void)data;
    return create(&context) || make(context, 1 << 16, 1 << 15, 2, (void *)filled, NULL, &buffer) ||
           trace(context, 10, NULL, 0, buffer) || start(context);
}

static void end_tool(void *data)
{
    void *object = dlopen("librocprofiler-sdk.so.1", RTLD_NOW | RTLD_NOLOAD);
    int (*flush)(uint64_t) = (int (*)(uint64_t))dlsym(object, "rocprofiler_flush_buffer");
    (void)data;
    flush(buffer);
    printf("own tool: %llu copies\n", (unsigned long long)seen);
}

void *rocprofiler_configure(uint32_t version, const char *text, uint32_t priority, void *client)
{
    static struct {
        size_t size;
        int (*initialize)(void *, void *);
        void (*finalize)(void *);
        void *data;
    } tool = {sizeof tool, begin_tool, end_tool, NULL};
    (void)version, (void)text, (void)priority, (void)client;
    return &tool;
}
#endif

int main(int count, char **values)
{
    const char *mode = count > 1 ? values[1] : "known";
    if (!strcmp(mode, "first")) { /* a tool that does not wait for the runtime */
        void *object = dlopen("librocprofiler-sdk.so.1", RTLD_NOW | RTLD_GLOBAL);
        int (*set)(const char *, uint64_t, uint64_t, void **, uint64_t) =
            (int (*)(const char *, uint64_t, uint64_t, void **, uint64_t))dlsym(
                object, "rocprofiler_set_api_table");
        set("early", 1, 0, NULL, 0);
    }
    begin_hip();
    if (!find_rocprofiler()) {
        rest(300);
        return 0;
    }
    if (!strcmp(mode, "many")) {
        many();
    } else if (!strcmp(mode, "slices")) {
        slices();
    } else if (!strcmp(mode, "forks")) {
        forks();
    } else if (!strcmp(mode, "devices")) {
        devices();
    } else {
        known();
    }
    if (!strcmp(mode, "_exit")) {
        rest(300);
        _exit(0);
    } else if (!strcmp(mode, "killed")) {
        rest(1300);
        raise(9);
    }
    return 0;
}
