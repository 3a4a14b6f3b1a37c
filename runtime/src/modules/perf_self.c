/* perf_self.c: lets threads read their own count of instructions without a system call:
 * perf_self.h.
 *
 * A thread requests it by taking a slot; the heartbeat, at a slice boundary, opens the counter for
 * it and maps the counter's page. Only the heartbeat unmaps, and only when the thread is dead: a
 * page that a thread may be reading is not unmapped.
 */
#include "perf_self.h"
#include "block.h"
#include "common.h"
#include "core.h"
#include "perf_event.h"
#include "perf_self_serve.h"
#include "profile/profile_layout.h"
#include "sys.h"

__thread jst_perf_slot *jst_tls_perf;
__thread uint32_t jst_tls_perf_tid;

#if JST_WITH_PERF && defined(__x86_64__)

#define SLOTS 32
#define DEAR_NS 100 /* a read that costs more (trapped in a virtual machine) is not worth it */
#define READS 8

typedef union slots_page {
    jst_perf_slot slot[SLOTS];
    uint8_t bytes[JST_PAGE];
} slots_page;

JST_LARGE static slots_page slots __attribute__((aligned(JST_PAGE)));
_Static_assert(sizeof(slots_page) == JST_PAGE, "wiped as a whole in a forked child");

static _Atomic uint32_t wiped; /* 1: it will be, 2: it cannot be */
static uint64_t read_ns = UINT64_MAX;

static bool can_be_wiped(void)
{
    if (atomic_load(&wiped) == 0) {
        bool done = jst_sys3(SYS_madvise, &slots, sizeof slots, MADV_WIPEONFORK) == 0;
        atomic_store(&wiped, done ? 1 : 2);
    }
    return atomic_load(&wiped) == 1;
}

bool jst_perf_self_begin(void)
{
    if (!jst_may_syscall() || jst_tls_vfork || !can_be_wiped())
        return false;
    uint32_t me = (uint32_t)jst_gettid();
    if (jst_tls_perf != NULL && atomic_load(&jst_tls_perf->tid) == me)
        return true;
    for (unsigned i = 0; i < SLOTS; i++) {
        uint32_t nobody = 0;
        if (atomic_compare_exchange_strong(&slots.slot[i].tid, &nobody, me)) {
            jst_tls_perf_tid = me;
            jst_tls_perf = &slots.slot[i];
            return true;
        }
    }
    return false;
}

/* ---- in the heartbeat ---- */

static struct perf_event_mmap_page *map(int fd)
{
    long p = jst_sys6(SYS_mmap, 0, JST_PAGE, PROT_READ, MAP_SHARED, fd, 0);
    return p < 0 && p > -4096 ? NULL : (struct perf_event_mmap_page *)p;
}

void jst_perf_self_probe(int fd)
{
    read_ns = UINT64_MAX;
    struct perf_event_mmap_page *page = map(fd);
    if (page == NULL)
        return;
    for (int i = 0; i < 3; i++) {
        uint64_t from = jst_clock_ns(CLOCK_MONOTONIC), any = 0;
        for (int j = 0; j < READS; j++)
            any |= jst_perf_read_page(page);
        uint64_t ns = (jst_clock_ns(CLOCK_MONOTONIC) - from) / READS;
        read_ns = any != 0 && ns < read_ns ? ns : read_ns;
    }
    jst_sys2(SYS_munmap, page, JST_PAGE);
}

static void let_go(jst_perf_slot *s)
{
    atomic_store(&s->page, NULL);
    if (s->mapped)
        jst_sys2(SYS_munmap, s->mapped, JST_PAGE);
    if (s->mapped && s->fd >= 0)
        jst_close(s->fd);
    s->mapped = NULL;
    atomic_store(&s->tid, 0);
}

static void open_slot(jst_perf_slot *s, uint32_t tid)
{
    s->fd = jst_event_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, JST_EVENT_USER_ONLY, 0,
                           tid, -1);
    if (s->fd < 0)
        return;
    s->mapped = map(s->fd);
    if (s->mapped == NULL)
        jst_close(s->fd);
    else
        atomic_store(&s->page, s->mapped);
}

void jst_perf_self_serve(void)
{
    if (read_ns > DEAR_NS)
        return;
    for (unsigned i = 0; i < SLOTS; i++) {
        jst_perf_slot *s = &slots.slot[i];
        uint32_t tid = atomic_load(&s->tid);
        if (tid == 0)
            continue;
        if (jst_sys3(SYS_tgkill, jst_now_life.pid, tid, 0) < 0)
            let_go(s);
        else if (s->mapped == NULL)
            open_slot(s, tid);
    }
}

/* Pages stay mapped: their threads live. */
void jst_perf_self_close(void)
{
    read_ns = UINT64_MAX;
    for (unsigned i = 0; i < SLOTS; i++) {
        jst_perf_slot *s = &slots.slot[i];
        if (atomic_exchange(&s->page, NULL) != NULL)
            jst_event_switch(s->fd, false);
    }
}

void jst_perf_self_forget(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        jst_perf_slot *s = &slots.slot[i];
        atomic_store(&s->page, NULL);
        s->mapped = NULL;
        s->fd = -1;
    }
}

#else

bool jst_perf_self_begin(void)
{
    return false;
}

void jst_perf_self_probe(int fd)
{
    (void)fd;
}

void jst_perf_self_serve(void) {}

void jst_perf_self_close(void) {}

void jst_perf_self_forget(void) {}

#endif
