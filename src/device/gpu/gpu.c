/* Devices of CUDA and HIP. */
#include "base/bug.h"
#include "base/fail.h"
#include "base/memory.h"
#include "device/device_t.h"
#include "device/gpu/gpu_device.h"
#include "device/process.h"
#include <stdlib.h>

enum { MAX_ARGS = 64, MAX_TENSORS = 16 };

/* Bytes of the longest vector, and the alignment of TMA copies. */
enum { VIEW_ALIGN = 16 };

struct gpu_device *gpu_of(struct lift_device *device)
{
    return (struct gpu_device *)device;
}

/* The numbers of CUDA and of HIP. */
enum {
    DEINITIALIZED = 4,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    ECC_UNCORRECTABLE = 214,
    NVLINK_UNCORRECTABLE = 220,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_TIMEOUT = 702,
    CONTEXT_IS_DESTROYED = 709,
    ASSERTION = 710,
    HARDWARE_STACK_ERROR = 714,
    ILLEGAL_INSTRUCTION = 715,
    MISALIGNED_ADDRESS = 716,
    INVALID_ADDRESS_SPACE = 717,
    INVALID_PC = 718,
    LAUNCH_FAILED = 719,
    UNKNOWN = 999,
};

/* After the device or a kernel fails, any later call reports this failure, for example
 * the call that loads the next kernel. */
static enum lift_error_code classify(enum lift_error_code kind, int code)
{
    switch (code) {
    case DEINITIALIZED:
    case DEVICE_UNAVAILABLE:
    case NO_DEVICE:
    case INVALID_DEVICE:
    case INVALID_CONTEXT:
    case ECC_UNCORRECTABLE:
    case NVLINK_UNCORRECTABLE:
    case CONTEXT_IS_DESTROYED:
        return LIFT_ERROR_DEVICE;
    case ILLEGAL_ADDRESS:
    case LAUNCH_TIMEOUT:
    case ASSERTION:
    case HARDWARE_STACK_ERROR:
    case ILLEGAL_INSTRUCTION:
    case MISALIGNED_ADDRESS:
    case INVALID_ADDRESS_SPACE:
    case INVALID_PC:
    case LAUNCH_FAILED:
    case UNKNOWN:
        return kind == LIFT_ERROR_DEVICE ? kind : LIFT_ERROR_RUN;
    default:
        return kind;
    }
}

bool gpu_check(const struct gpu_device *g, struct lift_error *error,
               enum lift_error_code kind, const char *call, int code)
{
    const char *name = "", *text = "";

    if (code == 0)
        return true;
    g->kind->error(&g->driver, code, &name, &text);
    return lift_fail(error, classify(kind, code), "%s%s: %s (%d): %s", g->kind->prefix,
                     call, name ? name : "", code, text ? text : "");
}

/* ---- devices */

static bool load_driver(const struct gpu_kind *kind, struct gpu_driver *driver,
                        int *count, struct lift_str *why)
{
    const char *name = "", *text = "";
    int code;

    if (!gpu_library_open(&kind->driver, driver, why))
        return false;
    code = driver->init(0);
    if (code == 0)
        code = driver->count(count);
    if (code == 0)
        return true;
    kind->error(driver, code, &name, &text);
    return LIFT_FAIL(why, "%s finds no device: %sInit says %s (%d): %s",
                     kind->driver.what, kind->prefix, name ? name : "", code,
                     text ? text : "");
}

static int count_of(const struct gpu_kind *kind, struct lift_str *why)
{
    LIFT_SCOPED(lift_str) reason = {0};
    struct gpu_driver driver;
    struct gpu_compiler compiler;
    int count = 0;

    if (load_driver(kind, &driver, &count, &reason) && count > 0 &&
        !gpu_library_open(&kind->compiler, &compiler, &reason))
        count = 0;
    if (count == 0 && why)
        lift_str_add(why,
                     reason.len ? lift_str_get(&reason) : "the driver has no device");
    return count;
}

static int ask(const struct gpu_device *g, int attribute)
{
    int value = 0;

    if (attribute >= 0)
        g->driver.attribute(&value, attribute, g->device);
    return value;
}

void gpu_name_compiler(struct gpu_device *g)
{
    int major = 0, minor = 0;

    g->compiler.version(&major, &minor);
    lift_str_addf(&g->compiler_version, "%s %d.%d", g->kind->compiler.what, major, minor);
}

