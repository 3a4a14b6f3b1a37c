/* spool.c: files in the spool folder: makes a profile, and the one record of a short-lived process.
 * Every file is new, private and has a name of its own.
 */
#include <errno.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "area.h"
#include "block.h"
#include "changed_root.h"
#include "clock.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "encode.h"
#include "file_name.h"
#include "files/file.h"
#include "files/mount.h"
#include "modules/gpu_devices.h"
#include "modules/os.h"
#include "mpi/segment.h"
#include "profile_layout.h"
#include "script.h"
#include "spool.h"
#include "sys.h"
#include "text.h"

char jst_profile_name[160];

extern char *program_invocation_short_name;

/* Counts that are in a short-lived process' record already; it may continue after an exec that
 * failed. */
JST_LARGE static uint64_t recorded[JST_CELL_COUNT];
static bool any_recorded; /* until then no page of it is touched */

/* A login session's job is local-BOOT-SID: the session id alone would be used again after a
 * reboot. */
static void job_name(char *out, size_t n)
{
    const char *job = jst_cfg.job, *end = out + n;
    if (jst_cfg.job_is_session) {
        const uint8_t *boot_id = jst_boot_id();
        char boot[10];
        for (unsigned i = 0; i < 8; i++)
            boot[i] = "0123456789abcdef"[boot_id[i / 2] >> (i % 2 ? 0 : 4) & 15];
        boot[8] = '-';
        boot[9] = 0;
        out = jst_put_text(jst_put_text(out, end, "local-"), end, boot);
    }
    jst_put_text(out, end, job);
}

char *jst_job_file_name(char *p, const char *end)
{
    char job[128];
    job_name(job, sizeof job);
    return jst_put_job(p, end, job);
}

/* RATIONALE: a file of compact profiles has one header, written by the first process. It must hold for all
 * others: they have the same job, and the same library, which may be another one after an upgrade. To
 * compare with the header would cost each short-lived process two system calls. */
void jst_shared_file_name(char *p, const char *end, const char *suffix)
{
    char job[128];
    job_name(job, sizeof job);
    uint32_t library = jst_crc32(jst_metric_table_crc, JST_VERSION, sizeof JST_VERSION);
    jst_put_shared_name(p, end, job, (uint32_t)jst_sys0(SYS_getuid), library, suffix);
}

/* The first number of OMP_NUM_THREADS, which is a list; 0 when there is none. */
static uint32_t number_of(const char *text)
{
    uint32_t n = 0;
    for (; text && *text >= '0' && *text <= '9' && n < 100000; text++)
        n = n * 10 + (uint32_t)(*text - '0');
    return n;
}

/* Arguments may contain passwords and names of people: only the operator can have them recorded. */
void jst_command_line(const char *path, jst_head *h)
{
    /* Not on the stack, which may be a signal handler's; there is always a NUL after what is
     * read. */
    JST_SCRATCH static char text[4096 + 8];
    const size_t room = sizeof text - 8;
    if (jst_cfg.command_lines == JST_COMMAND_NONE)
        return;
    long n = jst_read_file(path, text, room), known = n;
    if (n <= 0)
        return;
    while ((size_t)n == room - 1 && known && text[known - 1])
        known--; /* the last argument was cut */
    jst_script_name(h->program, text, (size_t)known, h->script, sizeof h->script);
    bool whole = jst_cfg.command_lines == JST_COMMAND_ALL;
    for (long i = 0; i + 1 < n && (whole || text[i]); i++)
        if (!text[i])
            text[i] = ' ';
    jst_put_text(h->command, h->command + sizeof h->command, text);
}

