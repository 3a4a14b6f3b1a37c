/* pattern_files.c: the load on a file system. Algorithms 1 to 3 of the thesis (3.2.1), and two that
 * read. The order of calls is that of the algorithms and is held by a test with strace; a shared
 * file adds the seek to a process's section.
 *
 * NOTE: by MPI-IO, opening, syncing and closing a shared file is done by all ranks together: a step
 * that fails still makes these calls, or the others would wait for ever. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../signal.h"
#include "../sys.h"
#include "folder.h"

enum { MOST_FILES = 16384 };                     /* that one process keeps of open-write-close */
static const uint64_t look_every = 64 * JST_MIB; /* whether the disk still has space */

static struct work {
    struct jst_file file;
    char *buffer;    /* one piece, random */
    uint64_t seed;   /* for the words that make each chunk different */
    uint64_t number; /* of the current file */
    uint64_t oldest; /* open-write-close: the first file that is still there */
    uint64_t unseen; /* bytes written since the last look at the free space */
    uint64_t keep;   /* open-write-close: files at a time; aggregate-write: chunks in a file */
    uint64_t chunks; /* of which file: how many are in it, or how many were read of it */
    int64_t section; /* where this process's part of the file begins */
} work;

static bool together(const struct jst_options *options)
{
    return options->api == JST_MPIIO && options->shared;
}

/* open-write-close opens and closes together; the others meet where they sync. */
static bool is_collective(const struct jst_options *options)
{
    return together(options) &&
           (options->pattern == &jst_open_write_close || options->flush == JST_FLUSH_EACH);
}

static void path_of(const struct jst_run *run, uint64_t number, char *path, size_t size)
{
    if (run->options.shared)
        snprintf(path, size, "%s/shared.%llu", run->folder, (unsigned long long)number);
    else
        snprintf(path, size, "%s/%u.%llu", run->folder, run->team.world_rank,
                 (unsigned long long)number);
}

static bool open_number(struct jst_run *run, int how)
{
    char path[PATH_MAX];
    path_of(run, work.number, path, sizeof path);
    return jst_file_open(run, &work.file, path, how);
}

static void remove_number(const struct jst_run *run, uint64_t number)
{
    char path[PATH_MAX];
    path_of(run, number, path, sizeof path);
    jst_sys_unlink(path, 0);
}

/* The same bytes again and again would be stored once: each page of each chunk gets a new word. */
static void freshen(const struct jst_run *run)
{
    const size_t size = run->options.piece;

    for (size_t at = 0; at < size; at += 4096) {
        uint64_t word = jst_random(&work.seed);
        memcpy(work.buffer + at, &word, size - at < sizeof word ? size - at : sizeof word);
    }
}

static bool write_chunk(struct jst_run *run)
{
    freshen(run);
    if (!jst_file_write(run, &work.file, work.buffer, run->options.chunk))
        return false;
    run->moved += run->options.chunk;
    return true;
}

static bool read_chunk(struct jst_run *run)
{
    if (!jst_file_read(run, &work.file, work.buffer, run->options.chunk))
        return false;
    run->moved += run->options.chunk;
    return true;
}

static bool flush_each(struct jst_run *run, bool good)
{
    if (run->options.flush != JST_FLUSH_EACH || !(good || together(&run->options)))
        return good;
    return jst_file_sync(run, &work.file) && good;
}

static bool close_file(struct jst_run *run, bool good)
{
    return jst_file_close(run, &work.file) && good;
}

/* Chunks that this process may hold on disk; at least one. */
static uint64_t room_in_chunks(const struct jst_run *run)
{
    uint64_t chunks = run->disk_share / run->options.chunk;
    return chunks ? chunks : 1;
}

/* Others fill the disk, too, perhaps another signal: the free space of the start may be used up.
 * Checked between operations. */
static bool room_is_short(struct jst_run *run)
{
    uint64_t space;

    work.unseen += run->options.chunk;
    if (work.unseen < look_every)
        return false;
    work.unseen = 0;
    bool is_short = jst_folder_space(run->folder, &space) == 0 && space < run->disk_reserve;
    run->begin_ns = jst_now();
    return is_short;
}

