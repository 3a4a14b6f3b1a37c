/* release_pages.c: releases pages of this library that only the loader needed.
 *
 * RATIONALE: half of the library is names, since an MPI's functions have up to nine each. While a
 * program starts the loader searches them for every symbol that it binds, and leaves 190 KiB mapped
 * in every process. Once the profile has begun they are released: names that are looked up later
 * are mapped again from the page cache, 64 KiB around each page that is touched. The advice for
 * random access makes them a mapping of their own, so that accesses to adjacent code do not map
 * them again.
 */
#include "release_pages.h"
#include "common.h"
#include "profile/profile_layout.h"
#include "sys.h"

#define PAGES 256
#define IS_FILE (UINT64_C(1) << 61) /* in /proc/self/pagemap: the page is the file's */
#define IS_PRESENT (UINT64_C(1) << 63)

#define HIDDEN __attribute__((weak, visibility("hidden")))

/* Defined by the linker and jostle.ld; missing where the library is linked otherwise. */
extern const char __ehdr_start[] HIDDEN, jst_cold_end[] HIDDEN;
extern const char jst_rare_begin[] HIDDEN, jst_rare_end[] HIDDEN;
extern const char jst_scratch_begin[] HIDDEN, jst_scratch_end[] HIDDEN;

/* Pages that are no longer the file's (after a restored checkpoint, or a write to them) would get
 * other content, or none. */
static bool are_the_files(uintptr_t from, size_t length)
{
    uint64_t entries[PAGES], page = jst_page_bytes();
    size_t pages = length / page, bytes = pages * sizeof *entries;
    if (pages == 0 || pages > PAGES)
        return false;
    int fd = jst_openat(AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    long n = fd < 0 ? -1 : jst_pread(fd, entries, bytes, from / page * sizeof *entries);
    if (fd >= 0)
        jst_close(fd);
    if (n != (long)bytes)
        return false;
    for (size_t i = 0; i < pages; i++)
        if ((entries[i] & IS_PRESENT) && !(entries[i] & IS_FILE))
            return false;
    return true;
}

/* The kernel rounds lengths up: what is next would be released as well. */
static uintptr_t whole_pages(const char *begin, const char *end, uint64_t page, size_t *bytes)
{
    uintptr_t from = ((uintptr_t)begin + page - 1) & ~(uintptr_t)(page - 1);
    uintptr_t to = (uintptr_t)end & ~(uintptr_t)(page - 1);
    *bytes = to > from ? to - from : 0;
    return from;
}

static void let_go(const char *begin, const char *end)
{
    size_t bytes;
    uintptr_t from = whole_pages(begin, end, jst_page_bytes(), &bytes);
    if (!are_the_files(from, bytes))
        return;
    jst_sys3(SYS_madvise, from, bytes, MADV_RANDOM);
    jst_sys3(SYS_madvise, from, bytes, MADV_DONTNEED);
}

void jst_memory_let_go(void)
{
    size_t bytes;
    uintptr_t scratch = whole_pages(jst_scratch_begin, jst_scratch_end, jst_page_bytes(), &bytes);
    jst_sys3(SYS_madvise, scratch, bytes, MADV_DONTNEED);
    let_go(__ehdr_start, jst_cold_end);
    let_go(jst_rare_begin, jst_rare_end);
}
