/* stubs.S: what libjostle.so's wrappers call in place of the real I/O functions: each asks
 * jst_inject_call whether to wait, and goes on to the real function with all arguments as they were.
 * One for each entry of calls.def, JST_STUB_BYTES apart.
 */
#ifdef __CET__
#include <cet.h>
#endif
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

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
    .cfi_endproc

    .balign 16
    .type ask, @function
/* Index in %r11. %rax counts the vector registers of a variadic call. */
ask:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    andq $-16, %rsp
    subq $192, %rsp
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movl %r11d, %edi
    movq %rsp, %rsi
    call jst_inject_call
    movq %rax, %r11
    movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size ask, . - ask

#elif defined(__aarch64__)

    .rept STUBS
    .balign 16
    hint 34 /* bti c: a nop where the processor does not know it */
    movz w16, index
    b ask
    .set index, index + 1
    .endr
    .cfi_endproc

    .balign 16
    .type ask, %function
/* Index in w16. x8 is where a large result goes. */
ask:
    .cfi_startproc
    stp x29, x30, [sp, -224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    stp x0, x1, [sp, 16]
    stp x2, x3, [sp, 32]
    stp x4, x5, [sp, 48]
    stp x6, x7, [sp, 64]
    str x8, [sp, 80]
    stp q0, q1, [sp, 96]
    stp q2, q3, [sp, 128]
    stp q4, q5, [sp, 160]
    stp q6, q7, [sp, 192]
    mov w0, w16
    add x1, sp, 16
    bl jst_inject_call
    mov x16, x0
    ldp x0, x1, [sp, 16]
    ldp x2, x3, [sp, 32]
    ldp x4, x5, [sp, 48]
    ldp x6, x7, [sp, 64]
    ldr x8, [sp, 80]
    ldp q0, q1, [sp, 96]
    ldp q2, q3, [sp, 128]
    ldp q4, q5, [sp, 160]
    ldp q6, q7, [sp, 192]
    ldp x29, x30, [sp], 224
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    br x16
    .cfi_endproc
    .size ask, . - ask

#else
#error "jostle's runtime knows x86-64 and aarch64; add the stubs of this machine here"
#endif

    .section .note.GNU-stack, "", %progbits
