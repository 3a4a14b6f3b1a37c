/* mpi_trampolines.S: the MPI functions that libjostle.so exports. Each jumps to the address in its
 * slot.
 *
 * RATIONALE: a trampoline depends neither on the arguments nor on the ABI of the MPI. The slots are
 * in .bss and zero until the first call, so a process that calls no MPI needs no relocations and no
 * page for them. The test for zero costs less than one nanosecond and is predicted correctly.
 */
#include "../../include/jst_ask.inc"

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

#endif

    .text
    jst_ask first_call, jst_mpi_first

/* The trampolines have a section of their own: placed between code that every process runs they
 * would cost page faults. One unwind description serves all of them: only the return address is
 * on the stack. */
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

    .section .bss.large, "aw", %nobits
    .balign 64
    .globl jst_mpi_slots
    .hidden jst_mpi_slots
    .type jst_mpi_slots, %object
jst_mpi_slots:
    .zero 8 * jst_index
    .size jst_mpi_slots, . - jst_mpi_slots

    .section .note.GNU-stack, "", %progbits
