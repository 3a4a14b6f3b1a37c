/* mount.c: finds the mount of a descriptor or a path.
 *
 * The answer must cost almost nothing on the path of a call: a byte per descriptor, filled when
 * it is opened or first used, and a table of device numbers. Everything here is lock-free, safe in
 * a signal handler, and makes system calls only when something is seen for the first time.
 * The registry survives fork, so that a slot means the same in parent and child.
 */
#include <errno.h>
#include <string.h>
#include <sys/statfs.h>

#include "access.h"
#include "block.h"
#include "common.h"
#include "config.h"
#include "core.h"
#include "file.h"
#include "mount.h"
#include "profile/area.h"
#include "read_order.h"
#include "sys.h"
#include "text.h"
#include "trusted_dirs.h"

JST_LARGE jst_descriptor jst_descriptors[JST_FDS + 1];
static _Atomic uint32_t fds_used;

#define DEVICES 64
#define KNOWN (UINT64_C(1) << 63)

/* device number << 8 | slot, KNOWN set; filled from the front, never removed. */
static _Atomic uint64_t devices[DEVICES];
static struct {
    uint32_t major, minor;
    uint64_t magic, mnt_id;
    _Atomic uint32_t used;
} mounts[JST_MOUNT_SLOTS];
static _Atomic uint32_t mounts_used;

/* Directories seen in paths: hash << 8 | slot. An entry is overwritten by the next one that hashes to
 * it; forgotten at every slice boundary, since mounts may change. */
#define PATHS 64
__attribute__((section(".bss.later"))) static _Atomic uint64_t paths[PATHS];
static _Atomic uint32_t cwd_generation;

/* statfs f_type of file systems without user data. */
static bool is_pseudo(uint64_t magic)
{
    static const uint32_t pseudo[] = {
        0x9fa0 /* proc */,         0x62656572 /* sysfs */,    0x1cd1 /* devpts */,
        0x27e0eb /* cgroup */,     0x63677270 /* cgroup2 */,  0x73636673 /* securityfs */,
        0x64626720 /* debugfs */,  0x74726163 /* tracefs */,  0xcafe4a11 /* bpf */,
        0x6165676c /* pstore */,   0xde5e81e4 /* efivarfs */, 0x19800202 /* mqueue */,
        0x62656570 /* configfs */, 0x42494e4d /* binfmt */,   0x6e736673 /* nsfs */,
        0x09041934 /* anon */,     0x50495045 /* pipefs */,   0x534f434b /* sockfs */,
        0xf97cff8c /* selinux */,  0x0187 /* autofs */,       0x67596969 /* rpc_pipefs */,
        0x65735543 /* fusectl */,  0x50494446 /* pidfs */,
    };
    for (unsigned i = 0; i < sizeof pseudo / sizeof *pseudo; i++)
        if (pseudo[i] == magic)
            return true;
    return false;
}

static uint64_t device_key(uint64_t maj, uint64_t min)
{
    return (maj << 20 | (min & 0xfffff)) & 0xffffffffu;
}

/* The same, from libc's format of both: the low twelve bits of the major number in 8 to 19, the low
 * eight of the minor one in 0 to 7, twelve more in 20 to 31. */
static inline uint64_t key_of(dev_t device)
{
    return (device >> 8 & 0xfff) << 20 | (device >> 12 & 0xfff00) | (device & 0xff);
}

static unsigned slot_of_device(uint64_t key)
{
    for (unsigned i = 0; i < DEVICES; i++) {
        uint64_t d = atomic_load_explicit(&devices[i], memory_order_acquire);
        if (!d)
            break;
        if ((d & ~KNOWN) >> 8 == key)
            return (unsigned)(d & 0xff);
    }
    return 0;
}

