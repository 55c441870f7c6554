#include "run/host/host_program.h"
#include "base/bug.h"
#include "base/fail.h"
#include "base/locale.h"
#include "explore/configurations.h"
#include "run/depth.h"
#include <math.h>
#include <string.h>

enum { MAX_BINDS = sizeof((struct host *)0)->places / sizeof(struct place) };

/* ---- words */

const char *host_text(const char *name)
{
    for (const struct host_texts *t = host_texts; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t->text;
    LIFT_BUG("no text '%s'", name);
}

const char *host_type(enum lift_scalar scalar)
{
    static const char *const names[] = {
        "float", "double", "int", "unsigned char", "unsigned short", "unsigned short"};

    return names[scalar];
}

void host_literal(struct lift_str *out, enum lift_scalar scalar, double value)
{
    char text[64];

    if (scalar != LIFT_F32 && scalar != LIFT_F64) {
        lift_str_addf(out, "%lld", (long long)value);
        return;
    }
    if (!isfinite(value)) {
        lift_str_add(out, isnan(value) ? "NAN" : value < 0 ? "-INFINITY" : "INFINITY");
        return;
    }
    lift_snprintf(text, sizeof text, "%.*g", scalar == LIFT_F32 ? 9 : 17, value);
    lift_str_add(out, text);
    if (!strpbrk(text, ".e"))
        lift_str_add(out, ".0");
    if (scalar == LIFT_F32)
        lift_str_addc(out, 'f');
}

void host_comment(struct lift_str *out, const char *text)
{
    const char *line = text;

    while (*line) {
        size_t len = strcspn(line, "\n");

        lift_str_add(out, len ? " * " : " *");
        for (size_t i = 0; i < len; i++) {
            lift_str_addc(out, line[i]);
            if ((line[i] == '*' && line[i + 1] == '/') ||
                (line[i] == '/' && line[i + 1] == '*'))
                lift_str_addc(out, ' ');
        }
        lift_str_addc(out, '\n');
        line += len + (line[len] == '\n');
    }
}

const struct explore_shape *host_shape(const struct host *h, const struct lift_bind *bind)
{
    if (bind->kind == LIFT_BIND_INPUT)
        return &h->inputs[bind->index];
    return bind->kind == LIFT_BIND_OUTPUT ? &h->outputs[bind->index] : NULL;
}

bool host_has_buffer(const struct lift_bind *bind)
{
    return bind->kind != LIFT_BIND_PARAM &&
           (bind->kind != LIFT_BIND_OUTPUT || bind->in_place < 0);
}

/* ---- the plain program, as reference for the kernel */

/* Returns a kernel without threads; with one kernel an intermediate if there is no other.
 */
static lift_expr plain_term(const struct lift_chosen *c, struct lift_str *why)
{
    static const char *const families[] = {"sequential", "sequential_stored"};
    lift_expr term = NULL;

    for (int i = 0; i < 2 && !term; i++) {
        lift_str_clear(why);
        term = configurations_term(c->problem, c->chooser.rules, LIFT_DIALECT_OPENMP,
                                   families[i], why);
    }
    return term;
}

/* In C++ a namespace separates the names of the plain program from those of the kernels.
 */
static void write_plain(const struct host *h, const struct host *plain)
{
    lift_str_add(h->out, "\n/* ---- The plain program: the naive kernel on one thread, "
                         "with row-major grids. */\n\n");
    if (host_is_cpp(h))
        lift_str_add(h->out,
                     "#define restrict __restrict__\nnamespace plain_program {\n");
    host_openmp_step(plain);
    if (host_is_cpp(h))
        lift_str_addf(h->out, "}\nusing plain_program::%s;\n#undef restrict\n",
                      plain->module->step);
}

/* ---- whole files */

static bool find_places(struct host *h, struct lift_str *why)
{
    const struct explore_problem *p = h->chosen->problem;

    LIFT_ASSERT(h->module->bind_count <= MAX_BINDS);
    for (int i = 0; i < h->module->bind_count; i++)
        if (!runner_place(p, p->param_values, &h->module->binds[i], &h->places[i], why))
            return false;
    return true;
}

static const struct host_language languages[] = {
    [LIFT_DIALECT_OPENMP] = {"openmp.c.in", host_openmp_includes, host_openmp, NULL},
    [LIFT_DIALECT_OPENCL] = {"opencl.c.in", host_opencl_includes, host_opencl, NULL},
    [LIFT_DIALECT_CUDA] = {"gpu.c.in", host_gpu_includes, host_gpu, host_gpu_words},
    [LIFT_DIALECT_HIP] = {"gpu.c.in", host_gpu_includes, host_gpu, host_gpu_words},
};

const struct host_language *host_language_of(const struct host *h)
{
    LIFT_ASSERT(h->module);
    return &languages[h->module->dialect];
}

bool host_is_cpp(const struct host *h)
{
    return h->module->dialect == LIFT_DIALECT_CUDA ||
           h->module->dialect == LIFT_DIALECT_HIP;
}

static const char system_includes[] =
    "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    "#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n";

static void write_all(const struct host *h, const struct host *plain)
{
    const struct host_language *l = host_language_of(h);

    host_provenance(h);
    if (!host_is_cpp(h))
        lift_str_add(h->out, "#define _GNU_SOURCE\n");
    lift_str_add(h->out, system_includes);
    lift_str_add(h->out, "\n/* ==== To be copied: from here ... */\n\n");
    l->includes(h);
    l->kernels(h);
    lift_str_add(h->out, "\n/* ==== ... to here. */\n");
    write_plain(h, plain);
    lift_str_add(h->out,
                 "\n/* ---- From here on: a program that runs the kernel on random "
                 "inputs, compares it with\n * the plain program, and times it. */\n\n");
    lift_str_add(h->out, host_text("rotation.h"));
    lift_str_add(h->out, "\n");
    lift_str_add(h->out, host_text("types.c.in"));
    host_tables(h);
    if (l->words)
        l->words(h);
    lift_str_add(h->out, host_text(l->text));
    host_kernel(plain);
    for (const struct host *k = h; k; k = k->fewer)
        host_kernel(k);
    lift_str_add(h->out, "/* From the most time steps a launch to the fewest. */\n"
                         "static const struct kernel *const kernel_list[] = {&plain");
    for (const struct host *k = h; k; k = k->fewer)
        lift_str_addf(h->out, ", &%s", k->kernel);
    lift_str_add(h->out, "};\nenum { LISTED = sizeof kernel_list / sizeof *kernel_list "
                         "};\n");
    lift_str_add(h->out, host_text("runner.c.in"));
}

/* Host kernels are C. As C++ they need another word for 'restrict', and no warning where
 * lanes of i32 vectors are computed from wider indices. */
static void write_header(const struct host *h)
{
    const struct host_language *l = host_language_of(h);
    bool openmp = h->module->dialect == LIFT_DIALECT_OPENMP;

    host_provenance(h);
    lift_str_addf(h->out, "#ifndef LIFT_KERNEL_%s\n#define LIFT_KERNEL_%s\n\n",
                  h->module->step, h->module->step);
    l->includes(h);
    if (openmp)
        lift_str_add(h->out,
                     "#include <math.h>\n#include <stdbool.h>\n#ifdef __cplusplus\n"
                     "#define restrict __restrict__\n"
                     "#pragma GCC diagnostic push\n"
                     "#pragma GCC diagnostic ignored \"-Wnarrowing\"\n#endif\n");
    l->kernels(h);
    if (openmp)
        lift_str_add(h->out, "#ifdef __cplusplus\n#undef restrict\n"
                             "#pragma GCC diagnostic pop\n#endif\n");
    lift_str_add(h->out, "\n#endif\n");
}

bool lift_chosen_sound(const struct lift_chosen *c, const struct lift_source *source,
                       struct lift_error *errors)
{
    if (!c || explore_problem_ready(c->problem, source, errors))
        return true;
    if (errors->code == LIFT_ERROR_PROGRAM)
        return false;
    lift_error_fini(errors);
    return true;
}

/* Fills in the members that follow from a kernel. */
static bool describe(struct host *h, const struct runner_module *kernel,
                     struct lift_str *why)
{
    const struct lift_chosen *c = h->chosen;

    h->module = kernel->module;
    h->name = c->problem->name;
    h->input_count = explore_input_shapes(c->problem, h->inputs);
    h->output_count = explore_output_shapes(c->problem, h->outputs);
    return find_places(h, why);
}

static bool make_kernel(struct host *h, struct runner_module *kernel, const char *beside,
                        struct lift_str *why)
{
    const struct lift_chosen *c = h->chosen;
    struct chosen_use use = {.local_functions = true, .beside = beside};

    return explore_has_shapes(c->problem, why) &&
           chosen_generate(&c->chooser, &c->candidate, use, kernel, why) &&
           describe(h, kernel, why);
}

static bool make_plain(struct host *h, struct runner_module *out,
                       struct lift_error *error)
{
    const struct explore_problem *p = h->chosen->problem;
    LIFT_SCOPED(lift_str) why = {0};
    lift_expr term = plain_term(h->chosen, &why);
    struct runner_request request = {.problem = p,
                                     .term = term,
                                     .numbers = &p->sizes,
                                     .dialect = LIFT_DIALECT_OPENMP,
                                     .beside = "plain",
                                     .local_functions = true};

    return (term && runner_generate(&request, out, &why) && describe(h, out, &why)) ||
           lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
}

/* A file in progress, and its kernels from the most time steps a launch to the fewest. */
struct writing {
    struct host kernel[DEPTH_KERNELS], plain_one;
    struct runner_module module[DEPTH_KERNELS], plain;
    int count;
};

/* Names of functions contain the time steps a launch as a word. */
static const char *const step_words[LIFT_MAX_STEPS + 1] = {
    "",       "single",   "two",      "three",   "four",   "five",
    "six",    "seven",    "eight",    "nine",    "ten",    "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen"};

static bool check_kernels(const struct lift_chosen *c,
                          const struct lift_chosen *const *rest, int count,
                          struct lift_error *error)
{
    int before = c ? c->facts.at_once : 0;

    if (!c)
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "there is no kernel: 'chosen' is NULL");
    if (count < 0 || count >= DEPTH_KERNELS || (count && !rest))
        return lift_fail(error, LIFT_ERROR_ARGUMENT,
                         "'rest' has %d kernels: 0 to %d are expected", count,
                         DEPTH_KERNELS - 1);
    for (int i = 0; i < count; i++) {
        int steps = rest[i] ? rest[i]->facts.at_once : 0;

        if (steps < 1 || steps >= before || (i + 1 == count && steps != 1))
            return lift_fail(error, LIFT_ERROR_ARGUMENT,
                             "kernel %d of 'rest' computes %d time steps a launch: %s", i,
                             steps,
                             i + 1 == count ? "1 is expected for the last kernel"
                                            : "fewer are expected than of the kernel "
                                              "before, and at least 1");
        before = steps;
    }
    return true;
}

