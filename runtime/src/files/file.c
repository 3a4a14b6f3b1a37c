/* file.c: finds the place of a path in the table of files (file.h).
 *
 * Lock-free and safe in a signal handler. An index of buckets maps the key of a path, which is
 * valid in this process only, to its place; one path with two spellings has two places, which
 * readers merge by the name.
 *
 * When all places are used, a quarter of those without a descriptor is freed: those that are
 * smallest both in bytes and in time, in steps of a factor of two. Place 0 takes what they had. A
 * file that is opened while no place can be freed counts in place 0, too.
 */
#include "file.h"
#include "config.h"
#include "core.h"
#include "sys.h"
#include "text.h"
#include "trusted_dirs.h"

#define BUCKETS 1024
#define BUCKET_SHIFT 54
#define WAYS 8
#define FREED 4 /* one in so many at a time: a pass over all places then costs little for each */
#define LEAVING (1u << 31) /* in users: the place is being freed */
#define PATIENCE 1000      /* waits for a thread that frees places: we may have interrupted it */
#define JST_FORMAT_HDF5 1
#define JST_FORMAT_NETCDF 2
#define NAME_BYTES (sizeof((jst_file *)0)->name)

bool jst_files_on, jst_threads;

JST_LARGE static _Atomic uint16_t places[BUCKETS][WAYS];
static _Atomic uint64_t taken[JST_FILES / 64]; /* a bit per place */
static _Atomic uint32_t used;                  /* no place from here on was ever used */
static _Atomic bool making_room;

/* A path in pieces: its hash does not depend on where it is cut. */
typedef struct path_text {
    uint64_t hash, word;
    uint32_t n;
    char tail[NAME_BYTES]; /* the last bytes, up to tail_n */
    uint32_t tail_n;
} path_text;

/* The path of a directory at which relative paths begin, with a slash at its end. The kernel is
 * queried for it once: the programs that open by a directory's descriptor (tar, rsync, find, git)
 * open all its files so.
 * NOTE: until the next slice begins, a directory that is renamed keeps the name it had. */
typedef struct base_path {
    _Atomic uint32_t sequence; /* odd while the rest is written */
    uint64_t base;             /* jst_path_base */
    path_text text;
} base_path;

#define OPEN_DIRECTORIES 7
static base_path working_directory, open_directories[OPEN_DIRECTORIES];

/* The last NAME_BYTES - 1 bytes are kept. */
static void put_tail(path_text *t, const char *piece, uint32_t n)
{
    const uint32_t room = NAME_BYTES - 1;
    if (n > room) {
        piece += n - room;
        n = room;
    }
    uint32_t stay = t->tail_n + n > room ? room - n : t->tail_n;
    for (uint32_t i = 0, from = t->tail_n - stay; from && i < stay; i++)
        t->tail[i] = t->tail[from + i];
    jst_copy(t->tail + stay, piece, n);
    t->tail_n = stay + n;
}

