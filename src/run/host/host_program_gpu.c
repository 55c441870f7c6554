/* Prints kernels of CUDA and HIP with one function to call them, for nvcc and hipcc. */
#include "base/bug.h"
#include "run/host/host_program.h"

/* Returns the prefix of the runtime's functions and types. */
static const char *prefix_of(const struct host *h)
{
    return h->module->dialect == LIFT_DIALECT_HIP ? "hip" : "cuda";
}

bool host_has_tensors(const struct host *h)
{
    for (int k = 0; k < h->module->kernel_count; k++)
        if (h->module->kernels[k].tensor_count)
            return true;
    return h->fewer && host_has_tensors(h->fewer);
}

void host_gpu_includes(const struct host *h)
{
    if (h->module->dialect == LIFT_DIALECT_HIP)
        lift_str_add(h->out, "#include <hip/hip_runtime.h>\n");
    else
        lift_str_add(h->out, host_has_tensors(h)
                                 ? "#include <cuda.h>\n#include <cuda_runtime.h>\n"
                                 : "#include <cuda_runtime.h>\n");
    lift_str_add(h->out, "#include <stddef.h>\n");
}

/* ---- the step */

static void add_params(const struct host *h)
{
    for (int i = 0; i < h->module->bind_count; i++) {
        const struct lift_bind *b = &h->module->binds[i];

        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(h->out, "%s %s, ", host_type(b->scalar), b->name);
        else if (host_has_buffer(b))
            lift_str_addf(h->out, "%s%s *%s, ",
                          host_is_written(h->module, i) ? "" : "const ",
                          host_type(b->scalar), b->name);
    }
}

static void add_numbers(const struct host *h, const int64_t *numbers, int count,
                        const char *unit)
{
    for (int d = count - 1; d >= 0; d--)
        lift_str_addf(h->out, "%lld%s%s", (long long)numbers[d], unit, d ? ", " : "");
}

/* Adds tensor map 't' of kernel 'k', made for the buffers of this launch. */
static void add_map(const struct host *h, int k, int t)
{
    const struct lift_tensor *tensor = &h->module->kernels[k].tensors[t];
    const struct lift_bind *b = &h->module->binds[tensor->bind];
    const char *type = host_type(b->scalar),
               *name = host_name_in_call(h->module, tensor->bind);
    int64_t box[LIFT_TENSOR_DIMS];

    for (int d = 0; d < tensor->dims; d++)
        box[d] = tensor->box[d];
    lift_str_addf(h->out, "    const cuuint64_t lift_lengths_%d_%d[] = {", k + 1, t + 1);
    add_numbers(h, tensor->length, tensor->dims, "");
    lift_str_addf(h->out, "};\n    const cuuint64_t lift_strides_%d_%d[] = {", k + 1,
                  t + 1);
    add_numbers(h, tensor->stride, tensor->dims - 1,
                b->scalar == LIFT_F64 ? " * sizeof(double)" : " * sizeof(float)");
    lift_str_add(h->out, tensor->dims > 1 ? "};\n" : "0};\n");
    lift_str_addf(h->out, "    const cuuint32_t lift_box_%d_%d[] = {", k + 1, t + 1);
    add_numbers(h, box, tensor->dims, "");
    lift_str_addf(
        h->out,
        "};\n    lift_map lift_map_%d_%d;\n\n"
        "    if (!lift_make_map(&lift_map_%d_%d, CU_TENSOR_MAP_DATA_TYPE_%s, %d,\n"
        "                       (const %s *)%s + %lld, lift_lengths_%d_%d,\n"
        "                       lift_strides_%d_%d, lift_box_%d_%d))\n"
        "        return cudaErrorInvalidValue;\n",
        k + 1, t + 1, k + 1, t + 1, b->scalar == LIFT_F64 ? "FLOAT64" : "FLOAT32",
        tensor->dims, type, name, (long long)tensor->offset, k + 1, t + 1, k + 1, t + 1,
        k + 1, t + 1);
}

