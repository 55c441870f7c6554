/* The processor that runs this program, or an architecture to build for. Kernels are C
 * with OpenMP, compiled by the system's compiler and called in this process: the source
 * of kernel 'k' exports void k_call(void *const *args) where args[i] is a buffer's data,
 * or points to a scalar (float, double, int32_t). */
#include "device/compiler.h"
#include "device/forked.h"
#include "device/guard.h"
#include "device/internal.h"
#include "device/module.h"
#include "device/pins.h"
#include "device/process.h"
#include "lift/bug.h"
#include "lift/parallel.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    MAX_ARGS = 64,
    LARGE_ALIGN = 2 * 1024 * 1024,
    DIGEST_PIECE = 4 * 1024 * 1024,
    TARGET_L2 = 256 * 1024, /* of an architecture: the least there is */
    REST_MS = 20
};

/* A piece of the address space of which the middle is memory, or was: from a page before
 * 'data' on. */
struct host_map {
    char *data;
    size_t room; /* bytes that there may be from 'data' on, whole pages */
    void *map;   /* NULL: there is none */
    size_t map_bytes;
};

enum { SPARES = 8, COMPILERS = 2 };

struct host_device {
    struct lift_device base;
    struct lift_device_info info;
    struct device_cpu cpu;
    struct device_compiler compilers[COMPILERS]; /* the first is the usual one */
    int compiler_count;
    struct lift_str driver, versions; /* of the compilers */
    double seconds;                   /* spent in kernels since the last finish */
    struct device_pins pins;
    bool kmp; /* the last launch was one of clang's library of OpenMP */
    /* Large pieces of released buffers, since memory that is touched for the first time
     * costs more than a launch. */
    struct host_map spares[SPARES];
};

struct lift_binary {
    struct device_module module;
    bool kmp;              /* its threads are those of clang's library of OpenMP */
    bool warm;             /* it was launched, so that there are threads */
    struct lift_str bytes; /* of the shared object */
};

/* Around the data a band of a page, around that a page that cannot be touched. */
struct lift_buffer {
    char *data;
    size_t bytes;
    size_t front, back;   /* bytes of the bands */
    struct host_map held; /* none: the memory is somebody else's */
};

typedef void host_kernel(void *const *args);

static struct host_device *host(struct lift_device *device)
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
        .local_bytes = h->cpu.l2_bytes, /* the cache that a tile of one core should fit */
        .global_bytes = h->cpu.memory_bytes,
        .simd_width = h->cpu.simd_width,
        .is_cpu = true,
    };
}

static void drop_map(struct host_map *m)
{
    if (m->map)
        munmap(m->map, m->map_bytes);
    *m = (struct host_map){.map = NULL};
}

static void drop_spares(struct host_device *h)
{
    for (int i = 0; i < SPARES; i++)
        drop_map(&h->spares[i]);
}

static void host_close(struct lift_device *device)
{
    struct host_device *h = host(device);

    drop_spares(h);
    for (int i = 0; i < COMPILERS; i++)
        device_compiler_fini(&h->compilers[i]);
    device_cpu_fini(&h->cpu);
    lift_str_fini(&h->versions);
    lift_str_fini(&h->driver);
    free(h);
}

static struct host_device *create(void)
{
    struct host_device *h = calloc(1, sizeof *h);

    LIFT_ASSERT(h);
    h->base.runtime = &device_runtime_host;
    return h;
}

/* Where the user binds threads, the library of a second compiler would find its caller on
 * one core, and make one thread. */
static bool find_compilers(struct host_device *h, struct lift_str *why)
{
    struct device_compiler *usual = &h->compilers[0];

    if (!device_compiler_find(usual, why) || !device_compiler_probe(usual, why))
        return false;
    h->compiler_count =
        1 + (device_pins_wanted() && device_compiler_find_other(usual, &h->compilers[1]));
    return true;
}

static struct lift_device *host_open(int index, struct lift_failure *failure)
{
    struct host_device *h;
    struct lift_str why = {0};
    struct utsname names;