static void fill_head(jst_head *h)
{
    struct stat ns;
    struct utsname uts;
    jst_copy(h->magic, JST_MAGIC, sizeof h->magic);
    h->version = JST_FORMAT_VERSION;
    h->head_bytes = JST_HEAD_BYTES;
    h->cell_count = JST_CELL_COUNT;
    h->block_offset = offsetof(jst_area, blocks);
    h->block_bytes = sizeof(jst_block);
    h->block_capacity = JST_BLOCKS;
    h->table_offset = offsetof(jst_area, table);
    h->table_bytes = jst_metric_table_bytes;
    h->commit_offset = offsetof(jst_area, commit);
    h->commit_bytes = sizeof(jst_commit);
    h->table_crc = jst_metric_table_crc;
    h->mount_slots = JST_MOUNT_SLOTS;
    h->mount_stride = JST_MOUNT_STRIDE;
    h->slice_ns = jst_cfg.slice_ns;
    h->start_ns = jst_now_life.start_ns;
    h->file_ns = jst_clock_ns(CLOCK_REALTIME);
    h->tick_now = jst_ticks();
    h->first_slice = (jst_now_life.part ? h->file_ns : h->start_ns) / h->slice_ns;
    h->pid = (uint32_t)jst_getpid();
    h->ppid = (uint32_t)jst_sys0(SYS_getppid);
    h->uid = (uint32_t)jst_sys0(SYS_getuid);
    h->gid = (uint32_t)jst_sys0(SYS_getgid);
    h->sid = (uint32_t)jst_sys1(SYS_getsid, 0);
    h->part = jst_now_life.part;
    jst_copy(h->boot_id, jst_boot_id(), 16);
    if (jst_fstatat(AT_FDCWD, "/proc/self/ns/pid", &ns, 0) == 0)
        h->pid_namespace = ns.st_ino;
    job_name(h->job, sizeof h->job);
    jst_put_text(h->library, h->library + sizeof h->library, JST_VERSION);
    jst_put_text(h->launcher, h->launcher + sizeof h->launcher, jst_cfg.launcher);
    jst_put_text(h->batch, h->batch + sizeof h->batch, jst_cfg.batch);
    jst_put_text(h->world, h->world + sizeof h->world, jst_cfg.world);
    h->omp_threads = number_of(jst_env("OMP_NUM_THREADS"));
    h->ring_offset = offsetof(jst_area, ring);
    h->ring_bytes = sizeof(jst_ring);
    h->files_offset = offsetof(jst_area, files);
    h->file_bytes = sizeof(jst_file);
    h->files_capacity = jst_files_on ? JST_FILES : 0;
    h->peers_offset = offsetof(jst_area, peers);
    h->peer_bytes = sizeof(jst_peer);
    h->peers_capacity = jst_cfg.peers ? JST_PEERS : 0;
    h->collectives_offset = offsetof(jst_area, collectives);
    h->collective_bytes = sizeof(jst_collective);
    h->collectives_capacity = jst_cfg.peers ? JST_COLLECTIVES : 0;
    h->gpus_offset = offsetof(jst_area, gpus);
    h->gpu_bytes = sizeof(jst_gpu);
    h->gpus_capacity = JST_GPUS;
    if (jst_sys1(SYS_uname, &uts) == 0)
        jst_put_text(h->host, h->host + sizeof h->host, uts.nodename);
    long n =
        jst_sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", h->program, sizeof h->program - 1);
    if (n <= 0)
        jst_put_text(h->program, h->program + sizeof h->program, program_invocation_short_name);
    jst_command_line("/proc/self/cmdline", h);
    h->proc_start = jst_process_start();
    jst_clock_state(&h->start_clock_state, &h->start_clock_error_us);
    h->clock_state = h->start_clock_state;
    h->clock_error_us = h->start_clock_error_us;
    h->tick_ns = JST_LOAD(jst_tick_ns);
    h->heartbeat_ns = h->file_ns;
    atomic_store(&h->blocks_used, atomic_load(&jst_blocks));
}

static void profile_name(void)
{
    const char *end = jst_profile_name + sizeof jst_profile_name;
    char *p = jst_job_file_name(jst_profile_name, end);
    p = jst_put_number(p, end, (uint64_t)jst_getpid());
    p = jst_put_text(p, end, ".");
    p = jst_put_number(p, end, jst_now_life.start_ns);
    if (jst_now_life.part) {
        p = jst_put_text(p, end, ".");
        p = jst_put_number(p, end, jst_now_life.part);
    }
    jst_put_text(p, end, ".jst");
}

static int write_at(int fd, const void *from, size_t n, uint64_t at)
{
    long r = jst_pwrite(fd, from, n, at);
    return r == (long)n ? 0 : r < 0 ? (int)r : -ENOSPC;
}

