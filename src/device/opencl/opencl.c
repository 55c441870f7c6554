/* Devices of the OpenCL drivers that the ICD loader finds. This runtime uses OpenCL 1.2,
 * and one in-order queue with profiling a device. */
#include "device/opencl/opencl.h"
#include "base/bug.h"
#include "base/locale.h"
#include "base/memory.h"
#include "device/device_t.h"
#include <stdlib.h>
#include <string.h>

struct named_kernel {
    char *name;
    cl_kernel kernel;
    cl_uint arg_count;
    struct named_kernel *next;
};

struct lift_binary {
    cl_program program;
    struct lift_str options, log;
    struct named_kernel *kernels; /* each created at its first use */
};

struct opencl_device *opencl(struct lift_device *device)
{
    LIFT_ASSERT(device->runtime == &device_runtime_opencl);
    return (struct opencl_device *)device;
}

static int opencl_count(struct lift_str *why)
{
    int count;

    opencl_find(-1, &count, why);
    return count;
}

static void forget_events(struct opencl_device *o)
{
    for (int i = 0; i < o->event_count; i++)
        clReleaseEvent(o->events[i]);
    o->event_count = 0;
}

static void opencl_close(struct lift_device *device)
{
    struct opencl_device *o = opencl(device);

    if (o->queue)
        clFinish(o->queue);
    forget_events(o);
    free(o->events);
    if (o->queue)
        clReleaseCommandQueue(o->queue);
    if (o->context)
        clReleaseContext(o->context);
    opencl_facts_fini(&o->facts);
    free(o);
}

static bool connect(struct opencl_device *o, struct lift_error *error)
{
    cl_int code;

    o->context = clCreateContext(NULL, 1, &o->id, NULL, NULL, &code);
    if (!opencl_check(error, LIFT_ERROR_DEVICE, "clCreateContext", code))
        return false;
    o->queue = clCreateCommandQueue(o->context, o->id, CL_QUEUE_PROFILING_ENABLE, &code);
    return opencl_check(error, LIFT_ERROR_DEVICE, "clCreateCommandQueue", code);
}

static struct lift_device *opencl_open(int index, struct lift_error *error)
{
    struct opencl_device *o;
    int count;
    cl_device_id id = opencl_find(index, &count, NULL);

    if (!id) {
        lift_fail(error, LIFT_ERROR_DEVICE, "no device 'opencl:%d': there are %d", index,
                  count);
        return NULL;
    }
    o = lift_alloc(1, sizeof *o);
    o->base.runtime = &device_runtime_opencl;
    o->id = id;
    opencl_facts_probe(id, &o->facts);
    if (!connect(o, error)) {
        opencl_close(&o->base);
        return NULL;
    }
    return &o->base;
}

/* Checks that an adopted queue is in-order and belongs to this device. */
static bool check_queue(const struct opencl_device *o, cl_command_queue queue,
                        struct lift_error *error)
{
    cl_command_queue_properties properties = 0;
    cl_device_id id = NULL;
    cl_int code = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, NULL);

    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                     &properties, NULL);
    if (!opencl_check(error, LIFT_ERROR_DEVICE, "clGetCommandQueueInfo", code))
        return false;
    if (id != o->id)
        return lift_fail(error, LIFT_ERROR_DEVICE,
                         "the queue is of another device than '%s'", o->facts.info.name);
    return !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) ||
           lift_fail(error, LIFT_ERROR_DEVICE,
                     "the queue runs out of order: one in order is expected");
}

static bool opencl_adopt(struct lift_device *device, void *queue,
                         struct lift_error *error)
{
    struct opencl_device *o = opencl(device);
    cl_context context = NULL;

    if (!check_queue(o, queue, error) ||
        !opencl_check(error, LIFT_ERROR_DEVICE, "clGetCommandQueueInfo",
                      clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context,
                                            &context, NULL)))
        return false;
    clReleaseCommandQueue(o->queue);
    clReleaseContext(o->context);
    o->queue = queue;
    o->context = context;
    o->adopted = true;
    clRetainCommandQueue(queue);
    clRetainContext(context);
    return true;
}

static const struct lift_device_info *opencl_info(const struct lift_device *device)
{
    return &((const struct opencl_device *)device)->facts.info;
}

