/* cpu.c: a core kept busy by arithmetic alone. An operation is ROUNDS rounds of four floating-point
 * and one integer multiplication and addition, in registers: its time is constant, so that its
 * latency shows what took the core away. */
#include "signal.h"

enum { ROUNDS = 50 * 1000 }; /* some 100 us */

struct registers {
    double x[4];
    uint64_t n;
};

static bool prepare(struct jst_run *run)
{
    static struct registers kept;
    kept = (struct registers){.x = {0.1, 0.2, 0.3, 0.4}, .n = run->team.world_rank};
    run->state = &kept;
    return true;
}

static bool step(struct jst_run *run)
{
    struct registers *kept = run->state;
    double x0 = kept->x[0], x1 = kept->x[1], x2 = kept->x[2], x3 = kept->x[3];
    uint64_t n = kept->n;

    /* Each number depends on the one before, by rounding too: there is no short cut. They stay
     * near 1, normal for ever. */
    for (int i = 0; i < ROUNDS; i++) {
        x0 = x0 * 0.999 + 0.001;
        x1 = x1 * 0.998 + 0.002;
        x2 = x2 * 0.997 + 0.003;
        x3 = x3 * 0.996 + 0.004;
        n = n * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        /* NOTE: without it a compiler may see the rounds of an integer as one. */
        __asm__ volatile("" : "+r"(n));
    }
    *kept = (struct registers){.x = {x0, x1, x2, x3}, .n = n};
    return true;
}

const struct jst_pattern jst_cpu = {
    .name = "cpu",
    .operation = "50000 rounds of five multiplications and additions in registers",
    .resource = JST_CPU,
    .flush = JST_FLUSH_NONE,
    .prepare = prepare,
    .step = step,
};
