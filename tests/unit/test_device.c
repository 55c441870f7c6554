/* One conformance suite for every device found here, then tests of the host and of the
 * list of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device.h"
#include "device/device_t.h"
#include "every_device.h"
#include "patience.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* -- Kernels, one text a dialect -- */

/* y = a * x + b * i + c + y, with the four kinds of arguments. */
static const char *const axpy_source[] = {
    [LIFT_DIALECT_OPENMP] =
        "#include <stdint.h>\n"
        "static void axpy(float *y, const float *x, float a, double b, int32_t c, "
        "int32_t n)\n"
        "{\n"
        "#pragma omp parallel for\n"
        "    for (int32_t i = 0; i < n; i++)\n"
        "        y[i] = a * x[i] + (float)(b * i) + c + y[i];\n"
        "}\n"
        "void axpy_call(void *const *args)\n"
        "{\n"
        "    axpy(args[0], args[1], *(float *)args[2], *(double *)args[3],\n"
        "         *(int32_t *)args[4], *(int32_t *)args[5]);\n"
        "}\n"
        "void zero_call(void *const *args)\n"
        "{\n"
        "    *(float *)args[0] = 0;\n"
        "}\n",
    [LIFT_DIALECT_OPENCL] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                            "kernel void axpy(global float *y, global const float *x, "
                            "float a, double b, int c,\n"
                            "                 int n)\n"
                            "{\n"
                            "    size_t i = get_global_id(0);\n"
                            "    if (i < n)\n"
                            "        y[i] = a * x[i] + (float)(b * (int)i) + c + y[i];\n"
                            "}\n"
                            "kernel void zero(global float *y)\n"
                            "{\n"
                            "    y[0] = 0;\n"
                            "}\n",
    [LIFT_DIALECT_CUDA] =
        "extern \"C\" __global__ void axpy(float *y, const float *x, float a, double b,\n"
        "                                int c, int n)\n"
        "{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n)\n"
        "        y[i] = a * x[i] + (float)(b * i) + c + y[i];\n"
        "}\n"
        "extern \"C\" __global__ void zero(float *y)\n"
        "{\n"
        "    y[0] = 0;\n"
        "}\n",
};

static const char *const broken_source[] = {
    [LIFT_DIALECT_OPENMP] = "void k_call(void *const *args) { no_such_name = 1; }\n",
    [LIFT_DIALECT_OPENCL] = "kernel void k(global float *y) { no_such_name = 1; }\n",
    [LIFT_DIALECT_CUDA] =
        "extern \"C\" __global__ void k(float *y) { no_such_name = 1; }\n",
};

/* Its value is only right if the extra option arrives. */
static const char *const option_source[] = {
    [LIFT_DIALECT_OPENMP] =
        "void k_call(void *const *args) { *(float *)args[0] = VALUE + OTHER; }\n",
    [LIFT_DIALECT_OPENCL] = "kernel void k(global float *y) { y[0] = VALUE + OTHER; }\n",
    [LIFT_DIALECT_CUDA] =
        "extern \"C\" __global__ void k(float *y) { y[0] = VALUE + OTHER; }\n",
};

/* -- One device -- */

struct bench {
    struct lift_device *device;
    const struct lift_runtime *rt;
    const struct lift_device_info *info;
    struct lift_error failure;
};

/* HIP's kernels are CUDA's. */
static const char *source_in(const char *const *sources, const struct bench *b)
{
    bool hip = b->info->dialect == LIFT_DIALECT_HIP;

    return sources[hip ? LIFT_DIALECT_CUDA : b->info->dialect];
}

static const char *device_name; /* the one under test */

static int open_device(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    b->device = lift_device_open(device_name, &b->failure);
    if (!b->device)
        fail_msg("cannot open '%s': %s", device_name, lift_str_get(&b->failure.text));
    b->rt = b->device->runtime;
    b->info = lift_device_info(b->device);
    *state = b;
    return 0;
}

static int close_device(void **state)
{
    struct bench *b = *state;

    lift_device_close(b->device);
    lift_error_fini(&b->failure);
    free(b);
    return 0;
}

static void good(struct bench *b, bool result)
{
    if (!result)
        fail_msg("failure %d: %s", (int)b->failure.code, lift_str_get(&b->failure.text));
}