    if (index != 0) {
        device_fail(failure, LIFT_FAIL_UNAVAILABLE,
                    "no device 'host:%d': there is one host", index);
        return NULL;
    }
    h = create();
    setenv("OMP_STACKSIZE", "16M", 0);
    if (!find_compilers(h, &why)) {
        device_fail(failure, LIFT_FAIL_UNAVAILABLE, "%s", lift_str_get(&why));
        lift_str_fini(&why);
        host_close(&h->base);
        return NULL;
    }
    device_folder_sweep();
    device_cpu_probe(&h->cpu);
    if (uname(&names) == 0)
        lift_str_addf(&h->driver, "%s %s", names.sysname, names.release);
    fill_info(h);
    lift_str_fini(&why);
    return &h->base;
}

/* ---- architectures, by the names of their compilers in Debian */

static const struct host_target {
    const char *arch, *compiler, *machine;
    const char *isa; /* as of a device: the machine and its vectors */
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

static const struct host_target *find_target(const char *arch,
                                             struct lift_failure *failure)
{
    struct lift_str known = {0};

    for (const struct host_target *t = targets; t->arch; t++)
        if (strcmp(t->arch, arch) == 0)
            return t;
    for (const struct host_target *t = targets; t->arch; t++)
        lift_str_addf(&known, " %s", t->arch);
    device_fail(failure, LIFT_FAIL_UNAVAILABLE,
                "'%s:%s' is neither a device nor an architecture; expected 0, or one "
                "of%s",
                device_runtime_host.name, arch, lift_str_get(&known));
    lift_str_fini(&known);
    return NULL;
}

static struct lift_device *host_open_target(const char *arch,
                                            struct lift_failure *failure)
{
    const struct host_target *t = find_target(arch, failure);
    struct host_device *h;
    struct lift_str why = {0};

    if (!t)
        return NULL;
    h = create();
    if (device_compiler_find_cross(&h->compilers[0], t->compiler, t->machine, &why) &&
        device_compiler_probe(&h->compilers[0], &why)) {
        h->compiler_count = 1;
        fill_target(h, t);
        return &h->base;
    }
    device_fail(failure, LIFT_FAIL_UNAVAILABLE, "cannot build for '%s:%s': %s",
                device_runtime_host.name, arch, lift_str_get(&why));
    lift_str_fini(&why);
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
    free(binary);
}

/* Takes the bytes. Those for an architecture can be saved, and no more. */
static struct lift_binary *load_bytes(const struct lift_device *device,
                                      struct lift_str *bytes,
                                      struct lift_failure *failure)
{
    struct lift_binary *binary = calloc(1, sizeof *binary);

    LIFT_ASSERT(binary);
    binary->bytes = *bytes;
    *bytes = (struct lift_str){0};
    if (host_info(device)->builds_only)
        return binary;
    if (device_module_load(binary->bytes.data, binary->bytes.len, &binary->module,
                           failure)) {
        binary->kmp = dlsym(binary->module.handle, "__kmpc_fork_call") != NULL;
        return binary;
    }
    host_unload(NULL, binary);
    return NULL;
}

/* NULL and a failure if the options name one that is not here. */
static const struct device_compiler *choose_compiler(const struct host_device *h,
                                                     const char **options,
                                                     struct lift_failure *failure)
{
    enum lift_compiler kind = lift_compiler_named(*options, options);

    for (int i = 0; i < h->compiler_count; i++)
        if (kind == LIFT_COMPILER_ANY || h->compilers[i].kind == kind)
            return &h->compilers[i];
    device_fail(failure, LIFT_FAIL_COMPILE,
                "there is no %s here: this host compiles by %s", lift_compiler_name(kind),
                lift_str_get(&h->versions));
    return NULL;
}

static struct lift_binary *host_build(struct lift_device *device, const char *source,
                                      const char *options, struct lift_str *log,
                                      struct lift_failure *failure)
{
    struct lift_str bytes = {0};
    struct lift_binary *binary = NULL;
    const struct device_compiler *compiler =
        choose_compiler(host(device), &options, failure);

    if (compiler &&
        device_compiler_build(compiler, &(struct device_text){source, options, log},
                              &bytes, failure))
        binary = load_bytes(device, &bytes, failure);
    lift_str_fini(&bytes);
    return binary;
}

/* False and a failure for an architecture. */
static bool is_here(const struct lift_device *device, struct lift_failure *failure)
{
    const struct lift_device_info *info = host_info(device);

    if (!info->builds_only)
        return true;
    return device_fail(failure, LIFT_FAIL_UNAVAILABLE,
                       "'%s:%s' is an architecture, not a device: kernels can be "
                       "built for it, but not run",
                       device_runtime_host.name, info->name);
}

static bool host_save(struct lift_device *device, struct lift_binary *binary,
                      struct lift_str *out, struct lift_failure *failure)
{
    (void)device, (void)failure;
    lift_str_addn(out, binary->bytes.data, binary->bytes.len);
    return true;
}

static struct lift_binary *host_load(struct lift_device *device, const void *data,
                                     size_t size, struct lift_failure *failure)
{
    struct lift_str bytes = {0};

    if (!is_here(device, failure))
        return NULL;
    lift_str_addn(&bytes, data, size);
    return load_bytes(device, &bytes, failure);
}

static struct lift_resources
host_resources(struct lift_device *device, struct lift_binary *binary, const char *kernel)
{
    (void)device, (void)binary, (void)kernel;
    return (struct lift_resources)LIFT_RESOURCES_UNKNOWN;
}

static bool enough_memory(size_t bytes, struct lift_failure *failure)
{
    int64_t available = device_cpu_available_memory();

    if (available == 0 || bytes <= (uint64_t)available)
        return true;
    return device_fail(failure, LIFT_FAIL_RESOURCE,
                       "cannot allocate %zu bytes: %lld bytes of memory are available",
                       bytes, (long long)available);
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Makes so many bytes memory, whole pages, and a page on either side; what lies around
 * cannot be touched. */
static bool open_map(const struct host_map *m, size_t bytes)
{
    size_t page = page_bytes();
    char *end = m->data + bytes + page, *last = (char *)m->map + m->map_bytes;

    return mprotect(m->data - page, bytes + 2 * page, PROT_READ | PROT_WRITE) == 0 &&
           mprotect(end, (size_t)(last - end), PROT_NONE) == 0;
}

/* Large ones have some room to spare, for the same grid in another layout. */
static bool make_map(struct host_map *m, size_t bytes)
{
    size_t page = page_bytes(), align = bytes >= LARGE_ALIGN ? LARGE_ALIGN : page;

    m->room = align == LARGE_ALIGN ? round_up(bytes + bytes / 8, page) : bytes;
    m->map_bytes = align + m->room + 4 * page;
    m->map = mmap(NULL, m->map_bytes, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->map == MAP_FAILED) {
        m->map = NULL;
        return false;
    }
    m->data = (char *)m->map + 2 * page;
    m->data += round_up((uintptr_t)m->data, align) - (uintptr_t)m->data;
    if (align == LARGE_ALIGN)
        madvise(m->data, m->room, MADV_HUGEPAGE);
    return true;
}

/* The smallest spare one that fits and is not half empty. */
static bool take_spare(struct host_device *h, size_t bytes, struct host_map *out)
{
    struct host_map *best = NULL;

    for (int i = 0; i < SPARES; i++) {
        struct host_map *m = &h->spares[i];

        if (m->map && m->room >= bytes && m->room / 2 < bytes &&
            (!best || m->room < best->room))
            best = m;
    }
    if (!best)
        return false;
    *out = *best;
    *best = (struct host_map){.map = NULL};
    return true;
}

/* Kept are large ones, of a quarter of the machine's memory in all. */
static void keep_spare(struct host_device *h, struct host_map *m)
{
    struct host_map *slot = NULL;
    size_t all = m->room;

    for (int i = 0; i < SPARES; i++) {
        all += h->spares[i].map ? h->spares[i].room : 0;
        if (!h->spares[i].map)
            slot = &h->spares[i];
    }
    if (!slot || m->room < LARGE_ALIGN || all > (size_t)h->cpu.memory_bytes / 4) {
        drop_map(m);
        return;
    }
    *slot = *m;
    *m = (struct host_map){.map = NULL};
}

static bool find_map(struct host_device *h, size_t bytes, struct host_map *out,
                     struct lift_failure *failure)
{
    size_t rounded = round_up(bytes, page_bytes());

    if (!take_spare(h, rounded, out)) {
        drop_spares(h);
        if (!enough_memory(bytes, failure))
            return false;
        if (!make_map(out, rounded))
            return device_fail(failure, LIFT_FAIL_RESOURCE, "cannot allocate %zu bytes",
                               bytes);
    }
    if (open_map(out, rounded))
        return true;
    drop_map(out);
    return device_fail(failure, LIFT_FAIL_RESOURCE, "cannot allocate %zu bytes", bytes);
}

/* The memory is touched here: an untouched page reads faster than a real one. What lay in
 * a spare one, another kernel's results perhaps, goes. */
static struct lift_buffer *host_alloc(struct lift_device *device, size_t bytes,
                                      struct lift_failure *failure)
{
    struct lift_buffer *buffer;
    struct host_map held;

    if (!is_here(device, failure) || !find_map(host(device), bytes, &held, failure))
        return NULL;
    buffer = calloc(1, sizeof *buffer);
    LIFT_ASSERT(buffer);
    *buffer = (struct lift_buffer){
        .data = held.data, .bytes = bytes, .front = page_bytes(), .held = held};
    buffer->back = round_up(bytes, page_bytes()) - bytes + page_bytes();
    lift_parallel_set(buffer->data, 0, bytes);
    device_guard_fill(buffer->data - buffer->front, buffer->front);
    device_guard_fill(buffer->data + bytes, buffer->back);
    return buffer;
}

static void host_release(struct lift_device *device, struct lift_buffer *buffer)
{
    if (!buffer)
        return;
    if (buffer->held.map)
        keep_spare(host(device), &buffer->held);
    free(buffer);
}

static struct lift_buffer *host_wrap(struct lift_device *device, void *data, size_t bytes)
{
    struct lift_buffer *buffer = calloc(1, sizeof *buffer);

    (void)device;
    LIFT_ASSERT(buffer);
    *buffer = (struct lift_buffer){.data = data, .bytes = bytes};
    return buffer;
}

static void *host_memory(struct lift_device *device, struct lift_buffer *buffer)
{
    (void)device;
    return buffer->data;
}

static bool host_guards(struct lift_device *device, struct lift_buffer *buffer,
                        int64_t *at, struct lift_failure *failure)
{
    int64_t front = device_guard_changed(buffer->data - buffer->front, buffer->front);
    int64_t back = device_guard_changed(buffer->data + buffer->bytes, buffer->back);

    (void)device, (void)failure;
    *at = LIFT_UNTOUCHED;
    if (front >= 0)
        *at = front - (int64_t)buffer->front;
    else if (back >= 0)
        *at = (int64_t)buffer->bytes + back;
    return true;
}

/* The digest is that of the digests of pieces. */
struct digesting {
    const struct lift_buffer *buffer;
    uint64_t *pieces;
};

static void digest_pieces(void *user, int64_t from, int64_t to)
{
    const struct digesting *d = user;

    for (int64_t i = from; i < to; i++) {
        size_t at = (size_t)i * DIGEST_PIECE, left = d->buffer->bytes - at;

        d->pieces[i] = lift_hash_bytes(d->buffer->data + at,
                                       left < DIGEST_PIECE ? left : DIGEST_PIECE, 0)
                           .lo;
    }
}

static bool host_digest(struct lift_device *device, struct lift_buffer *buffer,
                        uint64_t *out, struct lift_failure *failure)
{
    int64_t count = ((int64_t)buffer->bytes + DIGEST_PIECE - 1) / DIGEST_PIECE;
    struct digesting d = {buffer, calloc((size_t)count + 1, sizeof *d.pieces)};

    (void)device, (void)failure;
    LIFT_ASSERT(d.pieces);
    lift_parallel(count, 1, digest_pieces, &d);
    *out = lift_hash_bytes(d.pieces, (size_t)count * sizeof *d.pieces, 0).lo;
    free(d.pieces);
    return true;
}

static bool host_write(struct lift_device *device, struct lift_buffer *buffer,
                       const void *data, size_t bytes, struct lift_failure *failure)
{
    (void)device, (void)failure;
    LIFT_ASSERT(bytes <= buffer->bytes);
    if (bytes)
        lift_parallel_copy(buffer->data, data, bytes);
    return true;
}

static bool host_read(struct lift_device *device, struct lift_buffer *buffer, void *data,
                      size_t bytes, struct lift_failure *failure)
{
    (void)device, (void)failure;
    LIFT_ASSERT(bytes <= buffer->bytes);
    if (bytes)
        lift_parallel_copy(data, buffer->data, bytes);
    return true;
}

static host_kernel *find_kernel(struct lift_binary *binary, const char *name,
                                struct lift_failure *failure)
{
    struct lift_str symbol = {0};
    void *found;
    host_kernel *kernel;

    lift_str_addf(&symbol, "%s_call", name);
    found = dlsym(binary->module.handle, lift_str_get(&symbol));
    if (!found)
        device_fail(failure, LIFT_FAIL_LAUNCH, "no kernel '%s': the module has no '%s'",
                    name, lift_str_get(&symbol));
    lift_str_fini(&symbol);
    memcpy(&kernel, &found, sizeof kernel); /* ISO C has no cast for this */
    return kernel;
}

union scalar {
    float f;
    double d;
    int32_t i;
};

static void *pass(const struct lift_arg *arg, union scalar *scalar)
{
    switch (arg->kind) {
    case LIFT_ARG_BUFFER:
        return arg->buffer->data;
    case LIFT_ARG_F32:
        scalar->f = (float)arg->f;
        return &scalar->f;
    case LIFT_ARG_F64:
        scalar->d = arg->f;
        return &scalar->d;
    case LIFT_ARG_I32:
        scalar->i = arg->i;
        return &scalar->i;
    }
    LIFT_BUG("argument of kind %d", (int)arg->kind);
}

/* Threads of either library of OpenMP wait for work with their eyes open for some
 * milliseconds; those of the other one would lose that time. */
static void let_others_rest(struct host_device *h, const struct lift_binary *binary)
{
    if (h->pins.on && h->kmp != binary->kmp)
        usleep(REST_MS * 1000);
    h->kmp = binary->kmp;
}

/* In the arithmetic that the kernel was compiled for; the caller's is as before. */
static void compute(const struct lift_binary *binary, host_kernel *kernel,
                    void *const *pointers)
{
    fenv_t callers;

    fegetenv(&callers);
    if (binary->module.has_arithmetic)
        fesetenv(&binary->module.arithmetic);
    kernel(pointers);
    fesetenv(&callers);
}

/* The first launch makes threads, as many as there are cores for the caller. */
static double run(struct host_device *h, struct lift_binary *binary, host_kernel *kernel,
                  void *const *pointers)
{
    double start, seconds;

    let_others_rest(h, binary);
    if (binary->warm)
        device_pins_enter(&h->pins);
    start = device_now();
    compute(binary, kernel, pointers);
    seconds = device_now() - start;
    if (binary->warm)
        device_pins_leave(&h->pins);
    else
        device_pins_take(&h->pins);
    if (!binary->warm)
        device_forked_ran();
    binary->warm = true;
    return seconds;
}

static void host_pin(struct lift_device *device)
{
    char text[16];

    snprintf(text, sizeof text, "%d", REST_MS / 2);
    setenv("KMP_BLOCKTIME", text, 0);
    device_pins_start(&host(device)->pins);
}

static bool host_launch(struct lift_device *device, struct lift_binary *binary,
                        const struct lift_call *call, struct lift_failure *failure)
{
    void *pointers[MAX_ARGS];
    union scalar scalars[MAX_ARGS];
    host_kernel *kernel;

    if (!is_here(device, failure) || !device_forked_may_run(failure))
        return false;
    kernel = find_kernel(binary, call->kernel, failure);
    if (!kernel)
        return false;
    if (call->arg_count > MAX_ARGS)
        return device_fail(failure, LIFT_FAIL_LAUNCH,
                           "kernel '%s' has %d arguments: at most %d can be passed",
                           call->kernel, call->arg_count, MAX_ARGS);
    for (int i = 0; i < call->arg_count; i++)
        pointers[i] = pass(&call->args[i], &scalars[i]);
    host(device)->seconds += run(host(device), binary, kernel, pointers);
    return true;
}

static bool host_finish(struct lift_device *device, double *seconds,
                        struct lift_failure *failure)
{
    struct host_device *h = host(device);

    (void)failure;
    if (seconds)
        *seconds = h->seconds;
    h->seconds = 0;
    return true;
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
    .save = host_save,
    .load = host_load,
    .unload = host_unload,
    .resources = host_resources,
    .alloc = host_alloc,
    .release = host_release,
    .wrap = host_wrap,
    .memory = host_memory,
    .write = host_write,
    .read = host_read,
    .guards = host_guards,
    .digest = host_digest,
    .launch = host_launch,
    .pin = host_pin,
    .finish = host_finish,
};