static bool prepare(struct writing *w, const struct lift_chosen *c,
                    const struct lift_chosen *const *rest, int count,
                    struct lift_str *out, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) why = {0};
    bool good = true;

    *w = (struct writing){
        .kernel = {{.chosen = c, .out = out, .kernel = "kernel"}},
        .plain_one = {.chosen = c, .out = out, .kernel = "plain", .plain = true},
        .count = 1};
    if (!check_kernels(c, rest, count, error))
        return false;
    for (int i = 0; i < count; i++, w->count++) {
        w->kernel[i + 1] =
            (struct host){.chosen = rest[i],
                          .out = out,
                          .kernel = lift_arena_printf(rest[i]->arena, "kernel_of_%d",
                                                      rest[i]->facts.at_once),
                          .before = &w->kernel[i]};
        w->kernel[i].fewer = &w->kernel[i + 1];
    }
    for (int i = 0; i < w->count && good; i++)
        good = make_kernel(&w->kernel[i], &w->module[i],
                           i ? step_words[rest[i - 1]->facts.at_once] : NULL, &why);
    return good || lift_fail(error, LIFT_ERROR_KERNEL, "%s", lift_str_get(&why));
}

static void finish(struct writing *w)
{
    for (int i = 0; i < w->count; i++)
        runner_unload(NULL, &w->module[i]);
    runner_unload(NULL, &w->plain);
}

bool lift_chosen_host(const struct lift_chosen *c, const struct lift_chosen *const *rest,
                      int count, struct lift_str *out, struct lift_error *error)
{
    struct writing w;
    bool good = prepare(&w, c, rest, count, out, error);

    if (good) { /* makes the plain program, which checks the kernel's results */
        const struct lift_source source = {c->problem->file, c->problem->text,
                                           strlen(c->problem->text)};

        LIFT_ASSERT(w.kernel->module);
        if (w.kernel->module->dialect == LIFT_DIALECT_OPENMP)
            w.plain_one.before = &w.kernel[w.count - 1];
        good = explore_problem_ready(c->problem, &source, error) &&
               make_plain(&w.plain_one, &w.plain, error);
    }
    if (good)
        write_all(w.kernel, &w.plain_one);
    finish(&w);
    return good;
}

bool lift_chosen_header(const struct lift_chosen *c,
                        const struct lift_chosen *const *rest, int count,
                        struct lift_str *out, struct lift_error *error)
{
    struct writing w;
    bool good = prepare(&w, c, rest, count, out, error);

    w.kernel->header = true;
    if (good)
        write_header(w.kernel);
    finish(&w);
    return good;
}
