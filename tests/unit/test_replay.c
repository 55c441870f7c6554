/* Recorded spaces: written, read back, and mistakes in them; and searches on one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/search.h"
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const int64_t tiles[] = {1, 2, 4, 8, 16}, groups[] = {16, 64};

/* There is no estimate of the second expression. */
static double guess(void *user, const struct lift_choice *choice)
{
    (void)user;
    return choice->expr ? INFINITY : 0.5 + choice->values[0];
}

/* Two expressions, near to each other, with one parameter in common. */
static struct lift_joint *make_joint(struct lift_arena *arena)
{
    static const char *const features[] = {"tile3", "mapPar collapse=2"};
    static const double columns[2][2] = {{0, 1}, {1, 2.5}};
    static const int near[2] = {1, 0};
    const struct lift_param params[] = {{"tile_x", tiles, 5}, {"block_x", groups, 2}};
    struct lift_joint_expr exprs[2];

    for (int i = 0; i < 2; i++)
        exprs[i] = (struct lift_joint_expr){
            lift_space_create(arena, params, 1 + i, NULL, 0), columns[i], &near[i], 1};
    return lift_joint_create(arena,
                             &(struct lift_joint_parts){exprs, 2, features, 2, guess});
}

static const char *name(void *user, int expr)
{
    (void)user;
    return expr ? "second" : "first";
}

/* Nothing is known of tile_x = 4, and tile_x = 16 fails. */
static bool answer(void *user, const struct lift_choice *choice,
                   struct lift_replay_answer *out)
{
    (void)user;
    if (choice->values[0] == 2)
        return false;
    out->outcome.ok = choice->values[0] != 4;
    out->outcome.seconds = out->outcome.ok ? 1e-3 * (3 + choice->values[0]) / 7 : 0;
    out->cost = 0.25 * choice->expr;
    return true;
}

struct file {
    char path[64];
};

static FILE *make_file(struct file *f)
{
    int handle;
    FILE *out;

    strcpy(f->path, "/tmp/lift-replay-XXXXXX");
    handle = mkstemp(f->path);
    assert_true(handle >= 0);
    out = fdopen(handle, "w");
    assert_non_null(out);
    return out;
}

static void check_points(const struct lift_joint *joint, const struct lift_replay *replay)
{
    const struct lift_joint *back = lift_replay_joint(replay);
    struct lift_choice choice, copy;
    double x[4], y[4];

    for (bool more = lift_joint_next(joint, &choice, true); more;
         more = lift_joint_next(joint, &choice, false)) {
        struct lift_replay_answer expected = {.cost = 0}, got;

        assert_int_equal(lift_joint_valid(back, &choice),
                         answer(NULL, &choice, &expected));
        if (!lift_joint_valid(back, &choice))
            continue;
        got = lift_replay_answer(replay, &choice);
        assert_int_equal(got.outcome.ok, expected.outcome.ok);
        assert_true(fabs(got.outcome.seconds - expected.outcome.seconds) < 1e-11);
        assert_true(got.cost == expected.cost);
        assert_true(lift_joint_guessed(back, &choice) == guess(NULL, &choice));
        lift_joint_features(joint, &choice, x);
        lift_joint_features(back, &choice, y);
        assert_memory_equal(x, y, sizeof x);
        assert_true(lift_joint_carry(back, &choice, 1 - choice.expr, &copy));
    }
}

static void test_round_trip(void **state)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_joint *joint = make_joint(arena);
    struct file f;
    FILE *out = make_file(&f);
    struct lift_replay *replay;
    struct lift_str why = {0};
    int near;

    (void)state;
    assert_int_equal(
        lift_replay_write(
            out, &(struct lift_replay_source){"a test", joint, name, answer, NULL}),
        12);
    fclose(out);
    replay = lift_replay_read(f.path, &why);
    assert_string_equal(lift_str_get(&why), "");
    assert_non_null(replay);
    assert_int_equal(lift_joint_columns(lift_replay_joint(replay)), 4);
    assert_string_equal(lift_joint_column_name(lift_replay_joint(replay), 1),
                        "mapPar collapse=2");
    assert_int_equal(lift_joint_near(lift_replay_joint(replay), 0, &near)[0], 1);
    assert_int_equal(near, 1);
    assert_true(fabs(lift_replay_best(replay) - 3e-3 / 7) < 1e-11);
    check_points(joint, replay);
    lift_replay_destroy(replay);
    unlink(f.path);
    lift_arena_destroy(arena);
}