static struct lift_binary *build(struct bench *b, const char *const *sources,
                                 const char *options)
{
    struct lift_binary *binary =
        b->rt->build(b->device, source_in(sources, b), options, NULL, &b->failure);

    good(b, binary != NULL);
    return binary;
}

static struct lift_buffer *alloc(struct bench *b, size_t bytes)
{
    struct lift_buffer *buffer = b->rt->alloc(b->device, bytes, &b->failure);

    good(b, buffer != NULL);
    return buffer;
}

static struct lift_launch over(size_t n, size_t local)
{
    return (struct lift_launch){
        1, {(n + local - 1) / local * local, 1, 1}, {local, 1, 1}};
}

static void test_info(void **state)
{
    struct bench *b = *state;
    const struct lift_device_info *i = b->info;
    char hex[LIFT_HASH_HEX];

    assert_true(strlen(i->name) > 0);
    assert_true(strlen(i->arch) > 0);
    assert_true(strlen(i->compiler) > 0);
    assert_true(strlen(i->driver) > 0);
    assert_non_null(i->vendor);
    assert_string_equal(i->runtime, b->rt->name);
    assert_true(i->compute_units > 0);
    assert_true(i->local_bytes >= 16 * 1024);
    assert_true(i->global_bytes >= 64 * 1024 * 1024);
    assert_true(i->simd_width >= 1 && i->simd_width <= 64);
    if (lift_dialect_has_groups(i->dialect))
        assert_true(i->max_group_size > 0 && i->max_group_dims[0] > 0);
    print_message(
        "%s: %s | %s | %s | %s | %s | %d units, simd %d, local %lld, global %lld | "
        "%s\n",
        device_name, i->name, i->vendor, i->driver, i->arch, i->compiler,
        i->compute_units, i->simd_width, (long long)i->local_bytes,
        (long long)i->global_bytes, lift_hash_hex(lift_device_hash(i), hex));
}

static void run_axpy(struct bench *b, struct lift_binary *binary, int n)
{
    size_t bytes = (size_t)n * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes);
    struct lift_buffer *bx = alloc(b, bytes), *by = alloc(b, bytes);
    const struct lift_arg args[] = {
        {.kind = LIFT_ARG_BUFFER, .buffer = by}, {.kind = LIFT_ARG_BUFFER, .buffer = bx},
        {.kind = LIFT_ARG_F32, .f = 0.5},        {.kind = LIFT_ARG_F64, .f = 0.25},
        {.kind = LIFT_ARG_I32, .i = -3},         {.kind = LIFT_ARG_I32, .i = n},
    };
    double seconds = -1;

    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 17);
        y[i] = (float)(i % 5);
    }
    good(b, b->rt->write(b->device, bx, x, bytes, &b->failure));
    good(b, b->rt->write(b->device, by, y, bytes, &b->failure));
    for (int round = 0; round < 2; round++)
        good(b, b->rt->launch(b->device, binary,
                              &(struct lift_call){"axpy", over((size_t)n, 32), args, 6},
                              &b->failure));
    good(b, b->rt->finish(b->device, &seconds, &b->failure));
    assert_true(seconds > 0 && seconds < patient(60));
    memset(y, 0xff, bytes);
    good(b, b->rt->read(b->device, by, y, bytes, &b->failure));
    for (int i = 0; i < n; i++) {
        float once = 0.5f * (float)(i % 17) + 0.25f * (float)i - 3;

        if (y[i] != 2 * once + (float)(i % 5))
            fail_msg("element %d of %d: %g", i, n, (double)y[i]);
    }
    b->rt->release(b->device, bx);
    b->rt->release(b->device, by);
    free(x);
    free(y);
}

static void test_axpy(void **state)
{
    static const int sizes[] = {1, 2, 7, 31, 33, 1000, 4099, 700001};
    struct bench *b = *state;
    struct lift_binary *binary = build(b, axpy_source, "");

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        run_axpy(b, binary, sizes[i]);
    b->rt->unload(b->device, binary);
}

