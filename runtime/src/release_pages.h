/* release_pages.h: pages that only the loader needed (release_pages.c). */
#ifndef JST_RELEASE_PAGES_H
#define JST_RELEASE_PAGES_H

void jst_memory_let_go(void); /* of this library, what only the loader needed */

#endif
