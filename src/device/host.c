/* The processor that runs this program, or an architecture to build for. Kernels are C
 * with OpenMP, compiled by the system's compiler and called in this process (see
 * device.h).
 */
#include "base/bug.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "device/host_t.h"
#include "device/process.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { TARGET_L2 = 256 * 1024 }; /* L2 of a target: the smallest common size */

struct host_device *host_of(struct lift_device *device)
{
    LIFT_ASSERT(device->runtime == &device_runtime_host);
    return (struct host_device *)device;
}

static int host_count(struct lift_str *why)
{
    struct device_compiler compiler;

    if (!device_compiler_find(&compiler, why))
        return 0;
    device_compiler_fini(&compiler);
    return 1;
}

static void fill_info(struct host_device *h)
{
    unsigned kinds = 0;

    for (int i = 0; i < h->compiler_count; i++) {
        lift_str_addf(&h->versions, "%s%s", i ? "; " : "",
                      lift_str_get(&h->compilers[i].version));
        kinds |= 1u << h->compilers[i].kind;
    }
    h->info = (struct lift_device_info){
        .name = lift_str_get(&h->cpu.name),
        .vendor = lift_str_get(&h->cpu.vendor),
        .runtime = device_runtime_host.name,
        .driver = lift_str_get(&h->driver),
        .arch = lift_str_get(&h->cpu.arch),
        .compiler = lift_str_get(&h->versions),
        .compilers = kinds,
        .dialect = LIFT_DIALECT_OPENMP,
        .compute_units = h->cpu.cores,
        .local_bytes = h->cpu.l2_bytes, /* a tile of one core should fit L2 */
        .global_bytes = h->cpu.memory_bytes,
        .simd_width = h->cpu.simd_width,
        .memory_domains = h->domains,
        .is_cpu = true,
    };
}

static void host_close(struct lift_device *device)
{
    struct host_device *h = host_of(device);

    host_idle(device);
    host_drop_spares(h);
    for (int i = 0; i < HOST_COMPILERS; i++)
        device_compiler_fini(&h->compilers[i]);
    device_cpu_fini(&h->cpu);
    lift_str_fini(&h->versions);
    lift_str_fini(&h->driver);
    free(h);
}

static struct host_device *create(void)
{
    struct host_device *h = lift_alloc(1, sizeof *h);

    h->base.runtime = &device_runtime_host;
    return h;
}

/* If the user binds threads, the host uses one compiler only. The OpenMP library of a
 * second compiler would find its caller bound to one core, and make one thread. */
static bool find_compilers(struct host_device *h, struct lift_str *why)
{
    struct device_compiler *usual = &h->compilers[0];

    if (!device_compiler_find(usual, why) || !device_compiler_probe(usual, why))
        return false;
    h->compiler_count =
        1 + (device_pins_wanted() && device_compiler_find_other(usual, &h->compilers[1]));
    return true;
}

/* Limits the spinning of waiting threads to about the time of sleeping and waking. By
 * default gcc's library spins for milliseconds, clang's library for 200 ms. If other
 * processes need the cores, each wait would then last a time slice of these processes. A
 * library reads the variables when it is loaded. */
static void limit_spinning(void)
{
    static const char *const users[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT",
                                        "KMP_BLOCKTIME", "KMP_LIBRARY"};

    for (size_t i = 0; i < sizeof users / sizeof *users; i++)
        if (getenv(users[i]))
            return;
    setenv("GOMP_SPINCOUNT", "1000", 0); /* 20 to 50 microseconds */
    setenv("KMP_BLOCKTIME", "1", 0);     /* milliseconds */
}

/* Buffers are first touched by threads near those that use them. */
static void find_domains(struct host_device *h)
{
    struct device_topology t;

    device_topology_find(&t);
    h->domains = t.domains;
    lift_parallel_domains(t.cpus, t.domain, t.count);
}

/* OpenMP makes a thread for each core of the affinity. With a smaller quota, the system
 * would stop all threads for most of the time. */
static void limit_threads(const struct host_device *h)
{
    LIFT_SCOPED(lift_str) number = {0};
    cpu_set_t usable;

    if (sched_getaffinity(0, sizeof usable, &usable) != 0 ||
        h->cpu.cores >= CPU_COUNT(&usable))
        return;
    lift_str_addf(&number, "%d", h->cpu.cores);
    setenv("OMP_NUM_THREADS", lift_str_get(&number), 0);
}

