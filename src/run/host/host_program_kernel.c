/* Prints the kernel with one function to call it. */
#include "base/bug.h"
#include "run/host/host_program.h"
#include <string.h>

/* ---- OpenMP */

bool host_is_written(const struct lift_module *m, int index)
{
    if (m->binds[index].kind != LIFT_BIND_INPUT)
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
                          host_is_written(m, i) ? "" : "const ", host_type(b->scalar),
                          b->name);
        else
            continue;
        comma = ", ";
    }
}

const char *host_name_in_call(const struct lift_module *m, int index)
{
    const struct lift_bind *b = &m->binds[index];

    return b->kind == LIFT_BIND_OUTPUT && b->in_place >= 0 ? m->binds[b->in_place].name
                                                           : b->name;
}

static bool has_arg(const struct lift_kernel *k, int index)
{
    for (int i = 0; i < k->arg_count; i++)
        if (k->args[i] == index)
            return true;
    for (int t = 0; t < k->tensor_count; t++)
        if (k->tensors[t].bind == index)
            return true;
    return false;
}

static bool is_passed(const struct lift_module *m, int index)
{
    for (int k = 0; k < m->kernel_count; k++)
        if (has_arg(&m->kernels[k], index))
            return true;
    return false;
}

void host_begin_loop(const struct lift_module *m, int kernel, struct lift_str *out)
{
    for (int k = kernel; k < m->kernel_count; k++)
        if (m->kernels[k].times > 1 && m->kernels[k].first == kernel)
            lift_str_addf(out, "    for (long lift_i = 0; lift_i < %lld; lift_i++) {\n",
                          (long long)m->kernels[k].times);
}

void host_end_loop(const struct lift_module *m, int kernel, struct lift_str *out)
{
    if (m->kernels[kernel].times > 1)
        lift_str_add(out, "    }\n");
}

void host_unused(const struct host *h)
{
    for (int i = 0; i < h->module->bind_count; i++)
        if ((host_has_buffer(&h->module->binds[i]) ||
             h->module->binds[i].kind == LIFT_BIND_PARAM) &&
            !is_passed(h->module, i))
            lift_str_addf(h->out, "    (void)%s;\n", h->module->binds[i].name);
}

void host_helpers(const struct host *h, struct lift_str *out)
{
    for (int i = 0; i < h->module->helper_count; i++) {
        bool known = false;

        for (const struct host *b = h->before; b; b = b->before)
            for (int k = 0; k < b->module->helper_count; k++)
                known |= strcmp(b->module->helpers[k], h->module->helpers[i]) == 0;
        if (!known)
            lift_str_add(out, h->module->helpers[i]);
    }
}

void host_openmp_step(const struct host *h)
{
    const struct lift_module *m = h->module;

    host_helpers(h, h->out);
    lift_str_add(h->out, m->text);
    if (!h->plain)
        host_contract(h);
    lift_str_addf(h->out, "static inline void %s(", m->step);
    add_openmp_params(h);
    lift_str_add(h->out, ")\n{\n");
    for (int k = 0; k < m->kernel_count; k++) {
        host_begin_loop(m, k, h->out);
        lift_str_addf(h->out, "    %s(", m->kernels[k].name);
        for (int i = 0; i < m->kernels[k].arg_count; i++)
            lift_str_addf(h->out, "%s%s", i ? ", " : "",
                          host_name_in_call(m, m->kernels[k].args[i]));
        lift_str_add(h->out, ");\n");
        host_end_loop(m, k, h->out);
    }
    host_unused(h);
    lift_str_add(h->out, "}\n");
}

void host_openmp_includes(const struct host *h)
{
    lift_str_add(h->out, "#include <stdint.h>\n");
}

void host_openmp(const struct host *h)
{
    for (; h; h = h->fewer)
        host_openmp_step(h);
}

/* ---- OpenCL */

static void add_source(const struct host *h)
{
    LIFT_SCOPED(lift_str) text = {0};

    LIFT_ASSERT(h);
    for (const struct host *k = h; k; k = k->fewer) {
        host_helpers(k, &text);
        lift_str_add(&text, k->module->text);
    }
    lift_str_add(h->out, "static const char source[] =\n    \"");
    for (const char *c = lift_str_get(&text); *c; c++)
        if (*c == '\n')
            lift_str_add(h->out, c[1] ? "\\n\"\n    \"" : "\\n");
        else if (*c == '"' || *c == '\\')
            lift_str_addf(h->out, "\\%c", *c);
        else
            lift_str_addc(h->out, *c);
    lift_str_add(h->out, "\";\n");
}

int64_t host_runs(const struct host *h)
{
    int64_t runs = 0;

    for (int k = 0; k < h->module->kernel_count; k++)
        runs += lift_module_runs(h->module, k);
    return runs;
}

int host_first_kernel(const struct host *h)
{
    int count = 0;

    for (const struct host *k = h->before; k; k = k->before)
        count += k->module->kernel_count;
    return count;
}

