/* core_probe.c: the core-speed probe: times a fixed piece of work repeatedly, to measure how fast a
 * core is now.
 *
 * Off unless JOSTLE_CORE_PROBE gives an interval. The heartbeat wakes for it between slice boundaries,
 * does the work three times and keeps the least: an interrupt prolongs one of them only, and the first
 * one brings the data back into the cache.
 *
 * RATIONALE: hardware threads of a core share its execution units, first cache, and second cache. A
 * code that leaves slots unused because it waits for its own results is hardly slowed by another
 * one that uses them; so no part of the work waits. Three parts, since codes use the three in
 * different shares and one number is to represent all of them. See docs/adr/0022-the-core-speed-probe.md.
 *
 * In assembly, each loop on a cache line of its own: the same instructions in every build. The data are
 * zeros, so that they cannot cause a floating-point trap that the program has enabled.
 */
#include "core_probe.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "modules.h"
#include "probes/main_cpu.h"
#include "profile/profile_layout.h"
#include "sys.h"
#include "text.h"

#define ROUNDS 1000      /* of 18 integer instructions */
#define CELLS 1024       /* of a stencil, */
#define SWEEPS 3         /* all in the first cache: 24 KiB */
#define FAR_BYTES 131072 /* beyond the first cache and within the second */
#define WALKS 2
#define NS_PER_MS UINT64_C(1000000)
#define CLEAR_NS (4 * NS_PER_MS) /* no probe so long before a boundary */
#define WORST 4 /* times the shortest: no core is so slow, all three were interrupted */

static uint64_t shortest = UINT64_MAX; /* in this process, ticks */
static bool touched;
static int stat_fd = -1;
static uint64_t cores, stolen; /* of the node; in all, ticks of the kernel */
/* Three rows of 8 KiB, one after the other; stores are half a page away from loads, so that no load
 * seems to depend on a store before it. */
JST_LARGE static uint8_t near[28672] __attribute__((aligned(JST_PAGE)));
JST_LARGE static uint8_t far[FAR_BYTES] __attribute__((aligned(JST_PAGE)));

/* Writes to each page once: untouched pages would all map the kernel's single page of zeros, and
 * the reads would go to the same 4 KiB. */
static void touch(void)
{
    for (size_t i = 0; i < sizeof near; i += JST_PAGE)
        *(volatile uint8_t *)(near + i) = 0;
    for (size_t i = 0; i < sizeof far; i += JST_PAGE)
        *(volatile uint8_t *)(far + i) = 0;
    touched = true;
}

/* In C, where i is the number of remaining rounds:
 *     a += i ^ b, b += c >> 1, c ^= a + i;
 *     d += e ^ i, e += f >> 2, f ^= d + i;
 */