static struct lift_device *host_open(int index, struct lift_error *error)
{
    struct host_device *h;
    LIFT_SCOPED(lift_str) why = {0};
    struct utsname names;

    if (index != 0) {
        lift_fail(error, LIFT_ERROR_DEVICE, "no device 'host:%d': there is one host",
                  index);
        return NULL;
    }
    h = create();
    setenv("OMP_STACKSIZE", "16M", 0);
    limit_spinning();
    if (!find_compilers(h, &why)) {
        lift_fail(error, LIFT_ERROR_DEVICE, "%s", lift_str_get(&why));
        host_close(&h->base);
        return NULL;
    }
    device_folder_sweep();
    device_cpu_probe(&h->cpu);
    limit_threads(h);
    find_domains(h);
    if (uname(&names) == 0)
        lift_str_addf(&h->driver, "%s %s", names.sysname, names.release);
    fill_info(h);
    return &h->base;
}

/* ---- architectures, with the names of their compilers in Debian */

static const struct host_target {
    const char *arch, *compiler, *machine;
    const char *isa; /* machine and vector extension, as in device_cpu.arch */
    int simd_width;
} targets[] = {
    {"aarch64", "aarch64-linux-gnu-gcc", "-march=armv8-a", "aarch64 asimd", 4},
    {NULL},
};

static const char *host_target(int index)
{
    return targets[index].arch;
}

static void fill_target(struct host_device *h, const struct host_target *t)
{
    lift_str_add(&h->cpu.name, t->arch);
    lift_str_add(&h->cpu.arch, t->isa);
    lift_str_add(&h->driver, "none");
    h->cpu.cores = 1;
    h->cpu.simd_width = t->simd_width;
    h->cpu.l2_bytes = TARGET_L2;
    fill_info(h);
    h->info.builds_only = true;
}

static const struct host_target *find_target(const char *arch, struct lift_error *error)
{
    LIFT_SCOPED(lift_str) known = {0};

    for (const struct host_target *t = targets; t->arch; t++)
        if (strcmp(t->arch, arch) == 0)
            return t;
    for (const struct host_target *t = targets; t->arch; t++)
        lift_str_addf(&known, " %s", t->arch);
    lift_fail(error, LIFT_ERROR_DEVICE,
              "'%s:%s' is neither a device nor an architecture; expected 0, or one "
              "of%s",
              device_runtime_host.name, arch, lift_str_get(&known));
    return NULL;
}

static struct lift_device *host_open_target(const char *arch, struct lift_error *error)
{
    const struct host_target *t = find_target(arch, error);
    struct host_device *h;
    LIFT_SCOPED(lift_str) why = {0};

    if (!t)
        return NULL;
    h = create();
    if (device_compiler_find_cross(&h->compilers[0], t->compiler, t->machine, &why) &&
        device_compiler_probe(&h->compilers[0], &why)) {
        h->compiler_count = 1;
        fill_target(h, t);
        return &h->base;
    }
    lift_fail(error, LIFT_ERROR_DEVICE, "cannot build for '%s:%s': %s",
              device_runtime_host.name, arch, lift_str_get(&why));
    host_close(&h->base);
    return NULL;
}

static const struct lift_device_info *host_info(const struct lift_device *device)
{
    return &((const struct host_device *)device)->info;
}

static void host_unload(struct lift_device *device, struct lift_binary *binary)
{
    (void)device;
    if (!binary)
        return;
    if (binary->module.handle)
        device_module_unload(&binary->module);
    lift_str_fini(&binary->bytes);
    for (int i = 0; i < binary->entry_count; i++)
        free(binary->entries[i].name);
    free(binary->entries);
    free(binary);
}

/* Takes ownership of the bytes. A binary for a target architecture can only be saved. */
static struct lift_binary *load_bytes(const struct lift_device *device,
                                      struct lift_str *bytes, struct lift_error *error)
{
    struct lift_binary *binary = lift_alloc(1, sizeof *binary);

