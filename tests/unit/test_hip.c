/* HIP without AMD's hardware: the calls, against a stand-in of the runtime (fake_hip.c)
 * that dlopen finds; the code objects of architectures; their metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device/device_ops.h"
#include "device/gpu/amd_code.h"
#include "device/msgpack.h"
#include "every_device.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* The test ends here, with the reason, where there is no compiler. */
static struct lift_device *open_or_skip(const char *name)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open(name, &failure);

    if (!device) {
        print_message("%s\n", lift_str_get(&failure.text));
        assert_int_equal(failure.code, LIFT_ERROR_DEVICE);
        lift_error_fini(&failure);
        skip();
    }
    return device;
}

static void expect_text(struct lift_error *failure, enum lift_error_code kind,
                        const char *text)
{
    if (failure->code != kind || !strstr(lift_str_get(&failure->text), text))
        fail_msg("failure %d: '%s' is not in: %s", (int)failure->code, text,
                 lift_str_get(&failure->text));
    lift_error_fini(failure);
}

/* -- The stand-in -- */

static void test_the_device_is_described(void **state)
{
    struct lift_device *device = open_or_skip("hip");
    const struct lift_device_info *i = lift_device_info(device);

    (void)state;
    assert_string_equal(i->name, "Stand-in");
    assert_string_equal(i->arch, "gfx90a:sramecc+:xnack-");
    assert_string_equal(i->driver, "hip 6.3");
    assert_string_equal(i->runtime, "hip");
    assert_string_equal(i->pci, "0000:c1:00.0");
    assert_int_equal(i->dialect, LIFT_DIALECT_HIP);
    assert_int_equal(i->max_group_size, 1024);
    assert_int_equal(i->max_group_dims[2], 1024);
    assert_int_equal(i->local_bytes, 65536);
    assert_int_equal(i->global_bytes, 1ll << 36);
    assert_int_equal(i->compute_units, 104);
    assert_int_equal(i->simd_width, 64);
    assert_int_equal(i->unit_items, 2048);
    assert_int_equal(i->unit_registers, 131072);
    assert_false(i->builds_only);
    lift_device_close(device);
}

static void test_buffers(void **state)
{
    struct lift_device *device = open_or_skip("hip:0");
    const struct lift_runtime *rt = device->runtime;
    struct lift_error failure = {0};
    struct lift_buffer *b = rt->alloc(device, 3, &failure);
    struct lift_buffer *other = rt->alloc(device, 3, &failure);
    char zeros[3] = {0}, text[3];
    int64_t at;

    (void)state;
    assert_non_null(b);
    assert_non_null(other);
    assert_true(rt->read(device, b, text, 3, &failure));
    assert_memory_equal(text, zeros, 3);
    assert_true(rt->write(device, b, "abc", 3, &failure));
    assert_true(rt->read(device, b, text, 3, &failure));
    assert_memory_equal(text, "abc", 3);
    assert_true(rt->copy(device, other, b, 2, &failure));
    assert_true(rt->finish(device, NULL, &failure));
    assert_true(rt->read(device, other, text, 3, &failure));
    assert_memory_equal(text, "ab", 3);
    assert_true(rt->guards(device, b, &at, &failure));
    assert_int_equal(at, LIFT_UNTOUCHED);
    assert_null(rt->alloc(device, (size_t)1 << 40, &failure));
    expect_text(&failure, LIFT_ERROR_RESOURCE, "hipMemAlloc: hipErrorOther (2)");
    rt->release(device, b);
    rt->release(device, other);
    lift_device_close(device);
}

/* The caller's memory on the device, in the caller's stream. */
static void test_the_callers_memory(void **state)
{
    struct lift_device *device = open_or_skip("hip:0");
    const struct lift_runtime *rt = device->runtime;
    struct lift_error failure = {0};
    char text[] = "abc", mine[] = "xyz", stream[] = "stream";
    struct lift_buffer *b, *borrowed;

    (void)state;
    assert_true(rt->adopt(device, stream, &failure));
    b = rt->alloc(device, 3, &failure);
    borrowed = rt->borrow(device, mine, 3, &failure);
    assert_non_null(b);
    assert_non_null(borrowed);
    assert_true(rt->write(device, b, text, 3, &failure));
    assert_true(rt->copy(device, borrowed, b, 2, &failure));
    assert_true(rt->finish(device, NULL, &failure));
    assert_memory_equal(mine, "abz", 3);
    assert_string_equal(stream, "Stream");
    assert_true(rt->read(device, borrowed, text, 3, &failure));
    assert_memory_equal(text, "abz", 3);
    rt->release(device, borrowed);
    rt->release(device, b);
    lift_device_close(device);
}