static int write_table(int fd)
{
    return write_at(fd, jst_metric_table, jst_metric_table_bytes, offsetof(jst_area, table));
}

static int write_files(int fd)
{
    size_t n = jst_files_used() * sizeof(jst_file);
    return n ? write_at(fd, jst_a.files, n, offsetof(jst_area, files)) : 0;
}

static int create_in(int dir)
{
    profile_name();
    int fd =
        jst_openat(dir, jst_profile_name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fd;
    int r = jst_head_allocate(fd, JST_HEAD_BYTES);
    if (r < 0) {
        jst_sys3(SYS_unlinkat, dir, jst_profile_name, 0);
        jst_close(fd);
        return r;
    }
    return fd;
}

static const char *reason_text(int r)
{
    switch (-r) {
    case EPERM:
        return ": others may write in it and it is not sticky; ";
    case ENOENT:
        return ": there is no such folder; ";
    case ENOTDIR:
    case ELOOP:
        return ": it is no folder, or a link; ";
    case EACCES:
        return ": permission denied; ";
    case EROFS:
        return ": the file system is read-only; ";
    case ENOSPC:
    case EDQUOT:
        return ": no space left; ";
    case EFBIG:
        return ": the file size limit (ulimit -f) is below 576 KiB; ";
    case EMFILE:
    case ENFILE:
        return ": no descriptor is left (ulimit -n); ";
    default:
        return "; ";
    }
}

/* Printed only if the user named the spool himself. If the operator's or the default spool
 * cannot be used, nothing is added to the program's output; `jostle doctor` reports it. */
static int cannot(int r)
{
    char fix[160];
    if (jst_cfg.spool_from_user && !jst_root_has_changed()) {
        char *p = jst_put_text(fix, fix + sizeof fix, reason_text(r));
        jst_put_text(p, fix + sizeof fix, "see `jostle doctor`");
        jst_say("no profile can be kept in", jst_cfg.spool, fix);
    }
    return r;
}

/* The file, with the content of the area, is mapped over the area: addresses do not change, so all
 * pointers stay valid. All signals are blocked and there is one thread (or the counters to keep are
 * those of an earlier part and remain in its file). */
int jst_profile_create(int *out)
{
    JST_SCRATCH static struct {
        jst_head head;
        jst_commit commit;
    } next; /* a further part's first pages: the mapped ones are still the old part's */
    bool first = jst_now_life.part == 0;
    if (!jst_size_allowed(JST_HEAD_BYTES + 65536))
        return cannot(-EFBIG);
    int dir = jst_spool_open();
    if (dir < 0)
        return cannot(dir);
    int fd = create_in(dir);
    jst_close(dir);
    if (fd < 0)
        return cannot(fd);
    if (!first) {
        jst_zero(&next, sizeof next);
        jst_copy(&next.head.mpi_state, &jst_a.head.mpi_state,
                 offsetof(jst_head, generation) - offsetof(jst_head, mpi_state));
    }
    jst_head *h = first ? &jst_a.head : &next.head;
    jst_commit *c = first ? &jst_a.commit[0] : &next.commit;
    fill_head(h);
    c->records_end = JST_HEAD_BYTES;
    c->open_slice = h->first_slice;
    if (first && any_recorded) /* before an exec that failed */
        jst_copy(c->base, recorded, sizeof recorded);
    uint32_t used = atomic_load(&jst_blocks);
    size_t blocks = (used < JST_BLOCKS ? used : JST_BLOCKS) * sizeof(jst_block);
    int r = write_at(fd, h, first ? offsetof(jst_area, blocks) + blocks : sizeof next, 0);
    if (r == 0)
        r = write_table(fd);
    if (r == 0 && first)
        r = write_files(fd);
    if (r == 0 && jst_mmap_fixed(&jst_a, sizeof jst_a, MAP_SHARED, fd) != (long)&jst_a)
        r = -ENOMEM;
    if (r < 0) { /* what is left would count once more what is kept in memory */
        dir = jst_spool_open();
        if (dir >= 0)
            jst_sys3(SYS_unlinkat, dir, jst_profile_name, 0);
        jst_close(dir);
        jst_close(fd);
        return cannot(r);
    }
    jst_blocks_to_head();
    jst_mounts_to_head();
    *out = fd;
    return 0;
}

static int copy_records(int from, int to)
{
    JST_SCRATCH static uint8_t buffer[16384];
    uint64_t at = JST_HEAD_BYTES;
    for (long n; (n = jst_pread(from, buffer, sizeof buffer, at)) > 0; at += (uint64_t)n)
        if (jst_pwrite(to, buffer, (size_t)n, at) != n)
            return -ENOSPC;
    return 0;
}

/* Counts between the copy and the mapping went into the old file's pages, which still exist: what
 * they have beyond the copy is added to the heartbeat's own block. Other ranks may have mapped
 * them, and are notified (all_in_mpi.c). */
static void fetch_late(int old, const jst_block *copy)
{
    JST_SCRATCH static jst_block page;
    static const uint32_t moved = JST_MARK_MOVED;
    for (uint32_t b = 0; b < JST_BLOCKS; b++) {
        uint64_t at = offsetof(jst_area, blocks) + b * sizeof page;
        if (jst_pread(old, &page, sizeof page, at) != (long)sizeof page)
            continue;
        for (unsigned i = 0; i < JST_CELL_COUNT; i++)
            jst_a.blocks[0].cells[i] += page.cells[i] - copy[b].cells[i];
        write_at(old, &moved, sizeof moved, at + offsetof(jst_block, mark));
    }
}

/* Each word whole: threads add to them meanwhile. */
static void copy_words(uint64_t *to, const uint64_t *from, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *to; i++)
        to[i] = JST_LOAD(from[i]);
}

