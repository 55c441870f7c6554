/* The kernel behind one function. */
#include "run/host_program.h"
#include <string.h>

static const char from[] = "\n/* ==== To be copied: from here ... */\n\n",
                  to[] = "\n/* ==== ... to here. */\n";

/* ---- OpenMP */

static bool is_written(const struct lift_bind *b, const struct lift_module *m, int index)
{
    if (b->kind != LIFT_BIND_INPUT)
        return true;
    for (int i = 0; i < m->bind_count; i++)
        if (m->binds[i].kind == LIFT_BIND_OUTPUT && m->binds[i].in_place == index)
            return true;
    return false;
}

static void add_openmp_params(const struct host *h)
{
    const struct lift_module *m = h->module;
    const char *comma = "";

    for (int i = 0; i < m->bind_count; i++) {
        const struct lift_bind *b = &m->binds[i];

        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(h->out, "%s%s %s", comma, host_type(b->scalar), b->name);
        else if (host_has_buffer(b))
            lift_str_addf(h->out, "%s%s%s *%s", comma,
                          is_written(b, m, i) ? "" : "const ", host_type(b->scalar),
                          b->name);
        else
            continue;
        comma = ", ";
    }
}

static bool has_helper(const struct lift_module *m, const char *text)
{
    for (int i = 0; m && i < m->helper_count; i++)
        if (strcmp(m->helpers[i], text) == 0)
            return true;
    return false;
}

bool host_has_helper(const struct host *h, const char *text)
{
    return has_helper(h->module, text) ||
           (h->single && has_helper(h->single->module, text));
}

/* What a parameter of a kernel is passed by: outputs in place have the input's name. */
static const char *name_in_call(const struct lift_module *m, int index)
{
    const struct lift_bind *b = &m->binds[index];

    return b->kind == LIFT_BIND_OUTPUT && b->in_place >= 0 ? m->binds[b->in_place].name
                                                           : b->name;
}

static bool is_passed(const struct lift_module *m, int index)
{
    for (int k = 0; k < m->kernel_count; k++)
        for (int i = 0; i < m->kernels[k].arg_count; i++)
            if (m->kernels[k].args[i] == index)
                return true;
    return false;
}

/* Inputs that the kernels have no need of. */
static void add_unused(const struct host *h)
{
    for (int i = 0; i < h->module->bind_count; i++)
        if ((host_has_buffer(&h->module->binds[i]) ||
             h->module->binds[i].kind == LIFT_BIND_PARAM) &&
            !is_passed(h->module, i))
            lift_str_addf(h->out, "    (void)%s;\n", h->module->binds[i].name);
}

/* The kernels, and the function that calls them; 'before': what the text has already. */
static void add_openmp_kernels(const struct host *h, const struct lift_module *before)
{
    const struct lift_module *m = h->module;

    for (int i = 0; i < m->helper_count; i++)
        if (!has_helper(before, m->helpers[i]))
            lift_str_add(h->out, m->helpers[i]);
    lift_str_add(h->out, m->text);
    host_contract(h);
    lift_str_addf(h->out, "static void %s(", m->step);
    add_openmp_params(h);
    lift_str_add(h->out, ")\n{\n");
    for (int k = 0; k < m->kernel_count; k++) {
        lift_str_addf(h->out, "    %s(", m->kernels[k].name);
        for (int i = 0; i < m->kernels[k].arg_count; i++)
            lift_str_addf(h->out, "%s%s", i ? ", " : "",
                          name_in_call(m, m->kernels[k].args[i]));
        lift_str_add(h->out, ");\n");
    }
    add_unused(h);
    lift_str_add(h->out, "}\n");
}

void host_openmp(const struct host *h)
{
    lift_str_add(h->out, "#define _GNU_SOURCE\n#include <stdint.h>\n#include "
                         "<stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
                         "<sys/mman.h>\n#include <time.h>\n");
    lift_str_add(h->out, from);
    add_openmp_kernels(h, NULL);
    if (h->single)
        add_openmp_kernels(h->single, h->module);
    lift_str_add(h->out, to);
}