/* One mount can show several device numbers (subvolumes, overlays): they share a slot. */
static unsigned slot_of_mount(uint64_t maj, uint64_t min, uint64_t magic, uint64_t mnt_id)
{
    uint32_t used = atomic_load(&mounts_used);
    for (uint32_t i = 0; mnt_id && i < used && i < JST_MOUNT_SLOTS - 1; i++)
        if (mounts[i].mnt_id == mnt_id && atomic_load(&mounts[i].used))
            return i + 1;
    do
        if (used >= JST_MOUNT_SLOTS - 1)
            return JST_SLOT_OTHER;
    while (!atomic_compare_exchange_weak(&mounts_used, &used, used + 1));
    mounts[used].major = (uint32_t)maj;
    mounts[used].minor = (uint32_t)min;
    mounts[used].magic = magic;
    mounts[used].mnt_id = mnt_id;
    atomic_store(&mounts[used].used, 1);
    if (atomic_load(&jst_state) != JST_LAZY) /* else they are written with the profile */
        jst_mounts_to_head();
    return used + 1;
}

static JST_COLD unsigned new_device(uint64_t maj, uint64_t min, uint64_t magic, uint64_t mnt_id)
{
    unsigned slot = is_pseudo(magic) ? JST_SLOT_IGNORE : slot_of_mount(maj, min, magic, mnt_id);
    uint64_t entry = KNOWN | device_key(maj, min) << 8 | slot;
    for (unsigned i = 0; i < DEVICES; i++) {
        uint64_t empty = 0;
        if (atomic_compare_exchange_strong(&devices[i], &empty, entry))
            return slot;
        if (empty == entry || (empty & ~KNOWN) >> 8 == device_key(maj, min))
            return (unsigned)(empty & 0xff); /* another thread was first */
    }
    return slot; /* more devices than we keep: queried again next time */
}

/* RATIONALE: AT_STATX_DONT_SYNC. Without it a network file system asks its server for the
 * attributes of a file that was just written, and the server answers after the data have
 * arrived: the program would wait in our call for as long as a sync takes. */
static long ask(int dirfd, const char *path, unsigned mask, struct statx *x)
{
    x->stx_mask = 0;
    return jst_sys6(SYS_statx, dirfd, JST_ARG(path), AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask,
                    JST_ARG(x), 0);
}

static uint64_t mount_id(int dirfd, const char *path)
{
    struct statx x;
    long r = ask(dirfd, path, STATX_MNT_ID, &x);
    return r == 0 && (x.stx_mask & STATX_MNT_ID) ? x.stx_mnt_id : 0;
}

/* Finds kind and device of a file ("": of the descriptor itself), all that is needed. */
static bool look(int dirfd, const char *path, struct stat *st)
{
    struct statx x;
    if (ask(dirfd, path, STATX_TYPE, &x) == 0) {
        st->st_mode = x.stx_mode;
        st->st_dev = jst_device(x.stx_dev_major, x.stx_dev_minor);
        return true;
    }
    /* Kernels before 4.11 and some sandboxes have no statx. */
    return (*path ? jst_fstatat(dirfd, path, st, 0) : jst_fstat(dirfd, st)) == 0;
}

/* The slot for a file's kind, 0: its device decides. */
static unsigned slot_of_kind(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
        return 0;
    case S_IFBLK:
        return JST_SLOT_OTHER;
    case S_IFCHR:
    case S_IFLNK:
        return JST_SLOT_IGNORE;
    default:
        return JST_SLOT_STREAM;
    }
}

/* Facts about a directory must not be used for the next one with its number. */
static void count_directory(int fd, mode_t mode)
{
    if (S_ISDIR(mode) && (unsigned)fd < JST_FDS)
        atomic_fetch_add_explicit(&jst_descriptors[fd].turn, 1, memory_order_relaxed);
}

static unsigned slot_of_fd(int fd)
{
    struct stat st;
    if (!look(fd, "", &st))
        return 0;
    count_directory(fd, st.st_mode);
    unsigned slot = slot_of_kind(st.st_mode);
    if (!slot)
        slot = slot_of_device(key_of(st.st_dev));
    if (slot)
        return slot;
    struct statfs fs;
    if (jst_sys2(SYS_fstatfs, fd, &fs) < 0)
        return JST_SLOT_OTHER;
    return new_device(jst_major(st.st_dev), jst_minor(st.st_dev), (uint64_t)fs.f_type,
                      mount_id(fd, ""));
}

