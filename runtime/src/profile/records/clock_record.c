/* clock_record.c: writes 'C' records: how well the node's clock is synchronised, and when it was
 * set. */
#include "clock_record.h"
#include "clock.h"
#include "common.h"
#include "profile/area.h"
#include "profile/encode.h"
#include "record.h"
#include "sys.h"

#define ASK_NS 1000000000 /* the kernel itself updates its error bound once a second */

static uint64_t clock_offset;             /* realtime - boottime at the previous tick */
static uint64_t asked_ns;                 /* boottime when the clock's state was read */
static uint32_t clock_state, clock_error; /* as last written */

void jst_clock_record_begin(uint64_t now_ns)
{
    clock_offset = now_ns - jst_clock_ns(CLOCK_BOOTTIME);
    asked_ns = 0;
    clock_state = jst_a.head.clock_state;
    clock_error = jst_a.head.clock_error_us;
}

static void write_clock(int fd, uint64_t now_ns, int64_t step)
{
    uint8_t *p = jst_put_varint(jst_record_buffer + JST_FRAME_GAP, now_ns);
    p = jst_put_varint(p, clock_state);
    p = jst_put_varint(p, clock_error);
    p = jst_put_svarint(p, step);
    jst_append(fd, JST_RECORD_CLOCK, jst_record_buffer,
               (size_t)(p - jst_record_buffer) - JST_FRAME_GAP);
}

/* Written when the state changes, the error bound halves or doubles, or the clock was set. */
void jst_clock_record_check(int fd, uint64_t now_ns)
{
    uint32_t state = jst_a.head.clock_state, error = jst_a.head.clock_error_us;
    uint64_t since_boot = jst_clock_ns(CLOCK_BOOTTIME);
    uint64_t offset = jst_clock_ns(CLOCK_REALTIME) - since_boot;
    int64_t step = (int64_t)(offset - clock_offset);
    bool jumped = step > 10000000 || step < -10000000; /* slewing moves less than that in a slice */
    clock_offset = offset;
    if (jumped || since_boot - asked_ns >= ASK_NS) {
        asked_ns = since_boot;
        jst_clock_state(&state, &error);
    }
    jst_a.head.clock_state = state;
    jst_a.head.clock_error_us = error;
    if (!jumped && state == clock_state && error / 2 <= clock_error && clock_error / 2 <= error)
        return;
    clock_state = state;
    clock_error = error;
    write_clock(fd, now_ns, jumped ? step : 0);
}
