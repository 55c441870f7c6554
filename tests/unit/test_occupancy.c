/* Occupancy of blocks on NVIDIA's multiprocessors: table III of Sai et al., "Accelerating
 * High-Order Stencils on GPUs", measured on a V100, and limits of newer architectures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "device/occupancy.h"
#include <cmocka.h>
#include <string.h>

static const struct {
    int threads, registers, local_bytes, warps;
} table[] = {
    {64, 40, 0, 48},      /* gmem_4x4x4 */
    {512, 40, 0, 48},     /* gmem_8x8x8 */
    {1024, 40, 0, 32},    /* gmem_32x32x1 */
    {768, 40, 0, 48},     /* semi */
    {64, 48, 0, 40},      /* gmem_4x4x4, layer */
    {512, 32, 0, 64},     /* smem_eta_1, layer */
    {64, 56, 9216, 20},   /* st_smem_8x8 */
    {128, 56, 13824, 28}, /* st_smem_16x8 */
    {256, 56, 20736, 32}, /* st_smem_16x16 */
    {64, 96, 1024, 20},   /* st_reg_shft_8x8 */
    {512, 96, 3840, 16},  /* st_reg_shft_32x16 */
    {1024, 64, 6400, 32}, /* st_reg_shft_32x32 */
    {256, 78, 2304, 24},  /* st_reg_fixed_16x16 */
    {512, 106, 3840, 16}, /* st_reg_fixed_32x16, layer */
};

static void test_paper(void **state)
{
    struct lift_occupancy o;

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_true(lift_occupancy("sm_70", table[i].threads, table[i].registers,
                                   table[i].local_bytes, &o));
        if (o.warps != table[i].warps)
            fail_msg("%d threads, %d registers, %d bytes: %d warps instead of %d",
                     table[i].threads, table[i].registers, table[i].local_bytes, o.warps,
                     table[i].warps);
        assert_true(o.share == o.warps / 64.0);
    }
}

static void limited(const char *arch, int threads, int registers, int bytes,
                    const char *limit, int blocks)
{
    struct lift_occupancy o;

    assert_true(lift_occupancy(arch, threads, registers, bytes, &o));
    assert_string_equal(o.limit, limit);
    assert_int_equal(o.blocks, blocks);
}

static void test_limits(void **state)
{
    (void)state;
    limited("sm_90", 32, 16, 0, "blocks", 32);
    limited("sm_90", 1024, 32, 0, "threads", 2);
    limited("sm_89", 1024, 32, 0, "threads", 1);
    limited("sm_90", 256, 128, 0, "registers", 2);
    limited("sm_90", 128, 32, 113 * 1024, "shared memory", 2);
    limited("sm_90", 128, 32, 114 * 1024, "shared memory", 1);
}

static void test_unknown(void **state)
{
    struct lift_occupancy o;

    (void)state;
    assert_false(lift_occupancy("gfx90a", 64, 32, 0, &o));
    assert_false(lift_occupancy("", 64, 32, 0, &o));
    assert_false(lift_occupancy("sm_90", 0, 32, 0, &o));
    assert_false(lift_occupancy("sm_90", 64, -1, 0, &o));
    assert_false(lift_occupancy("sm_90", 64, 32, -1, &o));
    assert_false(lift_occupancy("sm_90", 1024, 128, 0, &o)); /* no block fits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
