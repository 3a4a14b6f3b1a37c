/* stubs.S: what libjostle.so's wrappers call in place of the real I/O functions: each asks
 * jst_inject_call whether to wait, and continues with the real function and unchanged arguments.
 * One for each entry of calls.def, JST_STUB_BYTES apart.
 */
#include "../../runtime/include/jst_ask.inc"

#define STUBS 512

    .text
    .balign 16
    .globl jst_inject_stubs
    .hidden jst_inject_stubs
    .hidden jst_inject_call
    .cfi_startproc
jst_inject_stubs:
    .set index, 0

#if defined(__x86_64__)

    .rept STUBS
    .balign 16
    _CET_ENDBR
    movl $index, %r11d
    jmp ask
    .set index, index + 1
    .endr

#elif defined(__aarch64__)

    .rept STUBS
    .balign 16
    hint 34 /* bti c: a nop where the processor does not know it */
    movz w16, index
    b ask
    .set index, index + 1
    .endr

#endif
    .cfi_endproc

    jst_ask ask, jst_inject_call

    .section .note.GNU-stack, "", %progbits
