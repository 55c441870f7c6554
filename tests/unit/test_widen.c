/* Spaces that grow: expressions that are found after the processes of an exploration
 * began, and explorations that find some which no family has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/candidate.h"
#include "explore/explore.h"
#include "explore/session/option_slowness.h"
#include "lift/parse.h"
#include "problem_world.h"
#include "scratch.h"
#include "tuner/db_query.h"

static const char blur[] = "size n = 4000\n"
                           "stencil blur(x: [f32]n) -> out =\n"
                           "    map(w -> 0.25f * (w[0] + 2.0f * w[1] + w[2]),\n"
                           "        slide(3, 1, pad(1, 1, constant 0.0f, x)))\n";

static const struct lift_device_info host = {.name = "host",
                                             .runtime = "host",
                                             .arch = "x86_64 avx2",
                                             .dialect = LIFT_DIALECT_OPENMP,
                                             .local_bytes = 1 << 20};

/* ---- candidate spaces that a process makes by their points */

struct bench {
    struct lift_rules *rules;
    struct explore_problem *problem;
    struct derivation *derivation;
    struct candidate_space spaces[2];
    struct configurations_spaces later;
    struct explore_bench bench;
};

static void begin(struct bench *b, const char *program)
{
    *b = (struct bench){.rules = lift_rules_shipped(),
                        .problem = load_program(program, NULL, 0)};
    b->derivation = derive_create(b->problem, b->rules, host.dialect);
    b->later =
        (struct configurations_spaces){.derivation = b->derivation, .device = &host};
    b->bench = (struct explore_bench){.problem = b->problem,
                                      .device = "host",
                                      .info = &host,
                                      .spaces = b->spaces,
                                      .later = &b->later};
}

static void end(struct bench *b)
{
    derive_destroy(b->derivation);
    explore_problem_destroy(b->problem);
    lift_rules_destroy(b->rules);
}

static struct trial_request ask(const struct bench *b, int candidates, const char *point)
{
    struct trial_request asked = {.candidates = candidates};
    struct lift_str why = {0};

    assert_true(lift_configuration_read(b->rules, point, &asked.options, &why));
    lift_str_fini(&why);
    return asked;
}

/* The candidate space of a point as the process that searches has it, and the values of
 * its tunables.
 */
static struct candidate_space searched(struct bench *b, struct trial_request *asked)
{
    struct derivation *d = derive_create(b->problem, b->rules, host.dialect);
    const struct configurations_spaces from = {.derivation = d, .device = &host};
    struct candidate_space candidates;
    struct lift_str why = {0};

    assert_true(configurations_add(d, &asked->options));
    assert_true(configurations_space(&from, &d->leaves[0], &candidates, &why));
    assert_true(lift_space_next(candidates.space, asked->point, true));
    lift_str_fini(&why);
    derive_destroy(d);
    return candidates;
}

static void assert_same_bind(const struct lift_bind *a, const struct lift_bind *b)
{
    const struct lift_layout *x = a->layout, *y = b->layout;
    struct lift_str before = {0}, after = {0};

    assert_string_equal(a->name, b->name);
    assert_string_equal(a->label, b->label);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->index, b->index);
    assert_int_equal(a->scalar, b->scalar);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->in_place, b->in_place);
    assert_int_equal(!x, !y);
    if (!x)
        return;
    assert_memory_equal(x, y, offsetof(struct lift_layout, fill));
    assert_int_equal(!x->fill, !y->fill);
    if (x->fill) {
        lift_term_print(x->fill, &before);
        lift_term_print(y->fill, &after);
        assert_string_equal(lift_str_get(&before), lift_str_get(&after));
    }
    lift_str_fini(&before);
    lift_str_fini(&after);
}

static void assert_same_module(const struct lift_module *a, const struct lift_module *b)
{
    assert_int_equal(a->dialect, b->dialect);
    assert_string_equal(a->source, b->source);
    assert_int_equal(a->bind_count, b->bind_count);
    assert_int_equal(a->kernel_count, b->kernel_count);
    for (int i = 0; i < a->bind_count; i++)
        assert_same_bind(&a->binds[i], &b->binds[i]);
    for (int i = 0; i < a->kernel_count; i++) {
        const struct lift_kernel *x = &a->kernels[i], *y = &b->kernels[i];

        assert_string_equal(x->name, y->name);
        assert_memory_equal(&x->launch, &y->launch, sizeof x->launch);
        assert_int_equal(x->arg_count, y->arg_count);
        assert_memory_equal(x->args, y->args, (size_t)x->arg_count * sizeof *x->args);
        assert_int_equal(x->tensor_count, y->tensor_count);
        assert_memory_equal(x->tensors, y->tensors,
                            (size_t)x->tensor_count * sizeof *x->tensors);
        assert_int_equal(x->local_bytes, y->local_bytes);
        assert_int_equal(x->times, y->times);
    }
}