static bool prepare_buffer(struct jst_run *run)
{
    void *memory;

    work.section = run->options.shared ? (int64_t)(run->team.rank * run->options.chunk) : 0;
    int64_t failed = !jst_allocate(run, run->options.piece, "a chunk", &memory);
    if (together(&run->options) && !jst_team_max(&run->team, &failed, 1))
        return false;
    if (failed) /* here, or where others would open a file together with us */
        return false;
    work.buffer = memory;
    work.seed = UINT64_C(0x9e3779b97f4a7c15) * (run->team.world_rank + 1);
    jst_fill_random(work.buffer, run->options.piece, work.seed);
    return true;
}

/* ---- algorithm 1 ----------------------------------------------------------------------------- */
static bool owc_prepare(struct jst_run *run)
{
    work.keep = room_in_chunks(run);
    if (work.keep > MOST_FILES)
        work.keep = MOST_FILES;
    return prepare_buffer(run);
}

static bool owc_step(struct jst_run *run)
{
    const struct jst_options *o = &run->options;

    if (!o->reuse && (!together(o) || run->team.rank == 0)) {
        /* The oldest are removed; that is not part of the operation. Of a shared file each process
         * removes what it wrote itself: where one is ahead, a following process makes its files
         * once more. */
        if (room_is_short(run) && work.number - work.oldest > 1)
            work.keep = (work.number - work.oldest) / 2;
        while (work.number - work.oldest >= work.keep) {
            remove_number(run, work.oldest++);
            run->begin_ns = jst_now();
        }
    }
    bool good = open_number(run, o->reuse ? JST_OPEN_REUSE : JST_OPEN_NEW);
    if (!work.file.open)
        return false;
    if (o->shared)
        good = good && jst_file_seek(run, &work.file, work.section);
    good = good && write_chunk(run);
    good = flush_each(run, good);
    good = close_file(run, good);
    if (!o->reuse)
        work.number++;
    return good;
}

const struct jst_pattern jst_open_write_close = {
    .name = "open-write-close",
    .operation = "open a new file, write a chunk, flush, close",
    .resource = JST_FILES,
    .flush = JST_FLUSH_EACH,
    .moves = 1,
    .collective = is_collective,
    .prepare = owc_prepare,
    .step = owc_step,
};

/* ---- algorithm 2 ----------------------------------------------------------------------------- */
static bool open_new(struct jst_run *run)
{
    return prepare_buffer(run) && open_number(run, JST_OPEN_NEW);
}

static bool ws_step(struct jst_run *run)
{
    bool good = jst_file_seek(run, &work.file, work.section) && write_chunk(run);
    return flush_each(run, good);
}

/* flush: sync, barrier, sync, after which the writes of each process are visible to all. */
static bool close_flushed(struct jst_run *run, bool flush)
{
    bool good = true;

    if (work.file.open && flush) {
        good = jst_file_sync(run, &work.file);
        good = jst_team_barrier(&run->team) && good;
        good = jst_file_sync(run, &work.file) && good;
    }
    return close_file(run, good);
}

const struct jst_pattern jst_write_seek = {
    .name = "write-seek",
    .operation = "seek to the beginning, write a chunk, flush",
    .resource = JST_FILES,
    .flush = JST_FLUSH_EACH,
    .moves = 1,
    .collective = is_collective,
    .prepare = open_new,
    .step = ws_step,
    .finish = close_flushed,
};

/* ---- algorithm 3 ----------------------------------------------------------------------------- */
static bool aw_prepare(struct jst_run *run)
{
    if (!open_new(run))
        return false;
    work.keep = room_in_chunks(run);
    work.section = (int64_t)(run->first * run->options.chunk);
    return !run->options.shared || jst_file_seek(run, &work.file, work.section);
}