/* The profile was unlinked (a clean-up, a removed spool): everything is written to a new file.
 * Called by the heartbeat. */
int jst_profile_again(int *fd)
{
    JST_SCRATCH static jst_block copy[JST_BLOCKS];
    int dir = jst_spool_open();
    if (dir < 0)
        return dir;
    int fresh = create_in(dir);
    if (fresh < 0) {
        jst_close(dir);
        return fresh;
    }
    if (!jst_segments_hold()) { /* an entry added meanwhile would be lost: next time */
        jst_sys3(SYS_unlinkat, dir, jst_profile_name, 0);
        jst_close(dir);
        jst_close(fresh);
        return -EAGAIN;
    }
    copy_words((uint64_t *)copy, (const uint64_t *)jst_a.blocks, sizeof copy);
    int r = copy_records(*fd, fresh);
    if (r == 0)
        r = write_at(fresh, &jst_a, offsetof(jst_area, blocks), 0);
    if (r == 0)
        r = write_at(fresh, copy, sizeof copy, offsetof(jst_area, blocks));
    if (r == 0)
        r = write_at(fresh, &jst_a.ring, sizeof jst_a.ring, offsetof(jst_area, ring));
    if (r == 0)
        r = write_table(fresh);
    if (r == 0)
        r = write_files(fresh);
    if (r == 0 && jst_cfg.peers)
        r = write_at(fresh, jst_a.peers, sizeof jst_a.peers + sizeof jst_a.collectives,
                     offsetof(jst_area, peers));
    if (r == 0)
        r = write_at(fresh, jst_a.gpus, jst_gpus_used() * sizeof(jst_gpu),
                     offsetof(jst_area, gpus));
    if (r == 0 && jst_mmap_fixed(&jst_a, sizeof jst_a, MAP_SHARED, fresh) != (long)&jst_a)
        r = -ENOMEM;
    if (r == 0)
        fetch_late(*fd, copy);
    else
        jst_sys3(SYS_unlinkat, dir, jst_profile_name, 0);
    jst_segments_let_go();
    jst_close(dir);
    jst_close(r < 0 ? fresh : *fd);
    if (r == 0)
        *fd = fresh;
    return r;
}

/* ---- short-lived processes ---- */

