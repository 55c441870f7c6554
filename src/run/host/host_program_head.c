/* Prints the origin of a kernel, and the contract for its callers. */
#include "run/host/host_program.h"
#include <string.h>

/* ---- provenance */

static void add_steps(const struct lift_chosen_facts *f, struct lift_str *out)
{
    const char *before = "";

    if (f->step_count)
        lift_str_add(out,
                     "Derived by these rewrites (rule, place in the expression):\n\n");
    for (int i = 0; i < f->step_count; i++) {
        const struct lift_chosen_step *s = &f->steps[i];

        if (*s->macros && strcmp(s->macros, before) != 0)
            lift_str_addf(out, "      %s:\n", s->macros);
        before = s->macros;
        lift_str_addf(out, "  %3d %s%-22s %s%s%s\n", i + 1, *s->macros ? "  " : "",
                      s->rule, s->position, *s->args ? ", " : "", s->args);
    }
    if (f->step_count)
        lift_str_add(out, "\n");
}

static void add_origin(const struct lift_chosen_facts *f, struct lift_str *out)
{
    char hex[LIFT_HASH_HEX];

    lift_str_addf(out, "  program     %s %s\n", f->program, f->sizes);
    lift_str_addf(out, "  device      %s (%s)\n", f->device, f->runtime);
    lift_str_addf(out, "  kernel      %s: %s\n", lift_chosen_how_name(f->how), f->words);
    if (f->seconds > 0)
        lift_str_addf(out, "  measured    %.4g ms, %.4g GPts/s%s\n", 1e3 * f->seconds,
                      f->gpts, f->how == LIFT_CHOSEN_EXACT ? "" : ", there");
    lift_str_addf(out, "  tunables    %s\n", f->tunables);
    lift_str_addf(out, "  expression  %s\n", lift_hash_hex(f->expr, hex));
    if (f->seconds > 0)
        lift_str_addf(out, "  trial       %s\n", lift_hash_hex(f->trial, hex));
    lift_str_add(out, "\n");
}

static const char *host_libraries(const struct host *h)
{
    switch (h->module->dialect) {
    case LIFT_DIALECT_OPENMP:
        return " -lm";
    case LIFT_DIALECT_OPENCL:
        return " -lOpenCL -lm";
    default:
        return host_has_tensors(h) ? " -lcuda" : "";
    }
}

/* Adds the compiler and flags of the measurement. */
static void add_compiler(const struct host *h, struct lift_str *out)
{
    const char *flags;
    enum lift_compiler compiler = lift_compiler_named(h->chosen->facts.flags, &flags);
    const char *gap = *flags ? " " : "", *arch = h->chosen->device.arch;

    switch (h->module->dialect) {
    case LIFT_DIALECT_OPENMP:
        lift_str_addf(out, "%s -O3 -march=native%s%s -fopenmp",
                      lift_compiler_name(compiler), gap, flags);
        break;
    case LIFT_DIALECT_OPENCL:
        lift_str_add(out, "cc -O2");
        break;
    case LIFT_DIALECT_CUDA:
        lift_str_addf(out, "nvcc -O3 -std=c++17 -arch=%s%s%s", arch, gap, flags);
        break;
    default:
        lift_str_addf(out, "hipcc -O3 -std=c++17 --offload-arch=%s%s%s", arch, gap,
                      flags);
    }
}

/* The commands assume that the file has the name of the program. */
static void add_how_to_compile(const struct host *h, struct lift_str *out)
{
    bool openmp = h->module->dialect == LIFT_DIALECT_OPENMP;

    if (h->header) {
        lift_str_add(out,
                     "Include it in one file, which is compiled and linked by\n\n  ");
        add_compiler(h, out);
        lift_str_addf(out, " ...%s\n", host_libraries(h));
        return;
    }
    lift_str_add(out, "To compile and run it:\n\n  ");
    add_compiler(h, out);
    lift_str_addf(out, " %s.%s -o %s%s\n  %s./%s --help\n", h->name,
                  !host_is_cpp(h)                           ? "c"
                  : h->module->dialect == LIFT_DIALECT_CUDA ? "cu"
                                                            : "hip",
                  h->name, host_libraries(h),
                  openmp ? "OMP_PROC_BIND=close OMP_PLACES=cores " : "", h->name);
}

void host_provenance(const struct host *h)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_str_addf(&text,
                  h->header ? "%s: a kernel made by lift, behind one function. It needs "
                              "nothing of lift.\n\n"
                            : "%s: a kernel made by lift, and a program that checks and "
                              "times it. It needs nothing\nof lift.\n\n",
                  h->name);
    add_origin(&h->chosen->facts, &text);
    add_how_to_compile(h, &text);
    lift_str_add(&text, "\n");
    add_steps(&h->chosen->facts, &text);
    lift_str_add(&text, "The expression, at these sizes:\n\n");
    lift_str_add(h->out, "/*\n");
    host_comment(h->out, lift_str_get(&text));
    /* continues the comment with the module's own comment */
    lift_str_addf(h->out, " *%s", h->module->comment + 2);
}