/* ---- OpenCL */

static void collect(const struct host *h, const struct lift_module *before,
                    struct lift_str *text)
{
    for (int i = 0; i < h->module->helper_count; i++)
        if (!has_helper(before, h->module->helpers[i]))
            lift_str_add(text, h->module->helpers[i]);
    lift_str_add(text, h->module->text);
}

static void add_source(const struct host *h)
{
    struct lift_str text = {0};

    collect(h, NULL, &text);
    if (h->single)
        collect(h->single, h->module, &text);
    lift_str_add(h->out, "static const char source[] =\n    \"");
    for (const char *c = lift_str_get(&text); *c; c++)
        if (*c == '\n')
            lift_str_add(h->out, c[1] ? "\\n\"\n    \"" : "\\n");
        else if (*c == '"' || *c == '\\')
            lift_str_addf(h->out, "\\%c", *c);
        else
            lift_str_addc(h->out, *c);
    lift_str_add(h->out, "\";\n");
    lift_str_fini(&text);
}

static void add_kernel_names(const struct host *h, const char *comma)
{
    for (int k = 0; k < h->module->kernel_count; k++)
        lift_str_addf(h->out, "%s\"%s\"", k ? ", " : comma, h->module->kernels[k].name);
}

static void add_names(const struct host *h)
{
    int count = h->module->kernel_count;
    const char *flags = h->chosen->facts.flags;

    lift_str_addf(h->out, "static const char flags[] = \"-cl-std=CL1.2%s%s\";\n",
                  *flags ? " " : "", flags);
    lift_str_addf(h->out, "enum { LAUNCHED = %d, KERNELS = %d };\n", count,
                  count + (h->single ? h->single->module->kernel_count : 0));
    lift_str_add(h->out, "static const char *const kernel_names[KERNELS] = {");
    add_kernel_names(h, "");
    if (h->single)
        add_kernel_names(h->single, ", ");
    lift_str_add(h->out, "};\n");
}

static void add_sizes(const struct host *h, const char *what, int k, const size_t *size)
{
    lift_str_addf(h->out, "%s%d[] = {%zu, %zu, %zu}", what, k + 1, size[0], size[1],
                  size[2]);
}

static void add_launch(const struct host *h, int k)
{
    const struct lift_kernel *kernel = &h->module->kernels[k];

    lift_str_add(h->out, "\n    static const size_t ");
    add_sizes(h, "lift_global_", k, kernel->launch.global);
    lift_str_add(h->out, ", ");
    add_sizes(h, "lift_local_", k, kernel->launch.local);
    lift_str_add(h->out, ";\n");
}

static void add_enqueue(const struct host *h, int k)
{
    const struct lift_kernel *kernel = &h->module->kernels[k];

    lift_str_add(h->out, "\n");
    for (int i = 0; i < kernel->arg_count; i++) {
        const char *name = name_in_call(h->module, kernel->args[i]);

        lift_str_addf(
            h->out,
            "    lift_code |= clSetKernelArg(lift_kernels[%d], %d, sizeof %s, &%s);\n", k,
            i, name, name);
    }
    lift_str_addf(
        h->out,
        "    if (lift_code == CL_SUCCESS)\n"
        "        lift_code = clEnqueueNDRangeKernel(lift_queue, lift_kernels[%d], %d, "
        "NULL,\n            lift_global_%d, lift_local_%d, 0, NULL,\n            "
        "lift_events ? &lift_events[%d] : NULL);\n",
        k, kernel->launch.dims, k + 1, k + 1, k);
}

