#include "spool/turn.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "spool/alive.h"

static bool is_due(const jst_ship_file *f, int64_t now)
{
    return f->todo && !f->kept && now >= f->wait_ns;
}

static bool user_is_due(const jst_ship_user *u, int64_t now)
{
    const jst_ship_file *f = u->cursor;
    if (!f)
        return false;
    do {
        if (is_due(f, now))
            return true;
    } while ((f = f->next) != u->cursor);
    return false;
}

static bool is_full(const jst_post *p, uint32_t files)
{
    return p->sent_count >= files || p->ranges + 8 >= JST_SHIP_RANGES ||
           jst_post_room(p, JST_SHIP_NAME) < 1024;
}

/* The files of one user, from where his turn stopped the last time. */
static void fill_of(jst_spool *s, jst_ship_user *u, jst_post *p, size_t share, uint32_t files,
                    int64_t now)
{
    size_t begin = p->size;
    jst_ship_file *f = u->cursor, *unfinished = NULL;
    for (uint32_t left = u->files; left && !is_full(p, files); left--, f = f->next) {
        jst_look look;
        if (!is_due(f, now))
            continue;
        size_t used = p->size - begin;
        if (used >= share)
            break;
        if (!jst_file_look(s, f, &look)) {
            f->todo = false; /* gone, or being replaced: the next scan shows it */
            continue;
        }
        jst_file_emit(s, f, &look, p, share - used);
        jst_look_close(&look);
        bool sent = p->sent_count && p->sent[p->sent_count - 1].file == f;
        if (!unfinished && f->todo && !(sent && p->sent[p->sent_count - 1].all))
            unfinished = f;
    }
    u->cursor = unfinished ? unfinished : f;
}

bool jst_turn_fill(jst_spool *s, jst_state *state, jst_post *p, size_t room, uint32_t files)
{
    int64_t now = jst_ship_now();
    unsigned due = 0;
    if (!jst_post_begin(p, room))
        return false;
    if (files == JST_SHIP_RANGES)
        jst_state_emit(state, p);
    for (jst_ship_user *u = s->users; u; u = u->next)
        due += user_is_due(u, now);
    /* The first moves to the end of the list: the next post begins with another one. */
    for (jst_ship_user *u = s->users; u && due && !is_full(p, files); u = u->next) {
        if (!user_is_due(u, now))
            continue;
        fill_of(s, u, p, (p->room - p->size) / due, files, now);
        due--;
    }
    if (s->users && s->users->next) {
        jst_ship_user *first = s->users, *last = first;
        while (last->next)
            last = last->next;
        s->users = first->next;
        last->next = first;
        first->next = NULL;
    }
    return p->ranges > 0;
}

static const jst_answer_file *answer_for(const jst_answer *a, const jst_sent *sent, uint32_t *from)
{
    for (uint32_t i = 0; i < a->files; i++) {
        const jst_answer_file *f = &a->file[(*from + i) % a->files];
        if (f->id == sent->file->id && f->owner == sent->file->user->uid) {
            *from = (*from + i + 1) % a->files;
            return f;
        }
    }
    return NULL;
}

void jst_turn_take(jst_spool *s, jst_state *state, const jst_post *p, const jst_answer *a)
{
    uint32_t from = 0, gaps = state->gaps;
    for (uint32_t i = 0; i < a->files && state->gaps; i++)
        if (a->file[i].done)
            jst_state_acknowledge(state, a->file[i].owner, a->file[i].id);
    jst_state_answered(state, gaps);
    for (uint32_t i = 0; i < p->sent_count; i++)
        jst_file_acknowledge(s, p, &p->sent[i], answer_for(a, &p->sent[i], &from));
}

void jst_turn_lost(const jst_post *p)
{
    for (uint32_t i = 0; i < p->sent_count; i++)
        jst_file_lost(p, &p->sent[i]);
}

bool jst_turn_set_aside(const jst_post *p)
{
    if (p->sent_count != 1)
        return false;
    jst_ship_file *f = p->sent[0].file;
    f->wait_ns = jst_ship_now() + 3600 * JST_NS;
    jst_ship_say(JST_TOPIC_FILES, "%s of user %u is set aside for an hour", f->name, f->user->uid);
    return true;
}

/* ---- quota ------------------------------------------------------------------------------------ */

/* The file of a user that was not written to for longest, and whose writer is gone. */
static jst_ship_file *oldest_over(jst_spool *s, jst_ship_user *u)
{
    jst_ship_file *oldest = NULL, *f = u->cursor;
    if (!f)
        return NULL;
    do {
        jst_look look;
        if (f->kept || (oldest && f->mtime_ns >= oldest->mtime_ns))
            continue;
        if (!f->over && jst_file_look(s, f, &look))
            jst_look_close(&look);
        if (f->over)
            oldest = f;
    } while ((f = f->next) != u->cursor);
    return oldest;
}

static bool drop(jst_spool *s, jst_state *state, jst_ship_file *f)
{
    jst_look look;
    if (!jst_file_look(s, f, &look))
        return false;
    jst_look_close(&look);
    if (!f->over)
        return false;
    if (!jst_state_add(state, f->user->uid, f->id, look.size, f->name)) {
        jst_ship_say(JST_TOPIC_QUOTA,
                     "the spool is beyond its quota, and there is no space for one more "
                     "note of a gap: nothing more is dropped");
        return false;
    }
    jst_ship_say(JST_TOPIC_QUOTA,
                 "the spool is beyond its quota: the oldest files whose writers are "
                 "gone are dropped, and the gaps noted. Fix: check the receiver, or "
                 "raise spool_quota");
    if (!jst_spool_remove(s, f)) {
        jst_ship_say(JST_TOPIC_REMOVE,
                     "files cannot be removed from the spool: %s. Fix: the spool's "
                     "folder must belong to the user of jostle-ship",
                     strerror(errno));
        f->kept = true;
        return false;
    }
    return true;
}

void jst_turn_keep_quota(jst_spool *s, jst_state *state, uint64_t quota)
{
    if (s->disk <= quota) {
        jst_ship_hush(JST_TOPIC_QUOTA);
        return;
    }
    jst_alive_forget();
    while (s->disk > quota) {
        unsigned users = 0;
        jst_ship_file *f = NULL;
        for (jst_ship_user *u = s->users; u; u = u->next)
            users += u->disk > 0;
        /* A user who takes no more than his share loses nothing for another. */
        uint64_t most = quota / (users ? users : 1);
        for (jst_ship_user *u = s->users; u; u = u->next) {
            jst_ship_file *oldest = u->disk > most ? oldest_over(s, u) : NULL;
            if (oldest) {
                f = oldest;
                most = u->disk;
            }
        }
        if (!f) {
            jst_ship_say(JST_TOPIC_QUOTA,
                         "the spool is beyond its quota with files whose writers run: "
                         "these are never dropped");
            return;
        }
        if (!drop(s, state, f))
            return;
    }
}
