/* memory_probe.c: measures the latency and throughput of main memory at this moment.
 *
 * Eight times a slice, but no more than ten times a second nor less than once, the heartbeat evicts
 * the lines of a buffer from all caches and reads them again, three times; of each kind of read the
 * least time counts:
 *   latency  64 reads, each of which needs the result of the one before
 *   stream   512 lines one after the other, as many at a time as the core and its prefetchers fetch
 * The first waits for queues of the memory's controllers. The second is close to a core's
 * throughput, so that it also waits for everything that cores share on the path to memory: with one
 * neighbour it grows first.
 *
 * RATIONALE: lines that are evicted by an instruction need no buffer larger than the caches:
 * 32 KiB do, which the process has once, its forked children too. And the reads are of the same
 * kind whatever the caches' sizes and their other content. It costs the program 32 KiB of its
 * second cache at most, for some 40 us. See docs/adr/0080-memory-of-a-node.md.
 *
 * While a program sleeps nothing is measured: it loses nothing, and its slices have no record.
 */
#include "memory_probe.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "main_cpu.h"
#include "modules/modules.h"
#include "profile/profile_layout.h"
#include "sys.h"

#define LINE 64
#define BYTES 32768
#define READS 64 /* of the chase: one in 512 bytes, so that no line is fetched with another */
#define APART (BYTES / READS)
#define PASSES 3
#define NS_PER_MS UINT64_C(1000000)
#define SHORTEST_NS (100 * NS_PER_MS) /* from one probe to the next, */
#define LONGEST_NS (1000 * NS_PER_MS)
#define OF_A_SLICE 8 /* probes of a slice, as far as both permit: a single one varies by a tenth */
#define CLEAR_NS (4 * NS_PER_MS) /* no probe so near to a boundary */
#define COST 1000                /* times the length of a probe: the next one is not sooner */
#define MOST_NS NS_PER_MS        /* of a probe: a clock that jumps must not end them */
#define IDLE 50                  /* a process that used less than this part of a core is idle */
#define WORST 64 /* times the shortest: no memory is so slow, all were interrupted */

JST_LARGE static uint8_t buffer[BYTES] __attribute__((aligned(JST_PAGE)));
static bool linked;
static uint64_t shortest[2] = {UINT64_MAX, UINT64_MAX}; /* latency and stream, ticks */
static uint64_t not_before;                             /* CLOCK_REALTIME, for its cost */
static uint64_t seen_ns, seen_cpu_ns; /* time of the last check, and CPU time then */
static bool at_rest;

/* Each place holds the address of the next one, in an order that visits each once before it repeats
 * (41 - 1 is a multiple of 4, 19 is odd) and has no equal steps that a prefetcher could
 * continue. */
static void link_up(void)
{
    for (unsigned i = 0; i < READS; i++) {
        unsigned next = (41 * i + 19) % READS;
        *(void *volatile *)(buffer + i * APART) = buffer + next * APART;
    }
    linked = true;
}

/* All reads and writes before it have ended when the next instruction begins. */
JST_INLINE void wait_for_reads(void)
{
#if defined(__x86_64__)
    __asm__ volatile("mfence\n\tlfence" ::: "memory");
#elif defined(__aarch64__)
    __asm__ volatile("dsb sy\n\tisb" ::: "memory");
#endif
}

/* Evicts lines of the buffer from all caches, by instructions that every process may use. */
static void take_out(unsigned apart)
{
    for (unsigned at = 0; at < BYTES; at += apart) {
#if defined(__x86_64__)
        __asm__ volatile("clflush %0" ::"m"(buffer[at]) : "memory");
#elif defined(__aarch64__)
        __asm__ volatile("dc civac, %0" ::"r"(buffer + at) : "memory");
#endif
    }
    wait_for_reads();
}

__attribute__((noinline)) static void chase(void)
{
    void *at = buffer;
    for (unsigned i = 0; i < READS; i++)
        at = *(void *volatile *)at;
    __asm__ volatile("" ::"r"(at));
    wait_for_reads();
}