static void read_build_log(const struct opencl_device *o, cl_program program,
                           struct lift_str *out)
{
    size_t size = 0;
    char *text;

    if (clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
        CL_SUCCESS)
        return;
    text = calloc(size + 1, 1);
    if (text && clGetProgramBuildInfo(program, o->id, CL_PROGRAM_BUILD_LOG, size, text,
                                      NULL) == CL_SUCCESS)
        lift_str_add(out, text);
    free(text);
}

static cl_int build_program(const struct opencl_device *o, cl_program program,
                            const char *options)
{
    LIFT_IN_C_LOCALE; /* drivers parse literals by the locale */
    LIFT_SCOPED(lift_str) flags = {0};

    lift_str_addf(&flags, "-cl-std=CL1.2%s %s", o->facts.nvidia ? " -cl-nv-verbose" : "",
                  options);
    return clBuildProgram(program, 1, &o->id, lift_str_get(&flags), NULL, NULL);
}

static void opencl_unload(struct lift_device *device, struct lift_binary *binary)
{
    struct named_kernel *k, *next;

    (void)device;
    if (!binary)
        return;
    for (k = binary->kernels; k; k = next) {
        next = k->next;
        clReleaseKernel(k->kernel);
        free(k->name);
        free(k);
    }
    clReleaseProgram(binary->program);
    lift_str_fini(&binary->options);
    lift_str_fini(&binary->log);
    free(binary);
}

/* Takes ownership of the program. */
static struct lift_binary *finish_build(struct lift_device *device, cl_program program,
                                        const char *options, struct lift_str *log,
                                        struct lift_error *error)
{
    struct lift_binary *binary = lift_alloc(1, sizeof *binary);
    cl_int code;

    binary->program = program;
    lift_str_add(&binary->options, options);
    code = build_program(opencl(device), program, options);
    read_build_log(opencl(device), program, &binary->log);
    if (log)
        lift_str_addn(log, lift_str_get(&binary->log), binary->log.len);
    if (opencl_check(error, LIFT_ERROR_COMPILE, "clBuildProgram", code))
        return binary;
    if (error && binary->log.len)
        lift_fail_more(error, ":\n%s", lift_str_get(&binary->log));
    opencl_unload(device, binary);
    return NULL;
}

static struct lift_binary *opencl_build(struct lift_device *device, const char *source,
                                        const char *options, struct lift_str *log,
                                        struct lift_error *error)
{
    cl_int code;
    cl_program program =
        clCreateProgramWithSource(opencl(device)->context, 1, &source, NULL, &code);

    if (!opencl_check(error, LIFT_ERROR_COMPILE, "clCreateProgramWithSource", code))
        return NULL;
    return finish_build(device, program, options, log, error);
}

/* The saved bytes are the options, a NUL, and the driver's bytes. */
static bool opencl_save(struct lift_device *device, struct lift_binary *binary,
                        struct lift_str *out, struct lift_error *error)
{
    size_t size = 0;
    unsigned char *bytes;
    bool good;

    (void)device;
    if (!opencl_check(error, LIFT_ERROR_COMPILE, "clGetProgramInfo",
                      clGetProgramInfo(binary->program, CL_PROGRAM_BINARY_SIZES,
                                       sizeof size, &size, NULL)))
        return false;
    if (size == 0)
        return lift_fail(error, LIFT_ERROR_COMPILE, "the driver gives no binary");
    bytes = lift_resize(NULL, 1, size);
    good = opencl_check(error, LIFT_ERROR_COMPILE, "clGetProgramInfo",
                        clGetProgramInfo(binary->program, CL_PROGRAM_BINARIES,
                                         sizeof bytes, &bytes, NULL));
    if (good) {
        lift_str_addn(out, lift_str_get(&binary->options), binary->options.len + 1);
        lift_str_addn(out, (const char *)bytes, size);
    }
    free(bytes);
    return good;
}