static void test_finish_counts_since_the_last_finish(void **state)
{
    struct bench *b = *state;
    struct lift_binary *binary = build(b, axpy_source, "");
    struct lift_buffer *y = alloc(b, 4);
    const struct lift_arg arg = {.kind = LIFT_ARG_BUFFER, .buffer = y};
    double seconds = -1;

    good(b, b->rt->finish(b->device, &seconds, &b->failure));
    assert_true(seconds == 0);
    good(b, b->rt->launch(b->device, binary,
                          &(struct lift_call){"zero", over(1, 1), &arg, 1}, &b->failure));
    good(b, b->rt->finish(b->device, NULL, &b->failure));
    good(b, b->rt->finish(b->device, &seconds, &b->failure));
    assert_true(seconds == 0);
    b->rt->release(b->device, y);
    b->rt->unload(b->device, binary);
}

static void test_new_buffers_are_zero(void **state)
{
    struct bench *b = *state;
    const size_t sizes[] = {1, 4097, 3 * 1024 * 1024 + 5};

    for (int i = 0; i < 3; i++) {
        struct lift_buffer *buffer = alloc(b, sizes[i]);
        unsigned char *bytes = malloc(sizes[i]);

        memset(bytes, 1, sizes[i]);
        good(b, b->rt->read(b->device, buffer, bytes, sizes[i], &b->failure));
        for (size_t j = 0; j < sizes[i]; j++)
            assert_int_equal(bytes[j], 0);
        free(bytes);
        b->rt->release(b->device, buffer);
    }
    b->rt->release(b->device, NULL);
}

/* Stores at an index relative to the buffer's beginning. */
static const char *const stray_source[] = {
    [LIFT_DIALECT_OPENMP] = "void k_call(void *const *args)\n"
                            "{\n"
                            "    ((unsigned char *)args[0])[*(int *)args[1]] = 7;\n"
                            "}\n",
    [LIFT_DIALECT_OPENCL] = "kernel void k(global uchar *y, int i) { y[i] = 7; }\n",
    [LIFT_DIALECT_CUDA] =
        "extern \"C\" __global__ void k(unsigned char *y, int i) { y[i] = 7; }\n",
};

static int64_t guards_after(struct bench *b, struct lift_binary *binary, size_t bytes,
                            int index)
{
    struct lift_buffer *y = alloc(b, bytes);
    const struct lift_arg args[] = {{.kind = LIFT_ARG_BUFFER, .buffer = y},
                                    {.kind = LIFT_ARG_I32, .i = index}};
    int64_t at = 0;

    good(b, b->rt->launch(b->device, binary,
                          &(struct lift_call){"k", over(1, 1), args, 2}, &b->failure));
    good(b, b->rt->finish(b->device, NULL, &b->failure));
    good(b, b->rt->guards(b->device, y, &at, &b->failure));
    b->rt->release(b->device, y);
    return at;
}

static void test_stray_stores_are_found(void **state)
{
    static const int sizes[] = {1, 4096, 4099, 3 * 1024 * 1024 + 4};
    struct bench *b = *state;
    struct lift_binary *binary = build(b, stray_source, "");

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int n = sizes[i];

        assert_true(guards_after(b, binary, (size_t)n, 0) == LIFT_UNTOUCHED);
        assert_true(guards_after(b, binary, (size_t)n, n - 1) == LIFT_UNTOUCHED);
        assert_int_equal(guards_after(b, binary, (size_t)n, -1), -1);
        assert_int_equal(guards_after(b, binary, (size_t)n, -4096), -4096);
        assert_int_equal(guards_after(b, binary, (size_t)n, n), n);
        assert_int_equal(guards_after(b, binary, (size_t)n, n + 4095), n + 4095);
    }
    b->rt->unload(b->device, binary);
}

static uint64_t digest(struct bench *b, struct lift_buffer *buffer)
{
    uint64_t sum = 0;

    good(b, b->rt->digest(b->device, buffer, &sum, &b->failure));
    return sum;
}