static struct lift_replay *read_text(const char *text, struct lift_str *why)
{
    struct file f;
    FILE *out = make_file(&f);
    struct lift_replay *replay;

    fputs(text, out);
    fclose(out);
    replay = lift_replay_read(f.path, why);
    unlink(f.path);
    return replay;
}

static void test_simple(void **state)
{
    struct lift_str why = {0};
    struct lift_replay *r = read_text("3 2\n2 3\n0 0 2.5 100 20\n1 2 -1 50 0\n"
                                      "0 1 0.5 100 10\n",
                                      &why);
    struct lift_choice choice = {0, {1, 2}};

    (void)state;
    assert_non_null(r);
    assert_true(lift_joint_valid_size(lift_replay_joint(r), NULL) == 3);
    assert_true(lift_replay_best(r) == 0.5e-3);
    assert_false(lift_replay_answer(r, &choice).outcome.ok);
    assert_true(lift_replay_answer(r, &choice).cost == 50e-3);
    lift_replay_destroy(r);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "line 0: there are no points"},
        {"spaces\n", "line 1: expected 'lift-space 1'"},
        {"lift-space 1\n", "there are no points"},
        {"lift-space 1\npoint 1 2\n", "line 2: expected about, feature"},
        {"lift-space 1\nexpr a\nparam k\n", "line 3: expected a parameter's name"},
        {"lift-space 1\nexpr a\nparam k 2 1\n", "line 3: the values"},
        {"lift-space 1\nexpr a\nparam k 1 x\n", "no integer"},
        {"lift-space 1\nexpr a\nparam k 1\nparam k 1\n", "line 4: two parameters"},
        {"lift-space 1\nexpr a\nparam k 1\npoint 1 1 0\n", "no such value"},
        {"lift-space 1\nexpr a\nparam k 1\npoint 0 1\n", "expected a value for each"},
        {"lift-space 1\nexpr a\nparam k 1\npoint 0 x 0\n", "the time is no number"},
        {"lift-space 1\nexpr a\nparam k 1\npoint 0 1 0 x\n", "the estimate is no number"},
        {"lift-space 1\nexpr a\nparam k 1\npoint 0 1 0\nparam l 1\n", "line 5: expected"},
        {"lift-space 1\nexpr a\nnear 0\nparam k 1\npoint 0 1 0\n", "near expression"},
        {"lift-space 1\nfeature f\nexpr a\nfeatures 1 2\n", "line 4: expected one"},
        {"2 1\n3\n0 1 1 1\n3 1 1 1\n", "line 4: a parameter has no such value"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct lift_str why = {0};

        assert_null(read_text(rows[i].text, &why));
        if (!strstr(lift_str_get(&why), rows[i].says))
            fail_msg("'%s' gave '%s'", rows[i].text, lift_str_get(&why));
        lift_str_fini(&why);
    }
}

/* A whole compressed table is read; one that ends early is an error, not a shorter table.
 */
static void test_compressed(void **state)
{
    const char *text = "3 2\n2 3\n0 0 2.5 100 20\n1 2 -1 50 0\n0 1 0.5 100 10\n";
    struct file f;
    struct lift_str why = {0};
    struct lift_replay *r;
    gzFile out;

    (void)state;
    fclose(make_file(&f));
    out = gzopen(f.path, "wb");
    assert_true(gzputs(out, text) > 0);
    assert_int_equal(gzclose(out), Z_OK);
    r = lift_replay_read(f.path, &why);
    assert_non_null(r);
    assert_true(lift_joint_valid_size(lift_replay_joint(r), NULL) == 3);
    lift_replay_destroy(r);
    assert_int_equal(truncate(f.path, 40), 0);
    assert_null(lift_replay_read(f.path, &why));
    assert_non_null(strstr(lift_str_get(&why), "the compressed file is damaged"));
    lift_str_fini(&why);
    unlink(f.path);
}

static void test_no_file(void **state)
{
    struct lift_str why = {0};

    (void)state;
    assert_null(lift_replay_read("/nowhere/at/all", &why));
    assert_non_null(strstr(lift_str_get(&why), "cannot read '/nowhere/at/all'"));
    lift_str_fini(&why);
}

/* ---- searches */

enum { FIRST_EXPR = 3, LAST_EXPR = 8, MOST_POINTS = 200, TIMES = 2 };