    binary->bytes = *bytes;
    *bytes = (struct lift_str){0};
    if (host_info(device)->builds_only)
        return binary;
    if (device_module_load(binary->bytes.data, binary->bytes.len, &binary->module,
                           error)) {
        binary->kmp = dlsym(binary->module.handle, "__kmpc_fork_call") != NULL;
        return binary;
    }
    host_unload(NULL, binary);
    return NULL;
}

/* Returns NULL with an error if the options name an absent compiler. */
static const struct device_compiler *choose_compiler(const struct host_device *h,
                                                     const char **options,
                                                     struct lift_error *error)
{
    enum lift_compiler kind = lift_compiler_named(*options, options);

    for (int i = 0; i < h->compiler_count; i++)
        if (kind == LIFT_COMPILER_ANY || h->compilers[i].kind == kind)
            return &h->compilers[i];
    lift_fail(error, LIFT_ERROR_COMPILE, "there is no %s here: this host compiles by %s",
              lift_compiler_name(kind), lift_str_get(&h->versions));
    return NULL;
}

static struct lift_binary *host_build(struct lift_device *device, const char *source,
                                      const char *options, struct lift_str *log,
                                      struct lift_error *error)
{
    LIFT_SCOPED(lift_str) bytes = {0};
    struct lift_binary *binary = NULL;
    const struct device_compiler *compiler =
        choose_compiler(host_of(device), &options, error);

    if (compiler &&
        device_compiler_build(compiler, &(struct device_text){source, options, log},
                              &bytes, error))
        binary = load_bytes(device, &bytes, error);
    return binary;
}

/* Appends all compilers, and the instruction set of -march=native. */
static void host_add_builder(struct lift_device *device, struct lift_str *out)
{
    const struct host_device *h = host_of(device);
    LIFT_SCOPED(lift_str) cpu = {0};
    const char *flags;

    for (int i = 0; i < h->compiler_count; i++)
        device_compiler_describe(&h->compilers[i], out);
    flags = device_read_text("/proc/cpuinfo", &cpu) ? strstr(cpu.data, "\nflags") : NULL;
    if (flags)
        lift_str_addf(out, "%.*s\n", (int)strcspn(flags + 1, "\n"), flags + 1);
}

bool host_is_here(const struct lift_device *device, struct lift_error *error)
{
    const struct lift_device_info *info = host_info(device);

    return !info->builds_only ||
           lift_fail(error, LIFT_ERROR_DEVICE,
                     "'%s:%s' is an architecture, not a device: kernels can be "
                     "built for it, but not run",
                     device_runtime_host.name, info->name);
}

static bool host_save(struct lift_device *device, struct lift_binary *binary,
                      struct lift_str *out, struct lift_error *error)
{
    (void)device, (void)error;
    lift_str_addn(out, binary->bytes.data, binary->bytes.len);
    return true;
}

static struct lift_binary *host_load(struct lift_device *device, const void *data,
                                     size_t size, struct lift_error *error)
{
    struct lift_str bytes = {0};

    if (!host_is_here(device, error))
        return NULL;
    lift_str_addn(&bytes, data, size);
    return load_bytes(device, &bytes, error);
}

static struct lift_resources
host_resources(struct lift_device *device, struct lift_binary *binary, const char *kernel)
{
    (void)device, (void)binary, (void)kernel;
    return (struct lift_resources)LIFT_RESOURCES_UNKNOWN;
}

const struct lift_runtime device_runtime_host = {
    .name = "host",
    .doc = "this machine's processor, OpenMP C through the system's compiler",
    .dialect = LIFT_DIALECT_OPENMP,
    .traits = &device_traits_host,
    .count = host_count,
    .open = host_open,
    .target = host_target,
    .open_target = host_open_target,
    .close = host_close,
    .info = host_info,
    .build = host_build,
    .add_builder = host_add_builder,
    .save = host_save,
    .load = host_load,
    .unload = host_unload,
    .resources = host_resources,
    .alloc = host_alloc,
    .release = host_release,
    .wrap = host_wrap,
    .memory = host_memory,
    .pull = host_pull,
    .view = host_view,
    .view_align = 1,
    .write = host_write,
    .read = host_read,
    .guards = host_guards,
    .digest = host_digest,
    .launch = host_launch,
    .pin = host_pin,
    .finish = host_finish,
};