static void remember(int fd, unsigned slot)
{
    /* A vfork child shares our memory but not our descriptors: its descriptors are not entered into
     * the table. */
    if ((unsigned)fd >= JST_FDS || jst_tls_vfork)
        return;
    atomic_store_explicit(&jst_descriptors[fd].slot, (uint8_t)slot, memory_order_relaxed);
    uint32_t used = atomic_load_explicit(&fds_used, memory_order_relaxed);
    while ((unsigned)fd >= used &&
           !atomic_compare_exchange_weak(&fds_used, &used, (uint32_t)fd + 1))
        ;
}

static JST_COLD bool fd_excluded(int fd)
{
    char link[48], path[1024];
    char *end = jst_put_text(link, link + sizeof link, "/proc/self/fd/");
    jst_put_number(end, link + sizeof link, (uint64_t)fd);
    long n = jst_sys4(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (n <= 0)
        return false;
    path[n] = 0;
    return jst_path_excluded(path);
}

/* A trusted file turns out to be there, or elsewhere. */
static void verified(int fd, unsigned trusted, unsigned slot)
{
    if (!(trusted & JST_SLOT_TRUSTED))
        return;
    unsigned source = atomic_load_explicit(&jst_descriptors[fd].source, memory_order_relaxed);
    if (slot == (trusted & ~JST_SLOT_TRUSTED))
        jst_trust_confirmed(source);
    else
        jst_trust_misled(source);
}

static unsigned look_at(int fd)
{
    unsigned slot = slot_of_fd(fd);
    if (JST_UNLIKELY(jst_cfg.exclude_paths[0]) && jst_is_mount(slot) && fd_excluded(fd))
        slot = JST_SLOT_IGNORE;
    if (slot) {
        verified(fd, jst_fd_known(fd), slot);
        remember(fd, slot);
        if ((unsigned)fd < JST_FDS && !jst_tls_vfork)
            jst_file_lies(fd, slot);
    }
    return slot ? slot : JST_SLOT_OTHER;
}

unsigned jst_fd_slot_now(int fd)
{
    unsigned p = jst_fd_known(fd);
    return p || fd < 0 ? p & ~JST_SLOT_TRUSTED : slot_of_fd(fd);
}

/** First use of a descriptor whose opening was not seen, or that was trusted until now. 'Other'
 *  when it is not open (EBADF). */
JST_COLD unsigned jst_fd_resolve(int fd)
{
    if (fd < 0 || !jst_may_syscall())
        return fd < 0 || !jst_fd_known(fd) ? JST_SLOT_OTHER : jst_fd_slot_now(fd);
    return look_at(fd);
}

unsigned jst_fd_opened(int fd)
{
    jst_access_take(fd); /* closed unseen, if anything had been written */
    jst_file_drop(fd);
    if (fd < 0 || !jst_may_syscall())
        return JST_SLOT_OTHER;
    jst_fd_forget(fd);
    return look_at(fd);
}

/* Length of the part before the name: "a/b/" in "a/b/c". NOTE: libc's own search is safe in a
 * signal handler, and takes as long for a path of 30 bytes as for one of 3. */
static inline size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static inline uint64_t cwd_base(void)
{
    return (uint64_t)JST_PEEK(uint32_t, cwd_generation) << 1;
}

uint64_t jst_path_base(int dirfd)
{
    if (dirfd == AT_FDCWD)
        return cwd_base();
    jst_fd_slot(dirfd); /* checked, so that its turn is right */
    unsigned turn = atomic_load_explicit(&jst_descriptors[dirfd].turn, memory_order_relaxed);
    return (uint64_t)dirfd << 16 | turn << 1 | 1;
}

unsigned jst_fd_opened_at(int fd, int dirfd, const char *path, int flags)
{
    /* A directory may be where another mount begins. */
    bool never = !path || (flags & (O_DIRECTORY | O_PATH)) || jst_tls_vfork;
    bool far = (unsigned)fd >= JST_FDS || (dirfd != AT_FDCWD && (unsigned)dirfd >= JST_FDS);
    if (JST_UNLIKELY(never || far || !jst_may_syscall()))
        return jst_fd_opened(fd);
    size_t n = directory_length(path), end = n + strlen(path + n);
    uint64_t key = jst_directory_key(path[0] == '/' ? 0 : jst_path_base(dirfd), path, n);
    /* Where paths are excluded each one is checked. */
    unsigned slot = jst_cfg.exclude_paths[0] ? 0 : jst_trust_ask(key);
    if (JST_UNLIKELY(!slot)) {
        slot = jst_fd_opened(fd);
        jst_trust_tell(key, slot);
    } else {
        if (JST_UNLIKELY(!jst_nothing_moved(fd))) /* closed unseen */
            jst_access_take(fd);
        /* A newly created path is no link, and only a file. */
        bool new = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
        atomic_store_explicit(&jst_descriptors[fd].source, (uint8_t)jst_trust_source(key),
                              memory_order_relaxed);
        remember(fd, new ? slot : slot | JST_SLOT_TRUSTED);
    }
    jst_file_opened(fd, slot, dirfd, path, key, n, end);
    return slot;
}

void jst_fd_observed(int fd, const struct stat *st)
{
    unsigned known = jst_fd_known(fd);
    if ((known && !(known & JST_SLOT_TRUSTED)) || (unsigned)fd >= JST_FDS ||
        jst_cfg.exclude_paths[0])
        return;
    unsigned slot = slot_of_kind(st->st_mode);
    if (!slot)
        slot = slot_of_device(key_of(st->st_dev));
    if (!slot) /* a device that was not seen before: checked when it is used */
        return;
    count_directory(fd, st->st_mode);
    verified(fd, known, slot);
    remember(fd, slot);
}

bool jst_fd_is_file(int fd)
{
    struct stat st;
    return look(fd, "", &st) && S_ISREG(st.st_mode);
}

void jst_fd_forget_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < JST_FDS; fd++)
        jst_fd_forget((int)fd);
}

