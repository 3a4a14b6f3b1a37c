/* all_in_mpi.c: measures time in which all ranks on a node are in MPI at once.
 *
 * Where more ranks than cores take turns, a rank's wait in MPI alone shows nothing: it may be
 * another's turn. But while none of them is outside MPI nothing is computed, whichever has the
 * cores. Each rank's state mark, and its start, is in the mapped header of its profile; so the
 * first one to leave MPI reads those of the others, and knows since when all had been in.
 *
 * RATIONALE: no word is shared that several ranks write; they read what each writes for itself anyway,
 * and only after a wait of 0.1 ms, and only where the heartbeat found the run queue long: it maps
 * the others' headers, to be read. One that is not found might compute unseen: then nothing is
 * counted, nor where several threads of a rank may be in MPI at once. One that was killed computes
 * nothing.
 */
#include "all_in_mpi.h"
#include "block.h"
#include "clock.h"
#include "common.h"
#include "profile/area.h"
#include "profile/profile_layout.h"
#include "profile/spool.h"
#include "sys.h"
#include "text.h"

#define MOST 255u   /* other ranks on a node */
#define FILES 1024u /* files of the job that are opened at most: many nodes may share a spool */
#define READS 4096u /* of 4 KiB each, of a spool that may be full of other jobs' profiles */
#define LOOKS 16u   /* slices in which ranks are searched: they do not all start at once */
#define QUEUED 20   /* part of a slice in the run queue: with more a rank has no core of its own */
#define SEEN_NS 1000u  /* in the slice in which the others have been found */
#define MANY_THREADS 3 /* MPI_THREAD_MULTIPLE, as the adapter numbers levels */

/* Only their headers are certainly mapped. */
JST_LARGE static const jst_block *others[MOST];
static _Atomic uint32_t known;
static _Atomic bool moved; /* a profile that was mapped belongs to no rank any more */
static bool published;     /* the program's thread may read mapped data, and be off its core */
static uint32_t looks, here;
static uint64_t queued, tick_ns;

uint64_t jst_together(uint64_t begin, uint64_t now)
{
    uint64_t since = begin;
    uint32_t n = atomic_load_explicit(&known, memory_order_acquire);
    if (n == 0)
        return 0;
    /* The fence makes the caller's own state visible before it reads the others'. So if two
     * ranks leave MPI at the same instant, they do not both see the other one inside. */
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t mark = __atomic_load_n(&others[i]->mark, __ATOMIC_ACQUIRE);
        /* If another call has begun in between, `since` is its later start: then too little is
         * counted, never too much. */
        uint64_t at = JST_LOAD(others[i]->since);
        if (JST_UNLIKELY(mark == JST_MARK_MOVED))
            atomic_store(&moved, true);
        if (mark == 0 || mark == JST_CELL_STATE_IO_NS || mark == JST_MARK_MOVED || at == 0)
            return 0;
        since = at > since ? at : since;
    }
    return since < now ? now - since : 0;
}

void jst_together_begin(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    here = jst_a.head.world_size; /* the default: all are on this node */
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t n = 0;
        for (const char *p = jst_env(names[i]); p && *p >= '0' && *p <= '9' && n < 1000000; p++)
            n = n * 10 + (uint32_t)(*p - '0');
        if (n != 0 && n < here)
            here = n;
    }
}

void jst_together_child(void)
{
    atomic_store(&known, 0);
    atomic_store(&moved, false);
    looks = 0;
    tick_ns = 0;
}

static bool same_world(const jst_head *h)
{
    const jst_head *own = &jst_a.head;
    for (unsigned i = 0; i < sizeof h->boot_id; i++)
        if (h->boot_id[i] != own->boot_id[i])
            return false;
    return h->version == own->version && h->head_bytes == own->head_bytes &&
           h->cell_count == own->cell_count && h->world_size == own->world_size &&
           h->world_rank != own->world_rank &&
           atomic_load(&h->mpi_state) == JST_MPI_STATE_INITIALISED && h->end_reason == 0 &&
           h->thread_level < MANY_THREADS && jst_str_equal(h->job, own->job) &&
           jst_str_equal(h->world, own->world);
}

