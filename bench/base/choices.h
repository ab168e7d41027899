/* The library's options as options of commands. */
#ifndef CHOICES_H
#define CHOICES_H

#include "args.h"
#include "levels.h"

#define CHOICE_OPTIONS                                                                                                 \
    { "isa", 0, "NAME", "highest instruction set for us: auto, " LAY_ISA_NAMES },                                      \
        { "backend", 0, "NAME", "where we compute: auto, cpu, cuda; auto if not given" },                              \
        { "compute", 0, "NAME",                                                                                        \
          "how we compute: auto, strict, f32_split, tf32, bf16, fp16, bf16x3; auto if not given" },                    \
        { "kernel", 0, "NAME", "a kernel or a family of kernels for us; 'lay explain' lists them" },                   \
        { "device", 0, "N", "the CUDA device, by its number" },                                                        \
    {                                                                                                                  \
        "device-memory", 0, "BYTES", "device memory for products of host operands at most: 500M, 2G"                   \
    }

/* What was given goes to *out, a kernel's name as it is: it lives as long as the command line. 0, or the exit
 * status after a sentence. */
int choices_read(const args *given, lay_options *out);

/* The same of isa, compute and device alone, for a program whose command line has no others. */
int choices_read_how(const args *given, lay_options *out);

/* host, pinned or device, or what *out held. */
int choices_memory(const args *given, const char *name, lay_memory *out);
const char *choices_memory_name(lay_memory kind);
const char *choices_compute_name(lay_compute mode);

#endif