static void test_a_kernel_gets_its_arguments(void **state)
{
    struct lift_device *device = open_or_skip("hip:0");
    struct lift_error failure = {0};
    struct lift_str binary = {0};
    double seconds;

    (void)state;
    if (!lift_device_health_build(device, &binary, &failure) ||
        !lift_device_health_check(device, binary.data, binary.len, &failure))
        fail_msg("%s", lift_str_get(&failure.text));
    assert_true(device->runtime->finish(device, &seconds, &failure));
    assert_true(seconds == 0);
    lift_str_fini(&binary);
    lift_device_close(device);
}

static void test_rejections_of_the_runtime(void **state)
{
    static const char text[] = "\0this is no code object";
    struct lift_device *device = open_or_skip("hip:0");
    const struct lift_runtime *rt = device->runtime;
    struct lift_error failure = {0};
    struct lift_call call = {"other", {1, {1, 1, 1}, {1, 1, 1}, 0}, NULL, 0};
    struct lift_str source = {0};
    struct lift_binary *binary;

    (void)state;
    assert_null(rt->load(device, text, sizeof text, &failure));
    expect_text(&failure, LIFT_ERROR_COMPILE,
                "hipModuleLoadData: hipErrorOther (200): something else");
    lift_str_add(&source, "extern \"C\" __global__ void other(void) {}\n");
    binary = rt->build(device, lift_str_get(&source), "", NULL, &failure);
    assert_non_null(binary);
    assert_false(rt->launch(device, binary, &call, &failure));
    expect_text(&failure, LIFT_ERROR_LAUNCH,
                "hipModuleGetFunction: hipErrorNotFound (500): named symbol not found "
                "for kernel 'other'");
    rt->unload(device, binary);
    lift_str_fini(&source);
    lift_device_close(device);
}

static void expect_failures(struct lift_device *device, struct lift_binary *binary,
                            const char *code, const enum lift_error_code *kinds)
{
    static const char image[] = "\0\177ELF";
    const struct lift_runtime *rt = device->runtime;
    struct lift_buffer *y = rt->alloc(device, 4, NULL);
    const struct lift_arg args[] = {{.kind = LIFT_ARG_BUFFER, .buffer = y},
                                    {.kind = LIFT_ARG_BUFFER, .buffer = y},
                                    {.kind = LIFT_ARG_I32, .i = 1}};
    const struct lift_call call = {"known", {1, {1, 1, 1}, {1, 1, 1}}, args, 3};
    struct lift_error failure = {0};

    setenv("FAKE_HIP_CODE", code, 1);
    assert_null(rt->load(device, image, sizeof image, &failure));
    expect_text(&failure, kinds[0], code);
    assert_null(rt->alloc(device, 4, &failure));
    expect_text(&failure, kinds[1], code);
    assert_false(rt->launch(device, binary, &call, &failure));
    expect_text(&failure, kinds[2], code);
    unsetenv("FAKE_HIP_CODE");
    rt->release(device, y);
}

/* After a lost device or a fault of a kernel, each call fails with this reason. */
static void test_failures_of_earlier_calls(void **state)
{
    static const enum lift_error_code own[] = {LIFT_ERROR_COMPILE, LIFT_ERROR_RESOURCE,
                                               LIFT_ERROR_LAUNCH},
                                      fault[] = {LIFT_ERROR_RUN, LIFT_ERROR_RUN,
                                                 LIFT_ERROR_RUN},
                                      lost[] = {LIFT_ERROR_DEVICE, LIFT_ERROR_DEVICE,
                                                LIFT_ERROR_DEVICE};
    struct lift_device *device = open_or_skip("hip:0");
    struct lift_error failure = {0};
    struct lift_str binary = {0};
    struct lift_binary *known;

    (void)state;
    assert_true(lift_device_health_build(device, &binary, &failure));
    known = device->runtime->load(device, binary.data, binary.len, &failure);
    assert_non_null(known);
    expect_failures(device, known, "200", own);
    expect_failures(device, known, "720", own);
    expect_failures(device, known, "700", fault);
    expect_failures(device, known, "719", fault);
    expect_failures(device, known, "214", lost);
    expect_failures(device, known, "709", lost);
    device->runtime->unload(device, known);
    lift_str_fini(&binary);
    lift_device_close(device);
}

