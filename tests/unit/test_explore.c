/* Asking on made-up answers, and whole explorations of small problems on the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/explore.h"
#include "explore/problem.h"
#include "explore/session/frontier.h"
#include "tuner/db_query.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- asking a technique */

enum { SPACES = 20, PROPOSALS = 400 };

struct world {
    struct lift_arena *arena;
    struct lift_joint *joint;
};

static const int64_t tiles[] = {1, 2, 4, 8, 16, 32}, groups[] = {1, 2, 3};

static void make_world(struct world *w)
{
    const struct lift_param params[] = {{"tile_x", tiles, 6}, {"block_x", groups, 3}};
    static const char *const names[] = {"number"};
    struct lift_joint_expr exprs[SPACES] = {{0}};
    double numbers[SPACES];

    w->arena = lift_arena_create();
    for (int i = 0; i < SPACES; i++) {
        numbers[i] = i;
        exprs[i].space = lift_space_create(w->arena, params, 1 + i % 2, NULL, 0);
        exprs[i].features = &numbers[i];
    }
    w->joint =
        lift_joint_create(w->arena, &(struct lift_joint_parts){exprs, SPACES, names, 1});
}

/* The time of a point: expression 13 is the best, with tile_x = 8. */
static struct lift_outcome answer(const struct lift_choice *choice)
{
    double off = abs(choice->expr - 13) + 0.5 * abs(choice->values[0] - 3);

    if (choice->expr % 7 == 0)
        return (struct lift_outcome){false, 0};
    return (struct lift_outcome){true, 1 + off};
}

/* Asks for several points at a time and reports the last one first. */
static int run_search(const struct world *w, uint64_t seed, const char *technique,
                      int at_once, struct lift_choice *out)
{
    struct frontier *a = frontier_create(w->joint, lift_technique_find(technique), seed);
    struct frontier_item next;
    int count = 0, told = 0;

    do {
        told = count;
        while (count < PROPOSALS && count < told + at_once &&
               frontier_next(a, NULL, &next))
            out[count++] = next.choice;
        for (int i = count; i-- > told;) {
            struct lift_outcome outcome = answer(&out[i]);

            lift_search_tell(frontier_search(a), &out[i], outcome);
        }
    } while (count > told);
    frontier_destroy(a);
    return count;
}

static void test_ask_covers(void **state)
{
    static struct lift_choice all[PROPOSALS];
    struct world w;

    (void)state;
    make_world(&w);
    for (int t = 0; lift_techniques[t]; t++)
        for (int at_once = 1; at_once < 9; at_once += 7) {
            int count = run_search(&w, 5, lift_techniques[t]->name, at_once, all);

            assert_int_equal(count, SPACES / 2 * 6 + SPACES / 2 * 18);
            for (int i = 0; i < count; i++)
                for (int k = 0; k < i; k++)
                    assert_false(lift_choice_equal(&all[i], &all[k]));
        }
    lift_arena_destroy(w.arena);
}

static void test_ask_repeats(void **state)
{
    static struct lift_choice a[PROPOSALS], b[PROPOSALS], c[PROPOSALS];
    struct world w;

    (void)state;
    make_world(&w);
    for (int t = 0; lift_techniques[t]; t++) {
        const char *name = lift_techniques[t]->name;
        int count = run_search(&w, 5, name, 1, a), differ = 0;

        assert_int_equal(run_search(&w, 5, name, 1, b), count);
        assert_int_equal(run_search(&w, 6, name, 1, c), count);
        for (int i = 0; i < count; i++) {
            assert_true(lift_choice_equal(&a[i], &b[i]));
            differ += !lift_choice_equal(&a[i], &c[i]);
        }
        assert_true(differ > 0 || !strcmp(name, "exhaustive"));
    }
    lift_arena_destroy(w.arena);
}

/* The best expression gets more than its share early on. */
static void test_ask_prefers(void **state)
{
    static struct lift_choice all[PROPOSALS];
    struct world w;
    int best = 0;

    (void)state;
    make_world(&w);
    run_search(&w, 5, "forest", 1, all);
    for (int i = 0; i < 60; i++)
        best += all[i].expr == 13;
    assert_in_range(best, 10, 60);
    lift_arena_destroy(w.arena);
}

