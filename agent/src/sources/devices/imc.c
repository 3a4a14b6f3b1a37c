/* imc.c: counts bytes that each socket's memory controllers read and wrote (Intel's uncore_imc),
 * where the kernel allows it: perf_event_paranoid at most 0, or CAP_PERFMON.
 *
 * The counters are the kernel's, for all that runs on the socket. Where others use them too, the
 * kernel lets each count for a part of the time; counts are then scaled by that part.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hardware.h"
#include "imc_sysfs.h"

#define DEVICES "/sys/bus/event_source/devices"
#define MOST_EVENTS 512

struct counted {
    int fd;
    unsigned socket;
    bool write;
    double bytes;
    uint64_t count, enabled, running; /* as last read */
};

static struct counted events[MOST_EVENTS];
static unsigned n_events;
static double total[JST_IMC_CPUS][2]; /* bytes read and written since the source opened */
static char why[160];

static unsigned socket_of(unsigned cpu)
{
    char folder[JST_PATH];
    uint64_t socket;
    snprintf(folder, sizeof folder, "/sys/devices/system/cpu/cpu%u/topology", cpu);
    return jst_file_number(folder, "physical_package_id", &socket) == JST_THERE &&
                   socket < JST_IMC_CPUS
               ? (unsigned)socket
               : 0;
}

static bool count_event(const jst_imc *imc, unsigned cpu, const jst_imc_event *event, bool write)
{
    struct perf_event_attr a;
    if (n_events == MOST_EVENTS)
        return true;
    memset(&a, 0, sizeof a);
    a.size = sizeof a;
    a.type = imc->type;
    a.config = event->config;
    a.config1 = event->config1;
    a.config2 = event->config2;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    int fd = (int)syscall(SYS_perf_event_open, &a, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return false;
    events[n_events++] =
        (struct counted){.fd = fd, .socket = socket_of(cpu), .write = write, .bytes = event->bytes};
    return true;
}

static bool count_device(const jst_imc *imc)
{
    for (unsigned i = 0; i < imc->n_cpus; i++) {
        for (unsigned e = 0; e < imc->n_reads; e++)
            if (!count_event(imc, imc->cpus[i], &imc->reads[e], false))
                return false;
        for (unsigned e = 0; e < imc->n_writes; e++)
            if (!count_event(imc, imc->cpus[i], &imc->writes[e], true))
                return false;
    }
    return true;
}

static void close_all(void)
{
    while (n_events)
        close(events[--n_events].fd);
    memset(total, 0, sizeof total);
}

static void say_refused(int error)
{
    char text[16];
    if (error != EACCES && error != EPERM)
        snprintf(why, sizeof why, "the memory controllers' counters: %s", strerror(error));
    else if (jst_file_text("/proc/sys/kernel", "perf_event_paranoid", text, sizeof text) ==
             JST_THERE)
        snprintf(why, sizeof why,
                 "needs CAP_PERFMON: perf_event_paranoid is %.3s (0 also grants it)",
                 strtok(text, "\n"));
    else
        snprintf(why, sizeof why, "needs CAP_PERFMON");
}

/* Opens the controllers of one sort; returns how many there are, or -1 with `why`. */
static int open_sort(bool commands)
{
    int devices = 0;
    DIR *d = jst_open_folder(DEVICES);
    if (!d)
        return 0;
    for (const char *name; devices >= 0 && (name = jst_next_name(d, "uncore_imc"));) {
        char device[JST_PATH];
        jst_imc imc;
        if (!jst_join(device, DEVICES, name) || !jst_imc_read(device, &imc) ||
            imc.counts_commands != commands)
            continue;
        devices++;
        if (!count_device(&imc)) {
            say_refused(errno);
            devices = -1;
        }
    }
    closedir(d);
    return devices;
}

static const char *open_imc(void)
{
    close_all();
    strcpy(why, "no counters of memory controllers (uncore_imc)");
    int devices = open_sort(true);
    if (devices == 0) /* both would count the same bytes */
        devices = open_sort(false);
    if (devices > 0)
        return NULL;
    close_all();
    return why;
}

/* Adds what an event counted since the last sample. False: it was not counted. */
static bool add_event(struct counted *e)
{
    uint64_t now[3]; /* count, time enabled, time running */
    if (read(e->fd, now, sizeof now) != (ssize_t)sizeof now)
        return false;
    uint64_t enabled = now[1] - e->enabled, running = now[2] - e->running;
    double count = (double)(now[0] - e->count);
    e->count = now[0];
    e->enabled = now[1];
    e->running = now[2];
    if (!running && enabled)
        return false;
    if (running && running < enabled)
        count *= (double)enabled / (double)running;
    total[e->socket][e->write] += count * e->bytes;
    return true;
}

static const char *sample_imc(jst_sample *s)
{
    bool there[JST_IMC_CPUS] = {false}, lost[JST_IMC_CPUS][2] = {{false}};
    for (unsigned i = 0; i < n_events; i++) {
        there[events[i].socket] = true;
        if (!add_event(&events[i]))
            lost[events[i].socket][events[i].write] = true;
    }
    for (unsigned socket = 0; socket < JST_IMC_CPUS; socket++) {
        char name[32];
        if (!there[socket])
            continue;
        snprintf(name, sizeof name, "socket%u", socket);
        jst_component *c = jst_component_of(s, &(jst_names){.kind = JST_KIND_SOCKET, .name = name});
        for (int write = 0; write < 2; write++) {
            enum jst_component_metric m = write ? JST_MEMORY_WRITE_BYTES : JST_MEMORY_READ_BYTES;
            if (lost[socket][write])
                jst_unknown(c, m);
            else
                jst_counter(c, m, (uint64_t)total[socket][write]);
        }
    }
    return NULL;
}

const jst_source jst_source_memory_traffic = {
    .name = "memory traffic", .open = open_imc, .sample = sample_imc};