/* -- Architectures -- */

static const char local_source[] =
    "extern \"C\" __global__ void __launch_bounds__(128) k(float *y)\n"
    "{\n"
    "    __shared__ float t[128];\n"
    "    int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;\n"
    "    t[i] = y[at];\n"
    "    __syncthreads();\n"
    "    y[at] = t[127 - i];\n"
    "}\n";

/* More values than there are registers, all needed until the end. */
static const char spilling_source[] =
    "extern \"C\" __global__ void __launch_bounds__(1024) k(float *y, const float *x)\n"
    "{\n"
    "    float v[160];\n"
    "    int i = threadIdx.x;\n"
    "#pragma unroll\n"
    "    for (int k = 0; k < 160; k++)\n"
    "        v[k] = x[k * 1024 + i];\n"
    "    __syncthreads();\n"
    "#pragma unroll\n"
    "    for (int k = 0; k < 160; k++)\n"
    "        y[k * 1024 + i] = v[k] * v[159 - k] + v[(7 * k) % 160];\n"
    "}\n";

static struct lift_resources resources_on(struct lift_device *device, const char *source)
{
    const struct lift_runtime *rt = device->runtime;
    struct lift_error failure = {0};
    struct lift_binary *binary = rt->build(device, source, "", NULL, &failure);
    struct lift_resources r;

    if (!binary)
        fail_msg("%s", lift_str_get(&failure.text));
    r = rt->resources(device, binary, "k");
    rt->unload(device, binary);
    return r;
}

static void check_resources(struct lift_device *device, int group)
{
    struct lift_resources small = resources_on(device, local_source);
    struct lift_resources large = resources_on(device, spilling_source);

    assert_in_range(small.registers, 1, 64);
    assert_int_equal(small.spill_bytes, 0);
    assert_int_equal(small.stack_bytes, 0);
    assert_int_equal(small.local_bytes, 512);
    assert_int_equal(small.max_group_size, group);
    assert_true(large.registers > small.registers);
    assert_true(large.spill_bytes > 0);
    assert_true(large.stack_bytes > 0);
    assert_int_equal(large.local_bytes, 0);
}

/* Loading and running a built binary need a device. */
static void check_refusals(struct lift_device *device)
{
    const struct lift_runtime *rt = device->runtime;
    struct lift_error failure = {0};
    struct lift_binary *binary = rt->build(device, local_source, "", NULL, &failure);
    struct lift_call call = {"k", {1, {128, 1, 1}, {128, 1, 1}, 0}, NULL, 0};
    struct lift_str bytes = {0};

    assert_non_null(binary);
    assert_true(rt->save(device, binary, &bytes, &failure));
    assert_null(rt->load(device, bytes.data, bytes.len, &failure));
    expect_text(&failure, LIFT_ERROR_DEVICE, "is an architecture, not a device");
    assert_false(rt->launch(device, binary, &call, &failure));
    expect_text(&failure, LIFT_ERROR_DEVICE, "is an architecture, not a device");
    assert_null(rt->alloc(device, 4, &failure));
    expect_text(&failure, LIFT_ERROR_DEVICE, "is an architecture, not a device");
    rt->unload(device, binary);
    lift_str_fini(&bytes);
    assert_null(rt->build(device, "extern \"C\" __global__ void k(float *y) { z = 1; }\n",
                          "", NULL, &failure));
    expect_text(&failure, LIFT_ERROR_COMPILE, "identifier");
}