/* Known points are not returned again, even if the technique repeats them. */
static void test_ask_resumes(void **state)
{
    static struct lift_choice all[PROPOSALS];
    struct world w;

    (void)state;
    make_world(&w);
    for (int t = 0; lift_techniques[t]; t++) {
        int known = 100, left = 0;
        int count = run_search(&w, 5, lift_techniques[t]->name, 1, all);
        struct frontier *a = frontier_create(w.joint, lift_techniques[t], 9);
        struct frontier_item next;

        for (int i = 0; i < known; i++)
            lift_search_tell(frontier_search(a), &all[i], answer(&all[i]));
        while (frontier_next(a, NULL, &next)) {
            for (int i = 0; i < known; i++)
                assert_false(lift_choice_equal(&next.choice, &all[i]));
            lift_search_tell(frontier_search(a), &next.choice, answer(&next.choice));
            left++;
        }
        assert_int_equal(left, count - known);
        frontier_destroy(a);
    }
    lift_arena_destroy(w.arena);
}

static bool add(struct frontier *f, enum frontier_source source,
                struct lift_choice choice)
{
    return frontier_add(f, &(struct frontier_item){choice, source});
}

/* Seeds come first, each once; known points are no seeds. */
static void test_ask_seeds(void **state)
{
    const struct lift_choice seeds[] = {{13, {3}}, {3, {1, 2}}, {13, {3}}, {5, {0, 0}}};
    struct frontier_item next;
    struct frontier *f;
    struct world w;

    (void)state;
    make_world(&w);
    f = frontier_create(w.joint, lift_technique_find("random"), 1);
    lift_search_tell(frontier_search(f), &seeds[3], answer(&seeds[3]));
    assert_true(add(f, FRONTIER_PROMISING, (struct lift_choice){13, {0}}));
    for (int i = 0; i < 4; i++)
        assert_int_equal(add(f, FRONTIER_SEED, seeds[i]), i < 2);
    for (int i = 0; i < 50; i++) {
        assert_true(frontier_next(f, NULL, &next));
        assert_int_equal(next.source, i < 2    ? FRONTIER_SEED
                                      : i == 2 ? FRONTIER_PROMISING
                                               : FRONTIER_PROPOSED);
        assert_int_equal(lift_choice_equal(&next.choice, &seeds[i < 2 ? i : 0]), i < 2);
        lift_search_tell(frontier_search(f), &next.choice, answer(&next.choice));
    }
    frontier_destroy(f);
    lift_arena_destroy(w.arena);
}

/* Sources come in their order, but wanted and promising points alternate. A device
 * session gets its own first and delayed points only, which may include known points. */
static void test_ask_order(void **state)
{
    static const int one, other;
    static const struct {
        enum frontier_source source;
        const void *owner;
        int place; /* -1: no device session asks for it */
    } rows[] = {
        {FRONTIER_DELAYED, &one, 9},    {FRONTIER_PROMISING, NULL, 4},
        {FRONTIER_PROMISING, NULL, 6},  {FRONTIER_WANTED, NULL, 3},
        {FRONTIER_WANTED, NULL, 5},     {FRONTIER_WANTED, NULL, 7},
        {FRONTIER_DELAYED, &other, -1}, {FRONTIER_FIRST, &other, -1},
        {FRONTIER_SEED, NULL, 2},       {FRONTIER_FIRST, &one, 0},
        {FRONTIER_FIRST, &one, 1},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    struct frontier_item next;
    struct frontier *f;
    struct world w;

    (void)state;
    make_world(&w);
    f = frontier_create(w.joint, lift_technique_find("random"), 1);
    lift_search_claim(frontier_search(f), &(struct lift_choice){15, {0}});
    for (int i = 0; i < ROWS; i++)
        assert_true(frontier_add(
            f, &(struct frontier_item){
                   {15, {i}}, rows[i].source, rows[i].owner, .known = i == 0}));
    for (int i = 0; i < 8; i++) {
        assert_true(frontier_next(f, &one, &next));
        assert_int_equal(next.source, rows[next.choice.values[0]].source);
        assert_int_equal(rows[next.choice.values[0]].place, i);
    }
    assert_true(frontier_next(f, &one, &next));
    assert_int_equal(next.source, FRONTIER_PROPOSED);
    assert_true(frontier_has_delayed(f, &one));
    assert_true(frontier_next_delayed(f, &one, &next));
    assert_true(next.known && next.choice.values[0] == 0);
    assert_false(frontier_has_delayed(f, &one) || frontier_next_delayed(f, &one, &next));
    assert_true(frontier_has_delayed(f, &other));
    frontier_destroy(f);
    lift_arena_destroy(w.arena);
}

/* ---- explorations */

static const char program[] =
    "size nx = 40, ny = 24\n"
    "stencil small(g: [[f32]nx]ny) -> out =\n"
    "    inset2(1, 1, g, map2(w -> 0.25f * (w[0][1] + w[1][0] + w[1][2] + w[2][1]),\n"
    "        slide2(3, 1, g)))\n";

struct files {
    char folder[64], db[96];
    struct lift_rules *rules;
    struct lift_source source;
};

static int set_up(void **state)
{
    struct files *f = calloc(1, sizeof *f);

    strcpy(f->folder, "/tmp/lift-explore-XXXXXX");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->db, sizeof f->db, "%s/lift.db", f->folder);
    f->rules = lift_rules_shipped();
    f->source = (struct lift_source){"small.lift", program, strlen(program)};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    struct files *f = *state;
    char path[128];

    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", f->db, ends[i]);
        unlink(path);
    }
    rmdir(f->folder);
    lift_rules_destroy(f->rules);
    free(f);
    return 0;
}