__attribute__((noinline)) static void integers(void)
{
    uint64_t rounds = ROUNDS;
#if defined(__x86_64__)
    __asm__ volatile(".p2align 6\n\t"
                     "1:\n\t"
                     "mov %0, %%r10\n\t"
                     "xor %%rdx, %%r10\n\t"
                     "add %%r10, %%rax\n\t"
                     "mov %0, %%r11\n\t"
                     "xor %%r8, %%r11\n\t"
                     "add %%r11, %%rdi\n\t"
                     "mov %%rsi, %%r10\n\t"
                     "shr $1, %%r10\n\t"
                     "add %%r10, %%rdx\n\t"
                     "mov %%r9, %%r11\n\t"
                     "shr $2, %%r11\n\t"
                     "add %%r11, %%r8\n\t"
                     "lea (%%rax, %0), %%r10\n\t"
                     "xor %%r10, %%rsi\n\t"
                     "lea (%%rdi, %0), %%r11\n\t"
                     "xor %%r11, %%r9\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+c"(rounds)
                     :
                     : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
#elif defined(__aarch64__)
    __asm__ volatile(".p2align 6\n\t"
                     "1:\n\t"
                     "eor x9, x2, %0\n\t"
                     "add x1, x1, x9\n\t"
                     "eor x10, x5, %0\n\t"
                     "add x4, x4, x10\n\t"
                     "lsr x9, x3, #1\n\t"
                     "add x2, x2, x9\n\t"
                     "lsr x10, x6, #2\n\t"
                     "add x5, x5, x10\n\t"
                     "add x9, x1, %0\n\t"
                     "eor x3, x3, x9\n\t"
                     "add x10, x4, %0\n\t"
                     "eor x6, x6, x10\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(rounds)
                     :
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x9", "x10", "cc");
#endif
}

/* new[i] = (row[i - 1] + row[i] + row[i + 1] + old[i]) * factor, two at a time. */
__attribute__((noinline)) static void stencil(void)
{
    uint64_t pairs = CELLS / 2;
    uint8_t *at = near;
#if defined(__x86_64__)
    __asm__ volatile("xorpd %%xmm4, %%xmm4\n\t"
                     ".p2align 6\n\t"
                     "1:\n\t"
                     "movupd 64(%1), %%xmm0\n\t"
                     "movupd 56(%1), %%xmm1\n\t"
                     "movupd 72(%1), %%xmm2\n\t"
                     "movupd 8448(%1), %%xmm3\n\t"
                     "addpd %%xmm1, %%xmm0\n\t"
                     "addpd %%xmm3, %%xmm2\n\t"
                     "addpd %%xmm2, %%xmm0\n\t"
                     "mulpd %%xmm4, %%xmm0\n\t"
                     "movupd %%xmm0, 18432(%1)\n\t"
                     "add $16, %1\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+c"(pairs), "+S"(at)
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "cc", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("add x1, %1, #64\n\t"
                     "add x2, %1, #2, lsl #12\n\t"
                     "add x2, x2, #256\n\t"
                     "add x3, %1, #4, lsl #12\n\t"
                     "add x3, x3, #2048\n\t"
                     "movi v4.2d, #0\n\t"
                     ".p2align 6\n\t"
                     "1:\n\t"
                     "ldur q0, [x1]\n\t"
                     "ldur q1, [x1, #-8]\n\t"
                     "ldur q2, [x1, #8]\n\t"
                     "ldr q3, [x2], #16\n\t"
                     "fadd v0.2d, v0.2d, v1.2d\n\t"
                     "fadd v2.2d, v2.2d, v3.2d\n\t"
                     "fadd v0.2d, v0.2d, v2.2d\n\t"
                     "fmul v0.2d, v0.2d, v4.2d\n\t"
                     "str q0, [x3], #16\n\t"
                     "add x1, x1, #16\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(pairs), "+r"(at)
                     :
                     : "x1", "x2", "x3", "v0", "v1", "v2", "v3", "v4", "cc", "memory");
#endif
}

/* One number of each cache line, in four lanes, each line twice. In C, of a lane:
 *     a += *(uint64_t *)(far + at), at = (1501 * at + 64) % FAR_BYTES;
 * this order visits each line once before it repeats, and lanes start a quarter of it apart.
 *
 * RATIONALE: one line after the other would be fetched by the prefetchers, and whether they help
 * depends on what the program did before: in one run it took a third longer than in another, on
 * equally fast cores. With the factors 5 and 13 they still find the rule now and then. */
__attribute__((noinline)) static void walk(void)
{
    uint64_t steps = WALKS * FAR_BYTES / 256;
    uint8_t *base = far;
#if defined(__x86_64__)
    __asm__ volatile("xor %%eax, %%eax\n\t"
                     "mov $98304, %%edx\n\t"
                     "mov $65536, %%esi\n\t"
                     "mov $32768, %%edi\n\t"
                     ".p2align 6\n\t"
                     "1:\n\t"
                     "add (%1,%%rax), %%r8\n\t"
                     "imul $1501, %%eax, %%eax\n\t"
                     "lea 64(%%rax), %%eax\n\t"
                     "and $131071, %%eax\n\t"
                     "add (%1,%%rdx), %%r9\n\t"
                     "imul $1501, %%edx, %%edx\n\t"
                     "lea 64(%%rdx), %%edx\n\t"
                     "and $131071, %%edx\n\t"
                     "add (%1,%%rsi), %%r10\n\t"
                     "imul $1501, %%esi, %%esi\n\t"
                     "lea 64(%%rsi), %%esi\n\t"
                     "and $131071, %%esi\n\t"
                     "add (%1,%%rdi), %%r11\n\t"
                     "imul $1501, %%edi, %%edi\n\t"
                     "lea 64(%%rdi), %%edi\n\t"
                     "and $131071, %%edi\n\t"
                     "dec %0\n\t"
                     "jnz 1b\n\t"
                     "lfence"
                     : "+c"(steps)
                     : "b"(base)
                     : "rax", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
#elif defined(__aarch64__)
    __asm__ volatile("mov x1, #0\n\t"
                     "mov x2, #98304\n\t"
                     "mov x3, #65536\n\t"
                     "mov x4, #32768\n\t"
                     "mov x5, #64\n\t"
                     "mov x8, #1501\n\t"
                     ".p2align 6\n\t"
                     "1:\n\t"
                     "ldr x9, [%1, x1]\n\t"
                     "ldr x10, [%1, x2]\n\t"
                     "ldr x11, [%1, x3]\n\t"
                     "ldr x12, [%1, x4]\n\t"
                     "add x6, x6, x9\n\t"
                     "add x7, x7, x10\n\t"
                     "add x6, x6, x11\n\t"
                     "add x7, x7, x12\n\t"
                     "madd x1, x1, x8, x5\n\t"
                     "madd x2, x2, x8, x5\n\t"
                     "madd x3, x3, x8, x5\n\t"
                     "madd x4, x4, x8, x5\n\t"
                     "and x1, x1, #131071\n\t"
                     "and x2, x2, #131071\n\t"
                     "and x3, x3, #131071\n\t"
                     "and x4, x4, #131071\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b\n\t"
                     "isb"
                     : "+r"(steps)
                     : "r"(base)
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "cc", "memory");
#endif
}

static void work(void)
{
    integers();
    for (int i = 0; i < SWEEPS; i++)
        stencil();
    walk();
}

/* ---- steal time: not in the work's time, which is measured where nothing was stolen ---- */

#define KERNEL_TICK_NS UINT64_C(10000000) /* of /proc/stat, on every known machine */

static uint64_t number(const char **p)
{
    uint64_t v = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        v = v * 10 + (uint64_t)(**p - '0');
    return v;
}

/* "0-3,8": ranges and single numbers. */
static uint64_t count_cores(const char *p)
{
    uint64_t count = 0;
    while (*p >= '0' && *p <= '9') {
        uint64_t first = number(&p), last = first;
        if (*p == '-') {
            p++;
            last = number(&p);
        }
        count += last >= first ? last - first + 1 : 0;
        p += *p == ',';
    }
    return count;
}

/* "cpu  user nice system idle iowait irq softirq steal ...", the sum of all cores. */
static uint64_t steal_of(const char *p)
{
    for (int field = 0; field < 8; field++) {
        while (*p && *p != ' ' && *p != '\n')
            p++;
        while (*p == ' ')
            p++;
    }
    return number(&p);
}

static uint64_t read_steal(void)
{
    char text[256];
    long n = jst_pread(stat_fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = 0;
    return steal_of(text);
}

/* ---- with the heartbeat ---- */

void jst_core_probe_open(void)
{
    char text[256] = "";
    stat_fd = -1;
    if (jst_cfg.core_probe_ns == 0)
        return;
    if (jst_read_file("/sys/devices/system/cpu/online", text, sizeof text) <= 0)
        return;
    cores = count_cores(text);
    if (cores == 0)
        return;
    stat_fd = jst_openat(AT_FDCWD, "/proc/stat", O_RDONLY | O_CLOEXEC, 0);
    stolen = stat_fd >= 0 ? read_steal() : 0;
}

void jst_core_probe_sample(jst_block *b)
{
    if (stat_fd < 0)
        return;
    uint64_t now = read_steal();
    if (now > stolen)
        b->cells[JST_CELL_CORE_PROBE_STEAL_NS] += (now - stolen) * KERNEL_TICK_NS / cores;
    stolen = now > stolen ? now : stolen;
}

/* ---- when ---- */

/* Each process runs its probe at an offset of its own within the interval, since concurrent probes
 * would disturb each other. A probe that would be right before a boundary runs earlier. */
uint64_t jst_core_probe_due(uint64_t now, uint64_t boundary)
{
    uint64_t every = jst_cfg.core_probe_ns;
    if (every == 0)
        return 0;
    uint64_t chance = (jst_now_life.start_ns * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    uint64_t place = (chance * every) >> 32;
    uint64_t due = ((now - place) / every + 1) * every + place;
    if (due > boundary)
        return 0;
    if (due + CLEAR_NS > boundary)
        due = boundary - CLEAR_NS;
    return due > now ? due : 0;
}

/* The least of three, in ticks. */
static uint64_t measure(void)
{
    uint64_t least = UINT64_MAX, from = jst_ticks();
    for (int i = 0; i < 3; i++) {
        work();
        uint64_t to = jst_ticks();
        least = to - from < least ? to - from : least;
        from = to;
    }
    return least;
}

void jst_core_probe_run(jst_block *b, uint64_t due, uint64_t now, uint64_t boundary)
{
    if (due == 0 || now < due || now + CLEAR_NS / 2 > boundary)
        return; /* too late for this one */
    if (!touched)
        touch();
    bool moved = jst_main_cpu_visit();
    bool in_time = !moved || jst_clock_ns(CLOCK_REALTIME) + CLEAR_NS / 4 < boundary;
    uint64_t least = in_time ? measure() : 0;
    if (moved)
        jst_main_cpu_leave();
    if (least == 0)
        return; /* or a clock that stands still */
    shortest = least < shortest ? least : shortest;
    if (least > WORST * shortest)
        return;
    b->cells[JST_CELL_CORE_PROBE_NS] += least;
    b->cells[JST_CELL_CORE_PROBE_COUNT]++;
}

const char *jst_module_core_probe_open(jst_block *b)
{
    (void)b;
    jst_core_probe_open();
    return NULL;
}

void jst_module_core_probe_sample(jst_block *b, uint64_t now_ns, enum jst_occasion occasion)
{
    (void)now_ns;
    if (occasion != JST_AT_LOOK)
        jst_core_probe_sample(b);
}
