/* Checks devices by a kernel with a known result. */
#include "device/device_t.h"
#include <string.h>

enum { COUNT = 4096, GROUP = 32 };

/* y = 3 * x + i, in every dialect. */
static const char cuda_source[] =
    "extern \"C\" __global__ void known(float *y, const float *x, int n)\n"
    "{\n"
    "    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"
    "    if (i < n)\n"
    "        y[i] = 3 * x[i] + (float)i;\n"
    "}\n";

static const char *const sources[] = {
    [LIFT_DIALECT_OPENMP] = "#include <stdint.h>\n"
                            "void known_call(void *const *args)\n"
                            "{\n"
                            "    float *y = args[0];\n"
                            "    const float *x = args[1];\n"
                            "    int32_t n = *(int32_t *)args[2];\n"
                            "#pragma omp parallel for\n"
                            "    for (int32_t i = 0; i < n; i++)\n"
                            "        y[i] = 3 * x[i] + (float)i;\n"
                            "}\n",
    [LIFT_DIALECT_OPENCL] =
        "kernel void known(global float *y, global const float *x, int n)\n"
        "{\n"
        "    int i = (int)get_global_id(0);\n"
        "    if (i < n)\n"
        "        y[i] = 3 * x[i] + (float)i;\n"
        "}\n",
    [LIFT_DIALECT_CUDA] = cuda_source,
    [LIFT_DIALECT_HIP] = cuda_source,
};

bool lift_device_health_build(struct lift_device *device, struct lift_str *out,
                              struct lift_error *error)
{
    const struct lift_runtime *rt = device->runtime;
    const char *source = sources[lift_device_info(device)->dialect];
    struct lift_binary *binary = rt->build(device, source, "", NULL, error);
    bool good = binary && rt->save(device, binary, out, error);

    rt->unload(device, binary);
    return good;
}

struct check {
    struct lift_device *device;
    const struct lift_runtime *rt;
    struct lift_binary *binary;
    struct lift_buffer *y, *x;
    struct lift_error *error;
};

static bool launch(const struct check *c)
{
    const struct lift_arg args[] = {{.kind = LIFT_ARG_BUFFER, .buffer = c->y},
                                    {.kind = LIFT_ARG_BUFFER, .buffer = c->x},
                                    {.kind = LIFT_ARG_I32, .i = COUNT}};
    const struct lift_call call = {"known", {1, {COUNT, 1, 1}, {GROUP, 1, 1}}, args, 3};

    return c->rt->launch(c->device, c->binary, &call, c->error) &&
           c->rt->finish(c->device, NULL, c->error);
}

static bool compare(const struct check *c, const float *x, const float *y)
{
    for (int i = 0; i < COUNT; i++)
        if (!(y[i] == 3 * x[i] + (float)i))
            return lift_fail(c->error, LIFT_ERROR_RUN,
                             "the known kernel stored %g in place of %g at %d",
                             (double)y[i], (double)(3 * x[i] + (float)i), i);
    return true;
}

static bool run(struct check *c)
{
    float x[COUNT], y[COUNT];

    for (int i = 0; i < COUNT; i++)
        x[i] = (float)(i % 251);
    memset(y, 0xff, sizeof y);
    c->y = c->rt->alloc(c->device, sizeof y, c->error);
    c->x = c->y ? c->rt->alloc(c->device, sizeof x, c->error) : NULL;
    return c->x && c->rt->write(c->device, c->x, x, sizeof x, c->error) &&
           c->rt->write(c->device, c->y, y, sizeof y, c->error) && launch(c) &&
           c->rt->read(c->device, c->y, y, sizeof y, c->error) && compare(c, x, y);
}

bool lift_device_health_check(struct lift_device *device, const void *binary, size_t size,
                              struct lift_error *error)
{
    struct check c = {.device = device, .rt = device->runtime, .error = error};
    bool good;

    c.binary = c.rt->load(device, binary, size, error);
    good = c.binary && run(&c);
    c.rt->release(device, c.y);
    c.rt->release(device, c.x);
    c.rt->unload(device, c.binary);
    return good;
}