/* The kernels of the program itself: once they are built, memory is missing. */
static void check_own_kernels(struct lift_device *device)
{
    struct lift_error failure = {0};
    struct lift_str binary = {0};

    if (!lift_device_health_build(device, &binary, &failure))
        fail_msg("%s", lift_str_get(&failure.text));
    lift_str_fini(&binary);
    assert_null(lift_device_ops(device, &failure));
    expect_text(&failure, LIFT_ERROR_DEVICE, "is an architecture");
    assert_true(lift_device_copy_bandwidth(device, &failure) == 0);
    expect_text(&failure, LIFT_ERROR_DEVICE, "is an architecture");
}

static void check_target(const char *name, int64_t local, int warp, int group, bool more)
{
    struct lift_device *device = open_or_skip(name);
    const struct lift_device_info *i = lift_device_info(device);

    assert_true(i->builds_only);
    assert_string_equal(i->name, strchr(name, ':') + 1);
    assert_string_equal(i->arch, strchr(name, ':') + 1);
    assert_int_equal(i->local_bytes, local);
    assert_int_equal(i->simd_width, warp);
    assert_int_equal(i->max_group_size, 1024);
    check_resources(device, group);
    if (more) {
        check_refusals(device);
        check_own_kernels(device);
    }
    lift_device_close(device);
}

static void test_sm_90(void **state)
{
    (void)state;
    check_target("cuda:sm_90", 227 * 1024, 32, -1, true);
}

static void test_gfx90a(void **state)
{
    (void)state;
    check_target("hip:gfx90a", 65536, 64, 128, true);
}

static void test_gfx1030(void **state)
{
    (void)state;
    check_target("hip:gfx1030", 65536, 32, 128, false);
}

static void test_names_of_no_target(void **state)
{
    static const char *const names[] = {"cuda:sm_1", "hip:sm_90", "cuda:sm_90 ",
                                        "hip:gfx"};
    struct lift_error failure = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_null(lift_device_open(names[i], &failure));
        expect_text(&failure, LIFT_ERROR_DEVICE, "neither a device nor an arch");
    }
}

/* -- Metadata -- */

struct made {
    unsigned char bytes[1024];
    size_t size;
};