/* ---- the contract */

static void add_index(const int64_t *stride, int dims, int64_t offset,
                      struct lift_str *out)
{
    static const char letters[] = "ijklmnop";
    bool any = offset != 0;

    if (offset)
        lift_str_addf(out, "%lld", (long long)offset);
    for (int d = 0; d < dims; d++) {
        lift_str_add(out, any ? " + " : "");
        any = true;
        if (stride[d] != 1)
            lift_str_addf(out, "%lld * ", (long long)stride[d]);
        lift_str_addc(out, letters[d]);
    }
}

static void add_layout(const struct lift_bind *b, const struct place *p,
                       const struct explore_shape *s, struct lift_str *out)
{
    int64_t stride[LIFT_LAYOUT_DIMS + 2];

    stride[s->dims] = 1;
    for (int d = s->dims - 1; d >= 0; d--)
        stride[d] = d == s->dims - 1 ? 1 : stride[d + 1] * s->length[d + 1];
    lift_str_addf(out, " in a buffer of %lld; element (i, j, ...) is %s[",
                  (long long)b->count, b->name);
    if (p->laid_out)
        add_index(p->layout.stride, p->layout.dims, p->layout.offset, out);
    else
        add_index(stride, s->dims, 0, out);
    lift_str_add(out, "]");
    if (p->filled)
        lift_str_addf(
            out,
            ";\n    what lies around the grid is read and must be %.9g; kernels "
            "never write it",
            p->fill);
    else if (p->laid_out && b->count > s->count)
        lift_str_add(out, ";\n    what lies around the grid is neither read nor written");
    if (p->laid_out && p->layout.multiple > 1)
        lift_str_addf(out,
                      ";\n    element %lld of each row lies at a multiple of %lld: align "
                      "the buffer to %lld bytes",
                      (long long)p->layout.at, (long long)p->layout.multiple,
                      (long long)p->layout.multiple * lift_scalar_bytes(b->scalar));
}

static void add_scratch(const struct lift_bind *b, const struct place *p,
                        struct lift_str *out)
{
    if (p->filled)
        lift_str_addf(out,
                      ", %lld elements, which are %.9g before the first launch; kernels "
                      "write those of a grid\n    only",
                      (long long)b->count, p->fill);
    else
        lift_str_addf(out, ", %lld elements of any value", (long long)b->count);
}

static void add_bind(const struct host *h, int index, struct lift_str *out)
{
    static const char *const kinds[] = {"input", "output", "scratch", "parameter"};
    const struct lift_bind *b = &h->module->binds[index];
    const struct explore_shape *s = host_shape(h, b);

    lift_str_addf(out, "  %s: %s", b->name, kinds[b->kind]);
    if (strcmp(b->name, b->label) != 0)
        lift_str_addf(out, " '%s'", b->label);
    lift_str_addf(out, ", %s", lift_scalar_name(b->scalar));
    if (s) {
        lift_str_addc(out, ' ');
        for (int d = 0; d < s->dims; d++)
            lift_str_addf(out, "[%lld]", (long long)s->length[d]);
    }
    if (b->kind == LIFT_BIND_TEMP)
        add_scratch(b, &h->places[index], out);
    if (s && b->kind == LIFT_BIND_OUTPUT && b->in_place >= 0)
        lift_str_addf(out, ", stored in the buffer of '%s', which is lost",
                      h->module->binds[b->in_place].label);
    else if (s)
        add_layout(b, &h->places[index], s, out);
    if (b->kind == LIFT_BIND_PARAM) {
        lift_str_add(out, ", ");
        host_literal(out, b->scalar, h->chosen->problem->param_values[b->index]);
        lift_str_add(out, " unless said otherwise");
    }
    lift_str_add(out, "\n");
}

void host_contract(const struct host *h)
{
    LIFT_SCOPED(lift_str) text = {0};

    for (int i = 0; i < h->module->bind_count; i++)
        add_bind(h, i, &text);
    lift_str_add(&text,
                 "\nBuffers do not overlap. Arrays of the same lengths and element "
                 "type lie in the same way, so\nthat an output can be the input of "
                 "the next step.\n");
    if (h->chosen->facts.at_once > 1)
        lift_str_addf(h->out, "\n/* %d steps of the time loop of %s a launch.\n *\n",
                      h->chosen->facts.at_once, h->name);
    else
        lift_str_addf(h->out, "\n/* One step of %s.\n *\n", h->name);
    host_comment(h->out, lift_str_get(&text));
    lift_str_add(h->out, " */\n");
}
