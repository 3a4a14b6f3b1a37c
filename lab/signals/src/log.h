/* log.h: the log of what a signal really did, which analyses use as the truth.
 *
 * JSON lines, one file per process, one write(2) per line: a process that is killed leaves whole
 * lines but for the last. Latencies are kept in a log-linear histogram: constant memory, and a
 * percentile is wrong by less than 1 %. */
#ifndef JST_SIGNAL_LOG_H
#define JST_SIGNAL_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    JST_HISTOGRAM_BITS = 6, /* 64 steps per doubling: half a step is 0.8 % */
    JST_HISTOGRAM_STEPS = 1 << JST_HISTOGRAM_BITS,
    JST_HISTOGRAM_BUCKETS = (64 - JST_HISTOGRAM_BITS + 1) * JST_HISTOGRAM_STEPS,
};

struct jst_histogram {
    uint64_t count;
    uint64_t max;
    unsigned low, high; /* used buckets are in [low, high] */
    uint64_t buckets[JST_HISTOGRAM_BUCKETS];
};

void jst_histogram_clear(struct jst_histogram *h);
void jst_histogram_add(struct jst_histogram *h, uint64_t value);
void jst_histogram_merge(struct jst_histogram *to, const struct jst_histogram *from);
/* The smallest value that at least this share (0 to 1) of all values does not exceed; 0 of none. */
uint64_t jst_histogram_quantile(const struct jst_histogram *h, double share);

/* What was done, call by call. Files count what the file layer did, preparation included;
 * messages are those that this process sent. */
struct jst_counts {
    uint64_t operations, bytes; /* of the operations alone */
    uint64_t opens, closes, writes, reads, seeks, syncs, messages, stats, unlinks;
};

struct jst_log {
    int fd; /* -1: no log is written, and only bursts are counted */
    int64_t slice_ns;
    int64_t slice, slice_end_ns; /* the slice in which operations count now */
    uint64_t operations, bytes, busy_ns;
    int64_t burst_due_ns, burst_begin_ns; /* begin 0: no burst is open */
    uint64_t burst_operations, burst_bytes;
    bool failed; /* a write to the log failed; reported once */
    char path[4096];
    struct jst_histogram now, all;
};

struct jst_run;

/* Opens the log of this process and writes its first line; false after a message. */
bool jst_log_open(struct jst_log *log, const struct jst_run *run, int64_t start_ns);
void jst_log_burst_begin(struct jst_log *log, int64_t due_ns, int64_t begin_ns);
void jst_log_burst_end(struct jst_log *log, int64_t end_ns);
/* Counts one operation in the slice in which it ended. */
void jst_log_operation(struct jst_log *log, int64_t begin_ns, int64_t end_ns, uint64_t bytes);
/* Writes another line: {"type":"NAME","time_ns":...,"bytes":...}. */
void jst_log_event(struct jst_log *log, const char *name, int64_t time_ns, uint64_t bytes);
void jst_log_end(struct jst_log *log, const struct jst_run *run, const char *reason,
                 int64_t end_ns);

#endif