/* Of any size; every single change is seen, and equal contents have equal sums. */
/* So many bytes, and no more. */
static void test_drivers_copy(void **state)
{
    enum { ALL = 70001, SOME = 65537 };
    struct bench *b = *state;
    struct lift_buffer *from, *to;
    unsigned char *bytes;

    if (!b->rt->copy)
        return;
    from = alloc(b, ALL);
    to = alloc(b, ALL);
    bytes = malloc(ALL);
    for (int i = 0; i < ALL; i++)
        bytes[i] = (unsigned char)(i % 251 + 1);
    good(b, b->rt->write(b->device, from, bytes, ALL, &b->failure));
    good(b, b->rt->copy(b->device, to, from, SOME, &b->failure));
    good(b, b->rt->finish(b->device, NULL, &b->failure));
    good(b, b->rt->read(b->device, to, bytes, ALL, &b->failure));
    for (int i = 0; i < ALL; i++)
        assert_int_equal(bytes[i], i < SOME ? i % 251 + 1 : 0);
    free(bytes);
    b->rt->release(b->device, from);
    b->rt->release(b->device, to);
}

static void test_digest_tells_contents_apart(void **state)
{
    static const size_t sizes[] = {1, 3, 64, 65, 70001};
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t n = sizes[i];
        struct lift_buffer *x = alloc(b, n), *y = alloc(b, n);
        unsigned char *bytes = calloc(n, 1);
        uint64_t zero = digest(b, x);

        for (size_t at = 0; at < n; at += n / 5 + 1) {
            bytes[at] = 1;
            good(b, b->rt->write(b->device, y, bytes, n, &b->failure));
            assert_true(digest(b, y) != zero);
            bytes[at] = 0;
        }
        good(b, b->rt->write(b->device, y, bytes, n, &b->failure));
        assert_true(digest(b, y) == zero);
        free(bytes);
        b->rt->release(b->device, x);
        b->rt->release(b->device, y);
    }
}

/* The values that kernel 'k' stores. */
static float value_of(struct bench *b, struct lift_binary *binary)
{
    struct lift_buffer *y = alloc(b, 4);
    const struct lift_arg arg = {.kind = LIFT_ARG_BUFFER, .buffer = y};
    float value = 0;

    good(b, b->rt->launch(b->device, binary,
                          &(struct lift_call){"k", over(1, 1), &arg, 1}, &b->failure));
    good(b, b->rt->finish(b->device, NULL, &b->failure));
    good(b, b->rt->read(b->device, y, &value, 4, &b->failure));
    b->rt->release(b->device, y);
    return value;
}

static void test_options_arrive(void **state)
{
    struct bench *b = *state;
    struct lift_binary *binary = build(b, option_source, " -DVALUE=42  -DOTHER=1 ");

    assert_true(value_of(b, binary) == 43);
    b->rt->unload(b->device, binary);
}

static void test_compile_error_has_the_compilers_text(void **state)
{
    struct bench *b = *state;
    struct lift_str log = {0};
    struct lift_binary *binary =
        b->rt->build(b->device, source_in(broken_source, b), "", &log, &b->failure);

    assert_null(binary);
    assert_int_equal(b->failure.code, LIFT_ERROR_COMPILE);
    assert_non_null(strstr(lift_str_get(&b->failure.text), "no_such_name"));
    lift_str_fini(&log);
    assert_null(b->rt->build(b->device, source_in(broken_source, b), "", NULL, NULL));
    b->rt->unload(b->device, build(b, axpy_source, "")); /* the device still works */
}

static void test_two_modules_with_the_same_names(void **state)
{
    struct bench *b = *state;
    struct lift_binary *one = build(b, option_source, "-DVALUE=1 -DOTHER=0");
    struct lift_binary *two = build(b, option_source, "-DVALUE=2 -DOTHER=0");
    struct lift_buffer *y = alloc(b, 4);
    const struct lift_arg arg = {.kind = LIFT_ARG_BUFFER, .buffer = y};
    float value = 0;

    good(b, b->rt->launch(b->device, two, &(struct lift_call){"k", over(1, 1), &arg, 1},
                          &b->failure));
    good(b, b->rt->read(b->device, y, &value, 4, &b->failure));
    assert_true(value == 2);
    b->rt->unload(b->device, two);
    good(b, b->rt->launch(b->device, one, &(struct lift_call){"k", over(1, 1), &arg, 1},
                          &b->failure));
    good(b, b->rt->read(b->device, y, &value, 4, &b->failure));
    assert_true(value == 1);
    good(b, b->rt->finish(b->device, NULL, &b->failure));
    b->rt->release(b->device, y);
    b->rt->unload(b->device, one);
    b->rt->unload(b->device, NULL);
}