static struct lift_binary *opencl_load(struct lift_device *device, const void *data,
                                       size_t size, struct lift_error *error)
{
    struct opencl_device *o = opencl(device);
    size_t options = strnlen(data, size) + 1;
    const unsigned char *bytes = (const unsigned char *)data + options;
    cl_program program;
    cl_int code;

    LIFT_ASSERT(options < size);
    size -= options;
    program =
        clCreateProgramWithBinary(o->context, 1, &o->id, &size, &bytes, NULL, &code);
    if (!opencl_check(error, LIFT_ERROR_COMPILE, "clCreateProgramWithBinary", code))
        return NULL;
    return finish_build(device, program, data, NULL, error);
}

static struct named_kernel *find_kernel(struct lift_binary *binary, const char *name,
                                        struct lift_error *error)
{
    struct named_kernel *k;
    cl_kernel kernel;
    cl_int code;

    for (k = binary->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0)
            return k;
    kernel = clCreateKernel(binary->program, name, &code);
    if (!opencl_check(error, LIFT_ERROR_LAUNCH, "clCreateKernel", code)) {
        if (error)
            lift_fail_more(error, " for kernel '%s'", name);
        return NULL;
    }
    k = lift_alloc(1, sizeof *k);
    *k = (struct named_kernel){lift_strdup(name), kernel, 0, binary->kernels};
    clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof k->arg_count, &k->arg_count, NULL);
    binary->kernels = k;
    return k;
}

/* NVIDIA's driver returns 1 for CL_KERNEL_LOCAL_MEM_SIZE of a kernel without local
 * memory. The compiler's log is right, but missing if the kernel comes from the driver's
 * cache. */
static struct lift_resources
opencl_resources(struct lift_device *device, struct lift_binary *binary, const char *name)
{
    struct lift_resources r = LIFT_RESOURCES_UNKNOWN;
    cl_device_id id = opencl(device)->id;
    struct named_kernel *k = find_kernel(binary, name, NULL);
    cl_ulong local;
    size_t group;

    if (!k)
        return r;
    if (!opencl(device)->facts.nvidia &&
        clGetKernelWorkGroupInfo(k->kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                 &local, NULL) == CL_SUCCESS)
        r.local_bytes = (int64_t)local;
    if (clGetKernelWorkGroupInfo(k->kernel, id, CL_KERNEL_WORK_GROUP_SIZE, sizeof group,
                                 &group, NULL) == CL_SUCCESS)
        r.max_group_size = (int)group;
    device_read_nvidia_log(lift_str_get(&binary->log), name, &r);
    return r;
}

static cl_int set_arg(cl_kernel kernel, cl_uint index, const struct lift_arg *arg)
{
    cl_float f = (cl_float)arg->f;
    cl_double d = arg->f;
    cl_int i = arg->i;

    switch (arg->kind) {
    case LIFT_ARG_BUFFER:
        return clSetKernelArg(kernel, index, sizeof(cl_mem), &arg->buffer->mem);
    case LIFT_ARG_F32:
        return clSetKernelArg(kernel, index, sizeof f, &f);
    case LIFT_ARG_F64:
        return clSetKernelArg(kernel, index, sizeof d, &d);
    case LIFT_ARG_I32:
        return clSetKernelArg(kernel, index, sizeof i, &i);
    }
    LIFT_BUG("argument of kind %d", (int)arg->kind);
}

/* Checks the number of arguments: OpenCL keeps argument values between launches and would
 * not detect a missing argument. */
static bool set_args(const struct named_kernel *k, const struct lift_arg *args, int count,
                     struct lift_error *error)
{
    if ((cl_uint)count != k->arg_count)
        return lift_fail(error, LIFT_ERROR_LAUNCH,
                         "kernel '%s' takes %u arguments: %d are passed", k->name,
                         k->arg_count, count);
    for (int i = 0; i < count; i++) {
        if (opencl_check(error, LIFT_ERROR_LAUNCH, "clSetKernelArg",
                         set_arg(k->kernel, (cl_uint)i, &args[i])))
            continue;
        if (error)
            lift_fail_more(error, " for argument %d of kernel '%s'", i, k->name);
        return false;
    }
    return true;
}

/* Returns the place for the event of the next command, which is valid once enqueued.
 * Returns NULL for the caller's queue, which may have no profiling. */
