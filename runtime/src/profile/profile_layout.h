/* profile_layout.h: the layout of the header of a profile in the file. */
#ifndef JST_PROFILE_LAYOUT_H
#define JST_PROFILE_LAYOUT_H

#include "../../include/jst_profile.h" /* from schema/profile.toml */

#define JST_PAGE 4096

/* The file is mapped as it is, page by page. */
_Static_assert(sizeof(jst_head) == JST_PAGE, "the header is one page");
_Static_assert(sizeof(jst_block) <= 2 * JST_PAGE, "memory per thread");

#endif