/* A binary as another process would load it: saved by one handle of the device, loaded by
 * another. */
static void test_saved_and_loaded(void **state)
{
    struct bench *b = *state, other = {0};
    struct lift_binary *binary = build(b, option_source, "-DVALUE=7 -DOTHER=1");
    struct lift_binary *large = build(b, axpy_source, "");
    struct lift_str small_bytes = {0}, large_bytes = {0};

    good(b, b->rt->save(b->device, binary, &small_bytes, &b->failure));
    good(b, b->rt->save(b->device, large, &large_bytes, &b->failure));
    b->rt->unload(b->device, binary);
    b->rt->unload(b->device, large);
    other.device = lift_device_open(device_name, &other.failure);
    good(&other, other.device != NULL);
    other.rt = other.device->runtime;
    for (int round = 0; round < 3; round++) {
        large = other.rt->load(other.device, large_bytes.data, large_bytes.len,
                               &other.failure);
        good(&other, large != NULL);
        run_axpy(&other, large, 1000);
        other.rt->unload(other.device, large);
        binary = other.rt->load(other.device, small_bytes.data, small_bytes.len,
                                &other.failure);
        good(&other, binary != NULL);
        assert_true(value_of(&other, binary) == 8);
        other.rt->unload(other.device, binary);
    }
    lift_device_close(other.device);
    lift_str_fini(&small_bytes);
    lift_str_fini(&large_bytes);
}

static void test_known_kernel(void **state)
{
    struct bench *b = *state;
    struct lift_str known = {0};

    good(b, lift_device_health_build(b->device, &known, &b->failure));
    for (int round = 0; round < 2; round++)
        good(b, lift_device_health_check(b->device, known.data, known.len, &b->failure));
    lift_str_fini(&known);
}

static void test_damaged_binary(void **state)
{
    static const char bytes[] = "-DX\0these are no bytes of a module";
    struct bench *b = *state;

    assert_null(b->rt->load(b->device, bytes, sizeof bytes, &b->failure));
    assert_int_equal(b->failure.code, LIFT_ERROR_COMPILE);
    assert_true(b->failure.text.len > 0);
}

static void test_unknown_kernel(void **state)
{
    struct bench *b = *state;
    struct lift_binary *binary = build(b, axpy_source, "");
    struct lift_resources r = b->rt->resources(b->device, binary, "missing");

    assert_int_equal(r.max_group_size, -1);
    assert_false(b->rt->launch(b->device, binary,
                               &(struct lift_call){"missing", over(1, 1), NULL, 0},
                               &b->failure));
    assert_int_equal(b->failure.code, LIFT_ERROR_LAUNCH);
    assert_non_null(strstr(lift_str_get(&b->failure.text), "'missing'"));
    b->rt->unload(b->device, binary);
}

static void test_too_large_buffer(void **state)
{
    struct bench *b = *state;

    assert_null(b->rt->alloc(b->device, (size_t)1 << 50, &b->failure));
    assert_int_equal(b->failure.code, LIFT_ERROR_RESOURCE);
    assert_true(b->failure.text.len > 0);
}

static void test_copy_bandwidth(void **state)
{
    struct bench *b = *state;
    double rate;

    unsetenv("LIFT_COPY_MB");
    rate = lift_device_copy_bandwidth(b->device, &b->failure);
    good(b, rate > 0);
    assert_true(rate < 20000);
    print_message("%s: copy %.1f GB/s\n", device_name, rate);
}

static void test_opened_twice_hashes_the_same(void **state)
{
    struct bench *b = *state;
    struct lift_device *again = lift_device_open(device_name, &b->failure);

    good(b, again != NULL);
    assert_true(lift_hash_equal(lift_device_hash(b->info),
                                lift_device_hash(lift_device_info(again))));
    lift_device_close(again);
}

/* -- Only where there are groups -- */

/* A kernel with a new SALT is in no driver's cache: some compilers report nothing for
 * cached kernels. */