static void add_names(const struct host *h)
{
    const char *flags = h->chosen->facts.flags, *comma = "";
    int64_t runs = 0;
    int count = 0;

    for (const struct host *k = h; k; k = k->fewer) {
        runs = host_runs(k) > runs ? host_runs(k) : runs;
        count += k->module->kernel_count;
    }

    lift_str_addf(h->out, "static const char flags[] = \"-cl-std=CL1.2%s%s\";\n",
                  *flags ? " " : "", flags);
    lift_str_addf(h->out, "enum { RUNS = %lld, KERNELS = %d };\n", (long long)runs,
                  count);
    lift_str_add(h->out, "static const char *const kernel_names[KERNELS] = {");
    for (const struct host *f = h; f; f = f->fewer)
        for (int k = 0; k < f->module->kernel_count; k++, comma = ", ")
            lift_str_addf(f->out, "%s\"%s\"", comma, f->module->kernels[k].name);
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
        const char *name = host_name_in_call(h->module, kernel->args[i]);

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
        "lift_events ? lift_events++ : NULL);\n",
        k, kernel->launch.dims, k + 1, k + 1);
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

static void add_opencl_step(const struct host *h)
{
    int first = host_first_kernel(h);

    host_contract(h);
    lift_str_add(h->out,
                 "/* Kernels are those of the source above, in the order of their "
                 "names");
    if (first)
        lift_str_addf(h->out, ", from kernel_names[%d] on", first);
    lift_str_add(h->out, "; events\n * one a launch, or NULL. */\n");
    lift_str_addf(h->out,
                  "static inline cl_int %s(cl_command_queue lift_queue, const cl_kernel "
                  "*lift_kernels,\n    cl_event *lift_events",
                  h->module->step);
    add_opencl_params(h);
    lift_str_add(h->out, ")\n{");
    for (int k = 0; k < h->module->kernel_count; k++)
        add_launch(h, k);
    lift_str_add(h->out, "    cl_int lift_code = CL_SUCCESS;\n");
    for (int k = 0; k < h->module->kernel_count; k++) {
        host_begin_loop(h->module, k, h->out);
        add_enqueue(h, k);
        host_end_loop(h->module, k, h->out);
    }
    host_unused(h);
    lift_str_add(h->out, "    return lift_code;\n}\n");
}

void host_opencl_includes(const struct host *h)
{
    lift_str_add(h->out, "#ifndef CL_TARGET_OPENCL_VERSION\n#define "
                         "CL_TARGET_OPENCL_VERSION 120\n#endif\n#include <CL/cl.h>\n");
}

void host_opencl(const struct host *h)
{
    add_source(h);
    lift_str_add(h->out, "\n");
    add_names(h);
    for (; h; h = h->fewer)
        add_opencl_step(h);
}

/* ---- the call by the surrounding program */

static void add_arguments(const struct host *h, const char *comma)
{
    const struct lift_module *m = h->module;
    bool opencl = m->dialect == LIFT_DIALECT_OPENCL;
    int temps = 0;

    for (int i = 0; i < m->bind_count; i++) {
        const struct lift_bind *b = &m->binds[i];

        if (!host_has_buffer(b) && b->kind != LIFT_BIND_PARAM)
            continue;
        lift_str_add(h->out, comma);
        comma = ", ";
        if (b->kind == LIFT_BIND_PARAM) {
            host_literal(h->out, b->scalar, h->chosen->problem->param_values[b->index]);
            continue;
        }
        lift_str_addf(h->out, "(%s%s)", opencl ? "cl_mem" : host_type(b->scalar),
                      opencl ? "" : " *");
        if (b->kind == LIFT_BIND_TEMP)
            lift_str_addf(h->out, "k->memory->temp[%d].data", temps++);
        else
            lift_str_addf(h->out, "at(k, %d)->data",
                          b->kind == LIFT_BIND_INPUT ? b->index
                                                     : h->input_count + b->index);
    }
}

void host_call(const struct host *h)
{
    lift_str_addf(h->out, "\nstatic void run_%s(const struct kernel *k)\n{\n    ",
                  h->kernel);
    switch (h->module->dialect) {
    case LIFT_DIALECT_OPENMP:
        lift_str_addf(h->out, "%s(", h->module->step);
        add_arguments(h, "");
        lift_str_add(h->out, ");\n}\n");
        break;
    case LIFT_DIALECT_OPENCL:
        lift_str_addf(h->out, "must(%s(queue, kernels + %d, events", h->module->step,
                      host_first_kernel(h));
        add_arguments(h, ", ");
        lift_str_add(h->out, "), \"clEnqueueNDRangeKernel\");\n}\n");
        break;
    default:
        lift_str_addf(h->out, "must(%s(", h->module->step);
        add_arguments(h, "");
        lift_str_add(h->out, ", NULL), \"LaunchKernel\");\n}\n");
    }
}
