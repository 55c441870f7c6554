/* Hand-written kernels, to be timed against generated ones: files of bench/reference, in
 * the language of a device. The comment at the head of each names its program and its
 * launch; bench/reference/README.md describes the syntax. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "explore/runner.h"

enum { REFERENCE_MOST = 32, REFERENCE_NAME = 80, REFERENCE_REASON = 240 };

/* One variant of one file, for one program at its sizes. */
struct bench_reference {
    char name[REFERENCE_NAME];      /* "heat.cu 32x4x2" */
    bool plain;                     /* a loop nest without tricks */
    struct runner_module module;    /* not compiled; released by runner_unload */
    char refused[REFERENCE_REASON]; /* why it is not for these sizes; "": it is */
};

struct bench_shelf {
    const char *folder;
    const char *only; /* files that have this in their names; NULL: all */
};

/* All references of a folder that name the program of 'p', for such a device; how many.
 * Ends the process with a message and status 2 if a file is malformed. */
int bench_references(const struct bench_shelf *shelf, const struct explore_problem *p,
                     const struct lift_device_info *device,
                     struct bench_reference out[REFERENCE_MOST]);

#endif