static uint8_t *put_short_header(uint8_t *p)
{
    struct utsname uts;
    char job[128];
    p = jst_put_varint(p, jst_cfg.slice_ns);
    p = jst_put_varint(p, JST_CELL_COUNT);
    p = jst_put_varint(p, JST_MOUNT_SLOTS);
    p = jst_put_varint(p, JST_MOUNT_STRIDE);
    jst_copy(p, jst_boot_id(), 16);
    p += 16;
    bool named = jst_sys1(SYS_uname, &uts) == 0;
    p = jst_put_string(p, uts.nodename, named ? jst_strlen(uts.nodename) : 0);
    job_name(job, sizeof job);
    p = jst_put_string(p, job, jst_strlen(job));
    p = jst_put_string(p, JST_VERSION, sizeof JST_VERSION - 1);
    return jst_put_string(p, jst_metric_table, jst_metric_table_bytes);
}

static uint8_t *put_short(uint8_t *p, enum jst_end_reason reason, uint64_t now_ns)
{
    jst_mount_slot mount;
    const char *name = jst_base_name(program_invocation_short_name);
    size_t length = jst_strlen(name);
    p = jst_put_varint(p, (uint64_t)jst_now_life.pid);
    p = jst_put_varint(p, (uint64_t)jst_sys0(SYS_getppid));
    p = jst_put_varint(p, (uint64_t)jst_sys0(SYS_getuid));
    p = jst_put_varint(p, (uint64_t)jst_sys0(SYS_getgid));
    p = jst_put_varint(p, (uint64_t)jst_sys1(SYS_getsid, 0));
    p = jst_put_varint(p, jst_now_life.start_ns);
    p = jst_put_varint(p, now_ns);
    p = jst_put_varint(p, reason);
    for (unsigned i = 0; i < 4; i++)
        *p++ = (uint8_t)(jst_metric_table_crc >> 8 * i);
    p = jst_put_string(p, name, length < 32 ? length : 32);
    uint8_t *mounts = p++;
    *mounts = 0;
    for (unsigned i = 0; i < JST_MOUNT_SLOTS; i++) {
        if (!jst_mount_at(i, &mount))
            continue;
        ++*mounts;
        p = jst_put_varint(p, i);
        p = jst_put_varint(p, mount.major);
        p = jst_put_varint(p, mount.minor);
        p = jst_put_varint(p, mount.fs_magic);
    }
    return p;
}

/* Appends one record by one write. Another user may have made a file, or a pipe that is not read,
 * with our name. */
static bool append_whole(int fd, struct stat *st, const uint8_t *record, size_t n)
{
    if (!S_ISREG(st->st_mode) || st->st_nlink != 1 || st->st_uid != (uid_t)jst_sys0(SYS_geteuid))
        return false;
    st->st_size += (off_t)n;
    if (!jst_size_allowed((uint64_t)st->st_size))
        return false;
    /* An incomplete record is not removed: another process may have appended after it, and readers
     * skip it. */
    return jst_write(fd, record, n) == (long)n;
}

/* Of a record of a short-lived process, and before it of the file's header. */
JST_SCRATCH static uint8_t frame[JST_RECORD_MAX + JST_TABLE_BYTES + 64];

/* The job's file of compact profiles, with its header if it is new. */
int jst_open_shorts(struct stat *st)
{
    char name[128];
    size_t size;
    const int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    jst_shared_file_name(name, name + sizeof name, ".jss");
    int dir = jst_spool_open();
    if (dir < 0)
        return jst_kept_shorts(st);
    int fd = jst_openat(dir, name, flags, 0);
    bool missing = fd == -ENOENT;
    if (missing)
        fd = jst_openat(dir, name, flags | O_CREAT | O_EXCL, 0600);
    if (fd == -EEXIST)
        fd = jst_openat(dir, name, flags, 0);
    if (fd >= 0 && jst_fstat(fd, st) < 0) {
        jst_close(fd);
        fd = -EIO;
    }
    if (fd >= 0 && st->st_size == 0) {
        uint8_t *end = put_short_header(frame + JST_FRAME_GAP);
        uint8_t *start = jst_frame(frame, JST_RECORD_SHORTS_HEADER,
                                   (size_t)(end - frame) - JST_FRAME_GAP, &size);
        if (!append_whole(fd, st, start, size)) {
            if (missing)
                jst_sys3(SYS_unlinkat, dir, name, 0);
            jst_close(fd);
            fd = -ENOSPC;
        }
    }
    jst_close(dir);
    return fd;
}

