/* mpi_trampolines.S: the MPI names that libjostle.so exports. Each jumps to where its slot says.
 *
 * RATIONALE: a name here knows neither arguments nor ABI. Slots are zero until the first call, in
 * .bss: a process that calls no MPI pays neither for a relocation nor for a page of them. The test
 * for zero costs less than one nanosecond, and is never mispredicted.
 */
#ifdef __CET__
#include <cet.h>
#endif
#ifndef _CET_ENDBR
#define _CET_ENDBR
#endif

#define JST_MPI_NAME(name) jst_trampoline name
#define JST_MPI_FORTRAN(name, ierror) jst_trampoline name

    .set jst_index, 0

#if defined(__x86_64__)

    .macro jst_trampoline name
    .globl \name
    .type \name, @function
    .balign 16
\name:
    _CET_ENDBR
    movq jst_mpi_slots + 8 * jst_index(%rip), %r11
    testq %r11, %r11
    jz 1f
    jmp *%r11
1:  movl $jst_index, %r11d
    jmp first_call
    .size \name, . - \name
    .set jst_index, jst_index + 1
    .endm

    .text
    .balign 16
    .type first_call, @function
/* Index in %r11. Every register that may hold an argument comes back as it was; %rax counts the
 * vector registers of a variadic call, %r10 is the static chain. */
first_call:
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
    movq %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movl %r11d, %edi
    call jst_mpi_first
    movq %rax, %r11
    movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movq 56(%rsp), %r10
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
    .size first_call, . - first_call

#elif defined(__aarch64__)

    .macro jst_trampoline name
    .globl \name
    .type \name, %function
    .balign 16
\name:
    hint 34 /* bti c: a nop where the processor does not know it */
    adrp x16, jst_mpi_slots + 8 * jst_index
    ldr x16, [x16, :lo12:jst_mpi_slots + 8 * jst_index]
    cbz x16, 1f
    br x16
1:  movz w16, jst_index
    b first_call
    .size \name, . - \name
    .set jst_index, jst_index + 1
    .endm

    .text
    .balign 16
    .type first_call, %function
/* Index in w16. x8 is where a large result goes, x18 the platform's. */
first_call:
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
    bl jst_mpi_first
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
    .size first_call, . - first_call

#else
#error "jostle's runtime knows x86-64 and aarch64; add the trampolines of this machine here"
#endif

/* A section of their own: between the code that every process runs they would only cost page faults.
 * One description of the stack serves all: nothing is on it but the return address. */
    .section jst_mpi_text, "ax", %progbits
    .balign 16
    .globl jst_mpi_names_begin, jst_mpi_names_end
    .hidden jst_mpi_names_begin
    .hidden jst_mpi_names_end
    .cfi_startproc
jst_mpi_names_begin:
#include "jst_mpi_names.def"
    nop
jst_mpi_names_end:
    .cfi_endproc

    .bss
    .balign 64
    .globl jst_mpi_slots
    .hidden jst_mpi_slots
    .type jst_mpi_slots, %object
jst_mpi_slots:
    .zero 8 * jst_index
    .size jst_mpi_slots, . - jst_mpi_slots

    .section .note.GNU-stack, "", %progbits
