/* metadata.c: load on the metadata server, without data. `metadata` mixes all operations; the
 * others make one kind alone, since servers and clients' caches treat each differently.
 *
 * Each process works in a folder of its own; with --shared all work in one, and so contend for that
 * folder too. `lock-file` has one file for all, always. With --meet several signals work in the same
 * folder, or lock the same file: each under names that begin with that of its own folder. */
#include "../signal.h"
#include "../sys.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ENTRIES = 1000,    /* files of a process that are there before the load begins */
    MOST_FILES = 16384 /* that one process of create-files keeps */
};

static struct place {
    char folder[3200];
    char prefix[256]; /* of names in a folder that other signals use as well; else empty */
    uint64_t number;  /* of the next file */
    uint64_t oldest;  /* the first that is still there, */
    uint64_t newest;  /* and the one after the last */
    int lock;         /* lock-file: the file */
} place;

static bool fits(const struct jst_options *options, char *why, size_t size)
{
    if (options->api != JST_POSIX) {
        snprintf(why, size, "%s has no --api mpiio: it makes POSIX calls", options->pattern->name);
        return false;
    }
    return true;
}

static bool failed(struct jst_run *run, const char *what, const char *path)
{
    return jst_fail(run, "%s: %s: %s; is --dir still there, and not full?", path, what,
                    strerror(errno));
}

static bool make_folder(struct jst_run *run)
{
    if (run->options.meet) {
        const char *own = strrchr(run->folder, '/');
        snprintf(place.folder, sizeof place.folder, "%s", run->options.meet);
        snprintf(place.prefix, sizeof place.prefix, "%.250s.", own ? own + 1 : run->folder);
        return true;
    }
    snprintf(place.folder, sizeof place.folder, "%s", run->folder);
    if (run->options.shared)
        return true;
    snprintf(place.folder, sizeof place.folder, "%s/%u", run->folder, run->team.world_rank);
    long made = jst_sys_mkdir(place.folder, 0700);
    if (made < 0 && made != -EEXIST)
        return jst_fail(run, "%s cannot be made: %s; choose another --dir", place.folder,
                        strerror((int)-made));
    return true;
}

static const char *path_of(const struct jst_run *run, uint64_t number)
{
    static char path[3600];
    snprintf(path, sizeof path, "%s/%s%u.%llu", place.folder, place.prefix, run->team.world_rank,
             (unsigned long long)number);
    return path;
}

static bool create(struct jst_run *run, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return failed(run, "cannot be created", path);
    run->counts.opens++;
    if (close(fd) != 0)
        return failed(run, "cannot be closed", path);
    run->counts.closes++;
    return true;
}

static bool ask(struct jst_run *run, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return failed(run, "has no attributes", path);
    run->counts.stats++;
    return true;
}

static bool take_away(struct jst_run *run, const char *path)
{
    if (unlink(path) != 0)
        return failed(run, "cannot be removed", path);
    run->counts.unlinks++;
    return true;
}

/* Files that exist before the load begins are made past jostle's wrappers: they are not part of the
 * load. */
static bool fill(struct jst_run *run)
{
    for (uint64_t i = 0; i < ENTRIES && !jst_stopping(run); i++) {
        const char *path = path_of(run, i);
        long fd = jst_sys_open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (fd < 0) {
            errno = (int)-fd;
            return failed(run, "cannot be created", path);
        }
        jst_sys_close((int)fd);
        place.newest = i + 1;
    }
    place.number = place.oldest = 0;
    return true;
}

/* At the end all of an own folder is removed; of one that others use, the files of this process. */
static bool clear_meeting(struct jst_run *run, bool flush)
{
    (void)flush;
    for (uint64_t i = place.oldest; place.prefix[0] && !run->options.keep && i < place.newest; i++)
        jst_sys_unlink(path_of(run, i), 0);
    return true;
}

static bool make_and_fill(struct jst_run *run)
{
    return make_folder(run) && fill(run);
}

/* ---- mixed operations ------------------------------------------------------------------ */
static bool step_all(struct jst_run *run)
{
    const char *path = path_of(run, place.number++);
    return create(run, path) && ask(run, path) && take_away(run, path);
}

const struct jst_pattern jst_metadata = {
    .name = "metadata",
    .operation = "create, close, stat and unlink one empty file",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = make_folder,
    .step = step_all,
};

/* ---- one kind of operation ------------------------------------------------------------------- */
/* The oldest are removed; that is not part of the operation. */
static bool step_create(struct jst_run *run)
{
    while (place.number - place.oldest >= MOST_FILES) {
        jst_sys_unlink(path_of(run, place.oldest++), 0);
        run->begin_ns = jst_now();
    }
    place.newest = place.number + 1;
    return create(run, path_of(run, place.number++));
}

const struct jst_pattern jst_create_files = {
    .name = "create-files",
    .operation = "create and close one empty file",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = make_folder,
    .step = step_create,
    .finish = clear_meeting,
};

static bool step_stat(struct jst_run *run)
{
    return ask(run, path_of(run, place.number++ % ENTRIES));
}

const struct jst_pattern jst_stat_files = {
    .name = "stat-files",
    .operation = "stat the next of 1000 files",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = make_and_fill,
    .step = step_stat,
    .finish = clear_meeting,
};

static bool step_list(struct jst_run *run)
{
    DIR *folder = opendir(place.folder);
    if (!folder)
        return failed(run, "cannot be listed", place.folder);
    errno = 0;
    while (readdir(folder))
        continue;
    int why = errno;
    closedir(folder);
    errno = why;
    return why == 0 || failed(run, "cannot be listed", place.folder);
}

const struct jst_pattern jst_list_folder = {
    .name = "list-folder",
    .operation = "list a folder of 1000 files, or with --shared of 1000 a process",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = make_and_fill,
    .step = step_list,
    .finish = clear_meeting,
};

/* When all are gone, as many are made again; that is not part of the operation. */
static bool step_unlink(struct jst_run *run)
{
    if (place.number == ENTRIES) {
        if (!fill(run))
            return false;
        run->begin_ns = jst_now();
        jst_log_event(&run->log, "refill", run->begin_ns, ENTRIES);
        if (jst_stopping(run))
            return true;
    }
    place.oldest = place.number + 1;
    return take_away(run, path_of(run, place.number++));
}

const struct jst_pattern jst_unlink_files = {
    .name = "unlink-files",
    .operation = "unlink the next of 1000 files",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = make_and_fill,
    .step = step_unlink,
    .finish = clear_meeting,
};

/* ---- locks ----------------------------------------------------------------------------------- */
static bool open_lock(struct jst_run *run)
{
    snprintf(place.folder, sizeof place.folder, "%s/lock",
             run->options.meet ? run->options.meet : run->folder);
    long fd = jst_sys_open(place.folder, O_RDWR | O_CREAT, 0600);
    place.lock = (int)fd;
    errno = fd < 0 ? (int)-fd : 0;
    return fd >= 0 || failed(run, "cannot be opened", place.folder);
}

static bool change_lock(struct jst_run *run, short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_len = 1};
    while (fcntl(place.lock, F_SETLKW, &lock) != 0)
        if (errno != EINTR)
            return failed(run, "cannot be locked", place.folder);
        else if (jst_stopping(run))
            return true;
    return true;
}

static bool step_lock(struct jst_run *run)
{
    return change_lock(run, F_WRLCK) && change_lock(run, F_UNLCK);
}

const struct jst_pattern jst_lock_file = {
    .name = "lock-file",
    .operation = "lock the first byte of a file of all processes, and unlock it",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = open_lock,
    .step = step_lock,
};