static inline bool is_zero(const uint64_t *group)
{
    return (JST_LOAD(group[0]) | JST_LOAD(group[1]) | JST_LOAD(group[2]) | JST_LOAD(group[3]) |
            JST_LOAD(group[4]) | JST_LOAD(group[5]) | JST_LOAD(group[6]) | JST_LOAD(group[7])) == 0;
}

/* Counts of all threads in eight cells since the last record; false: nothing. Block 0, the
 * heartbeat's, is empty. */
static bool sum_group(unsigned group, uint64_t *sums)
{
    uint32_t used = atomic_load(&jst_blocks);
    bool any = false;
    for (uint32_t b = 1; b < used; b++) {
        const uint64_t *cells = &jst_block_at(b)->cells[group * 8];
        if (is_zero(cells))
            continue;
        for (unsigned i = 0; i < 8; i++)
            sums[i] = (any ? sums[i] : 0) + JST_LOAD(cells[i]);
        any = true;
    }
    for (unsigned i = 0; any && any_recorded && i < 8; i++)
        sums[i] -= recorded[group * 8 + i];
    return any && !is_zero(sums);
}

static bool has_used_files(void)
{
    uint64_t sums[8];
    for (unsigned g = 0; g < JST_MOUNT_SLOTS * JST_MOUNT_STRIDE / 8; g++)
        if (sum_group(g, sums))
            return true;
    return false;
}

/* RATIONALE: most short-lived processes have counted almost nothing, and each page that is touched
 * for the first time costs as much as several system calls: no page of delta and recorded is
 * touched for them. */
static uint8_t *put_counts(uint8_t *bitmap, uint64_t *delta, bool *counted, const uint64_t *usage)
{
    const unsigned first = JST_CELL_OS_USER_NS, last = JST_CELL_OS_MAJOR_FAULTS;
    uint64_t sums[8], taken[8];
    uint8_t *p = jst_begin_groups(bitmap);
    for (unsigned g = 0; g < JST_CELL_GROUPS; g++) {
        if (sum_group(g, sums)) {
            if (!*counted)
                jst_clock_calibrate();
            jst_copy(&delta[g * 8], sums, sizeof sums);
            *counted = true;
        } else if (g >= first / 8 && g <= last / 8) {
            jst_zero(sums, sizeof sums);
        } else {
            continue;
        }
        for (unsigned i = first; i <= last; i++)
            sums[i % 8] += i / 8 == g ? usage[i - first] : 0;
        p = jst_put_group(bitmap, p, g, sums, taken, JST_LOAD(jst_tick_ns));
    }
    return p;
}

void jst_short_begin(void)
{
    if (any_recorded)
        jst_zero(recorded, sizeof recorded);
    any_recorded = false;
}

bool jst_short_recorded(void)
{
    return any_recorded;
}

/* One write with O_APPEND, so that processes that end at the same time do not mix. What has been
 * recorded is subtracted the next time: an exec may fail and the process continue. */
void jst_short_record(enum jst_end_reason reason, uint64_t now_ns)
{
    JST_SCRATCH static uint64_t delta[JST_CELL_COUNT];
    uint64_t usage[JST_OS_USAGE] = {0};
    static bool counted; /* delta is not zero */
    struct stat st;
    size_t size;
    if (reason == JST_END_EXEC && !has_used_files())
        return; /* the usual step between fork and exec: not a process */
    int fd = jst_open_shorts(&st);
    if (fd < 0)
        return;
    jst_os_sample_short(usage);
    if (counted)
        jst_zero(delta, sizeof delta);
    counted = false;
    uint8_t *cells = put_short(frame + JST_FRAME_GAP, reason, now_ns);
    uint8_t *end = put_counts(cells, delta, &counted, usage);
    uint8_t *start =
        jst_frame(frame, JST_RECORD_SHORT_PROCESS, (size_t)(end - frame) - JST_FRAME_GAP, &size);
    if (append_whole(fd, &st, start, size)) {
        any_recorded = any_recorded || counted;
        for (unsigned i = 0; counted && i < JST_CELL_COUNT; i++)
            recorded[i] += delta[i];
    }
    jst_close(fd);
}