__attribute__((noinline)) static void stream(void)
{
    uint64_t sum = 0;
    for (unsigned at = 0; at < BYTES; at += LINE)
        sum += *(const volatile uint64_t *)(buffer + at);
    __asm__ volatile("" ::"r"(sum));
    wait_for_reads();
}

static uint64_t timed(void (*reads)(void), unsigned apart)
{
    take_out(apart);
    uint64_t from = jst_ticks();
    reads();
    return jst_ticks() - from;
}

/* ---- when ---- */

void jst_memory_probe_open(void)
{
    not_before = seen_ns = seen_cpu_ns = 0;
    at_rest = false;
}

/* Each process has an offset of its own within the interval: concurrent probes of one node would
 * measure each other. A probe that would be near a boundary is left out. */
uint64_t jst_memory_probe_due(uint64_t now, uint64_t boundary)
{
    if (!jst_cfg.memory_probe || at_rest)
        return 0;
    uint64_t every = jst_cfg.slice_ns / OF_A_SLICE;
    every = every < SHORTEST_NS ? SHORTEST_NS : every > LONGEST_NS ? LONGEST_NS : every;
    uint64_t chance = (jst_now_life.start_ns * UINT64_C(0xd6e8feb86659fd93)) >> 32;
    uint64_t place = CLEAR_NS + ((chance * (every - 2 * CLEAR_NS)) >> 32);
    uint64_t from = now > not_before ? now : not_before;
    uint64_t due = from < place ? place : ((from - place) / every + 1) * every + place;
    return due + CLEAR_NS > boundary ? 0 : due;
}

/* Has the program computed since the last check? The first time: it may have. An idle program is
 * checked when the heartbeat wakes anyway, so that there are no wakes only for this. */
static void look_at_work(uint64_t now)
{
    uint64_t cpu = jst_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    bool first = seen_ns == 0 || now <= seen_ns || cpu < seen_cpu_ns;
    at_rest = !first && (cpu - seen_cpu_ns) * IDLE < now - seen_ns;
    seen_ns = now;
    seen_cpu_ns = cpu;
}

static void measure(uint64_t least[2])
{
    least[0] = least[1] = UINT64_MAX;
    for (int pass = 0; pass < PASSES; pass++) {
        uint64_t took[2] = {timed(chase, APART), timed(stream, LINE)};
        for (int i = 0; i < 2; i++)
            least[i] = took[i] < least[i] ? took[i] : least[i];
    }
}

/* False: interrupted in each pass, or a clock that stands still. */
static bool counts(const uint64_t least[2])
{
    for (int i = 0; i < 2; i++) {
        if (least[i] == 0)
            return false;
        shortest[i] = least[i] < shortest[i] ? least[i] : shortest[i];
    }
    return least[0] / WORST <= shortest[0] && least[1] / WORST <= shortest[1];
}

void jst_memory_probe_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary)
{
    if (due == 0 || now < due || now + CLEAR_NS / 2 > boundary)
        return;
    if (!linked)
        link_up();
    /* CPU time: while the heartbeat waits for a core, it costs nothing. */
    uint64_t least[2] = {0, 0}, began = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    bool moved = jst_main_cpu_visit();
    if (!moved || jst_clock_ns(CLOCK_REALTIME) + CLEAR_NS / 4 < boundary)
        measure(least);
    if (moved)
        jst_main_cpu_leave();
    uint64_t took = jst_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
    not_before = now + COST * (took < MOST_NS ? took : MOST_NS);
    if (!counts(least))
        return;
    b->cells[JST_CELL_MEMORY_LATENCY_NS] += least[0];
    b->cells[JST_CELL_MEMORY_STREAM_NS] += least[1];
    b->cells[JST_CELL_MEMORY_PROBE_COUNT]++;
}

const char *jst_module_memory_probe_open(jst_block *b)
{
    (void)b;
    jst_main_cpu_begin();
    jst_memory_probe_open();
    return NULL;
}

void jst_module_memory_probe_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    (void)b;
    if (jst_cfg.memory_probe && occasion != JST_AT_END)
        look_at_work(now_ns);
}