static void add_opencl_params(const struct host *h)
{
    for (int i = 0; i < h->module->bind_count; i++) {
        const struct lift_bind *b = &h->module->binds[i];

        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(h->out, ", cl_%s %s", host_type(b->scalar), b->name);
        else if (host_has_buffer(b))
            lift_str_addf(h->out, ", cl_mem %s", b->name);
    }
}

static void add_opencl_step(const struct host *h, const char *which)
{
    host_contract(h);
    lift_str_addf(h->out,
                  "/* Kernels are those of the source above, in the order of their "
                  "names%s; events\n * one a kernel, or NULL. */\n",
                  which);
    lift_str_addf(h->out,
                  "static cl_int %s(cl_command_queue lift_queue, const cl_kernel "
                  "*lift_kernels,\n    cl_event *lift_events",
                  h->module->step);
    add_opencl_params(h);
    lift_str_add(h->out, ")\n{");
    for (int k = 0; k < h->module->kernel_count; k++)
        add_launch(h, k);
    lift_str_add(h->out, "    cl_int lift_code = CL_SUCCESS;\n");
    for (int k = 0; k < h->module->kernel_count; k++)
        add_enqueue(h, k);
    add_unused(h);
    lift_str_add(h->out, "    return lift_code;\n}\n");
}

void host_opencl(const struct host *h)
{
    lift_str_add(h->out,
                 "#define _POSIX_C_SOURCE 200809L\n#define CL_TARGET_OPENCL_VERSION "
                 "120\n#include <CL/cl.h>\n#include <math.h>\n#include "
                 "<stdbool.h>\n#include <stdint.h>\n#include "
                 "<stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
                 "<time.h>\n");
    lift_str_add(h->out, from);
    add_source(h);
    lift_str_add(h->out, "\n");
    add_names(h);
    add_opencl_step(h, "");
    if (h->single)
        add_opencl_step(h->single, ", from number LAUNCHED on");
    lift_str_add(h->out, to);
}

/* ---- the call of the program around it */

/* The arguments of a step, in the program's own buffers. */
static void add_arguments(const struct host *h, const char *comma)
{
    const struct lift_module *m = h->module;
    int temps = 0;

    for (int i = 0; i < m->bind_count; i++) {
        const struct lift_bind *b = &m->binds[i];

        if (!host_has_buffer(b) && b->kind != LIFT_BIND_PARAM)
            continue;
        lift_str_add(h->out, comma);
        comma = ", ";
        if (b->kind == LIFT_BIND_PARAM)
            host_literal(h->out, b->scalar, h->chosen->problem->param_values[b->index]);
        else if (b->kind == LIFT_BIND_TEMP)
            lift_str_addf(h->out, "%stemp[%d].data", h->prefix, temps++);
        else
            lift_str_addf(h->out, "%s%s[%d].data", h->prefix,
                          b->kind == LIFT_BIND_INPUT ? "in" : "out", b->index);
    }
}

void host_call(const struct host *h)
{
    bool openmp = h->module->dialect == LIFT_DIALECT_OPENMP;

    lift_str_addf(h->out, "\nstatic %s run_kernel(void)\n{\n    %s%s(%s",
                  openmp ? "void" : "cl_int", openmp ? "" : "return ", h->module->step,
                  openmp ? "" : "queue, kernels, events");
    add_arguments(h, openmp ? "" : ", ");
    lift_str_add(h->out, ");\n}\n");
}

void host_call_single(const struct host *h)
{
    bool openmp = h->module->dialect == LIFT_DIALECT_OPENMP;

    lift_str_addf(h->out, "\nstatic void run_single(void)\n{\n    %s%s(%s",
                  openmp ? "" : "must(", h->module->step,
                  openmp ? "" : "queue, kernels + LAUNCHED, NULL");
    add_arguments(h, openmp ? "" : ", ");
    lift_str_add(h->out, openmp ? ");\n}\n"
                                : "), \"clEnqueueNDRangeKernel\");\n    "
                                  "must(clFinish(queue), \"clFinish\");\n}\n");
}
