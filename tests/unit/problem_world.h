/* The problems of the programs that ship. */
#ifndef PROBLEM_WORLD_H
#define PROBLEM_WORLD_H

#include "explore/problem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program of programs/, or of the folder in its name, at these sizes or at its default
 * sizes, in this precision, with this temporal blocking factor. */
static inline struct explore_problem *load_steps(const char *program,
                                                 enum lift_scalar scalar, int steps,
                                                 const struct lift_size_setting *sizes,
                                                 int count)
{
    struct lift_error errors = {0};
    struct lift_source source;
    struct explore_problem *p = NULL;
    char path[512];

    snprintf(path, sizeof path, "%s/%s%s.lift", getenv("LIFT_SOURCE_DIR"),
             strchr(program, '/') ? "" : "programs/", program);
    if (lift_source_load(path, &source, &errors) &&
        lift_source_precision(&source, scalar, &errors) &&
        lift_source_steps(&source, steps, &errors))
        p = explore_problem_load(&source, sizes, count, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_error_fini(&errors);
    lift_source_free(&source);
    return p;
}

static inline struct explore_problem *load_precise(const char *program,
                                                   enum lift_scalar scalar,
                                                   const struct lift_size_setting *sizes,
                                                   int count)
{
    return load_steps(program, scalar, 1, sizes, count);
}

static inline struct explore_problem *
load_program(const char *program, const struct lift_size_setting *sizes, int count)
{
    return load_precise(program, LIFT_F32, sizes, count);
}

/* A device that nothing is run on. */
static const struct lift_device_info opencl_gpu = {.name = "gpu",
                                                   .arch = "none",
                                                   .dialect = LIFT_DIALECT_OPENCL,
                                                   .max_group_size = 256,
                                                   .max_group_dims = {256, 256, 64},
                                                   .local_bytes = 48 * 1024};

static inline struct explore_problem *load_text(const char *text)
{
    struct lift_source source = {"test.lift", text, strlen(text)};
    struct lift_error errors = {0};
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &errors);

    lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_error_fini(&errors);
    return p;
}

#endif