#define SALTED                                                                           \
    "#ifndef SALT\n"                                                                     \
    "#define SALT 0\n"                                                                   \
    "#endif\n"
static const char *const local_source[] = {
    [LIFT_DIALECT_OPENCL] = SALTED "kernel void k(global float *y)\n"
                                   "{\n"
                                   "    local float t[128];\n"
                                   "    size_t i = get_local_id(0);\n"
                                   "    t[i] = y[get_global_id(0)];\n"
                                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                   "    y[get_global_id(0)] = t[127 - i] + SALT;\n"
                                   "}\n",
    [LIFT_DIALECT_CUDA] =
        SALTED "extern \"C\" __global__ void k(float *y)\n"
               "{\n"
               "    __shared__ float t[128];\n"
               "    int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;\n"
               "    t[i] = y[at];\n"
               "    __syncthreads();\n"
               "    y[at] = t[127 - i] + SALT;\n"
               "}\n",
};

static bool has_groups(const struct bench *b)
{
    return lift_dialect_has_groups(b->info->dialect);
}

static void test_local_memory_is_reported(void **state)
{
    struct bench *b = *state;
    struct lift_binary *binary;
    struct lift_resources r;
    char salt[64];

    if (!has_groups(b)) {
        print_message("the host has no local memory and no groups\n");
        skip();
    }
    snprintf(salt, sizeof salt, "-DSALT=%ld",
             (long)time(NULL) % 1000000 * 1000 + getpid() % 1000);
    binary = build(b, local_source, salt);
    r = b->rt->resources(b->device, binary, "k");
    print_message("%s: registers %d, spills %d, local %lld, group %d\n", device_name,
                  r.registers, r.spill_bytes, (long long)r.local_bytes, r.max_group_size);
    assert_true(r.local_bytes >= 512);
    assert_true(r.max_group_size >= 1 || r.max_group_size == -1);
    b->rt->unload(b->device, binary);
}

static void test_missing_argument(void **state)
{
    struct bench *b = *state;
    struct lift_binary *binary;

    if (b->info->dialect != LIFT_DIALECT_OPENCL) {
        print_message("this runtime does not know how many arguments a kernel has\n");
        skip();
    }
    binary = b->rt->build(b->device, source_in(local_source, b), "", NULL, &b->failure);
    good(b, binary != NULL);
    assert_false(b->rt->launch(b->device, binary,
                               &(struct lift_call){"k", over(128, 128), NULL, 0},
                               &b->failure));
    assert_int_equal(b->failure.code, LIFT_ERROR_LAUNCH);
    assert_string_equal(lift_str_get(&b->failure.text),
                        "kernel 'k' takes 1 arguments: 0 are passed");
    b->rt->unload(b->device, binary);
}

static void test_too_large_group(void **state)
{
    struct bench *b = *state;
    struct lift_binary *binary;
    struct lift_buffer *y;
    struct lift_arg arg = {.kind = LIFT_ARG_BUFFER};
    size_t group;

    if (!has_groups(b)) {
        print_message("the host has no local memory and no groups\n");
        skip();
    }
    group = (size_t)b->info->max_group_size * 2;
    binary = b->rt->build(b->device, source_in(local_source, b), "", NULL, &b->failure);
    good(b, binary != NULL);
    y = arg.buffer = alloc(b, group * sizeof(float));
    assert_false(b->rt->launch(b->device, binary,
                               &(struct lift_call){"k", over(group, group), &arg, 1},
                               &b->failure));
    assert_int_equal(b->failure.code, LIFT_ERROR_RESOURCE);
    assert_non_null(strstr(lift_str_get(&b->failure.text), "kernel 'k'"));
    b->rt->release(b->device, y);
    b->rt->unload(b->device, binary);
}