static uint64_t big_endian_word(const char *text)
{
    uint64_t word;
    __builtin_memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static void put_piece(path_text *t, const char *piece, size_t n)
{
    for (size_t i = 0; i < n;) {
        if (t->n % 8 == 0 && n - i >= 8) {
            t->hash = jst_mixed(t->hash, big_endian_word(piece + i));
            t->n += 8;
            i += 8;
            continue;
        }
        t->word = t->word << 8 | (uint8_t)piece[i++];
        if (++t->n % 8 == 0) {
            t->hash = jst_mixed(t->hash, t->word);
            t->word = 0;
        }
    }
    put_tail(t, piece, (uint32_t)n);
}

static uint64_t hash_of(const path_text *t)
{
    return jst_mixed(jst_mixed(t->hash, t->word), t->n) | 1;
}

/* Hash of the name after a directory of n bytes. The last word of a path may include a part of the
 * directory. */
static uint64_t key_of(uint64_t directory, const char *path, size_t n, size_t end)
{
    uint64_t word;
    for (; n + sizeof word < end; n += sizeof word) {
        __builtin_memcpy(&word, path + n, sizeof word);
        directory = jst_mixed(directory, word);
    }
    return jst_mixed(jst_mixed(directory, jst_last_word(path, end)), end) | 1;
}

/* ---- the path of a new place ---- */

/* The path of a descriptor by the kernel; false: it is not known, or too long. */
static bool put_link(path_text *t, int fd)
{
    char link[48], path[1024]; /* this may run on a small signal stack */
    char *end = jst_put_text(link, link + sizeof link, "/proc/self/fd/");
    jst_put_number(end, link + sizeof link, (uint64_t)fd);
    long n = jst_sys4(SYS_readlinkat, AT_FDCWD, link, path, sizeof path);
    if (n <= 0 || n == (long)sizeof path || path[0] != '/')
        return false;
    put_piece(t, path, (size_t)n);
    return true;
}

static bool put_working_directory(path_text *t)
{
    char path[1024];
    long n = jst_sys2(SYS_getcwd, path, sizeof path);
    if (n <= 1 || path[0] != '/') /* "(unreachable)" */
        return false;
    put_piece(t, path, (size_t)n - 1);
    if (n > 2)
        put_piece(t, "/", 1);
    return true;
}

static bool put_directory(path_text *t, int dirfd)
{
    if (dirfd == AT_FDCWD)
        return put_working_directory(t);
    if (!put_link(t, dirfd))
        return false;
    put_piece(t, "/", 1);
    return true;
}

static void put_base(path_text *t, int dirfd)
{
    const uint64_t base = jst_path_base(dirfd);
    base_path *known = dirfd == AT_FDCWD ? &working_directory
                                         : &open_directories[(unsigned)dirfd % OPEN_DIRECTORIES];
    uint32_t before = atomic_load_explicit(&known->sequence, memory_order_acquire);
    if (before && !(before & 1) && known->base == base) {
        *t = known->text;
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&known->sequence, memory_order_relaxed) == before)
            return;
        *t = (path_text){0};
    }
    if (!put_directory(t, dirfd) || (before & 1) ||
        !atomic_compare_exchange_strong(&known->sequence, &before, before + 1))
        return;
    known->text = *t;
    known->base = base;
    atomic_store_explicit(&known->sequence, before + 2, memory_order_release);
}

static void put_path(path_text *t, int dirfd, const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        for (path++; *path == '/'; path++)
            ;
    if (path[0] != '/')
        put_base(t, dirfd);
    put_piece(t, path, jst_strlen(path));
}

/* ---- places ---- */

/* Adds to `users`, by an atomic addition where there are several threads. Returns what it was. */
static uint32_t add_users(jst_file *f, uint32_t n)
{
#if defined(__x86_64__)
    if (!JST_LOAD(jst_threads)) {
        __asm__ volatile("xaddl %0, %1" : "+r"(n), "+m"(f->users) : : "cc", "memory");
        return n;
    }
#endif
    return __atomic_fetch_add(&f->users, n, __ATOMIC_ACQ_REL);
}

/* Holds a place that is not being freed, if it still belongs to a key. */
static bool hold(jst_file *f, uint64_t key)
{
    if (atomic_load_explicit(&f->key, memory_order_relaxed) != key)
        return false;
    if (!(add_users(f, 1) & LEAVING) && atomic_load_explicit(&f->key, memory_order_acquire) == key)
        return true;
    add_users(f, UINT32_MAX);
    return false;
}

static unsigned held(uint64_t key)
{
    const _Atomic uint16_t *ways = places[key >> BUCKET_SHIFT];
    for (unsigned way = 0; way < WAYS; way++) {
        unsigned place = atomic_load_explicit(&ways[way], memory_order_acquire);
        if (place && hold(&jst_a.files[place], key))
            return place;
    }
    return 0;
}

static void reach(unsigned place)
{
    if (!place)
        atomic_store_explicit(&jst_a.files[0].owner, 1, memory_order_relaxed); /* no thread's */
    uint32_t end = atomic_load_explicit(&used, memory_order_relaxed);
    while (end <= place && !atomic_compare_exchange_weak(&used, &end, place + 1))
        ;
}

