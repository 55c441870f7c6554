/* The counters of counted.hpp, and the functions that -fsanitize=thread calls at each access.
 * This file itself is compiled without that option. */
#include "cuda_on_host.hpp"

struct counted_array {
    const char *name;
    const void *data;
};

struct kind {
    long operations, bytes;
};

/* Memory of the device. */
struct buffer {
    const char *data;
    size_t bytes;
    const char *name; /* of the parameter of the kernel that runs; NULL: none */
    kind loads, stores;
};

struct range {
    const char *data;
    size_t bytes;
};

enum { BUFFERS = 256, KERNELS = 64 };

static buffer buffers[BUFFERS];
static int buffer_count;
static const char *kernels[KERNELS]; /* that were launched */
static bool running;                 /* a kernel that is counted */
static dim3 middle;                  /* the block that is counted */
static range local;
static kind shared_loads, shared_stores, copies, boxes;
static long barriers, waits, all_stored;

/* The section exists in programs without arrays in shared memory, too. */
__attribute__((section("counted_shared"), used)) static char no_array;
extern "C" char __start_counted_shared[], __stop_counted_shared[];

static bool here()
{
    return running && blockIdx.x == middle.x && blockIdx.y == middle.y &&
           blockIdx.z == middle.z;
}

static bool first_thread()
{
    return threadIdx.x + threadIdx.y + threadIdx.z == 0;
}

static void add(kind &k, long bytes)
{
    k.operations++;
    k.bytes += bytes;
}

static buffer *buffer_at(const void *at)
{
    for (int i = 0; i < buffer_count; i++)
        if ((const char *)at >= buffers[i].data &&
            (const char *)at < buffers[i].data + buffers[i].bytes)
            return &buffers[i];
    return NULL;
}

static bool is_shared(const void *at)
{
    const char *p = (const char *)at;

    return (p >= __start_counted_shared && p < __stop_counted_shared) ||
           (p >= local.data && p < local.data + local.bytes);
}

/* Registers and stacks are not counted. */
static void access(const void *at, long bytes, bool store)
{
    if (!running)
        return;
    if (buffer *b = buffer_at(at)) {
        if (store)
            all_stored += bytes;
        if (here())
            add(store ? b->stores : b->loads, bytes);
    } else if (here() && is_shared(at))
        add(store ? shared_stores : shared_loads, bytes);
}

void counted_buffer(const void *data, size_t bytes)
{
    if (buffer_count == BUFFERS)
        fail("too many buffers");
    buffers[buffer_count++] = {(const char *)data, bytes, NULL, {0, 0}, {0, 0}};
}

static bool is_first(const char *kernel)
{
    int i = 0;

    for (; i < KERNELS && kernels[i]; i++)
        if (!strcmp(kernels[i], kernel))
            return false;
    if (i == KERNELS)
        fail("too many kernels");
    kernels[i] = kernel;
    return true;
}

bool counted_begin(const char *kernel, std::initializer_list<counted_array> arrays, dim3 grid,
                   const void *local_data, size_t local_bytes)
{
    local = {(const char *)local_data, local_bytes};
    middle = {grid.x / 2, grid.y / 2, grid.z / 2};
    shared_loads = shared_stores = copies = boxes = {0, 0};
    barriers = waits = all_stored = 0;
    for (int i = 0; i < buffer_count; i++) {
        buffers[i].name = NULL;
        buffers[i].loads = buffers[i].stores = {0, 0};
    }
    for (const counted_array &a : arrays)
        if (buffer *b = a.data ? buffer_at(a.data) : NULL)
            b->name = a.name;
    running = is_first(kernel);
    return running;
}

void counted_end(const char *kernel)
{
    running = false;
    printf("COUNT {\"kernel\": \"%s\", \"all_stored\": %ld, \"barriers\": %ld, \"waits\": %ld, "
           "\"shared_loads\": %ld, \"shared_stored\": %ld, \"copies\": %ld, \"boxes\": %ld, "
           "\"box_bytes\": %ld, \"arrays\": {",
           kernel, all_stored, barriers, waits, shared_loads.operations, shared_stores.bytes,
           copies.operations, boxes.operations, boxes.bytes);
    for (int i = 0, printed = 0; i < buffer_count; i++) {
        const buffer &b = buffers[i];

        if (b.loads.operations || b.stores.operations)
            printf("%s\"%s\": [%ld, %ld, %ld, %ld]", printed++ ? ", " : "",
                   b.name ? b.name : "intermediate", b.loads.operations, b.loads.bytes,
                   b.stores.operations, b.stores.bytes);
    }
    printf("}}\n");
}

/* ---- what counted.hpp notes */

void counted_barrier()
{
    barriers += here() && first_thread();
}

void counted_wait()
{
    waits += here() && first_thread();
}

void counted_copied(const void *from, int bytes)
{
    buffer *b = buffer_at(from);

    if (!here())
        return;
    add(copies, bytes);
    add(shared_stores, bytes);
    if (b)
        add(b->loads, bytes);
}

void counted_boxed()
{
    boxes.operations += here();
}

void counted_box_bytes(int bytes)
{
    if (here()) {
        boxes.bytes += bytes;
        shared_stores.bytes += bytes;
    }
}

/* ---- what the compiler calls */

#define ACCESSES(bytes)                                                                  \
    extern "C" void __tsan_read##bytes(void *at) { access(at, bytes, false); }           \
    extern "C" void __tsan_write##bytes(void *at) { access(at, bytes, true); }           \
    extern "C" void __tsan_unaligned_read##bytes(void *at) { access(at, bytes, false); } \
    extern "C" void __tsan_unaligned_write##bytes(void *at) { access(at, bytes, true); } \
    extern "C" void __tsan_volatile_read##bytes(void *at) { access(at, bytes, false); }  \
    extern "C" void __tsan_volatile_write##bytes(void *at) { access(at, bytes, true); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

extern "C" void __tsan_read_range(void *at, unsigned long bytes)
{
    access(at, (long)bytes, false);
}

extern "C" void __tsan_write_range(void *at, unsigned long bytes)
{
    access(at, (long)bytes, true);
}

extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(void **, void *) {}
extern "C" void __tsan_vptr_read(void **) {}
