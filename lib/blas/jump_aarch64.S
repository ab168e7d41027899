/* The routines that are passed on, AArch64: as jump_x86_64.S has them. */

#define PASSED(name)                                                                                                   \
    .globl name; .type name, %function; .p2align 4;                                                                    \
    name: hint 34; adrp x16, slot_##name; ldr x16, [x16, :lo12:slot_##name]; br x16;                                   \
    fill_##name: hint 36; adrp x16, slot_##name; add x16, x16, :lo12:slot_##name; b fill;                              \
    .size name, . - name;

    .text
#include <passed.h>
#undef PASSED

/* x16: the slot's address. x0 to x7 and v0 to v7 hold arguments, x8 the place of a result. */
    .p2align 4
fill:
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
    mov x0, x16
    bl layblas_fill
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
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    br x16
    .cfi_endproc

    .data
    .p2align 3
    .globl layblas_slots
    .hidden layblas_slots
layblas_slots:
#define PASSED(name) slot_##name: .quad fill_##name;
#include <passed.h>

    .section .note.GNU-stack, "", %progbits
