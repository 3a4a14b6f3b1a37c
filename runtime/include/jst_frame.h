/* jst_frame.h: detects that a wrapped call is left without a return.
 *
 * RATIONALE: a cancelled thread, pthread_exit in a signal handler and an exception of C++ all unwind the
 * stack, and the unwinder calls the personality routine of each frame. Wrappers of calls that
 * are marked as in progress name one; it ends the mark and lets the unwinder continue. A call that
 * returns has no additional instruction: the name is in the unwind tables only. */
#ifndef JST_FRAME_H
#define JST_FRAME_H

/* In a wrapper, before the real call: its frame names jst_frame_left, which each library has for
 * itself.
 * 0x1b: a signed distance of 4 bytes, so that the loader has nothing to do. */
__attribute__((always_inline)) static inline void jst_frame(void)
{
    __asm__ volatile(".cfi_personality 0x1b, jst_frame_left");
}

/* Of the unwinder's interface (Itanium C++ ABI: Exception Handling, 1.2). */
#define JST_UNWIND_CLEANUP 2  /* in actions: the frame is about to go */
#define JST_UNWIND_CONTINUE 8 /* the answer: not mine, go on */

#endif
