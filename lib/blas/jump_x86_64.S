/* The routines that are passed on, x86-64: each a jump through a slot. A slot holds the address of a few lines that have
 * it filled with the next library's routine, until a first call has done so. No argument and no result is touched, so
 * nothing needs to be known of them: all registers that may hold arguments are kept while a slot is filled. */

#define PASSED(name)                                                                                                   \
    .globl name; .type name, @function; .p2align 4;                                                                    \
    name: endbr64; jmp *slot_##name(%rip);                                                                             \
    fill_##name: endbr64; leaq slot_##name(%rip), %r11; jmp fill;                                                      \
    .size name, . - name;

    .text
#include <passed.h>
#undef PASSED

/* r11: the slot's address */
    .p2align 4
fill:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    andq $-16, %rsp
    subq $208, %rsp
    movq %rax, (%rsp) /* al: how many vector registers a variadic function gets */
    movq %rdi, 8(%rsp)
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %rcx, 32(%rsp)
    movq %r8, 40(%rsp)
    movq %r9, 48(%rsp)
    movq %r10, 56(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    movq %r11, %rdi
    call layblas_fill
    movq %rax, %r11
    movq (%rsp), %rax
    movq 8(%rsp), %rdi
    movq 16(%rsp), %rsi
    movq 24(%rsp), %rdx
    movq 32(%rsp), %rcx
    movq 40(%rsp), %r8
    movq 48(%rsp), %r9
    movq 56(%rsp), %r10
    movups 64(%rsp), %xmm0
    movups 80(%rsp), %xmm1
    movups 96(%rsp), %xmm2
    movups 112(%rsp), %xmm3
    movups 128(%rsp), %xmm4
    movups 144(%rsp), %xmm5
    movups 160(%rsp), %xmm6
    movups 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc

    .data
    .p2align 3
    .globl layblas_slots
    .hidden layblas_slots
layblas_slots:
#define PASSED(name) slot_##name: .quad fill_##name;
#include <passed.h>

    .section .note.GNU-stack, "", @progbits