/* Another process reads the candidate that a builder has written down. */
static void assert_read(const struct bench *b, const struct candidate *c)
{
    struct lift_str job = {0};
    struct candidate read;

    candidate_write(c, &job);
    assert_string_equal(job.data, c->full.module->source);
    candidate_read(job.data, b->problem, &read);
    assert_string_equal(read.flags, c->flags);
    assert_same_module(c->full.module, read.full.module);
    assert_int_equal(!read.small.module, !c->small.module);
    if (read.small.module) {
        assert_same_module(c->small.module, read.small.module);
        for (int i = 0; i < c->small_numbers.size_count; i++)
            assert_int_equal(read.small_numbers.values[i], c->small_numbers.values[i]);
    }
    candidate_fini(NULL, &read);
    lift_str_fini(&job);
}

/* The expected reason without a candidate; NULL: a candidate is expected. */
static void assert_made(struct bench *b, const struct trial_request *asked,
                        const char *reason)
{
    struct trial_outcome t;
    struct candidate c = {0};
    bool made;

    trial_start(&t);
    made = candidate_make(&b->bench, asked, &c, &t);
    if (made != (reason == NULL))
        fail_msg("%s", t.reply.reason);
    if (made) {
        assert_read(b, &c);
    } else {
        assert_int_equal(t.reply.status, LIFT_TRIAL_CODEGEN);
        assert_non_null(strstr(t.reply.reason, reason));
    }
    candidate_fini(NULL, &c);
    lift_str_fini(&t.log);
}

static void test_later_spaces(void **state)
{
    struct bench b;
    struct trial_request first, second;
    struct candidate_space same[2];
    lift_expr made;

    (void)state;
    begin(&b, "hotspot2d");
    first = ask(&b, 0, "omp_blocked,halo=allocated,pitch=aligned");
    same[0] = searched(&b, &first);
    second = ask(&b, 1, "omp_rows");
    same[1] = searched(&b, &second);
    assert_made(&b, &first, NULL);
    made = b.spaces[0].term;
    assert_made(&b, &second, NULL);
    assert_made(&b, &first, NULL);
    assert_ptr_equal(b.spaces[0].term, made); /* once */
    for (int i = 0; i < 2; i++) {
        assert_ptr_equal(b.spaces[i].term, same[i].term);
        assert_int_equal(lift_space_param_count(b.spaces[i].space),
                         lift_space_param_count(same[i].space));
    }
    end(&b);
}

static void test_no_later_space(void **state)
{
    struct bench b;
    struct trial_request asked;

    (void)state;
    begin(&b, "hotspot2d");
    asked = ask(&b, 0, "omp_shift,window=circular");
    assert_made(&b, &asked, "window=circular needs streaming=planes");
    asked = ask(&b, 0, "omp_rows,boundary=top_bottom");
    assert_made(&b, &asked, "'boundary=top_bottom' does not apply");
    assert_null(b.spaces[0].term);
    end(&b);
}

/* A grid with a halo that holds a number. */
static void test_read_halo(void **state)
{
    struct bench b;
    struct trial_request asked;
    struct trial_outcome t;
    struct candidate c = {0};
    bool filled = false;

    (void)state;
    begin(&b, "acoustic");
    asked = ask(&b, 0, "omp_blocked,halo=allocated,pitch=aligned");
    searched(&b, &asked);
    trial_start(&t);
    assert_true(candidate_make(&b.bench, &asked, &c, &t));
    for (int i = 0; i < c.full.module->bind_count; i++)
        filled |= c.full.module->binds[i].layout && c.full.module->binds[i].layout->fill;
    assert_true(filled);
    assert_read(&b, &c);
    candidate_fini(NULL, &c);
    end(&b);
}

/* Of two decisions: measurements of the options that a point does not share with its
 * parent. */