/* If another user could write to the file, he could truncate it while it is mapped (SIGBUS). */
static bool is_ours(int fd)
{
    struct stat st;
    return jst_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
           (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 && st.st_uid == (uid_t)jst_sys0(SYS_geteuid);
}

/* The block of a rank's main thread, in its file; NULL: it has none, or cannot be mapped. */
static const jst_block *map_block(int fd, uint32_t pid)
{
    uint32_t tid;
    for (uint32_t i = 1; i < JST_BLOCKS; i++) {
        uint64_t at = offsetof(jst_area, blocks) + i * sizeof(jst_block);
        if (jst_pread(fd, &tid, sizeof tid, at) != (long)sizeof tid || tid == 0)
            return NULL;
        if (tid != pid)
            continue;
        /* A header of 64 bytes at a multiple of 128 lies in one page. */
        uint64_t page = at - at % jst_page_bytes();
        long map =
            jst_sys6(SYS_mmap, 0, (long)jst_page_bytes(), PROT_READ, MAP_SHARED, fd, (long)page);
        return map < 0 && map > -4096 ? NULL : (const jst_block *)(map + (long)(at - page));
    }
    return NULL;
}

static void unmap(const jst_block *b)
{
    uint64_t at = (uintptr_t)b;
    jst_sys2(SYS_munmap, (long)(at - at % jst_page_bytes()), (long)jst_page_bytes());
}

/* Number of ranks after this file was checked. */
static uint32_t take_rank(int dir, const char *name, uint32_t n)
{
    JST_LARGE static jst_head h; /* the heartbeat's stack is small */
    int fd = jst_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return n;
    if (n < MOST && is_ours(fd) && jst_pread(fd, &h, sizeof h, 0) == (long)sizeof h &&
        same_world(&h) && (others[n] = map_block(fd, h.pid)) != NULL)
        n++;
    jst_close(fd);
    return n;
}

static uint32_t look_for_others(void)
{
    JST_LARGE static char buffer[4096] __attribute__((aligned(8)));
    char job[128];
    uint32_t found = 0, files = 0;
    jst_job_file_name(job, job + sizeof job);
    int dir = jst_spool_open();
    for (uint32_t reads = 0; dir >= 0 && reads < READS && files < FILES; reads++) {
        long n = jst_sys3(SYS_getdents64, dir, buffer, sizeof buffer);
        if (n <= 0)
            break;
        for (long at = 0; at < n; at += ((jst_entry *)(buffer + at))->length) {
            const char *name = ((jst_entry *)(buffer + at))->name;
            size_t length = jst_strlen(name);
            if (!jst_begins_with(name, job) || length <= 4 ||
                !jst_str_equal(name + length - 4, ".jst") || files++ >= FILES)
                continue;
            found = take_rank(dir, name, found);
        }
    }
    if (dir >= 0)
        jst_close(dir);
    return found;
}

void jst_together_tick(uint64_t now_ns)
{
    const jst_head *own = &jst_a.head;
    uint64_t all = jst_a.blocks[0].cells[JST_CELL_OS_RUNQUEUE_NS];
    uint64_t waited = all - queued, since = tick_ns;
    queued = all;
    tick_ns = now_ns;
    if (atomic_load(&moved)) {
        atomic_store(&known, 0);
        atomic_store(&moved, false);
    }
    /* Until MPI_Init has returned, only the program's thread may access the MPI fields of the
     * header. */
    if (atomic_load(&own->mpi_state) != JST_MPI_STATE_INITIALISED)
        return;
    if (since == 0)
        since = own->mpi_init_ns;
    if (waited <= (now_ns - since) / QUEUED || looks == LOOKS || atomic_load(&known) != 0 ||
        here < 2 || here - 1 > MOST || own->thread_level >= MANY_THREADS)
        return;
    looks++;
    uint32_t found = look_for_others();
    if (found == here - 1) {
        published = true;
        atomic_store_explicit(&known, found, memory_order_release);
        /* Records from when on a count of 0 means that there was nothing. */
        jst_add(&jst_a.blocks[0].cells[JST_CELL_WAIT_ALL_NS], jst_ns_to_ticks(SEEN_NS));
    } else {
        while (!published && found-- > 0) /* no thread has used these pages */
            unmap(others[found]);
    }
}