uint32_t jst_fds_seen(void)
{
    return atomic_load_explicit(&fds_used, memory_order_relaxed);
}

void jst_cwd_changed(void)
{
    atomic_fetch_add(&cwd_generation, 1);
}

/* The kernel refused before it read the path, so it may not be readable: we must not read it
 * either. */
static bool is_unread(const char *path, int error)
{
    return !path || error == EFAULT || error == EINVAL || error == ENAMETOOLONG || error == ENOSYS;
}

unsigned jst_path_slot_after(int error, int dirfd, const char *path)
{
    return is_unread(path, error) ? JST_SLOT_OTHER : jst_path_slot(dirfd, path);
}

/* "a/b/" -> "a/", "a/" -> "", "/a/" -> "/". */
static size_t parent_length(const char *dir, size_t n)
{
    while (n > 1 && dir[n - 1] == '/')
        n--;
    while (n && dir[n - 1] != '/')
        n--;
    return n;
}

static unsigned slot_of_directory(int dirfd, const char *path, size_t n)
{
    char dir[1024]; /* this may run on a small signal stack; longer ones are "other" */
    struct stat st;
    struct statfs fs;
    if (n >= sizeof dir)
        return JST_SLOT_OTHER;
    jst_copy(dir, path, n);
    dir[n] = 0;
    /* Where a folder does not exist, its nearest existing parent gives the mount on which it is
     * missing. */
    while (!look(dirfd, n ? dir : ".", &st)) {
        if (n <= 1)
            return JST_SLOT_OTHER;
        n = parent_length(dir, n);
        dir[n] = 0;
    }
    if (n == 0) {
        dir[0] = '.';
        dir[1] = 0;
    }
    unsigned slot = slot_of_device(key_of(st.st_dev));
    if (slot)
        return slot;
    int fd = jst_openat(dirfd, dir, O_PATH | O_CLOEXEC, 0);
    if (fd < 0)
        return JST_SLOT_OTHER;
    long r = jst_sys2(SYS_fstatfs, fd, &fs);
    uint64_t id = mount_id(fd, "");
    jst_close(fd);
    if (r < 0)
        return JST_SLOT_OTHER;
    return new_device(jst_major(st.st_dev), jst_minor(st.st_dev), (uint64_t)fs.f_type, id);
}