static const char *number(void *user, int expr)
{
    static char text[16];

    (void)user;
    snprintf(text, sizeof text, "expr%d", expr);
    return text;
}

static bool answer_of_few(void *user, const struct lift_choice *choice,
                          struct lift_replay_answer *out)
{
    *out = lift_replay_answer(user, choice);
    return choice->expr >= FIRST_EXPR && choice->expr <= LAST_EXPR;
}

/* Part of a space recorded on a device. */
static struct lift_replay *recorded(void)
{
    char path[512];
    struct lift_str why = {0};
    struct lift_replay *all, *part;
    struct file f;
    FILE *out = make_file(&f);

    snprintf(path, sizeof path, "%s/bench/spaces/star2d4r.txt.gz",
             getenv("LIFT_SOURCE_DIR"));
    all = lift_replay_read(path, &why);
    if (!all)
        fail_msg("%s", lift_str_get(&why));
    assert_true(lift_replay_write(
                    out, &(struct lift_replay_source){"a part", lift_replay_joint(all),
                                                      number, answer_of_few, all}) > 0);
    fclose(out);
    part = lift_replay_read(f.path, &why);
    assert_non_null(part);
    unlink(f.path);
    lift_replay_destroy(all);
    return part;
}

/* Until nothing is proposed any more; how many there were. */
static int search(const struct lift_replay *space, const struct lift_technique *technique,
                  uint64_t seed, struct lift_choice *found)
{
    struct lift_search *s = lift_search_create(lift_replay_joint(space), technique, seed);
    int count = 0;

    while (lift_search_next(s, &found[count])) {
        assert_true(lift_joint_valid(lift_replay_joint(space), &found[count]));
        lift_search_tell(s, &found[count],
                         lift_replay_answer(space, &found[count]).outcome);
        count++;
        assert_true(count < MOST_POINTS);
    }
    lift_search_destroy(s);
    return count;
}

/* Every point once, and so the best one. */
static void check_all(const struct lift_replay *space, const struct lift_choice *found,
                      int count)
{
    double best = INFINITY;

    assert_int_equal(count, lift_joint_valid_size(lift_replay_joint(space), NULL));
    for (int i = 0; i < count; i++) {
        struct lift_outcome outcome = lift_replay_answer(space, &found[i]).outcome;

        if (outcome.ok)
            best = fmin(best, outcome.seconds);
        for (int k = 0; k < i; k++)
            assert_false(lift_choice_equal(&found[i], &found[k]));
    }
    assert_true(best == lift_replay_best(space));
}

/* Twice with one seed, and with another. */
static void check_technique(const struct lift_replay *space,
                            const struct lift_technique *technique)
{
    static struct lift_choice found[TIMES][MOST_POINTS];
    int count = search(space, technique, 3, found[0]);

    check_all(space, found[0], count);
    assert_int_equal(search(space, technique, 3, found[1]), count);
    for (int i = 0; i < count; i++)
        assert_true(lift_choice_equal(&found[0][i], &found[1][i]));
    check_all(space, found[1], search(space, technique, 4, found[1]));
}

static void test_every_technique(void **state)
{
    static const struct lift_technique *const of_bench[] = {
        &search_bandit, &search_genetic, &search_annealing};
    struct lift_replay *space = recorded();

    (void)state;
    assert_true(isfinite(lift_replay_best(space)));
    for (int t = 0; lift_techniques[t]; t++)
        check_technique(space, lift_techniques[t]);
    for (size_t t = 0; t < sizeof of_bench / sizeof *of_bench; t++)
        check_technique(space, of_bench[t]);
    lift_replay_destroy(space);
}

/* From the first point to the last. */
static void test_exhaustive(void **state)
{
    static struct lift_choice found[MOST_POINTS];
    struct lift_replay *space = recorded();
    const struct lift_joint *joint = lift_replay_joint(space);
    int count = search(space, lift_technique_find("exhaustive"), 1, found), at = 0;
    struct lift_choice choice;

    (void)state;
    for (bool more = lift_joint_next(joint, &choice, true); more;
         more = lift_joint_next(joint, &choice, false))
        if (lift_joint_valid(joint, &choice)) {
            assert_true(at < count);
            assert_true(lift_choice_equal(&choice, &found[at++]));
        }
    assert_int_equal(at, count);
    lift_replay_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_simple),
        cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_compressed),
        cmocka_unit_test(test_no_file),    cmocka_unit_test(test_every_technique),
        cmocka_unit_test(test_exhaustive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
