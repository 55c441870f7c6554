/* Schedules in words, and speedups with their intervals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/tunable.h"
#include "lift/rules.h"
#include "report/gain.h"
#include "report/schedule.h"
#include "report/units.h"
#include "rules/decision.h"
#include <string.h>

static void says(const char *options, const char *tunables, const char *want)
{
    struct lift_str out = {0};

    lift_str_add(&out, "> ");
    report_schedule(NULL, options, tunables, &out);
    assert_string_equal(lift_str_get(&out) + 2, want);
    lift_str_fini(&out);
}

static void test_words(void **state)
{
    (void)state;
    says("tiling=guarded,points_per_thread=box,pitch=aligned,update=in_place",
         "{\"tile_z\": 6, \"tile_y\": 12, \"tile_x\": 512, \"points_z\": 2, "
         "\"points_y\": 1, "
         "\"vector\": 8}",
         "tile 6x12x512, block 2x1 points a thread, 8-wide vectors, aligned rows, in "
         "place");
    says("parallel=blocks,buffering=triple,copy=tma,steps=four",
         "{\"block_x\": 32, \"block_y\": 8, \"min_blocks\": 2, \"index_bits\": 32}",
         "32x8 threads a block, triple buffering, TMA copies, four time steps a launch, "
         "blocks a multiprocessor: 2");
    says("", "{\"local0\": 32, \"local1\": 8, \"resident\": 2, \"compiler\": 1}",
         "32x8 threads a block, blocks a multiprocessor: 2, compiled by gcc");
    /* A dimension that is missing, or alone, has its name. */
    says("", "{\"tile_z\": 6}", "tile 6 along z");
    says("", "{\"tile_x\": 64}", "tile 64");
    says("", "{\"tile_z\": 6, \"tile_x\": 64}", "tile 6x64 along z, x");
    says("", "{\"points_y\": 4}", "block 4 points a thread along y");
    /* Tiles in tiles. */
    says("tiling=two_level",
         "{\"tile_y\": 64, \"tile_x\": 512, \"inner_tile_y\": 8, \"inner_tile_x\": 64}",
         "tile 64x512, inner tile 8x64");
    says("", "{\"compiler\": 2, \"simd_bits\": 512}", "512-bit SIMD, compiled by clang");
    /* Empty schedules. */
    says("", "{\"vector\": 1, \"points_x\": 1, \"min_blocks\": 0, \"row_align\": 8}",
         "default schedule");
    says("", "{}", "default schedule");
}

/* A user's own decisions and tunables, and damaged ones from a database. */
static void test_unknown(void **state)
{
    (void)state;
    says("own=some,update=in_place", "{\"k0\": 6, \"tile_w\": 1.5}",
         "own=some, in place, k0=6, tile_w=1.5");
    says("update=sideways", "{\"compiler\": \"clang\"}",
         "update=sideways, compiled by clang");
    says("what,,is=this=%s", "[1]", "what, is=this=%s");
    says("", "no JSON", "default schedule");
    says("", "{\"tile_x\": {\"a\": []}}", "tile {\"a\": []}");
}

/* Each option and each tunable that lift ships has words. */
static void test_shipped(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    const struct lift_tunable_word *tunables;
    int count;

    (void)state;
    for (int d = 0; d < lift_decision_count(rules); d++) {
        const struct lift_decision *decision = lift_decision_get(rules, d);

        for (int o = 1; o < decision->option_count; o++) {
            struct lift_str options = {0}, words = {0};

            lift_str_addf(&options, "%s=%s", decision->name, decision->options[o]->name);
            report_schedule(rules, lift_str_get(&options), "{}", &words);
            if (strchr(lift_str_get(&words), '=') || strchr(lift_str_get(&words), '_'))
                fail_msg("'%s' has no words in src/report/schedule.c",
                         lift_str_get(&options));
            lift_str_fini(&options);
            lift_str_fini(&words);
        }
    }
    tunables = lift_tunable_words(&count);
    for (int i = 0; i < count; i++) {
        struct lift_str name = {0};

        lift_str_addf(&name, "%s%s", tunables[i].word,
                      tunables[i].kind == LIFT_TUNABLE_DIMENSIONAL ? "_x" : "");
        if (!report_has_words(lift_str_get(&name)))
            fail_msg("'%s' has no words in src/report/schedule.c", lift_str_get(&name));
        lift_str_fini(&name);
    }
    lift_rules_destroy(rules);
}

static void test_gain(void **state)
{
    const struct lift_interval fast = {2, 1.9, 2.1, 0}, slow = {6, 5.7, 6.3, 0},
                               unknown = {0}, wide = {6, 4, 7, 0};
    struct lift_interval gain = report_gain(&fast, &slow);

    (void)state;
    assert_float_equal(gain.median, 3, 1e-12);
    assert_float_equal(gain.low, 5.7 / 2.1, 1e-12);
    assert_float_equal(gain.high, 6.3 / 1.9, 1e-12);
    gain = report_gain(&(struct lift_interval){.median = 2}, &slow);
    assert_float_equal(gain.median, 3, 1e-12);
    assert_float_equal(gain.high, 0, 0);
    assert_float_equal(report_gain(&unknown, &slow).median, 0, 0);
    assert_float_equal(report_gain(&fast, &unknown).median, 0, 0);
    assert_false(report_is_spread(&slow));
    assert_true(report_is_spread(&wide));
    assert_false(report_is_spread(&unknown));
}

static void test_share(void **state)
{
    char text[REPORT_UNITS];

    (void)state;
    assert_string_equal(report_copy_share(0.9467, false, text),
                        "94.7 % of copy bandwidth");
    assert_string_equal(report_copy_share(1.2, true, text),
                        "120.0 % of copy bandwidth in cache");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),   cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_shipped), cmocka_unit_test(test_gain),
        cmocka_unit_test(test_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
