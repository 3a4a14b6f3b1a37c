/* A libcuda.so.1 of ours, as far as events go: streams are times until which they are busy, on a clock of the
 * GPU's own that began an hour before the host's. FAKE_CUDA_FAILS: no event can be recorded. It has three GPUs,
 * of which the last is an instance of a divided one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct event {
    unsigned long long at;
};
struct stream {
    unsigned long long until;
    int capturing;
};

int fake_events, fake_records; /* made; recorded */

static unsigned long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 3600000000000ull + (unsigned long long)t.tv_sec * 1000000000u +
           (unsigned long long)t.tv_nsec;
}

void fake_occupy(struct stream *s, unsigned long long ns)
{
    unsigned long long from = now();
    if (!s->capturing)
        s->until = (s->until > from ? s->until : from) + ns;
}

int cuEventCreate(struct event **e, unsigned flags)
{
    (void)flags;
    fake_events++;
    return *e = calloc(1, sizeof **e), 0;
}

int cuEventRecord(struct event *e, struct stream *s)
{
    unsigned long long from = now();
    if (getenv("FAKE_CUDA_FAILS"))
        return 700;
    if (s->capturing)
        return 900; /* CUDA would put it into the graph; nobody should */
    fake_records++;
    return e->at = s->until > from ? s->until : from, 0;
}

int cuEventQuery(struct event *e)
{
    return now() >= e->at ? 0 : 600;
}

int cuEventElapsedTime(float *ms, struct event *a, struct event *b)
{
    return *ms = (float)((double)(b->at - a->at) / 1e6), 0;
}

int cuStreamIsCapturing(struct stream *s, int *status)
{
    return *status = s->capturing, 0;
}

int cuDeviceGet(int *device, int n)
{
    return *device = n, n > 2 ? 101 : 0;
}
int cuDeviceGetPCIBusId(char *to, int room, int n)
{
    return snprintf(to, (size_t)room, "0000:%02X:00.0", 0x3b + n), 0;
}
int cuDeviceGetUuid_v2(unsigned char id[16], int n)
{
    return memset(id, 0x10 + n, 16), 0;
}
int cuDeviceGetName(char *to, int room, int n)
{
    return snprintf(to, (size_t)room, n == 2 ? "Fake G1 MIG 1g.10gb" : "Fake G1"), 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int n)
{
    return *bytes = (size_t)(n + 1) << 30, 0;
}
