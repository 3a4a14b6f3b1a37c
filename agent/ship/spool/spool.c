/* spool.c: finds profiles in the spool, a folder in which every user may make files of any kind
 * with any name. Only regular files with one link and the name of a profile are read; none is
 * reached through a link, and opening one neither blocks nor has an effect. */
#include "spool/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

bool jst_spool_open(jst_spool *s, const char *path)
{
    struct stat st;
    s->dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->dir < 0 || fstat(s->dir, &st) < 0) {
        jst_ship_say(JST_TOPIC_SPOOL,
                     "the spool %s cannot be opened: %s. Fix: make the folder, or set `spool`",
                     path, strerror(errno));
        return false;
    }
    if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX)) {
        jst_ship_say(JST_TOPIC_SPOOL,
                     "the spool %s is not safe: everyone may remove the files of others. Fix: "
                     "chmod 1777 %s",
                     path, path);
        return false;
    }
    s->owner = st.st_uid;
    return true;
}

bool jst_spool_is_current(const jst_spool *s, const char *path)
{
    struct stat ours, there;
    if (fstat(s->dir, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
        ours.st_ino == there.st_ino)
        return true;
    jst_ship_say(JST_TOPIC_SPOOL,
                 "the spool %s was removed or is another folder now. Fix: start jostle-ship again, "
                 "as its unit does",
                 path);
    return false;
}

bool jst_spool_is_name(const char *name, enum jst_ship_kind *kind)
{
    static const struct {
        const char *suffix;
        enum jst_ship_kind kind;
    } suffixes[] = {{".jst", JST_KIND_PROFILE},
                    {".jsp", JST_KIND_PROFILE},
                    {".jsm", JST_KIND_PROFILE},
                    {".jss", JST_KIND_SHORTS},
                    {".jsb", JST_KIND_BATCH}};
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t n = strlen(name);
    if (n < 5 || n > JST_SHIP_NAME || name[0] == '.' || strspn(name, fine) != n)
        return false;
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(name + n - 4, suffixes[i].suffix) == 0) {
            *kind = suffixes[i].kind;
            return true;
        }
    return false;
}

static jst_ship_user *user_of(jst_spool *s, uint32_t uid)
{
    for (jst_ship_user *u = s->users; u; u = u->next)
        if (u->uid == uid)
            return u;
    jst_ship_user *u = calloc(1, sizeof *u);
    if (u) {
        u->uid = uid;
        u->next = s->users;
        s->users = u;
    }
    return u;
}

static jst_ship_file **bucket_of(jst_spool *s, const char *name)
{
    return &s->bucket[jst_ship_hash(name, strlen(name), 0) % JST_SPOOL_BUCKETS];
}

void jst_spool_drop_hashes(jst_spool *s, jst_ship_file *f)
{
    uint64_t bytes = f->units * sizeof *f->hashes;
    s->hash_bytes -= bytes;
    f->user->hash_bytes -= bytes;
    free(f->hashes);
    f->hashes = NULL;
    f->units = 0;
}

static void count(jst_spool *s, jst_ship_user *u, int change)
{
    if (u->uid) {
        s->sharing -= u->files > 0;
        s->shared += (uint32_t)change;
    }
    s->files += (uint32_t)change;
    u->files += (uint32_t)change;
    s->sharing += u->uid && u->files > 0;
}

void jst_spool_forget(jst_spool *s, jst_ship_file *f)
{
    jst_spool_drop_hashes(s, f);
    jst_ship_file **link = bucket_of(s, f->name);
    while (*link != f)
        link = &(*link)->next_of_name;
    *link = f->next_of_name;
    f->next->prev = f->prev;
    f->prev->next = f->next;
    if (f->user->cursor == f)
        f->user->cursor = f->next == f ? NULL : f->next;
    count(s, f->user, -1);
    f->user->disk -= f->disk;
    s->disk -= f->disk;
    free(f);
}

/* Makes space for one more file of a user. Root, whose files are the machine's, has space of its
 * own. Where the others have no more, a user with less than an equal share takes it from the one
 * with most: that file is added again later. */
static bool make_room(jst_spool *s, const jst_ship_user *u)
{
    if (u->files >= JST_SHIP_USER_FILES)
        return false;
    if (!u->uid || s->shared < JST_SHIP_FILES)
        return true;
    if (u->files >= JST_SHIP_FILES / (s->sharing + !u->files))
        return false;
    jst_ship_user *most = NULL;
    for (jst_ship_user *each = s->users; each; each = each->next)
        if (each->uid && (!most || each->files > most->files))
            most = each;
    if (!most || !most->cursor) /* shared counts what users have: there is one */
        return false;
    jst_spool_forget(s, most->cursor->prev);
    return true;
}

static jst_ship_file *add(jst_spool *s, const char *name, const struct statx *st,
                          enum jst_ship_kind kind)
{
    jst_ship_user *u = user_of(s, st->stx_uid);
    if (!u || !make_room(s, u)) {
        if (u)
            jst_ship_say(JST_TOPIC_FILES, "the spool has more files than are handled at a "
                                          "time: the others follow when these are done");
        return NULL;
    }
    jst_ship_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->length = (uint8_t)strlen(name);
    memcpy(f->name, name, f->length);
    f->kind = kind;
    f->inode = st->stx_ino;
    if (st->stx_mask & STATX_BTIME)
        f->birth_ns = (uint64_t)st->stx_btime.tv_sec * JST_NS + st->stx_btime.tv_nsec;
    else
        jst_ship_say(JST_TOPIC_STATE,
                     "the spool's file system keeps no birth times: a file that takes "
                     "name and place of a removed one cannot be distinguished from it. Fix: a "
                     "spool on ext4, XFS, Btrfs, or tmpfs since Linux 6.0");
    uint64_t identity[2] = {f->inode, f->birth_ns};
    f->id = jst_ship_hash(identity, sizeof identity, jst_ship_hash(name, f->length, 1));
    f->known = s->scans > 1;
    f->todo = true;
    f->user = u;
    f->changed_ns = jst_ship_now();
    /* A file that was unchanged before this program began has been so for longer. */
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    int64_t still = wall.tv_sec * JST_NS + wall.tv_nsec -
                    (st->stx_mtime.tv_sec * JST_NS + st->stx_mtime.tv_nsec);
    if (still > 0 && kind != JST_KIND_PROFILE)
        f->changed_ns -= still;
    if (u->cursor) {
        f->next = u->cursor;
        f->prev = u->cursor->prev;
        f->prev->next = f->next->prev = f;
    } else {
        u->cursor = f->next = f->prev = f;
    }
    count(s, u, 1);
    jst_ship_file **bucket = bucket_of(s, name);
    f->next_of_name = *bucket;
    *bucket = f;
    return f;
}

