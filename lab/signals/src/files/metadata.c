/* metadata.c: load on the metadata server. An operation creates an empty file of a new name, closes
 * it, asks for its attributes by name, and removes it.
 *
 * Each process works in a folder of its own; with --shared all work in one, and so contend for that
 * folder too. */
#include "../signal.h"
#include "../sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
    char folder[3200];
    uint64_t number; /* of the next file */
};

static bool fits(const struct jst_options *options, char *why, size_t size)
{
    if (options->api != JST_POSIX) {
        snprintf(why, size, "metadata has no --api mpiio: files are created by POSIX calls");
        return false;
    }
    return true;
}

static bool prepare(struct jst_run *run)
{
    static struct place place;

    snprintf(place.folder, sizeof place.folder, "%s", run->folder);
    if (!run->options.shared) {
        snprintf(place.folder, sizeof place.folder, "%s/%u", run->folder, run->team.world_rank);
        long made = jst_sys_mkdir(place.folder, 0700);
        if (made < 0 && made != -EEXIST) {
            return jst_fail(run, "%s cannot be made: %s; choose another --dir", place.folder,
                            strerror((int)-made));
        }
    }
    run->state = &place;
    return true;
}

static bool failed(struct jst_run *run, const char *what, const char *path)
{
    return jst_fail(run, "%s: %s: %s; is --dir still there, and not full?", path, what,
                    strerror(errno));
}

static bool step(struct jst_run *run)
{
    struct place *place = run->state;
    struct stat facts;
    char path[3300];
    int fd;

    snprintf(path, sizeof path, "%s/%u.%llu", place->folder, run->team.world_rank,
             (unsigned long long)place->number++);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return failed(run, "cannot be created", path);
    }
    run->counts.opens++;
    if (close(fd) != 0) {
        return failed(run, "cannot be closed", path);
    }
    run->counts.closes++;
    if (stat(path, &facts) != 0) {
        return failed(run, "has no attributes", path);
    }
    run->counts.stats++;
    if (unlink(path) != 0) {
        return failed(run, "cannot be removed", path);
    }
    run->counts.unlinks++;
    return true;
}

const struct jst_pattern jst_metadata = {
    .name = "metadata",
    .operation = "create, close, stat and unlink one empty file",
    .resource = JST_METADATA,
    .flush = JST_FLUSH_NONE,
    .fits = fits,
    .prepare = prepare,
    .step = step,
};