static struct lift_explore_options options(const struct files *f)
{
    static const char *const devices[] = {"host"};

    return (struct lift_explore_options){.source = &f->source,
                                         .rules = f->rules,
                                         .devices = devices,
                                         .device_count = 1,
                                         .db = f->db,
                                         .seed = 1,
                                         .max_exprs = 20,
                                         .no_final = true};
}

static struct lift_explore_result explore(const struct files *f, int trials)
{
    struct lift_explore_options o = options(f);
    struct lift_error errors = {0};
    struct lift_explore_result r;

    o.trials = trials;
    r = lift_explore(&o, &errors);
    if (r.end == LIFT_EXPLORE_FAILED)
        fail_msg("%s", lift_str_get(&r.error));
    lift_error_print(&errors, stderr);
    assert_int_equal(lift_error_count(&errors), 0);
    return r;
}

enum { MAX_TRIED = 200 };

struct tried {
    char *keys[MAX_TRIED];
    int count, ok, open, again;
    struct lift_hash last; /* expression */
};

static bool note_tried(void *user, const struct lift_db_tried *row)
{
    struct tried *t = user;
    char hex[LIFT_HASH_HEX], key[512];

    snprintf(key, sizeof key, "%s %s", lift_hash_hex(row->expr, hex), row->tunables);
    assert_true(t->count < MAX_TRIED);
    t->open += row->status == LIFT_TRIAL_STARTED;
    if (row->phase == LIFT_TRIAL_PHASE_RECHECK) {
        t->again++;
        return true;
    }
    for (int i = 0; i < t->count && row->status != LIFT_TRIAL_LOST; i++)
        assert_string_not_equal(t->keys[i], key);
    if (row->status != LIFT_TRIAL_LOST)
        t->keys[t->count++] = strdup(key);
    t->ok += row->status == LIFT_TRIAL_OK;
    t->last = row->expr;
    return true;
}

static void read_tried(const char *path, const struct lift_explore_result *r,
                       struct tried *out)
{
    struct lift_error error = {0};
    struct lift_db *db = lift_db_open(path, LIFT_DB_WRITE, &error);

    *out = (struct tried){.count = 0};
    assert_non_null(db);
    assert_true(lift_db_tried(db, r->problem, r->parts[0].device, note_tried, out));
    for (int i = 0; i < out->count; i++)
        free(out->keys[i]);
    lift_db_close(db);
}

static bool count_step(void *user, const struct lift_db_step *step)
{
    (void)step;
    ++*(int *)user;
    return true;
}

static bool check_best(void *user, const struct lift_db_best *row)
{
    int steps = 0;

    assert_true(row->seconds > 0);
    assert_true(row->gpts > 0);
    assert_true(lift_db_derivation(user, row->expr, count_step, &steps));
    assert_true(steps > 2);
    return true;
}

static void check_gain(const struct lift_explore_result *r)
{
    const struct lift_explore_progress *p = &r->progress;

    assert_null(r->parts[0].no_naive);
    assert_true(p->naive_seconds > 0 && p->gain > 0);
    assert_true(fabs(p->naive_seconds / p->best_seconds / p->gain - 1) < 1e-9);
}

/* The second session resumes the first one. Each session times the naive kernel, and the
 * second repeats the best kernel of the first, possibly the naive one: at most three
 * extra trials. */