void gpu_fill_info(struct gpu_device *g)
{
    g->info.name = lift_str_get(&g->name);
    g->info.vendor = g->kind->vendor;
    g->info.runtime = g->kind->runtime->name;
    g->info.driver = lift_str_get(&g->driver_version);
    g->info.arch = lift_str_get(&g->arch);
    g->info.compiler = lift_str_get(&g->compiler_version);
    g->info.dialect = g->kind->runtime->dialect;
    g->info.compiles_apart = g->kind->compiles_apart;
    g->kind->runtime->unit(&g->info);
}

static void probe_texts(struct gpu_device *g)
{
    char name[256] = "";
    int version = 0;

    g->driver.name(name, sizeof name - 1, g->device);
    lift_str_add(&g->name, name);
    g->driver.version(&version);
    lift_str_addf(&g->driver_version, "%s ", g->kind->runtime->name);
    g->kind->version(version, &g->driver_version);
    gpu_name_compiler(g);
    g->kind->arch(&g->driver, g->device, &g->arch);
    g->driver.pci(g->info.pci, sizeof g->info.pci, g->device);
}

static void probe(struct gpu_device *g)
{
    const struct gpu_attributes *a = &g->kind->attributes;
    size_t memory = 0;

    probe_texts(g);
    g->driver.memory(&memory, g->device);
    gpu_fill_info(g);
    g->info.compute_units = ask(g, a->units);
    g->info.max_group_size = ask(g, a->group_size);
    for (int d = 0; d < 3; d++) {
        g->info.max_group_dims[d] = ask(g, a->group_dims[d]);
        g->grid_dims[d] = ask(g, a->grid_dims[d]);
    }
    g->info.local_bytes = ask(g, a->local_bytes_most);
    if (g->info.local_bytes == 0)
        g->info.local_bytes = ask(g, a->local_bytes);
    g->info.global_bytes = (int64_t)memory;
    g->info.simd_width = ask(g, a->warp);
}

struct gpu_device *gpu_create(const struct gpu_kind *kind)
{
    struct gpu_device *g = lift_alloc(1, sizeof *g);

    g->base.runtime = kind->runtime;
    g->kind = kind;
    if (kind->leaves_files)
        device_folder_sweep();
    return g;
}

void gpu_close(struct lift_device *device)
{
    struct gpu_device *g = gpu_of(device);

    if (g->context) {
        g->driver.synchronize();
        g->driver.event_destroy(g->from);
        g->driver.event_destroy(g->to);
        if (g->side)
            g->driver.stream_destroy(g->side);
        if (g->recorder)
            g->driver.stream_destroy(g->recorder);
        g->driver.release(g->device);
    }
    lift_str_fini(&g->name);
    lift_str_fini(&g->arch);
    lift_str_fini(&g->driver_version);
    lift_str_fini(&g->compiler_version);
    free(g);
}

static struct lift_device *open_of(const struct gpu_kind *kind, int index,
                                   struct lift_error *error)
{
    struct gpu_device *g = gpu_create(kind);
    LIFT_SCOPED(lift_str) why = {0};
    int count = 0;

    if (load_driver(kind, &g->driver, &count, &why) &&
        gpu_library_open(&kind->compiler, &g->compiler, &why) && index < count &&
        g->driver.get(&g->device, index) == 0) {
        probe(g);
        return &g->base;
    }
    lift_fail(error, LIFT_ERROR_DEVICE, "no device '%s:%d'%s%s", kind->runtime->name,
              index, why.len ? ": " : "", lift_str_get(&why));
    gpu_close(&g->base);
    return NULL;
}

static bool retain_context(struct gpu_device *g, struct lift_error *error)
{
    if (g->info.builds_only)
        return lift_fail(error, LIFT_ERROR_DEVICE,
                         "'%s:%s' is an architecture, not a device: kernels can be "
                         "built for it, but not run",
                         g->kind->runtime->name, g->info.arch);
    if (!gpu_check(g, error, LIFT_ERROR_DEVICE, "DevicePrimaryCtxRetain",
                   g->driver.retain(&g->context, g->device))) {
        g->context = NULL;
        return false;
    }
    return gpu_check(g, error, LIFT_ERROR_DEVICE, "CtxSetCurrent",
                     g->driver.set_current(g->context)) &&
           gpu_check(g, error, LIFT_ERROR_DEVICE, "EventCreate",
                     g->driver.event_create(&g->from, 0)) &&
           gpu_check(g, error, LIFT_ERROR_DEVICE, "EventCreate",
                     g->driver.event_create(&g->to, 0));
}