static cl_event *next_event(struct opencl_device *o)
{
    if (o->adopted)
        return NULL;
    LIFT_ROOM(o->events, o->event_count, o->event_cap);
    return &o->events[o->event_count];
}

static void keep_event(struct opencl_device *o)
{
    o->event_count += !o->adopted;
}

static void describe_launch(const char *name, const struct lift_launch *launch,
                            struct lift_error *error)
{
    if (!error)
        return;
    lift_fail_more(error, " for kernel '%s', global size", name);
    for (int d = 0; d < launch->dims; d++)
        lift_fail_more(error, " %zu", launch->global[d]);
    lift_fail_more(error, ", local size");
    for (int d = 0; d < launch->dims; d++)
        lift_fail_more(error, " %zu", launch->local[d]);
}

static bool opencl_launch(struct lift_device *device, struct lift_binary *binary,
                          const struct lift_call *call, struct lift_error *error)
{
    struct opencl_device *o = opencl(device);
    const struct lift_launch *l = &call->launch;
    struct named_kernel *k = find_kernel(binary, call->kernel, error);
    cl_int code;

    LIFT_ASSERT(l->dims >= 1 && l->dims <= 3);
    if (!k || !set_args(k, call->args, call->arg_count, error))
        return false;
    code = clEnqueueNDRangeKernel(o->queue, k->kernel, (cl_uint)l->dims, NULL, l->global,
                                  l->local, 0, NULL, next_event(o));
    if (!opencl_check(error, LIFT_ERROR_LAUNCH, "clEnqueueNDRangeKernel", code)) {
        describe_launch(call->kernel, l, error);
        return false;
    }
    keep_event(o);
    return true;
}

static bool opencl_copy(struct lift_device *device, struct lift_buffer *to,
                        const struct lift_buffer *from, size_t bytes,
                        struct lift_error *error)
{
    struct opencl_device *o = opencl(device);

    LIFT_ASSERT(bytes <= to->bytes && bytes <= from->bytes);
    if (!opencl_check(error, LIFT_ERROR_RUN, "clEnqueueCopyBuffer",
                      clEnqueueCopyBuffer(o->queue, from->mem, to->mem, 0, 0, bytes, 0,
                                          NULL, next_event(o))))
        return false;
    keep_event(o);
    return true;
}

static bool event_seconds(cl_event event, double *seconds, struct lift_error *error)
{
    cl_ulong start = 0, end = 0;
    cl_int status = CL_COMPLETE;
    cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                 &status, NULL);

    if (code == CL_SUCCESS && status < 0)
        return opencl_check(error, LIFT_ERROR_RUN, "kernel", status);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start,
                                       &start, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                       NULL);
    if (end > start)
        *seconds += (double)(end - start) * 1e-9;
    return opencl_check(error, LIFT_ERROR_RUN, "clGetEventProfilingInfo", code);
}

static bool opencl_finish(struct lift_device *device, double *seconds,
                          struct lift_error *error)
{
    struct opencl_device *o = opencl(device);
    double sum = 0;
    bool good = opencl_check(error, LIFT_ERROR_RUN, "clFinish", clFinish(o->queue));

    for (int i = 0; i < o->event_count && good; i++)
        good = event_seconds(o->events[i], &sum, error);
    forget_events(o);
    if (seconds)
        *seconds = sum;
    return good;
}

const struct lift_runtime device_runtime_opencl = {
    .name = "opencl",
    .doc = "devices of the installed OpenCL drivers",
    .dialect = LIFT_DIALECT_OPENCL,
    .traits = &device_traits_opencl,
    .processor_traits = &device_traits_opencl_processor,
    .unit = device_nvidia_unit,
    .count = opencl_count,
    .open = opencl_open,
    .adopt = opencl_adopt,
    .close = opencl_close,
    .info = opencl_info,
    .build = opencl_build,
    .save = opencl_save,
    .load = opencl_load,
    .unload = opencl_unload,
    .resources = opencl_resources,
    .alloc = opencl_alloc,
    .borrow = opencl_borrow,
    .release = opencl_release,
    .write = opencl_write,
    .read = opencl_read,
    .guards = opencl_guards,
    .digest = opencl_digest,
    .launch = opencl_launch,
    .copy = opencl_copy,
    .finish = opencl_finish,
};