static void test_sessions(void **state)
{
    const struct files *f = *state;
    struct lift_explore_result first = explore(f, 6), second;
    struct tried tried;
    struct lift_db *db;

    assert_int_equal(first.end, LIFT_EXPLORE_BUDGET);
    assert_int_equal(first.progress.trials, 6);
    assert_true(first.progress.verified > 0);
    check_gain(&first);
    assert_true(first.progress.gain > 0.8); /* or tied with it */
    second = explore(f, 6);
    check_gain(&second);
    assert_true(second.progress.gain > 0.8);
    read_tried(f->db, &second, &tried);
    assert_int_equal(tried.count, 12);
    assert_in_range(tried.again, 1, 3);
    assert_int_equal(tried.ok, first.progress.verified + second.progress.verified);
    assert_int_equal(tried.open, 0);
    db = lift_db_open(f->db, LIFT_DB_READ, NULL);
    assert_non_null(db);
    assert_true(
        lift_db_best(db, &(struct lift_db_filter){.program = "small"}, check_best, db));
    lift_db_close(db);
    lift_explore_result_fini(&first);
    lift_explore_result_fini(&second);
}

/* An exploration of an expression other than the naive kernel: the naive kernel is timed
 * as well, and may be faster. */
static void test_one_expression(void **state)
{
    const struct files *f = *state;
    struct lift_explore_result r = explore(f, 2);
    struct lift_explore_options o = options(f);
    struct lift_error errors = {0};
    struct tried tried;
    char hex[LIFT_HASH_HEX];
    const char *exprs[] = {hex};

    read_tried(f->db, &r, &tried);
    assert_int_equal(tried.count, 2);
    lift_hash_hex(tried.last, hex);
    lift_explore_result_fini(&r);
    o.exprs = exprs;
    o.expr_count = 1;
    o.trials = 1;
    r = lift_explore(&o, &errors);
    assert_int_equal(r.progress.trials, 1);
    assert_int_equal(r.progress.exprs, 1);
    check_gain(&r);
    read_tried(f->db, &r, &tried);
    assert_int_equal(tried.count, 3);
    assert_in_range(tried.again, 1, 3);
    lift_explore_result_fini(&r);
}

static void kill_one(const struct files *f, int ms)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        struct lift_explore_options o = options(f);
        struct lift_error errors = {0};
        struct lift_explore_result r;

        o.seconds = 60;
        r = lift_explore(&o, &errors);
        _exit(r.end == LIFT_EXPLORE_FAILED);
    }
    usleep((useconds_t)ms * 1000);
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    assert_true(WIFSIGNALED(status));
}

static void test_kills(void **state)
{
    const struct files *f = *state;
    struct lift_explore_result r = explore(f, 1);
    struct tried tried;
    int before = 0;

    for (int i = 0; i < 3; i++) {
        kill_one(f, 700 + 437 * i);
        read_tried(f->db, &r, &tried);
        assert_int_equal(tried.open, 0);
        assert_true(tried.count >= before);
        before = tried.count;
    }
    lift_explore_result_fini(&r);
    r = explore(f, 2);
    read_tried(f->db, &r, &tried);
    assert_int_equal(tried.count, before + 2);
    lift_explore_result_fini(&r);
}

static void test_mistakes(void **state)
{
    const struct files *f = *state;
    struct lift_explore_options o = options(f);
    struct lift_size_setting no_such = {"nw", 3};
    const char *no_device = "nosuch";
    struct lift_error errors = {0};
    struct lift_explore_result r;

    o.trials = 1;
    o.devices = &no_device;
    r = lift_explore(&o, &errors);
    assert_int_equal(r.end, LIFT_EXPLORE_FAILED);
    assert_non_null(strstr(lift_str_get(&r.error), "nosuch"));
    lift_explore_result_fini(&r);
    o = options(f);
    o.sizes = &no_such;
    o.size_count = 1;
    r = lift_explore(&o, &errors);
    assert_int_equal(r.end, LIFT_EXPLORE_BAD_PROGRAM);
    assert_int_equal(lift_error_count(&errors), 1);
    lift_explore_result_fini(&r);
    lift_error_fini(&errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask_covers),
        cmocka_unit_test(test_ask_repeats),
        cmocka_unit_test(test_ask_prefers),
        cmocka_unit_test(test_ask_resumes),
        cmocka_unit_test(test_ask_seeds),
        cmocka_unit_test(test_ask_order),
        cmocka_unit_test_setup_teardown(test_sessions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_one_expression, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kills, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mistakes, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