/* Sets the context in each call: the calling thread, or its current device, may have
 * changed.
 */
bool gpu_enter(struct gpu_device *g, struct lift_error *error)
{
    if (!g->context)
        return retain_context(g, error);
    return gpu_check(g, error, LIFT_ERROR_DEVICE, "CtxSetCurrent",
                     g->driver.set_current(g->context));
}

static bool gpu_adopt(struct lift_device *device, void *queue, struct lift_error *error)
{
    gpu_of(device)->stream = queue;
    return gpu_enter(gpu_of(device), error);
}

static const struct lift_device_info *gpu_info(const struct lift_device *device)
{
    return &((const struct gpu_device *)device)->info;
}

/* ---- launches */

/* The driver takes the addresses of argument values. */
union value {
    gpu_pointer pointer;
    float f;
    double d;
    int32_t i;
};

struct gathered {
    union value values[MAX_ARGS];
    struct gpu_map maps[MAX_TENSORS];
    void *args[MAX_ARGS + MAX_TENSORS];
};

static void set_value(const struct lift_arg *arg, union value *out)
{
    switch (arg->kind) {
    case LIFT_ARG_BUFFER:
        out->pointer = arg->buffer->pointer;
        break;
    case LIFT_ARG_F32:
        out->f = (float)arg->f;
        break;
    case LIFT_ARG_F64:
        out->d = arg->f;
        break;
    case LIFT_ARG_I32:
        out->i = arg->i;
        break;
    }
}

static bool check_launch(const struct gpu_device *g, const struct lift_call *call,
                         unsigned grid[3], struct lift_error *error)
{
    const struct lift_launch *l = &call->launch;
    size_t items = l->local[0] * l->local[1] * l->local[2];

    if (items > (size_t)g->info.max_group_size)
        return lift_fail(error, LIFT_ERROR_RESOURCE,
                         "kernel '%s' has groups of %zu: at most %d", call->kernel, items,
                         g->info.max_group_size);

    for (int d = 0; d < 3; d++) {
        size_t groups = l->global[d] / l->local[d];

        if (g->grid_dims[d] > 0 && groups > (size_t)g->grid_dims[d])
            return lift_fail(error, LIFT_ERROR_LAUNCH,
                             "kernel '%s' has %zu groups in dimension %d: at most %d",
                             call->kernel, groups, d, g->grid_dims[d]);
        grid[d] = (unsigned)groups;
    }
    return true;
}

bool gpu_begin_timing(struct gpu_device *g, struct lift_error *error)
{
    if (g->launched)
        return true;
    g->launched = true;
    return gpu_check(g, error, LIFT_ERROR_RUN, "EventRecord",
                     g->driver.event_record(g->from, g->stream));
}

/* Gathers the addresses of a call's arguments, and then of its tensor maps. */
static bool gather_args(struct gpu_device *g, const struct lift_call *call,
                        struct gathered *out, struct lift_error *error)
{
    LIFT_ASSERT(call->arg_count <= MAX_ARGS && call->tensor_count <= MAX_TENSORS);
    for (int i = 0; i < call->arg_count; i++) {
        set_value(&call->args[i], &out->values[i]);
        out->args[i] = &out->values[i];
    }
    for (int i = 0; i < call->tensor_count; i++) {
        if (!gpu_encode(g, &call->tensors[i], &out->maps[i], error))
            return false;
        out->args[call->arg_count + i] = &out->maps[i];
    }
    return true;
}

static bool gpu_launch(struct lift_device *device, struct lift_binary *binary,
                       const struct lift_call *call, struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    const size_t *local = call->launch.local;
    gpu_function function = gpu_find_function(g, binary, call->kernel, error);
    struct gathered gathered;
    unsigned grid[3];

    if (!function || !gpu_enter(g, error) || !check_launch(g, call, grid, error) ||
        !gather_args(g, call, &gathered, error))
        return false;
    if (call->launch.dynamic_bytes > 0 && g->kind->local_attribute >= 0 &&
        !gpu_check(g, error, LIFT_ERROR_RESOURCE, "FuncSetAttribute",
                   g->driver.function_set(function, g->kind->local_attribute,
                                          (int)call->launch.dynamic_bytes)))
        return false;
    return gpu_begin_timing(g, error) &&
           gpu_check(g, error, LIFT_ERROR_LAUNCH, "LaunchKernel",
                     g->driver.launch(function, grid[0], grid[1], grid[2],
                                      (unsigned)local[0], (unsigned)local[1],
                                      (unsigned)local[2],
                                      (unsigned)call->launch.dynamic_bytes, g->stream,
                                      gathered.args, NULL));
}

