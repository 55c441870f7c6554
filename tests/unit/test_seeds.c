/* Seeds from the database. */
#include "db_world.h"

#include "tuner/db_seeds.h"

/* Of the same architecture as device 1 of the world. */
static const struct lift_device_info sibling = {.name = "Test GPU 2",
                                                .vendor = "Acme",
                                                .runtime = "opencl",
                                                .driver = "2",
                                                .arch = "y",
                                                .compiler = "ocl",
                                                .compute_units = 40};

static struct lift_hash problem_of(struct world *w, int nx)
{
    char sizes[64];
    struct lift_db_problem problem = {.program = w->program,
                                      .root = w->root,
                                      .sizes = sizes,
                                      .params = "{}",
                                      .dtype = "f32",
                                      .points = 10 * nx,
                                      .bytes = 80 * nx};
    struct lift_hash id;

    snprintf(sizes, sizeof sizes, "{\"nx\":%d,\"ny\":10}", nx);
    OK(w->db, lift_db_put_problem(w->db, &problem, &id));
    return id;
}

/* A verified trial of so many microseconds. */
static void put(struct world *w, struct lift_hash problem, struct lift_hash device,
                const char *tunables, double us)
{
    struct lift_db_trial trial = {
        .problem = problem, .device = device, .session = w->session};
    double samples[] = {us * 1e-6, us * 1e-6};
    struct lift_db_end end = ok_end(samples, 2);
    struct lift_hash id;

    OK(w->db, lift_db_put_candidate(w->db, w->low[0], tunables, &trial.candidate));
    OK(w->db, lift_db_trial_start(w->db, &trial, &id));
    OK(w->db, lift_db_trial_finish(w->db, id, &end));
}

static bool note_seed(void *user, const struct lift_db_seed *seed)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%s %s", lift_db_seed_kind_name(seed->kind),
             seed->tunables);
    return r->count < 16;
}

static bool count_seed(void *user, const struct lift_db_seed *seed)
{
    (void)seed;
    return ++*(int *)user > 0;
}

static void check(struct world *w, struct lift_hash problem, struct lift_hash device,
                  const char *const *expected)
{
    struct rows r = {0};

    OK(w->db, lift_db_seeds(w->db, problem, device, note_seed, &r));
    for (int i = 0; i < r.count; i++) {
        assert_non_null(expected[i]);
        assert_string_equal(r.text[i], expected[i]);
    }
    assert_null(expected[r.count]);
}

/* The nearest sizes first: 200 is one doubling away from 100, 800 three. */
static void test_sizes(void **state)
{
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put(&w, w.problem, w.device[0], "{\"tile\":1}", 5);
    check(&w, w.problem, w.device[0], (const char *[]){NULL});
    put(&w, problem_of(&w, 800), w.device[0], "{\"tile\":8}", 1);
    put(&w, problem_of(&w, 200), w.device[0], "{\"tile\":2}", 3);
    put(&w, problem_of(&w, 200), w.device[0], "{\"tile\":4}", 2);
    put(&w, problem_of(&w, 200), w.device[0], "{\"tile\":16}", 20);
    check(&w, w.problem, w.device[0],
          (const char *[]){"same device {\"tile\":4}", "same device {\"tile\":8}",
                           "same device {\"tile\":2}", "consensus {\"tile\":16}", NULL});
    end(&w);
}

/* Failures, wrong values and kernels that were good only at first are no seeds. */
static void test_bad(void **state)
{
    struct world w;
    struct lift_hash other;

    (void)state;
    begin(&w, ":memory:");
    other = problem_of(&w, 200);
    put(&w, other, w.device[0], "{\"tile\":4}", 2);
    put(&w, other, w.device[0], "{\"tile\":99}", 1);
    w.problem = other;
    put_failure(&w, 0, 0, LIFT_TRIAL_WRONG, "3 values"); /* of tile 99 */
    check(&w, problem_of(&w, 100), w.device[0],
          (const char *[]){"same device {\"tile\":4}", NULL});
    end(&w);
}

/* A device of the same architecture comes before others; among others, kernels that are
 * good on most devices. */
static void test_devices(void **state)
{
    struct world w;
    struct lift_hash device = lift_device_hash(&sibling);

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_put_device(w.db, &sibling));
    put(&w, w.problem, device, "{\"tile\":3}", 4);
    put(&w, w.problem, device, "{\"tile\":5}", 5);
    put(&w, w.problem, device, "{\"tile\":7}", 6);
    put(&w, w.problem, w.device[0], "{\"tile\":9}", 10);
    put(&w, w.problem, w.device[0], "{\"tile\":7}", 11);
    check(&w, w.problem, w.device[1],
          (const char *[]){"same architecture {\"tile\":3}",
                           "same architecture {\"tile\":5}", "consensus {\"tile\":7}",
                           "consensus {\"tile\":9}", NULL});
    end(&w);
}

/* Many are cut to the most promising; the caller may stop earlier. */
static void test_most(void **state)
{
    struct world w;
    struct rows r = {0};
    int count = 0;

    (void)state;
    begin(&w, ":memory:");
    for (int i = 1; i <= 100; i++) {
        char tunables[32];

        snprintf(tunables, sizeof tunables, "{\"tile\":%d}", i);
        put(&w, problem_of(&w, 100 + 10 * (i % 5 + 1)), w.device[i % 2], tunables, i);
    }
    OK(w.db, lift_db_seeds(w.db, w.problem, w.device[0], count_seed, &count));
    assert_int_equal(count, LIFT_DB_SEEDS);
    r.count = 15;
    OK(w.db, lift_db_seeds(w.db, w.problem, w.device[0], note_seed, &r));
    assert_int_equal(r.count, 16);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_most),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
