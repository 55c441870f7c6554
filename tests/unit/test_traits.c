/* Properties that runtimes and dialects declare; other code must not compare names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "device/traits.h"
#include <cmocka.h>

static void test_every_runtime(void **state)
{
    (void)state;
    for (const struct lift_runtime *const *r = lift_runtimes; *r; r++) {
        const struct lift_device_info named = {.runtime = (*r)->name},
                                      stored = {.runtime = "an old one",
                                                .dialect = (*r)->dialect};

        assert_ptr_equal(lift_runtime_named((*r)->name), *r);
        assert_ptr_equal(lift_device_traits(&named), (*r)->traits);
        assert_ptr_equal(lift_device_traits(&stored), (*r)->traits);
        assert_non_null((*r)->traits->relaxed_flags[0]);
        assert_non_null((*r)->traits->exact_flags[0]);
        assert_true((*r)->traits->straight_most > 0);
    }
    assert_ptr_equal(lift_runtime_named("cuda:sm_90"), lift_runtime_named("cuda"));
    assert_null(lift_runtime_named("cud"));
    assert_null(lift_runtime_named("abacus"));
}

static void test_processors(void **state)
{
    const struct lift_device_info gpu = {.runtime = "opencl"},
                                  processor = {.runtime = "opencl", .is_cpu = true},
                                  host = {.runtime = "host", .is_cpu = true};

    (void)state;
    assert_false(lift_device_traits(&gpu)->rows_divided);
    assert_true(lift_device_traits(&processor)->rows_divided);
    assert_true(lift_device_traits(&host)->in_process);
}

static void test_architectures(void **state)
{
    static const struct {
        const char *arch;
        int from;
        bool reaches;
    } cases[] = {{"sm_80", 80, true},   {"sm_80", 90, false}, {"sm_100", 90, true},
                 {"gfx90a", 80, false}, {NULL, 90, true},     {"", 90, true},
                 {"sm_90", 0, false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(
            lift_device_reaches(&(struct lift_device_info){.arch = cases[i].arch},
                                cases[i].from),
            cases[i].reaches);
}

static void test_units(void **state)
{
    static const struct {
        const char *runtime, *arch;
        int items, registers;
    } cases[] = {
        {"cuda", "sm_75", 1024, 65536},      {"opencl", "sm_90", 2048, 65536},
        {"opencl", "pthread-skylake", 0, 0}, {"hip", "gfx906:sramecc+", 2048, 65536},
        {"hip", "gfx90a", 2048, 131072},     {"host", "x86_64 avx2", 0, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lift_device_info info = {.runtime = cases[i].runtime,
                                        .arch = cases[i].arch};

        lift_device_unit(&info);
        assert_int_equal(info.unit_items, cases[i].items);
        assert_int_equal(info.unit_registers, cases[i].registers);
    }
}

static void test_levels(void **state)
{
    (void)state;
    for (const struct lift_runtime *const *r = lift_runtimes; *r; r++) {
        enum lift_dialect d = (*r)->dialect;
        bool groups = lift_dialect_has_groups(d);

        assert_null(lift_dialect_level(d, LIFT_MAP));
        assert_int_equal(lift_dialect_level(d, LIFT_MAP_SEQ)->bits, 0);
        assert_int_equal(lift_dialect_level(d, LIFT_MAP_PAR) == NULL, groups);
        assert_int_equal(lift_dialect_level(d, LIFT_MAP_WRG) != NULL, groups);
        if (groups)
            assert_int_equal(lift_dialect_level(d, LIFT_MAP_LCL)->within,
                             LIFT_AROUND_WRG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_runtime), cmocka_unit_test(test_processors),
        cmocka_unit_test(test_architectures), cmocka_unit_test(test_units),
        cmocka_unit_test(test_levels),
    };

    return cmocka_run_group_tests_name("traits", tests, NULL, NULL);
}
