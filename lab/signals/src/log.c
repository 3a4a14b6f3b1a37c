/* log.c: the lines of the log. Each is put together here and leaves in one call. */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signal.h"
#include "sys.h"

/* A line that is being built; text that does not fit is cut off, and then the line is not written
 * at all. */
struct line {
    size_t length;
    bool full;
    char text[32768];
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list arguments;
    size_t room = sizeof line->text - line->length;

    va_start(arguments, format);
    int n = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= room)
        line->full = true;
    else
        line->length += (size_t)n;
}

/* A JSON string. Bytes that are no UTF-8 text become question marks: the file must be readable. */
static void put_text(struct line *line, const char *text)
{
    put(line, "\"");
    while (*text && !line->full) {
        unsigned char c = (unsigned char)*text;
        int more = c < 0x80 ? 0 : (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : 3;
        bool good = c < 0x80 || (c >= 0xc2 && c <= 0xf4);
        for (int i = 1; good && i <= more; i++)
            good = ((unsigned char)text[i] & 0xc0) == 0x80;
        if (good && more > 1) { /* none that is too long, a surrogate, or past the last */
            unsigned code = (c & 0xfu) << 6 | ((unsigned char)text[1] & 0x3fu);
            good = more == 2 ? code >= 0x20 && (code < 0x360 || code > 0x37f)
                             : code >= 0x10 && code < 0x110;
        }
        if (c == '"' || c == '\\')
            put(line, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            put(line, "\\u%04x", c);
        else if (good)
            put(line, "%.*s", more + 1, text);
        else
            put(line, "?");
        text += good ? more + 1 : 1;
    }
    put(line, "\"");
}

static void put_text_or_null(struct line *line, const char *text)
{
    if (text && *text)
        put_text(line, text);
    else
        put(line, "null");
}

static void put_latencies(struct line *line, const struct jst_histogram *h)
{
    put(line,
        ",\"p50_ns\":%" PRIu64 ",\"p95_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64,
        jst_histogram_quantile(h, 0.50), jst_histogram_quantile(h, 0.95),
        jst_histogram_quantile(h, 0.99), h->max);
}

static void write_line(struct jst_log *log, struct line *line)
{
    if (log->fd < 0 || log->failed)
        return;
    put(line, "}\n");
    long n = line->full ? -EMSGSIZE : jst_sys_write(log->fd, line->text, line->length);
    if (n == (long)line->length)
        return;
    log->failed = true;
    char text[4352];
    snprintf(
        text, sizeof text,
        "jostle-signal: the log %s ends early: %s; the load continues. Choose a folder with space "
        "by --log\n",
        log->path, strerror(n < 0 ? (int)-n : ENOSPC));
    jst_sys_say(text);
}

/* The folder of a user who named none: one per user in a folder that all may write to, so it must
 * be ours and no other user may write to it. */
static bool default_folder(char *folder, size_t size)
{
    const char *tmp = getenv("TMPDIR");
    struct stat status;

    snprintf(folder, size, "%s/jostle-signal-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)geteuid());
    long result = jst_sys_mkdir(folder, 0700);
    if (result < 0 && result != -EEXIST)
        fprintf(stderr, "jostle-signal: cannot make the log's folder %s: %s; name one with --log\n",
                folder, strerror((int)-result));
    else if (lstat(folder, &status) != 0 || !S_ISDIR(status.st_mode) ||
             status.st_uid != geteuid() || (status.st_mode & 022))
        fprintf(stderr,
                "jostle-signal: %s is not a folder of yours alone, and no log is trusted to it; "
                "name another with --log\n",
                folder);
    else
        return true;
    return false;
}

/* Makes a folder that a user named, and those above it. */
static bool make_folders(const char *folder)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return false;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        jst_sys_mkdir(path, 0777);
        *slash = '/';
    }
    long result = jst_sys_mkdir(path, 0777);
    return result == 0 || result == -EEXIST;
}

static bool open_file(struct jst_log *log, const struct jst_run *run)
{
    char folder[PATH_MAX], job[sizeof run->job];

    if (run->options.log) {
        snprintf(folder, sizeof folder, "%s", run->options.log);
        make_folders(folder); /* the error is reported when the file is opened */
    } else if (!default_folder(folder, sizeof folder)) {
        return false;
    }
    snprintf(job, sizeof job, "%s", run->job);
    for (char *c = job; *c; c++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-", *c))
            *c = '_';
    int n = snprintf(log->path, sizeof log->path, "%.3500s/%s.%s.%ld.jsonl", folder, job, run->host,
                     (long)getpid());
    long fd = n < 0 || (size_t)n >= sizeof log->path
                  ? -ENAMETOOLONG
                  : jst_sys_open(log->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
    if (fd < 0) {
        fprintf(stderr,
                "jostle-signal: cannot write the log %s: %s; choose another folder with --log, or "
                "--log none\n",
                log->path, strerror((int)-fd));
        return false;
    }
    log->fd = (int)fd;
    return true;
}

static void write_header(struct jst_log *log, const struct jst_run *run, int64_t start_ns)
{
    const struct jst_options *o = &run->options;
    struct line line = {0};

    put(&line, "{\"type\":\"signal\",\"version\":1,\"pattern\":\"%s\",\"job\":", o->pattern->name);
    put_text(&line, run->job);
    put(&line, ",\"host\":");
    put_text(&line, run->host);
    put(&line, ",\"pid\":%ld,\"rank\":%u,\"ranks\":%u,\"mpi\":", (long)getpid(),
        run->team.world_rank, run->team.world);
    put_text_or_null(&line, jst_team_mpi);
    /* Of a split communicator only the noise is periodic; the options are those of this half. */
    put(&line,
        ",\"slice_ns\":%" PRId64 ",\"start_ns\":%" PRId64 ",\"chunk\":%" PRIu64
        ",\"piece\":%" PRIu64 ",\"period_ns\":%" PRId64 ",\"duty\":%.9g,\"phase_ns\":%" PRId64,
        o->slice_ns, start_ns, o->chunk, o->piece, o->rhythm.period_ns,
        o->rhythm.period_ns ? o->duty : 1.0, o->rhythm.phase_ns);
    put(&line,
        ",\"shared\":%s,\"api\":\"%s\",\"flush\":\"%s\",\"half\":", o->shared ? "true" : "false",
        o->api == JST_MPIIO ? "mpiio" : "posix", jst_flush_name(o->flush));
    put_text_or_null(&line, run->team.half);
    put(&line, ",\"arguments\":[");
    for (int i = 1; i < o->count; i++) {
        put(&line, i > 1 ? "," : "");
        put_text(&line, o->values[i]);
    }
    put(&line, "]");
    write_line(log, &line);
}

bool jst_log_open(struct jst_log *log, const struct jst_run *run, int64_t start_ns)
{
    bool wanted = !run->options.log || strcmp(run->options.log, "none") != 0;

    log->fd = -1;
    log->slice_ns = run->options.slice_ns;
    log->slice_end_ns = 0;
    log->now.low = log->all.low = JST_HISTOGRAM_BUCKETS;
    if (!wanted)
        return true;
    if (!open_file(log, run))
        return false;
    write_header(log, run, start_ns);
    return true;
}

/* Writes the slice that is over, or that the end cuts off. */
static void slice_over(struct jst_log *log)
{
    if (log->operations && log->fd >= 0) {
        struct line line;
        line.length = 0;
        line.full = false;
        put(&line,
            "{\"type\":\"slice\",\"slice\":%" PRId64 ",\"operations\":%" PRIu64
            ",\"bytes\":%" PRIu64 ",\"busy_ns\":%" PRIu64,
            log->slice, log->operations, log->bytes, log->busy_ns);
        put_latencies(&line, &log->now);
        write_line(log, &line);
    }
    jst_histogram_merge(&log->all, &log->now);
    jst_histogram_clear(&log->now);
    log->operations = log->bytes = log->busy_ns = 0;
}

void jst_log_operation(struct jst_log *log, int64_t begin_ns, int64_t end_ns, uint64_t bytes)
{
    log->burst_operations++;
    log->burst_bytes += bytes;
    if (log->fd < 0) /* so that --log none shows the cost of all of the log */
        return;
    /* After the clock was set back, operations count in the current slice: slices stay in order. */
    if (end_ns >= log->slice_end_ns) {
        slice_over(log);
        log->slice = end_ns / log->slice_ns;
        log->slice_end_ns = (log->slice + 1) * log->slice_ns;
    }
    uint64_t took = end_ns > begin_ns ? (uint64_t)(end_ns - begin_ns) : 0;
    log->operations++;
    log->bytes += bytes;
    log->busy_ns += took;
    jst_histogram_add(&log->now, took);
}

void jst_log_burst_begin(struct jst_log *log, int64_t due_ns, int64_t begin_ns)
{
    log->burst_due_ns = due_ns;
    log->burst_begin_ns = begin_ns;
    log->burst_operations = log->burst_bytes = 0;
}

void jst_log_burst_end(struct jst_log *log, int64_t end_ns)
{
    if (!log->burst_begin_ns || !log->burst_operations)
        return;
    struct line line;
    line.length = 0;
    line.full = false;
    put(&line,
        "{\"type\":\"burst\",\"begin_ns\":%" PRId64 ",\"end_ns\":%" PRId64 ",\"due_ns\":%" PRId64
        ",\"operations\":%" PRIu64 ",\"bytes\":%" PRIu64,
        log->burst_begin_ns, end_ns, log->burst_due_ns, log->burst_operations, log->burst_bytes);
    write_line(log, &line);
    log->burst_begin_ns = 0;
}

void jst_log_event(struct jst_log *log, const char *name, int64_t time_ns, uint64_t bytes)
{
    struct line line;
    line.length = 0;
    line.full = false;
    put(&line, "{\"type\":\"%s\",\"time_ns\":%" PRId64 ",\"bytes\":%" PRIu64, name, time_ns, bytes);
    write_line(log, &line);
}

void jst_log_end(struct jst_log *log, const struct jst_run *run, const char *reason, int64_t end_ns)
{
    const struct jst_counts *c = &run->counts;
    struct line line = {0};

    slice_over(log);
    put(&line, "{\"type\":\"end\",\"end_ns\":%" PRId64 ",\"reason\":\"%s\",\"error\":", end_ns,
        reason);
    put_text_or_null(&line, run->error);
    put(&line,
        ",\"operations\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"opens\":%" PRIu64
        ",\"closes\":%" PRIu64 ",\"writes\":%" PRIu64 ",\"reads\":%" PRIu64 ",\"seeks\":%" PRIu64
        ",\"syncs\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"stats\":%" PRIu64
        ",\"unlinks\":%" PRIu64,
        c->operations, c->bytes, c->opens, c->closes, c->writes, c->reads, c->seeks, c->syncs,
        c->messages, c->stats, c->unlinks);
    put_latencies(&line, &log->all);
    write_line(log, &line);
    if (log->fd >= 0)
        jst_sys_close(log->fd);
    log->fd = -1;
}