static int run_conformance(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_info, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_axpy, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_finish_counts_since_the_last_finish,
                                        open_device, close_device),
        cmocka_unit_test_setup_teardown(test_new_buffers_are_zero, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(test_stray_stores_are_found, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(test_drivers_copy, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_digest_tells_contents_apart, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(test_options_arrive, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_compile_error_has_the_compilers_text,
                                        open_device, close_device),
        cmocka_unit_test_setup_teardown(test_two_modules_with_the_same_names, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(test_saved_and_loaded, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_known_kernel, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_damaged_binary, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_unknown_kernel, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_too_large_buffer, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_copy_bandwidth, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_opened_twice_hashes_the_same, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(test_local_memory_is_reported, open_device,
                                        close_device),
        cmocka_unit_test_setup_teardown(test_too_large_group, open_device, close_device),
        cmocka_unit_test_setup_teardown(test_missing_argument, open_device, close_device),
    };

    device_name = name;
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

/* -- The list of devices -- */

static void expect_unavailable(const char *name, const char *text)
{
    struct lift_error failure = {0};

    assert_null(lift_device_open(name, &failure));
    assert_int_equal(failure.code, LIFT_ERROR_DEVICE);
    if (!strstr(lift_str_get(&failure.text), text))
        fail_msg("'%s' is not in: %s", text, lift_str_get(&failure.text));
    assert_non_null(strstr(lift_str_get(&failure.text), "there are: host,"));
    lift_error_fini(&failure);
}

static void test_names_of_no_device(void **state)
{
    (void)state;
    expect_unavailable("abacus", "no device 'abacus': no such runtime");
    expect_unavailable("", "no device '': no such runtime");
    expect_unavailable("host:1", "no device 'host:1': 'host' has 1 device;");
    expect_unavailable("host:", "no number");
    expect_unavailable("host:-1", "no number");
    expect_unavailable("opencl:sm_90", "no number");
    expect_unavailable("cuda:-1", "no number");
    expect_unavailable("host:99999999999999999999", "no number");
    expect_unavailable("opencl:700", "no device 'opencl:700'");
    assert_null(lift_device_open("abacus", NULL));
}

static void test_hash_tells_devices_apart(void **state)
{
    struct lift_device_info a = {.name = "n", .vendor = "v", .runtime = "r", .arch = "a"};
    struct lift_device_info b = a;

    (void)state;
    a.driver = "1";
    b.driver = "2";
    assert_true(lift_hash_equal(lift_device_hash(&a), lift_device_hash(&b)));
    b.compute_units = 5;
    assert_false(lift_hash_equal(lift_device_hash(&a), lift_device_hash(&b)));
    b = a;
    b.local_bytes = 5;
    assert_false(lift_hash_equal(lift_device_hash(&a), lift_device_hash(&b)));
    b = a;
    b.arch = "b";
    assert_false(lift_hash_equal(lift_device_hash(&a), lift_device_hash(&b)));
    b = a;
    b.name = "v";
    b.vendor = "n";
    assert_false(lift_hash_equal(lift_device_hash(&a), lift_device_hash(&b)));
}

static void test_log_of_nvidias_compiler(void **state)
{
    static const char log[] =
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function 'copy_wide' for 'sm_90'\n"
        "ptxas info    : Function properties for copy_wide\n"
        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill "
        "loads\n"
        "ptxas info    : Used 12 registers, used 0 barriers\n"
        "ptxas info    : Compiling entry function 'copy' for 'sm_90'\n"
        "ptxas         .     96 bytes stack frame, 88 bytes spill stores, 92 bytes spill "
        "loads\n"
        "ptxas info    : Used 255 registers, used 1 barriers, 516 bytes smem\n"
        "ptxas info    : Compiling entry function 'cut' for 'sm_90'\n";
    static const struct {
        const char *kernel;
        int registers, spills, local;
    } cases[] = {{"copy_wide", 12, 0, 0},
                 {"copy", 255, 88, 516},
                 {"cut", -1, -1, -1},
                 {"none", -1, -1, -1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lift_resources r = LIFT_RESOURCES_UNKNOWN;

        device_read_nvidia_log(log, cases[i].kernel, &r);
        assert_int_equal(r.registers, cases[i].registers);
        assert_int_equal(r.spill_bytes, cases[i].spills);
        assert_int_equal(r.local_bytes, cases[i].local);
    }
}

static int run_others(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_no_device),
        cmocka_unit_test(test_hash_tells_devices_apart),
        cmocka_unit_test(test_log_of_nvidias_compiler),
    };

    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}

int main(void)
{
    int failed = run_others();

    failed += on_every_device(run_conformance);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