static unsigned take_place(void)
{
    static _Atomic uint32_t last; /* the word in which the last free place was found */
    const unsigned begin = atomic_load_explicit(&last, memory_order_relaxed);
    for (unsigned i = 0; i < JST_FILES / 64; i++) {
        const unsigned w = (begin + i) % (JST_FILES / 64);
        uint64_t bits = atomic_load_explicit(&taken[w], memory_order_relaxed);
        const uint64_t others = w == 0; /* place 0 is not for one file */
        while (~(bits | others)) {
            unsigned bit = (unsigned)__builtin_ctzll(~(bits | others));
            if (!atomic_compare_exchange_weak(&taken[w], &bits, bits | UINT64_C(1) << bit))
                continue;
            reach(w * 64 + bit);
            atomic_store_explicit(&last, w, memory_order_relaxed);
            return w * 64 + bit;
        }
    }
    return 0;
}

static void give_back(unsigned place)
{
    jst_file *f = &jst_a.files[place];
    __builtin_memset(&f->owner, 0, sizeof *f - offsetof(jst_file, owner));
    atomic_store(&f->key, 0);
    atomic_fetch_and(&taken[place / 64], ~(UINT64_C(1) << place % 64));
}

/* ---- freeing places ---- */

static void add_to_others(const jst_file *f)
{
    jst_file *others = &jst_a.files[0];
    const uint64_t *from = &f->opens;
    uint64_t *to = &others->opens + JST_FILE_OTHERS;
    for (unsigned i = 0; i < JST_FILE_OTHERS; i++) {
        uint64_t n = JST_LOAD(from[i]) + JST_LOAD(from[i + JST_FILE_OTHERS]);
        if (n)
            jst_file_share_add(&to[i], n);
    }
    if (JST_LOAD(f->syncs)) {
        jst_file_share_add(&others->syncs, JST_LOAD(f->syncs));
        jst_file_share_add(&others->sync_ticks, JST_LOAD(f->sync_ticks));
    }
    jst_file_share_add((uint64_t *)&others->hash, 1);
}