static void add_dim3(const struct host *h, const size_t *sizes, const size_t *parts)
{
    lift_str_addf(h->out, "dim3(%zu, %zu, %zu)", sizes[0] / parts[0], sizes[1] / parts[1],
                  sizes[2] / parts[2]);
}

static void add_arguments(const struct host *h, int k)
{
    const struct lift_kernel *kernel = &h->module->kernels[k];
    const char *comma = "";

    for (int i = 0; i < kernel->arg_count; i++, comma = ", ")
        lift_str_addf(h->out, "%s%s", comma,
                      host_name_in_call(h->module, kernel->args[i]));
    for (int t = 0; t < kernel->tensor_count; t++, comma = ", ")
        lift_str_addf(h->out, "%slift_map_%d_%d", comma, k + 1, t + 1);
}

/* A launch with more than the default maximum of shared memory needs an attribute first.
 */
static void add_launch(const struct host *h, int k)
{
    static const size_t ones[] = {1, 1, 1};
    const struct lift_kernel *kernel = &h->module->kernels[k];
    const struct lift_launch *l = &kernel->launch;

    if (l->dynamic_bytes && h->module->dialect == LIFT_DIALECT_CUDA)
        lift_str_addf(h->out,
                      "    lift_code = cudaFuncSetAttribute((const void *)%s,\n"
                      "        cudaFuncAttributeMaxDynamicSharedMemorySize, %zu);\n"
                      "    if (lift_code != cudaSuccess)\n        return lift_code;\n",
                      kernel->name, l->dynamic_bytes);
    lift_str_addf(h->out, "    %s<<<", kernel->name);
    add_dim3(h, l->global, l->local);
    lift_str_add(h->out, ", ");
    add_dim3(h, l->local, ones);
    lift_str_addf(h->out, ", %zu, lift_stream>>>(", l->dynamic_bytes);
    add_arguments(h, k);
    lift_str_addf(h->out,
                  ");\n    lift_code = %sGetLastError();\n"
                  "    if (lift_code != %sSuccess)\n        return lift_code;\n",
                  prefix_of(h), prefix_of(h));
}

static void add_step(const struct host *h)
{
    const char *prefix = prefix_of(h);

    host_contract(h);
    lift_str_addf(h->out,
                  "/* Pointers are to memory of the device. Launches only: the stream is "
                  "the caller's to\n * wait for. */\nstatic inline %sError_t %s(",
                  prefix, h->module->step);
    add_params(h);
    lift_str_addf(h->out, "%sStream_t lift_stream)\n{\n", prefix);
    for (int k = 0; k < h->module->kernel_count; k++)
        for (int t = 0; t < h->module->kernels[k].tensor_count; t++)
            add_map(h, k, t);
    lift_str_addf(h->out, "    %sError_t lift_code = %sSuccess;\n\n", prefix, prefix);
    for (int k = 0; k < h->module->kernel_count; k++) {
        host_begin_loop(h->module, k, h->out);
        add_launch(h, k);
        host_end_loop(h->module, k, h->out);
    }
    host_unused(h);
    lift_str_add(h->out, "    return lift_code;\n}\n");
}

void host_gpu(const struct host *h)
{
    LIFT_ASSERT(h);
    for (const struct host *k = h; k; k = k->fewer)
        host_helpers(k, h->out);
    /* The compiler's host pass also parses kernels, without the device-only helpers. */
    if (host_has_tensors(h))
        lift_str_add(h->out, host_text("tensors.c.in"));
    for (const struct host *k = h; k; k = k->fewer)
        lift_str_add(h->out, k->module->text);
    for (; h; h = h->fewer)
        add_step(h);
}

/* ---- the program around the kernel */

void host_gpu_words(const struct host *h)
{
    lift_str_addf(h->out, "\n#define GPU(name) %s##name\n", prefix_of(h));
    if (h->module->dialect == LIFT_DIALECT_CUDA)
        lift_str_add(h->out, "typedef cudaDeviceProp cudaDeviceProp_t;\n");
}
