/* state.c: the state file. Notes have places of a fixed size in a file that has its full size from
 * the beginning: a full disk, for which they are needed, does not prevent them. */
#include "spool/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(jst_gap) == 256, "a note is a place in the file");

static uint32_t crc_of(const jst_gap *g)
{
    uint32_t crc = jst_crc32((const uint8_t *)g + 4, sizeof *g - 4);
    return crc ? crc : 1;
}

static bool is_note(const jst_gap *g)
{
    enum jst_ship_kind kind;
    return g->crc && g->crc == crc_of(g) && !g->name[JST_SHIP_NAME] &&
           jst_spool_is_name(g->name, &kind);
}

/* A file is removed; a folder, which may not be empty, is renamed. */
static bool clear_name(int dir)
{
    char aside[64];
    if (unlinkat(dir, JST_STATE_NAME, 0) == 0 || errno == ENOENT)
        return true;
    snprintf(aside, sizeof aside, JST_STATE_NAME "-aside-%016llx",
             (unsigned long long)jst_ship_random());
    return errno == EISDIR && renameat(dir, JST_STATE_NAME, dir, aside) == 0;
}

/* Another user may have made a file with this name before we did: the folder is ours, so it is
 * removed. A file of the folder's owner is kept also where root runs this: his shipper may run. */
static int open_own(const jst_spool *spool)
{
    const int dir = spool->dir;
    struct stat st;
    for (int tries = 0; tries < 3; tries++) {
        int fd = openat(dir, JST_STATE_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
            (st.st_uid == geteuid() || st.st_uid == spool->owner) && st.st_nlink == 1 &&
            !(st.st_mode & 077))
            return fd;
        if (fd >= 0)
            close(fd);
        else if (errno == ENOENT) {
            fd = openat(dir, JST_STATE_NAME, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            if (fd >= 0 && geteuid() == 0 && fchown(fd, spool->owner, (gid_t)-1) < 0)
                errno = 0; /* then the owner's shipper makes its own */
            if (fd >= 0 || errno != EEXIST)
                return fd;
        }
        if (!clear_name(dir))
            return -1;
    }
    errno = EEXIST;
    return -1;
}

bool jst_state_open(jst_state *s, const jst_spool *spool)
{
    const off_t size = JST_STATE_TEXT + sizeof s->gap;
    s->fd = open_own(spool);
    if (s->fd < 0) {
        jst_ship_say(JST_TOPIC_STATE,
                     "%s cannot be made in the spool: %s. Fix: let the user of "
                     "jostle-ship own the spool's folder",
                     JST_STATE_NAME, strerror(errno));
        return false;
    }
    if (flock(s->fd, LOCK_EX | LOCK_NB) < 0) {
        jst_ship_say(JST_TOPIC_STATE,
                     "another jostle-ship sends this spool. Fix: stop it first, or "
                     "see `jostle-ship --status`");
        return false;
    }
    struct stat st;
    if (fstat(s->fd, &st) < 0 || (st.st_size < size && posix_fallocate(s->fd, 0, size) != 0))
        jst_ship_say(JST_TOPIC_STATE, "no space for notes of gaps: %s", strerror(errno));
    ssize_t n = pread(s->fd, s->gap, sizeof s->gap, JST_STATE_TEXT);
    for (unsigned i = 0; i < JST_GAPS; i++)
        if (n < (ssize_t)((i + 1) * sizeof *s->gap) || !is_note(&s->gap[i]))
            memset(&s->gap[i], 0, sizeof s->gap[i]);
        else
            s->gaps++;
    return true;
}

static bool write_note(jst_state *s, unsigned i)
{
    const off_t at = (off_t)(JST_STATE_TEXT + i * sizeof *s->gap);
    return pwrite(s->fd, &s->gap[i], sizeof s->gap[i], at) == (ssize_t)sizeof s->gap[i] &&
           fdatasync(s->fd) == 0;
}

bool jst_state_add(jst_state *s, uint32_t owner, uint64_t id, uint64_t size, const char *name)
{
    for (unsigned i = 0; i < JST_GAPS; i++) {
        jst_gap *g = &s->gap[i];
        if (g->crc)
            continue;
        g->owner = owner;
        g->id = id;
        g->size = size;
        snprintf(g->name, sizeof g->name, "%s", name);
        g->crc = crc_of(g);
        if (!write_note(s, i)) {
            memset(g, 0, sizeof *g);
            return false;
        }
        s->gaps++;
        return true;
    }
    return false;
}

void jst_state_emit(jst_state *s, jst_post *p)
{
    memset(s->sent, 0, sizeof s->sent);
    if (jst_ship_now() < s->wait_ns)
        return;
    for (unsigned i = 0, left = s->gaps; i < JST_GAPS && left; i++) {
        const jst_gap *g = &s->gap[i];
        if (!g->crc)
            continue;
        left--;
        /* Half a post at most: other files continue. */
        if (p->ranges >= JST_SHIP_RANGES / 2 || jst_post_room(p, strlen(g->name)) < 1024)
            return;
        jst_post_open(p, g->name, g->owner, g->id, JST_SHIP_GAP | JST_SHIP_OVER, g->size);
        jst_post_close(p, 0);
        s->sent[i] = true;
    }
}

void jst_state_acknowledge(jst_state *s, uint32_t owner, uint64_t id)
{
    for (unsigned i = 0; i < JST_GAPS; i++) {
        jst_gap *g = &s->gap[i];
        if (!s->sent[i] || !g->crc || g->owner != owner || g->id != id)
            continue;
        memset(g, 0, sizeof *g);
        s->sent[i] = false;
        s->gaps--;
        write_note(s, i);
    }
}

/* A post with gaps is due as long as there are some: one that the receiver does not take (its user has no room
 * there) would have posts follow each other without end, and the spool would not be looked at any more. */
void jst_state_answered(jst_state *s, uint32_t before)
{
    if (s->gaps == before && memchr(s->sent, true, sizeof s->sent))
        s->wait_ns = jst_ship_now() + 60 * JST_NS;
}

void jst_state_text(jst_state *s, const char *text)
{
    char page[JST_STATE_TEXT] = {0};
    snprintf(page, sizeof page, "%s", text);
    if (pwrite(s->fd, page, sizeof page, 0) < 0)
        jst_ship_say(JST_TOPIC_STATE, "the status cannot be written: %s", strerror(errno));
}

void jst_state_read(int dir, char *text, size_t n, uint32_t *gaps)
{
    jst_gap g;
    *text = 0;
    *gaps = 0;
    int fd = openat(dir, JST_STATE_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got = pread(fd, text, n - 1, 0);
    text[got < 0 ? 0 : got] = 0;
    for (unsigned i = 0; i < JST_GAPS; i++)
        if (pread(fd, &g, sizeof g, (off_t)(JST_STATE_TEXT + i * sizeof g)) == sizeof g)
            *gaps += is_note(&g);
    close(fd);
}