static bool gpu_copy(struct lift_device *device, struct lift_buffer *to,
                     const struct lift_buffer *from, size_t bytes,
                     struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);

    LIFT_ASSERT(bytes <= to->bytes && bytes <= from->bytes);
    return gpu_enter(g, error) && gpu_begin_timing(g, error) &&
           gpu_check(g, error, LIFT_ERROR_RUN, "MemcpyDtoDAsync",
                     g->driver.copy(to->pointer, from->pointer, bytes, g->stream));
}

static bool gpu_finish(struct lift_device *device, double *seconds,
                       struct lift_error *error)
{
    struct gpu_device *g = gpu_of(device);
    bool launched = g->launched, good;
    float ms = 0;

    g->launched = false;
    if (seconds)
        *seconds = 0;
    if (!launched)
        return true;
    good = gpu_enter(g, error) &&
           gpu_check(g, error, LIFT_ERROR_RUN, "EventRecord",
                     g->driver.event_record(g->to, g->stream)) &&
           gpu_check(g, error, LIFT_ERROR_RUN, "EventSynchronize",
                     g->driver.event_wait(g->to)) &&
           gpu_check(g, error, LIFT_ERROR_RUN, "EventElapsedTime",
                     g->driver.event_ms(&ms, g->from, g->to));
    if (seconds)
        *seconds = (double)ms * 1e-3;
    return good;
}

/* ---- runtimes */

/* Functions of both runtimes, each for its own driver. */
#define FUNCTIONS(name)                                                                  \
    static int name##_count(struct lift_str *why)                                        \
    {                                                                                    \
        return count_of(&gpu_##name, why);                                               \
    }                                                                                    \
    static struct lift_device *name##_open(int index, struct lift_error *error)          \
    {                                                                                    \
        return open_of(&gpu_##name, index, error);                                       \
    }                                                                                    \
    static const char *name##_target(int index)                                          \
    {                                                                                    \
        return gpu_##name.targets[index].arch;                                           \
    }                                                                                    \
    static struct lift_device *name##_open_target(const char *arch,                      \
                                                  struct lift_error *error)              \
    {                                                                                    \
        return gpu_open_target(&gpu_##name, arch, error);                                \
    }
FUNCTIONS(cuda)
FUNCTIONS(hip)

#define SHARED(name)                                                                     \
    .count = name##_count, .open = name##_open, .target = name##_target,                 \
    .open_target = name##_open_target, .builds_by_arch = true, .adopt = gpu_adopt,       \
    .close = gpu_close, .info = gpu_info, .build = gpu_build, .save = gpu_save,          \
    .load = gpu_load, .unload = gpu_unload, .resources = gpu_resources,                  \
    .alloc = gpu_alloc, .borrow = gpu_borrow, .release = gpu_release,                    \
    .write = gpu_write, .read = gpu_read, .guards = gpu_guards, .digest = gpu_digest,    \
    .launch = gpu_launch, .copy = gpu_copy, .finish = gpu_finish

const struct lift_runtime device_runtime_cuda = {
    .name = "cuda",
    .doc = "NVIDIA's GPUs, by the driver and NVRTC",
    .dialect = LIFT_DIALECT_CUDA,
    .traits = &device_traits_cuda,
    .unit = device_nvidia_unit,
    SHARED(cuda),
    .pull = gpu_pull,
    .view = gpu_view,
    .view_align = VIEW_ALIGN,
    .mark = gpu_mark,
    .await = gpu_await,
    .between = gpu_between,
    .drop_mark = gpu_drop_mark,
    .record = gpu_record,
    .recorded = gpu_recorded,
    .replay = gpu_replay,
    .drop_graph = gpu_drop_graph,
    .stream = gpu_stream,
    .address = gpu_address,
};

const struct lift_runtime device_runtime_hip = {
    .name = "hip",
    .doc = "AMD's GPUs, by the HIP runtime and hipRTC",
    .dialect = LIFT_DIALECT_HIP,
    .traits = &device_traits_hip,
    .unit = device_amd_unit,
    SHARED(hip),
};