static bool is_same(const jst_ship_file *f, const struct statx *st)
{
    uint64_t birth = st->stx_mask & STATX_BTIME
                         ? (uint64_t)st->stx_btime.tv_sec * JST_NS + st->stx_btime.tv_nsec
                         : 0;
    return f->inode == st->stx_ino && f->birth_ns == birth && f->user->uid == st->stx_uid;
}

static bool is_fit(const struct statx *st)
{
    return S_ISREG(st->stx_mode) && st->stx_nlink == 1 && st->stx_size <= JST_SHIP_FILE_MOST;
}

static void note_size(jst_spool *s, jst_ship_file *f, const struct statx *st)
{
    uint64_t disk = st->stx_blocks * 512;
    int64_t mtime = st->stx_mtime.tv_sec * JST_NS + st->stx_mtime.tv_nsec;
    s->disk += disk - f->disk;
    f->user->disk += disk - f->disk;
    if (f->size != st->stx_size || f->mtime_ns != mtime) {
        if (f->scan) /* not the first time */
            f->changed_ns = jst_ship_now();
        f->size = st->stx_size;
        f->mtime_ns = mtime;
    }
    f->disk = disk;
}

static bool look_at(int dir, const char *name, struct statx *st)
{
    const unsigned what = STATX_BASIC_STATS | STATX_BTIME;
    return statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, what, st) == 0;
}

/* Returns false when something else has the name of a profile. */
static bool meet(jst_spool *s, const char *name, enum jst_ship_kind kind)
{
    struct statx st;
    if (!look_at(s->dir, name, &st))
        return true;
    jst_ship_file *f = *bucket_of(s, name);
    while (f && strcmp(f->name, name) != 0)
        f = f->next_of_name;
    bool fit = is_fit(&st);
    if (f && (!fit || !is_same(f, &st))) { /* another file has its name */
        jst_spool_forget(s, f);
        f = NULL;
    }
    if (!f && fit)
        f = add(s, name, &st, kind);
    if (f) {
        note_size(s, f, &st);
        f->scan = s->scans;
        f->todo = true;
    }
    return fit;
}

void jst_spool_scan(jst_spool *s)
{
    int copy = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    if (!d) {
        jst_ship_say(JST_TOPIC_SPOOL, "the spool cannot be read: %s", strerror(errno));
        if (copy >= 0)
            close(copy);
        return;
    }
    s->scans++;
    unsigned unfit = 0;
    enum jst_ship_kind kind;
    for (struct dirent *e; (e = readdir(d));)
        if (jst_spool_is_name(e->d_name, &kind))
            unfit += !meet(s, e->d_name, kind);
    closedir(d);
    if (unfit)
        jst_ship_say(JST_TOPIC_SPOOL,
                     "the spool has files with names of profiles that are none: links, "
                     "pipes, or files of more than 1 GiB; they are left alone");
    for (unsigned i = 0; i < JST_SPOOL_BUCKETS; i++)
        for (jst_ship_file *f = s->bucket[i], *next; f; f = next) {
            next = f->next_of_name;
            if (f->scan != s->scans)
                jst_spool_forget(s, f);
        }
}

int jst_spool_open_file(jst_spool *s, jst_ship_file *f)
{
    struct statx st;
    /* Not even opened unless it is a file: to open a device may have an effect. */
    if (!look_at(s->dir, f->name, &st) || !is_fit(&st) || !is_same(f, &st))
        return -1;
    int fd = openat(s->dir, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    const unsigned what = STATX_BASIC_STATS | STATX_BTIME;
    if (statx(fd, "", AT_EMPTY_PATH, what, &st) < 0 || !is_fit(&st) || !is_same(f, &st)) {
        close(fd);
        return -1;
    }
    note_size(s, f, &st);
    return fd;
}

/* The runtime's marker of messages to the job's user is removed with the file of compact
 * profiles. */
static void remove_said(jst_spool *s, const jst_ship_file *f)
{
    char name[JST_SHIP_NAME + 8];
    struct statx st;
    snprintf(name, sizeof name, "%.*s.said", f->length - 4, f->name);
    if (look_at(s->dir, name, &st) && S_ISREG(st.stx_mode) && st.stx_uid == f->user->uid)
        unlinkat(s->dir, name, 0);
}

bool jst_spool_remove(jst_spool *s, jst_ship_file *f)
{
    struct statx st;
    if (!look_at(s->dir, f->name, &st) || !is_same(f, &st)) {
        jst_spool_forget(s, f); /* gone, or another one by now */
        return true;
    }
    if (unlinkat(s->dir, f->name, 0) < 0)
        return false;
    if (f->kind == JST_KIND_SHORTS)
        remove_said(s, f);
    jst_spool_forget(s, f);
    return true;
}