static void test_option_slowness(void **state)
{
    const struct lift_configuration points[] = {
        {.option = {0, 0}}, {.option = {1, 0}}, {.option = {1, 1}}, {.option = {2, 1}}};
    const struct lift_configuration *const known[] = {&points[0], &points[1], &points[2],
                                                      &points[3]};
    const double least[] = {2, 5, 4, 3};
    const struct measured_points m = {known, least, 4}, few = {known, least, 2};

    (void)state;
    assert_true(option_slowness(&m, 2, &points[0], &points[0]) == 1);
    assert_true(option_slowness(&m, 2, &points[0], &points[1]) == 2);   /* 4 / 2 */
    assert_true(option_slowness(&m, 2, &points[0], &points[2]) == 3);   /* and 3 / 2 */
    assert_true(option_slowness(&m, 2, &points[1], &points[0]) == 1);   /* once */
    assert_true(option_slowness(&m, 2, &points[0], &points[3]) == 1.5); /* 3 / 2 */
    assert_true(option_slowness(&m, 1, &points[0], &points[3]) == 1);
    assert_true(option_slowness(&few, 2, &points[0], &points[2]) == 1);
}

/* ---- whole explorations */

struct seen {
    struct lift_hash exprs[64];
    int count;
};

static bool see_trial(void *user, const struct lift_db_tried *row)
{
    struct seen *s = user;

    for (int i = 0; i < s->count; i++)
        if (lift_hash_equal(s->exprs[i], row->expr))
            return true;
    assert_true(s->count < 64);
    s->exprs[s->count++] = row->expr;
    return true;
}

static struct seen explore(const char *path, int trials, int max_exprs)
{
    static const char *const devices[] = {"host"};
    struct lift_source source = {"blur.lift", blur, sizeof blur - 1};
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct seen seen = {.count = 0};
    struct lift_explore_result r =
        lift_explore(&(struct lift_explore_options){.source = &source,
                                                    .rules = rules,
                                                    .devices = devices,
                                                    .device_count = 1,
                                                    .db = path,
                                                    .trials = trials,
                                                    .jobs = 1,
                                                    .seed = 1,
                                                    .max_exprs = max_exprs,
                                                    .no_naive = true,
                                                    .no_final = true},
                     &errors);
    struct lift_db *db = lift_db_open(path, LIFT_DB_READ, NULL);

    if (r.error.len)
        fail_msg("%s", lift_str_get(&r.error));
    assert_non_null(db);
    assert_true(lift_db_tried(db, r.problem, r.parts[0].device, see_trial, &seen));
    assert_true(r.progress.by_status[LIFT_TRIAL_OK] > trials / 2);
    lift_db_close(db);
    lift_explore_result_fini(&r);
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
    return seen;
}

/* How many of them the families have, with the options that explorations begin with. */
static int count_in_families(const struct seen *seen)
{
    struct lift_source source = {"blur.lift", blur, sizeof blur - 1};
    struct lift_error errors = {0};
    struct lift_rules *rules = lift_rules_shipped();
    struct explore_problem *p = explore_problem_load(&source, NULL, 0, &errors);
    struct derivation *d = derive_create(p, rules, LIFT_DIALECT_OPENMP);
    int found = 0;

    configurations_add_families(d, 0);
    for (int i = 0; i < seen->count; i++)
        for (int k = 0; k < d->leaf_count; k++)
            found +=
                lift_hash_equal(seen->exprs[i], d->nodes[d->leaves[k].node].term->hash);
    derive_destroy(d);
    explore_problem_destroy(p);
    lift_rules_destroy(rules);
    lift_error_fini(&errors);
    return found;
}

/* After a few measurements the neighbours of the fastest point are proposed. */
static void test_grows(void **state)
{
    struct seen seen = explore(path_of("grows.db"), 24, 0);
    int known = count_in_families(&seen);

    (void)state;
    print_message("%d expressions, %d of families\n", seen.count, known);
    assert_true(known > 0 && known < seen.count);
}

/* A given number of expressions is not exceeded. */
static void test_stays(void **state)
{
    struct seen seen = explore(path_of("stays.db"), 24, 12);

    (void)state;
    assert_in_range(seen.count, 1, 12);
    assert_int_equal(count_in_families(&seen), seen.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_later_spaces), cmocka_unit_test(test_no_later_space),
        cmocka_unit_test(test_read_halo),    cmocka_unit_test(test_option_slowness),
        cmocka_unit_test(test_grows),        cmocka_unit_test(test_stays),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
