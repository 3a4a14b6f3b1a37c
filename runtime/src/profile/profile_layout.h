/* profile_layout.h: the layout of the header of a profile in the file. */
#ifndef JST_PROFILE_LAYOUT_H
#define JST_PROFILE_LAYOUT_H

#include "../../include/jst_profile.h" /* from schema/profile.toml */

#define JST_PAGE 4096 /* of the file, whatever pages of memory the kernel has */

/* Of memory: what is mapped to a fixed address, or advised on, begins a page of any kernel. Those of
 * aarch64 have 4, 16 or 64 KiB. */
#if defined(__x86_64__)
#define JST_LARGEST_PAGE 4096
static inline uint64_t jst_page_bytes(void)
{
    return 4096;
}
#else
#define JST_LARGEST_PAGE 65536
extern __attribute__((visibility("hidden"))) uint64_t jst_kernel_page; /* set at the start */
static inline uint64_t jst_page_bytes(void)
{
    return jst_kernel_page;
}
#endif

/* The file is mapped as it is, page by page. */
_Static_assert(sizeof(jst_head) == JST_PAGE, "the header is one page");
_Static_assert(sizeof(jst_block) <= 2 * JST_PAGE, "memory per thread");

#endif
