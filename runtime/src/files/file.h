/* file.h: what each file was used for: a table of JST_FILES places in the mapped header (file.c).
 *
 * The entry of a descriptor's number has the place of its file. A call adds to that place; there is
 * no record and no commit, so a reader finds all that was counted up to any instant. Place 0 is
 * that of all other files. jst_descriptor.file: the place + 1, 0: not searched yet, JST_FILE_NONE:
 * a directory or a device. */
#ifndef JST_FILE_H
#define JST_FILE_H

#include "block.h"
#include "common.h"
#include "mount.h"
#include "profile/area.h"

#define JST_FILE_NONE UINT16_MAX

extern JST_HIDDEN bool jst_files_on;
extern JST_HIDDEN bool jst_threads; /* more than one may count */

/** Finds the file of a descriptor whose opening was not seen. */
JST_COLD jst_file *jst_file_find(int fd);
/** fd was opened by a path of `end` bytes, whose directory has a key and is `n` bytes long
 *  (jst_directory_key). */
void jst_file_opened(int fd, unsigned slot, int dirfd, const char *path, uint64_t directory,
                     size_t n, size_t end);
/** n bytes were read or written at the begin of the file, and are at buf: they may show its
 * format. */
JST_COLD void jst_file_began(int fd, const void *buf, size_t n);
/** Sets the slot of a file that was found to be on another mount. */
void jst_file_lies(int fd, unsigned slot);
/** The number refers to no file any more, or to another one. */
JST_COLD void jst_file_drop_known(int fd);
void jst_file_drop_range(unsigned first, unsigned last);
/** `to` is a duplicate of fd. */
JST_COLD void jst_file_share(int fd, int to);
/** The table is empty from here on: of a new image, a forked child, a new part. */
void jst_files_begin(void);
/** No place from here on was ever used. */
unsigned jst_files_used(void);

/* The words to which a thread adds: a file has an owner, which used it first and adds as it does to
 * its counters; all other threads share a second set of words, by atomic additions. */
typedef struct jst_file_words {
    uint64_t *words;
    bool own;
} jst_file_words;

#define JST_FILE_OTHERS ((offsetof(jst_file, other_opens) - offsetof(jst_file, opens)) / 8)

static inline jst_file_words jst_file_words_of(const jst_block *b, jst_file *f)
{
    uint64_t owner = atomic_load_explicit(&f->owner, memory_order_relaxed);
    if (JST_UNLIKELY(owner != (uintptr_t)b))
        if (owner || !atomic_compare_exchange_strong(&f->owner, &owner, (uintptr_t)b))
            return (jst_file_words){&f->opens + JST_FILE_OTHERS, false};
    return (jst_file_words){&f->opens, true};
}

static inline void jst_file_share_add(uint64_t *word, uint64_t n)
{
    atomic_fetch_add_explicit((_Atomic uint64_t *)word, n, memory_order_relaxed);
}

/** The place of a descriptor on a mount; NULL: nothing is counted for it. */
static inline jst_file *jst_file_of(int fd)
{
    if (JST_UNLIKELY(!jst_files_on) || (unsigned)fd >= JST_FDS)
        return NULL;
    unsigned place = JST_LOAD(jst_descriptors[fd].file) - 1u;
    return JST_LIKELY(place < JST_FILES) ? &jst_a.files[place] : jst_file_find(fd);
}

/** One call that moved n bytes in so many ticks. calls: offset of `reads` or `writes`. */
static inline void jst_file_moved(const jst_block *b, jst_file *f, unsigned calls, uint64_t n,
                                  uint64_t ticks)
{
    jst_file_words to = jst_file_words_of(b, f);
    uint64_t *words = to.words + (calls - offsetof(jst_file, opens)) / 8;
    if (JST_LIKELY(to.own)) {
        jst_add(&words[0], 1);
        jst_add(&words[1], n);
        if (ticks)
            jst_add(&words[2], ticks);
    } else {
        jst_file_share_add(&words[0], 1);
        jst_file_share_add(&words[1], n);
        if (ticks)
            jst_file_share_add(&words[2], ticks);
    }
}

/** Opens, and the time of a call that moves no data. */
static inline void jst_file_opens(const jst_block *b, jst_file *f, unsigned opens, uint64_t ticks)
{
    jst_file_words to = jst_file_words_of(b, f);
    if (JST_LIKELY(to.own)) {
        if (opens)
            jst_add(&to.words[0], opens);
        jst_add(&to.words[1], ticks);
    } else {
        if (opens)
            jst_file_share_add(&to.words[0], opens);
        jst_file_share_add(&to.words[1], ticks);
    }
}

static inline void jst_file_drop(int fd)
{
    if ((unsigned)fd < JST_FDS && JST_LOAD(jst_descriptors[fd].file))
        jst_file_drop_known(fd);
}

/** A call on a descriptor that moves no data. ops_cell: the cell in which it is counted for the
 * mount. */
static inline void jst_file_called(const jst_block *b, unsigned slot, int fd, unsigned ops_cell,
                                   uint64_t ticks)
{
    jst_file *f = jst_is_mount(slot) ? jst_file_of(fd) : NULL;
    if (!f)
        return;
    if (ops_cell == JST_CELL_POSIX_SYNC_OPS || ops_cell == JST_CELL_STDIO_SYNC_OPS) {
        jst_file_share_add(&f->syncs, 1);
        jst_file_share_add(&f->sync_ticks, ticks);
    } else {
        bool open = ops_cell == JST_CELL_POSIX_OPEN_OPS || ops_cell == JST_CELL_STDIO_OPEN_OPS;
        jst_file_opens(b, f, open, ticks);
    }
}

/** The same for the call that closes it: jst_file_leave before, jst_file_left after. */
static inline unsigned jst_file_leave(int fd)
{
    bool known = (unsigned)fd < JST_FDS && !jst_tls_vfork;
    unsigned file = known ? JST_LOAD(jst_descriptors[fd].file) : 0;
    if (file)
        JST_STORE(jst_descriptors[fd].file, 0);
    return file;
}

void jst_file_left(const jst_block *b, unsigned file, uint64_t ticks);

#endif
