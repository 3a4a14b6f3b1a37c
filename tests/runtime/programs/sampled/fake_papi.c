/* A PAPI of our own making: the functions that jostle calls, with known answers. Events whose name
 * begins with GOOD count 1000 a reading (the second: 2000, ...); others do not exist. It does I/O as
 * the real one does, and keeps the descriptor of a real counter.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int events, fd = -1;
static long long readings;

int PAPI_get_opt(int option, void *value)
{
    return option == 21 && !value ? 0x07000000 : -1;
}

int PAPI_set_opt(int option, void *value)
{
    const int *o = value;
    return option == 28 && o[1] == 1 && !getenv("FAKE_NO_INHERIT") ? 0 : -1;
}

int PAPI_library_init(int version)
{
    char bytes[4096];
    FILE *f = fopen("/bin/sh", "r");
    if (!f || fread(bytes, 1, sizeof bytes, f) != sizeof bytes)
        abort();
    fclose(f);
    return getenv("FAKE_BROKEN") ? -3 : version;
}

int PAPI_create_eventset(int *set)
{
    *set = 3;
    events = 0;
    return 0;
}

int PAPI_assign_eventset_component(int set, int component)
{
    return set == 3 && component == 0 ? 0 : -1;
}

int PAPI_add_named_event(int set, const char *name)
{
    if (set != 3 || strncmp(name, "GOOD", 4) != 0)
        return -7;
    events++;
    return 0;
}

int PAPI_cleanup_eventset(int set)
{
    if (fd >= 0)
        close(fd);
    fd = -1;
    events = 0;
    return set == 3 ? 0 : -1;
}

int PAPI_destroy_eventset(int *set)
{
    *set = -1;
    return 0;
}

int PAPI_start(int set)
{
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = PERF_TYPE_SOFTWARE;
    a.config = PERF_COUNT_SW_DUMMY;
    a.exclude_kernel = a.exclude_hv = 1;
    fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return set == 3 ? 0 : -1;
}

int PAPI_read(int set, long long *values)
{
    char bytes[64];
    if (fd >= 0 && read(fd, bytes, sizeof bytes) < 0)
        return -3;
    readings++;
    for (int i = 0; i < events; i++)
        values[i] = readings * 1000 * (i + 1);
    return set == 3 ? 0 : -1;
}

int PAPI_stop(int set, long long *values)
{
    return PAPI_read(set, values);
}

char *PAPI_strerror(int error)
{
    static char text[32];
    snprintf(text, sizeof text, "fake error %d", error);
    return text;
}