static void put(struct made *m, const void *bytes, size_t size)
{
    assert_true(m->size + size <= sizeof m->bytes);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void put_text(struct made *m, const char *text)
{
    unsigned char head = (unsigned char)(0xa0 | strlen(text));

    put(m, &head, 1);
    put(m, text, strlen(text));
}

static void put_pair(struct made *m, const char *key, const char *value, size_t size)
{
    put_text(m, key);
    put(m, value, size);
}

/* Two kernels; of the second, values in several widths, and keys that are not known. */
static void make_metadata(struct made *m)
{
    put(m, "\x82", 1);
    put_pair(m, "amdhsa.version", "\x92\x01\x01", 3);
    put_text(m, "amdhsa.kernels");
    put(m, "\xdc\x00\x02", 3);
    put(m, "\x82", 1);
    put_pair(m, ".name", "\xa3one", 4);
    put_pair(m, ".vgpr_count", "\x07", 1);
    put(m, "\xde\x00\x08", 3);
    put_pair(m, ".args", "\x91\x82\xa1x\xc3\xa1y\xcb\0\0\0\0\0\0\0\0", 16);
    put_pair(m, ".other", "\xc4\x02zz", 4);
    put_pair(m, ".vgpr_count", "\xcc\x80", 2);
    put_pair(m, ".vgpr_spill_count", "\xd0\x05", 2);
    put_pair(m, ".group_segment_fixed_size", "\xce\x00\x01\x00\x00", 5);
    put_pair(m, ".private_segment_fixed_size", "\xcd\x01\x00", 3);
    put_pair(m, ".max_flat_workgroup_size", "\xcf\0\0\0\0\0\0\x04\0", 9);
    put_pair(m, ".name", "\xd9\x03two", 5);
}

/* An ELF file with two notes only. */
static void make_code(struct made *m)
{
    struct made metadata = {.size = 0};
    Elf64_Ehdr head = {.e_ident = ELFMAG, .e_phoff = sizeof head, .e_phnum = 1};
    Elf64_Phdr segment = {.p_type = PT_NOTE, .p_offset = sizeof head + sizeof segment};
    Elf64_Nhdr other = {.n_namesz = 4, .n_descsz = 3, .n_type = 32};
    Elf64_Nhdr note = {.n_namesz = 7, .n_type = 32};

    make_metadata(&metadata);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    note.n_descsz = (Elf64_Word)metadata.size;
    segment.p_filesz = sizeof other + 8 + sizeof note + 8 + metadata.size;
    put(m, &head, sizeof head);
    put(m, &segment, sizeof segment);
    put(m, &other, sizeof other);
    put(m, "GNU\0abc\0", 8);
    put(m, &note, sizeof note);
    put(m, "AMDGPU\0\0", 8);
    put(m, metadata.bytes, metadata.size);
}

static void test_metadata_is_read(void **state)
{
    struct lift_resources one = LIFT_RESOURCES_UNKNOWN, two = one, none = one;
    struct made m = {.size = 0};

    (void)state;
    make_code(&m);
    device_read_amd_code(m.bytes, m.size, "one", &one);
    assert_int_equal(one.registers, 7);
    assert_int_equal(one.spill_bytes, -1);
    assert_int_equal(one.local_bytes, -1);
    device_read_amd_code(m.bytes, m.size, "two", &two);
    assert_int_equal(two.registers, 128);
    assert_int_equal(two.spill_bytes, 20);
    assert_int_equal(two.local_bytes, 65536);
    assert_int_equal(two.stack_bytes, 256);
    assert_int_equal(two.max_group_size, 1024);
    device_read_amd_code(m.bytes, m.size, "tw", &none);
    assert_int_equal(none.registers, -1);
}

/* Wherever it is cut, and whatever a byte of it is, nothing beyond its end is read. */
static void test_damaged_metadata(void **state)
{
    struct lift_resources r = LIFT_RESOURCES_UNKNOWN;
    struct made m = {.size = 0};

    (void)state;
    make_code(&m);
    for (size_t size = 0; size < m.size; size++) {
        unsigned char *cut = malloc(size + 1);

        memcpy(cut, m.bytes, size);
        device_read_amd_code(cut, size, "two", &r);
        assert_int_equal(r.registers, -1); /* the segment is not all there */
        free(cut);
    }
    for (size_t i = 0; i < m.size; i++)
        for (int byte = 0; byte < 256; byte += 5) {
            unsigned char *changed = malloc(m.size);

            memcpy(changed, m.bytes, m.size);
            changed[i] = (unsigned char)byte;
            device_read_amd_code(changed, m.size, "two", &r);
            free(changed);
        }
}

static void test_numbers_of_metadata(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        int64_t number;
    } cases[] = {
        {"\x00", 1, 0},
        {"\x7f", 1, 127},
        {"\xe0", 1, -32},
        {"\xff", 1, -1},
        {"\xcc\xff", 2, 255},
        {"\xcd\x01\x02", 3, 258},
        {"\xce\xff\xff\xff\xff", 5, 4294967295},
        {"\xd0\x80", 2, -128},
        {"\xd1\xff\xfe", 3, -2},
        {"\xd2\x80\x00\x00\x00", 5, -2147483648ll},
        {"\xd3\xff\xff\xff\xff\xff\xff\xff\xff", 9, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const unsigned char *bytes = (const unsigned char *)cases[i].bytes;
        struct msgpack m = {bytes, bytes + cases[i].size};
        struct msgpack cut = {bytes, bytes + cases[i].size - 1};
        struct msgpack_value v;

        assert_true(msgpack_next(&m, &v));
        assert_int_equal(v.kind, MSGPACK_NUMBER);
        assert_int_equal(v.number, cases[i].number);
        assert_ptr_equal(m.at, m.end);
        assert_false(msgpack_next(&cut, &v));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_device_is_described),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_the_callers_memory),
        cmocka_unit_test(test_a_kernel_gets_its_arguments),
        cmocka_unit_test(test_rejections_of_the_runtime),
        cmocka_unit_test(test_failures_of_earlier_calls),
        cmocka_unit_test(test_sm_90),
        cmocka_unit_test(test_gfx90a),
        cmocka_unit_test(test_gfx1030),
        cmocka_unit_test(test_names_of_no_target),
        cmocka_unit_test(test_metadata_is_read),
        cmocka_unit_test(test_damaged_metadata),
        cmocka_unit_test(test_numbers_of_metadata),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
