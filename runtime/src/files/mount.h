/* mount.h: the mounts of descriptors and paths (mount.c).
 *
 * A slot is where a call is counted: 0 not known yet, 1..JST_MOUNT_SLOTS the number of a mount in
 * the header, plus one, or one of JST_SLOT_STREAM and JST_SLOT_IGNORE. */
#ifndef JST_MOUNT_H
#define JST_MOUNT_H

#include "block.h"
#include <sys/types.h>

#include "common.h"

#define JST_SLOT_STREAM 0x3e
#define JST_SLOT_IGNORE 0x3f
#define JST_SLOT_OTHER JST_MOUNT_SLOTS
#define JST_FDS 65536
/* With a mount: it was opened in a trusted directory, and not checked yet (trusted_dirs.h). */
#define JST_SLOT_TRUSTED 0x40

/* Facts about a descriptor's number. In one cache line, so that the fields of a call are together,
 * and the usual numbers in a page; 4 MiB of address space. */
typedef struct jst_descriptor {
    struct jst_access {  /* access.h */
        uint64_t origin; /* where the last write ended, less run, modulo 2^64 */
        uint64_t run;    /* bytes written since the last step back, or since it was opened */
        uint64_t offset; /* the file offset while it is away from where the last write ended */
        uint64_t before; /* bytes written before run; JST_ACCESS_... in the high bits */
    } access;
    uint64_t twin_of; /* whose duplicate it is, and */
    uint32_t twinned; /* how often it became a new duplicate (access.c) */
    _Atomic uint8_t slot;
    _Atomic uint8_t source; /* of a trusted one: the source of its slot */
    _Atomic uint8_t turn;   /* to how many directories the number has referred */
    uint16_t file;          /* its place in the table of files (file.h) */
    uint64_t read_offset;   /* the file offset while it is away from where the last read ended */
} __attribute__((aligned(64))) jst_descriptor;

struct stat;

extern JST_HIDDEN jst_descriptor jst_descriptors[JST_FDS + 1];

unsigned jst_fd_resolve(int fd);

/** The facts about a number; for numbers out of range an empty entry. */
JST_INLINE jst_descriptor *jst_descriptor_of(int fd)
{
    jst_descriptor *k =
        &jst_descriptors[JST_LIKELY((unsigned)fd < JST_FDS) ? (unsigned)fd : JST_FDS];
    JST_KEEP(k);
    return k;
}

static inline unsigned jst_fd_known(int fd)
{
    return (unsigned)fd < JST_FDS
               ? atomic_load_explicit(&jst_descriptors[fd].slot, memory_order_relaxed)
               : 0;
}

static inline unsigned jst_fd_slot(int fd)
{
    unsigned p = jst_fd_known(fd);
    return JST_LIKELY(p - 1 < JST_SLOT_TRUSTED - 1) ? p : jst_fd_resolve(fd);
}

/** The same, where a trusted slot is enough: for a descriptor that is about to be closed. */
static inline unsigned jst_fd_slot_trusted(int fd)
{
    unsigned p = jst_fd_known(fd);
    return JST_LIKELY(p != 0) ? p & ~JST_SLOT_TRUSTED : jst_fd_resolve(fd);
}

/** Forgets what a descriptor was; called before it is closed or replaced. */
static inline void jst_fd_forget(int fd)
{
    if ((unsigned)fd < JST_FDS)
        atomic_store_explicit(&jst_descriptors[fd].slot, 0, memory_order_relaxed);
}

/** The same, and nothing is remembered: for a descriptor that is about to be closed. 0: not known. */
unsigned jst_fd_slot_now(int fd);
/** Is it a regular file? */
bool jst_fd_is_file(int fd);
void jst_fd_forget_range(unsigned first, unsigned last);
uint32_t jst_fds_seen(void); /* no descriptor from here on was ever checked */
void jst_cwd_changed(void);
/** A number for the directory at which a relative path begins: another one once the working
 *  directory has changed, or the descriptor refers to another directory. */
uint64_t jst_path_base(int dirfd);

/** Slot of a new descriptor; excluded paths are checked here. */
unsigned jst_fd_opened(int fd);
/** The same for a file that was opened by a path, which need not be checked where its directory is
 *  trusted. flags: as given to open. */
unsigned jst_fd_opened_at(int fd, int dirfd, const char *path, int flags);
/** The program has called fstat: the result also gives the slot of the descriptor. */
void jst_fd_observed(int fd, const struct stat *st);
/** Slot of the directory of a path's last component. path must be readable. */
unsigned jst_path_slot(int dirfd, const char *path);
/** The same after a call that failed with an error number (0: it did not fail): JST_SLOT_OTHER when
 *  the kernel may not have read the path. */
unsigned jst_path_slot_after(int error, int dirfd, const char *path);
/** Slot of a device number if it is known already, else jst_path_slot. */
unsigned jst_dev_slot(dev_t device, int dirfd, const char *path);
/** The identity of a mount slot: for the heartbeat, which writes 'M' records. */
void jst_mounts_to_head(void);
bool jst_mount_at(unsigned slot, jst_mount_slot *mount); /* false: the slot is free */
unsigned jst_mounts_used(void);
void jst_mounts_forget(void);
void jst_mounts_remember(void);

static inline uint64_t *jst_slot_cells(jst_block *b, unsigned slot)
{
    return b->cells + (slot - 1) * JST_MOUNT_STRIDE;
}

static inline bool jst_is_mount(unsigned slot)
{
    return slot - 1 < JST_MOUNT_SLOTS;
}

#endif