/* NOTE: a kill in here may lose the counts of this one file, never double them. */
static bool free_place(unsigned place)
{
    jst_file *f = &jst_a.files[place];
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(&f->users, &none, LEAVING, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    _Atomic uint16_t *ways = places[atomic_load(&f->key) >> BUCKET_SHIFT];
    for (unsigned way = 0; way < WAYS; way++) {
        if (atomic_load_explicit(&ways[way], memory_order_relaxed) == place)
            atomic_store(&ways[way], 0);
    }
    atomic_store(&f->hash, 0);
    add_to_others(f);
    give_back(place);
    add_users(f, -LEAVING);
    return true;
}

static unsigned size_class(uint64_t v)
{
    return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static unsigned bytes_class(const jst_file *f)
{
    return size_class(JST_LOAD(f->read_bytes) + JST_LOAD(f->write_bytes) +
                      JST_LOAD(f->other_read_bytes) + JST_LOAD(f->other_write_bytes));
}

static unsigned time_class(const jst_file *f)
{
    return size_class(JST_LOAD(f->read_ticks) + JST_LOAD(f->write_ticks) + JST_LOAD(f->sync_ticks) +
                      JST_LOAD(f->meta_ticks));
}

#define CLASSES 68 /* 65, rounded up so that jst_zero clears all */
#define RANKS (JST_FILES / 8)

/* Criteria for which files are kept: their classes, and how many files are of a smaller one. */
typedef struct sizes {
    uint8_t bytes[JST_FILES], time[JST_FILES]; /* classes; STAYS in bytes: it cannot be freed */
    uint16_t smaller_bytes[CLASSES], smaller_time[CLASSES];
} sizes;

#define STAYS UINT8_MAX

static void make_sums(uint16_t *counts)
{
    unsigned sum = 0;
    for (unsigned c = 0; c < CLASSES; c++) {
        unsigned more = counts[c];
        counts[c] = (uint16_t)sum;
        sum += more;
    }
}

static bool may_go(const jst_file *f)
{
    return atomic_load_explicit(&f->hash, memory_order_relaxed) && !JST_LOAD(f->users);
}

static void look_at_sizes(sizes *s)
{
    jst_zero(s->smaller_bytes, sizeof s->smaller_bytes);
    jst_zero(s->smaller_time, sizeof s->smaller_time);
    for (unsigned i = 1; i < JST_FILES; i++) {
        const jst_file *f = &jst_a.files[i];
        unsigned bytes = bytes_class(f), time = time_class(f);
        s->smaller_bytes[bytes]++;
        s->smaller_time[time]++;
        s->bytes[i] = may_go(f) ? (uint8_t)bytes : STAYS;
        s->time[i] = (uint8_t)time;
    }
    make_sums(s->smaller_bytes);
    make_sums(s->smaller_time);
}

/* A file is kept if many are smaller, by bytes or by time. RANKS: it cannot be freed. */
static unsigned rank_of(const sizes *s, unsigned place)
{
    if (s->bytes[place] == STAYS)
        return RANKS;
    unsigned bytes = s->smaller_bytes[s->bytes[place]], time = s->smaller_time[s->time[place]];
    return (bytes > time ? bytes : time) * RANKS / JST_FILES;
}

static void free_smallest(void)
{
    sizes s;
    uint16_t of_rank[RANKS + 1] = {0};
    unsigned last = 0, freed = 0;
    look_at_sizes(&s);
    for (unsigned i = 1; i < JST_FILES; i++)
        of_rank[rank_of(&s, i)]++;
    const unsigned closed = JST_FILES - 1 - of_rank[RANKS];
    const unsigned wanted = (closed + FREED - 1) / FREED;
    for (unsigned sum = of_rank[0]; sum < wanted && last + 1 < RANKS; sum += of_rank[last])
        last++;
    for (unsigned i = 1; i < JST_FILES; i++)
        if (rank_of(&s, i) < last)
            freed += free_place(i);
    for (unsigned i = 1; i < JST_FILES && freed < wanted; i++)
        if (rank_of(&s, i) == last)
            freed += free_place(i);
}

static unsigned make_room(void)
{
    bool idle = false;
    if (atomic_compare_exchange_strong(&making_room, &idle, true)) {
        unsigned place = take_place(); /* another thread may have freed places meanwhile */
        if (!place)
            free_smallest();
        atomic_store(&making_room, false);
        if (place)
            return place;
    }
    for (unsigned i = 0; i < PATIENCE && atomic_load_explicit(&making_room, memory_order_relaxed);
         i++)
        jst_sys0(SYS_sched_yield);
    return take_place();
}

/* ---- a new file ---- */

static bool publish(unsigned place, uint64_t key)
{
    _Atomic uint16_t *ways = places[key >> BUCKET_SHIFT];
    for (unsigned way = 0; way < WAYS; way++) {
        uint16_t none = 0;
        if (atomic_compare_exchange_strong(&ways[way], &none, (uint16_t)place))
            return true;
    }
    return false;
}

static unsigned new_file(uint64_t key, unsigned slot, const path_text *t)
{
    unsigned place = take_place();
    if (!place && !(place = make_room()))
        return 0;
    jst_file *f = &jst_a.files[place];
    f->mount = (uint16_t)(slot - 1);
    f->format = 0;
    if (jst_cfg.files == JST_FILES_NAMES) {
        bool cut = t->n > t->tail_n, slash = cut && t->tail[0] == '/';
        jst_copy(f->name, t->tail + slash, t->tail_n - slash);
    }
    add_users(f, 1);
    atomic_store_explicit(&f->key, key, memory_order_release);
    atomic_store_explicit(&f->hash, hash_of(t), memory_order_release);
    if (publish(place, key))
        return place;
    atomic_store(&f->hash, 0); /* a full bucket */
    give_back(place);
    add_users(f, UINT32_MAX);
    return 0;
}

static void knows(int fd, unsigned place)
{
    if (!place)
        reach(0);
    JST_STORE(jst_descriptors[fd].file, (uint16_t)(place + 1));
}

JST_COLD jst_file *jst_file_find(int fd)
{
    path_text t = {0};
    if (JST_LOAD(jst_descriptors[fd].file) == JST_FILE_NONE)
        return NULL;
    if (jst_tls_vfork || !jst_may_syscall()) {
        reach(0);
        return &jst_a.files[0];
    }
    if (!jst_fd_is_file(fd)) {
        JST_STORE(jst_descriptors[fd].file, JST_FILE_NONE);
        return NULL;
    }
    unsigned place = 0;
    if (put_link(&t, fd)) {
        uint64_t key = hash_of(&t);
        place = held(key);
        if (!place)
            place = new_file(key, jst_fd_slot(fd), &t);
    }
    knows(fd, place);
    return &jst_a.files[place];
}

void jst_file_opened(int fd, unsigned slot, int dirfd, const char *path, uint64_t directory,
                     size_t n, size_t end)
{
    jst_file_drop(fd); /* closed unseen */
    if (!jst_files_on || !jst_is_mount(slot))
        return;
    uint64_t key = key_of(directory, path, n, end);
    unsigned place = held(key);
    if (JST_UNLIKELY(!place)) {
        path_text t = {0};
        put_path(&t, dirfd, path);
        place = new_file(key, slot, &t);
    }
    knows(fd, place);
}

/* ---- formats ---- */

/* Returns 0 where the first bytes of a file are those of no format that is known here. */
static uint16_t format_of(const uint8_t *begin, size_t n)
{
    static const uint8_t hdf5[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    bool same = n >= sizeof hdf5;
    for (size_t i = 0; same && i < sizeof hdf5; i++)
        same = begin[i] == hdf5[i];
    if (same)
        return JST_FORMAT_HDF5;
    bool cdf = n >= 4 && begin[0] == 'C' && begin[1] == 'D' && begin[2] == 'F';
    return cdf && (begin[3] == 1 || begin[3] == 2 || begin[3] == 5) ? JST_FORMAT_NETCDF : 0;
}

JST_COLD void jst_file_began(int fd, const void *buf, size_t n)
{
    jst_file *f = jst_is_mount(jst_fd_slot(fd)) && buf ? jst_file_of(fd) : NULL;
    if (!f || f == &jst_a.files[0] || JST_LOAD(f->format))
        return;
    uint16_t format = format_of(buf, n);
    if (format)
        JST_STORE(f->format, format);
}

/* ---- descriptors come and go ---- */

JST_COLD void jst_file_drop_known(int fd)
{
    unsigned file = jst_file_leave(fd);
    if (file)
        jst_file_left(NULL, file, 0);
}

void jst_file_drop_range(unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < jst_fds_seen(); fd++)
        jst_file_drop((int)fd);
}

void jst_file_left(const jst_block *b, unsigned file, uint64_t ticks)
{
    if (file > JST_FILES)
        return;
    jst_file *f = &jst_a.files[file - 1];
    if (ticks)
        jst_file_opens(b, f, 0, ticks);
    if (file > 1)
        add_users(f, UINT32_MAX);
}

JST_COLD void jst_file_share(int fd, int to)
{
    if ((unsigned)fd >= JST_FDS || (unsigned)to >= JST_FDS || jst_tls_vfork)
        return;
    unsigned file = JST_LOAD(jst_descriptors[fd].file);
    if (file > 1 && file <= JST_FILES)
        add_users(&jst_a.files[file - 1], 1);
    JST_STORE(jst_descriptors[to].file, (uint16_t)file);
}

void jst_file_lies(int fd, unsigned slot)
{
    unsigned file = JST_LOAD(jst_descriptors[fd].file);
    if (file > 1 && file <= JST_FILES && jst_is_mount(slot))
        JST_STORE(jst_a.files[file - 1].mount, (uint16_t)(slot - 1));
}

void jst_files_begin(void)
{
    jst_files_on = jst_cfg.files != JST_FILES_OFF;
    if (!atomic_load(&used))
        return;
    for (uint32_t fd = 0; fd < jst_fds_seen() && fd < JST_FDS; fd++)
        JST_STORE(jst_descriptors[fd].file, 0);
    jst_zero(places, sizeof places);
    jst_zero(taken, sizeof taken);
    atomic_store(&used, 0);
    atomic_store(&making_room, false);
    atomic_store(&working_directory.sequence, 0);
    for (unsigned i = 0; i < OPEN_DIRECTORIES; i++)
        atomic_store(&open_directories[i].sequence, 0);
}

unsigned jst_files_used(void)
{
    return atomic_load(&used);
}
