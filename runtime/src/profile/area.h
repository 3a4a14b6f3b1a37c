/* area.h: the mapped header of the profile: the first page, both commits, the blocks, the ring. */
#ifndef JST_AREA_H
#define JST_AREA_H

#include "block.h"
#include "common.h"
#include "profile_layout.h"

#define JST_TABLE_BYTES 12288

/* The mapped header. Static, so that its address never changes: the file is mapped over it. */
typedef struct jst_area {
    jst_head head;
    jst_commit commit[2];
    jst_block blocks[JST_BLOCKS];
    jst_ring ring;
    jst_file files[JST_FILES];
    jst_peer peers[JST_PEERS];
    jst_collective collectives[JST_COLLECTIVES];
    jst_gpu gpus[JST_GPUS];
    char table[JST_TABLE_BYTES]; /* written once: not next to what is written all the time */
} __attribute__((aligned(JST_LARGEST_PAGE))) jst_area;

#define JST_HEAD_BYTES ((uint32_t)sizeof(jst_area))
/* What the launcher asks for (JST_AREA_BYTES), and messages and docs say. */
_Static_assert(sizeof(jst_area) == 512 * 1024, "the header of a profile");

extern JST_HIDDEN jst_area jst_a;

#endif