static JST_SLOW unsigned learn_directory(uint64_t h, int dirfd, const char *path, size_t n)
{
    unsigned slot = slot_of_directory(dirfd, path, n);
    atomic_store_explicit(&paths[(h >> 8) % PATHS], (h & ~UINT64_C(0xff)) | slot,
                          memory_order_relaxed);
    return slot;
}

static inline unsigned slot_of_known_directory(uint64_t base, int dirfd, const char *path, size_t n)
{
    uint64_t h = jst_directory_key(base, path, n);
    uint64_t e = atomic_load_explicit(&paths[(h >> 8) % PATHS], memory_order_relaxed);
    return JST_LIKELY((e ^ h) >> 8 == 0) ? (unsigned)(e & 0xff)
                                         : learn_directory(h, dirfd, path, n);
}

static JST_SLOW unsigned slot_below(int dirfd, const char *path)
{
    size_t n = directory_length(path);
    if (n == 0) { /* more is known of descriptors than their number */
        unsigned slot = jst_fd_slot(dirfd);
        return jst_is_mount(slot) || slot == JST_SLOT_IGNORE ? slot : JST_SLOT_OTHER;
    }
    return JST_UNLIKELY((unsigned)dirfd >= JST_FDS)
               ? slot_of_directory(dirfd, path, n)
               : slot_of_known_directory(jst_path_base(dirfd), dirfd, path, n);
}

JST_SLOW unsigned jst_path_slot(int dirfd, const char *path)
{
    if (JST_UNLIKELY(!path) || !jst_may_syscall())
        return JST_SLOT_OTHER;
    if (JST_UNLIKELY(jst_cfg.exclude_paths[0]) && jst_path_excluded(path))
        return JST_SLOT_IGNORE;
    if (JST_UNLIKELY(dirfd != AT_FDCWD) && path[0] != '/')
        return slot_below(dirfd, path);
    const char *slash = strrchr(path, '/');
    if (JST_LIKELY(slash != NULL))
        return slot_of_known_directory(cwd_base(), AT_FDCWD, path, (size_t)(slash - path) + 1);
    return slot_of_known_directory(cwd_base(), AT_FDCWD, path, 0);
}

unsigned jst_dev_slot(dev_t device, int dirfd, const char *path)
{
    if (JST_UNLIKELY(jst_cfg.exclude_paths[0]) && path && jst_path_excluded(path))
        return JST_SLOT_IGNORE;
    unsigned slot = slot_of_device(key_of(device));
    return slot ? slot : jst_path_slot(dirfd, path);
}

/* A descriptor number may refer to another file without our knowledge (closed by a raw system call,
 * received over a socket, opened inside libc), and mounts may come and go. So at a slice boundary
 * everything is forgotten and looked up again. */
void jst_mounts_forget(void)
{
    jst_fd_forget_range(0, atomic_load_explicit(&fds_used, memory_order_relaxed));
    for (unsigned i = 0; i < PATHS; i++)
        atomic_store_explicit(&paths[i], 0, memory_order_relaxed);
    jst_trust_forget();
}

/* Before a sandbox closes: finds out now what can be known of descriptors. */
void jst_mounts_remember(void)
{
    uint32_t used = atomic_load(&fds_used);
    for (int fd = 0; fd < (int)used || fd < 64; fd++)
        jst_fd_slot(fd);
}

unsigned jst_mounts_used(void)
{
    return atomic_load(&mounts_used);
}

bool jst_mount_at(unsigned slot, jst_mount_slot *mount)
{
    if (!atomic_load(&mounts[slot].used))
        return false;
    mount->major = mounts[slot].major;
    mount->minor = mounts[slot].minor;
    mount->fs_magic = mounts[slot].magic;
    mount->mnt_id = mounts[slot].mnt_id;
    return true;
}

void jst_mounts_to_head(void)
{
    for (unsigned i = 0; i < JST_MOUNT_SLOTS; i++) {
        jst_mount_slot *m = &jst_a.head.mounts[i];
        /* Existing entries are not changed: the heartbeat may be reading them. */
        if (!atomic_load(&m->used) && jst_mount_at(i, m))
            atomic_store(&m->used, 1);
    }
}