/* Its space on the disk is used up: a new file, or its section of the shared one once more. */
static bool start_over(struct jst_run *run)
{
    const uint64_t bytes = work.chunks * run->options.chunk;
    bool good;

    work.chunks = 0;
    if (run->options.shared) {
        good = jst_file_seek(run, &work.file, work.section);
    } else {
        good = close_file(run, true);
        remove_number(run, work.number++);
        good = good && open_number(run, JST_OPEN_NEW);
    }
    run->begin_ns = jst_now();
    jst_log_event(&run->log, "wrap", run->begin_ns, bytes);
    return good;
}

/* A requested volume or number of chunks stays one file, as in the algorithm. */
static bool may_start_over(const struct jst_run *run)
{
    return !run->options.volume && !run->options.iterations && work.chunks > 0;
}

static bool aw_step(struct jst_run *run)
{
    bool full = work.chunks >= work.keep || (room_is_short(run) && may_start_over(run));
    if (full && !start_over(run))
        return false;
    bool good = write_chunk(run);
    work.chunks++;
    return flush_each(run, good);
}

const struct jst_pattern jst_aggregate_write = {
    .name = "aggregate-write",
    .operation = "write a chunk behind the last one",
    .resource = JST_FILES,
    .flush = JST_FLUSH_NONE,
    .moves = 1,
    .collective = is_collective,
    .prepare = aw_prepare,
    .step = aw_step,
    .finish = close_flushed,
};

/* ---- reads ----------------------------------------------------------------------------------- */
/* Data in the page cache would be no load on the file system. */
static void forget(const struct jst_run *run)
{
    if (run->options.api == JST_POSIX && !run->options.direct)
        syscall(SYS_fadvise64, work.file.fd, work.section, work.keep * run->options.chunk,
                POSIX_FADV_DONTNEED);
}

/* Writes what is read later: 32 MiB, or less where less will be read or fits. */
static bool read_prepare(struct jst_run *run)
{
    const uint64_t chunk = run->options.chunk, room = room_in_chunks(run);
    uint64_t chunks = 32 * JST_MIB / chunk;

    chunks = run->operations && run->operations < chunks ? run->operations : chunks;
    chunks = room < chunks ? room : chunks;
    work.keep = chunks ? chunks : 1;
    if (!prepare_buffer(run) || !open_number(run, JST_OPEN_NEW | JST_OPEN_READ))
        return false;
    work.section = run->options.shared ? (int64_t)(run->team.rank * work.keep * chunk) : 0;
    bool good = !run->options.shared || jst_file_seek(run, &work.file, work.section);
    for (uint64_t i = 0; good && i < work.keep; i++)
        good = !jst_stopping(run) && write_chunk(run);
    if (jst_stopping(run))
        good = true;
    run->prepared = run->moved;
    good = (good || together(&run->options)) && jst_file_sync(run, &work.file) && good;
    if (good)
        forget(run);
    return good && jst_file_seek(run, &work.file, work.section);
}

static bool read_step(struct jst_run *run)
{
    if (work.chunks == work.keep) {
        forget(run);
        work.chunks = 0;
        if (!jst_file_seek(run, &work.file, work.section))
            return false;
    }
    work.chunks++;
    return read_chunk(run);
}

const struct jst_pattern jst_read = {
    .name = "read",
    .operation = "read a chunk behind the last one, from the beginning at the end of the file",
    .resource = JST_FILES,
    .flush = JST_FLUSH_NONE,
    .moves = 1,
    .prepare = read_prepare,
    .step = read_step,
    .finish = close_flushed,
};

static bool wsr_prepare(struct jst_run *run)
{
    return prepare_buffer(run) && open_number(run, JST_OPEN_NEW | JST_OPEN_READ);
}

static bool wsr_step(struct jst_run *run)
{
    bool good = jst_file_seek(run, &work.file, work.section) && write_chunk(run);
    good = flush_each(run, good);
    return good && jst_file_seek(run, &work.file, work.section) && read_chunk(run);
}

const struct jst_pattern jst_write_seek_read = {
    .name = "write-seek-read",
    .operation = "seek, write a chunk, flush, seek, read it",
    .resource = JST_FILES,
    .flush = JST_FLUSH_EACH,
    .moves = 2,
    .collective = is_collective,
    .prepare = wsr_prepare,
    .step = wsr_step,
    .finish = close_flushed,
};
