/* Databases with false content: lift compiles only kernels that the rules derive from the
 * current program. */
#include "chosen_world.h"
#include "damage.h"
#include "ir/expr.h"
#include "lift/parse.h"
#include "run/plan.h"
#include "tuner/db/db_tables.h"
#include "tuner/db_tools.h"
#include <sys/stat.h>

static const char blur[] =
    "size nx = 40, ny = 30\n"
    "stencil blur(g: [[f32]nx]ny) -> out =\n"
    "    map2(w -> 0.2f * (w[0][1] + w[1][0] + w[1][1] + w[1][2] + w[2][1]),\n"
    "        slide2(3, 1, pad2(1, 1, clamp, g)))\n";

/* Another program of the same sizes and arrays. */
static const char edge[] =
    "size nx = 40, ny = 30\n"
    "stencil edge(g: [[f32]nx]ny) -> out =\n"
    "    map2(w -> w[0][1] + w[1][0] - 4.0f * w[1][1] + w[1][2] + w[2][1],\n"
    "        slide2(3, 1, pad2(1, 1, clamp, g)))\n";

/* ---- a database with a kernel, and its rows */

struct stage {
    struct lift_explore_device here;
    struct lift_rules *rules;
    char path[256];
    struct lift_db *db;
};

static void take_path(struct stage *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s", path_of(name));
}

static void begin(struct stage *s, const char *name)
{
    struct lift_str why = {0};

    *s = (struct stage){.rules = lift_rules_shipped()};
    take_path(s, name);
    assert_true(lift_explore_device("host", false, &s->here, &why));
}

static void put(struct stage *s, const char *text)
{
    put_kernel(s->path, &(struct wanted){.text = text,
                                         .ops = {LIFT_SLIDE_SHIFT, LIFT_OP_COUNT},
                                         .device = &s->here.info});
}

static void open_it(struct stage *s)
{
    struct lift_error error = {0};

    s->db = lift_db_open(s->path, LIFT_DB_WRITE, &error);
    assert_non_null(s->db);
}

static void end(struct stage *s)
{
    lift_db_close(s->db);
    lift_rules_destroy(s->rules);
    lift_explore_device_fini(&s->here);
}

/* Trials may be changed between. */
static void change(struct stage *s, const char *sql)
{
    assert_true(lift_db_begin(s->db) && db_thaw(s->db));
    if (!db_exec(s->db, sql, "change"))
        fail_msg("%s", lift_db_error(s->db));
    assert_true(db_freeze(s->db) && lift_db_commit(s->db));
}

static struct lift_chosen *choose(const struct stage *s, const char *text)
{
    struct lift_source source = {"program", text, strlen(text)};
    struct lift_choose_options o = {
        .source = &source, .rules = s->rules, .db = s->db, .device = &s->here.info};
    struct lift_error errors = {0};
    struct lift_chosen *chosen = lift_choose(&o, &errors);

    if (!chosen)
        fail_msg("%s", lift_error_text(&errors));
    return chosen;
}

/* Checks that the default kernel replaces the rejected one, and the reason. */
static void expect_refused(const struct stage *s, const char *text, const char *why)
{
    struct lift_chosen *chosen = choose(s, text);
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);

    assert_int_equal(f->how, LIFT_CHOSEN_DEFAULT);
    assert_int_equal(f->refused, 1);
    if (!strstr(f->words, why))
        fail_msg("no '%s' in: %s", why, f->words);
    lift_chosen_destroy(chosen);
}

/* ---- functions in C */

#define CALL                                                                             \
    "extern int system(const char *); static int once; if (!once++) system(\\\"touch "   \
    "%s\\\");"

/* The best kernel with a call in it, under its own hash, as the result of the same last
 * step, and faster. */
static bool forge(void *user, const struct lift_db_best *row)
{
    struct stage *s = user;
    struct explore_problem *p = problem_of(blur, NULL);
    struct lift_str text = {0}, forged = {0}, sql = {0};
    struct lift_error errors = {0};
    struct lift_source source = {.name = "forged"};
    char hex[LIFT_HASH_HEX], old[LIFT_HASH_HEX], trial[LIFT_HASH_HEX];
    struct lift_hash candidate = {0};
    const char *at;
    lift_expr term;

    lift_hash_hex(row->expr, old);
    assert_true(lift_db_text(s->db, LIFT_DB_TEXT_EXPR, old, &text));
    at = strstr(lift_str_get(&text), "0.2f *");
    assert_non_null(at);
    lift_str_addf(&forged, "%.*s", (int)(at - text.data), text.data);
    lift_str_addf(&forged, "userFun(\"f32 h(f32 a) { " CALL " return a; }\", 0.2f) *%s",
                  path_of("OWNED"), at + 6);
    source.text = lift_str_get(&forged);
    source.len = forged.len;
    term = lift_term_parse(p->ir, &source, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(term);
    lift_hash_hex(term->hash, hex);
    assert_true(lift_db_put_expr(s->db, &(struct lift_db_expr){term->hash, source.text,
                                                               LIFT_DB_LOW, 9}) &&
                lift_db_put_candidate(s->db, term->hash, row->tunables, &candidate));
    lift_str_addf(&sql,
                  "INSERT INTO deriv SELECT '%s', parent, rule, position, args, depth, "
                  "later FROM deriv WHERE child = '%s';",
                  hex, old);
    lift_str_addf(&sql,
                  "UPDATE trial SET candidate = '%s', median_ns = 1000 WHERE id = '%s'",
                  lift_hash_hex(candidate, hex), lift_hash_hex(row->trial, trial));
    change(s, lift_str_get(&sql));
    lift_str_fini(&text);
    lift_str_fini(&forged);
    lift_str_fini(&sql);
    explore_problem_destroy(p);
    return false;
}

static void check_plan(const struct stage *s)
{
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_planner *planner =
        lift_planner_create(&(struct lift_planner_options){.database = s->path}, &error);
    struct lift_plan *plan =
        planner ? lift_plan_create(planner, &(struct lift_plan_options){.program = blur},
                                   &error)
                : NULL;
    static float in[30 * 40], out[30 * 40];
    struct stat found;

    if (!plan)
        fail_msg("%s", lift_error_text(&error));
    assert_true(
        lift_plan_execute(plan, (const void *const[]){in}, (void *const[]){out}, &error));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    assert_int_not_equal(stat(path_of("OWNED"), &found), 0);
}

/* Through a folder of CSV files, as if from a stranger. */
static void test_functions(void **state)
{
    struct lift_db_gain gain;
    struct lift_chosen *chosen;
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_str text = {0};
    struct stage s;

    (void)state;
    begin(&s, "forged.db");
    put(&s, blur);
    open_it(&s);
    assert_true(lift_db_best(s.db, &(struct lift_db_filter){NULL}, forge, &s));
    assert_true(lift_db_export(s.db, path_of("forged")));
    lift_db_close(s.db);
    take_path(&s, "import.db");
    open_it(&s);
    if (!lift_db_import(s.db, path_of("forged"), &gain))
        fail_msg("%s", lift_db_error(s.db));
    expect_refused(&s, blur, "has another result now");
    chosen = choose(&s, blur);
    assert_true(lift_chosen_host(chosen, NULL, 0, &text, &error));
    assert_null(strstr(lift_str_get(&text), "OWNED"));
    assert_null(strstr(lift_chosen_facts(chosen)->source, "OWNED"));
    check_plan(&s);
    lift_str_fini(&text);
    lift_chosen_destroy(chosen);
    end(&s);
}

/* The text of a program may be a database's, too. */
static void test_stored_program(void **state)
{
    static const char text[] = "size n = 8\n"
                               "cfun f32 unused(f32 a) \"return a;\"\n"
                               "cfun f32 half(f32 a) \"return 0.5f * a;\"\n"
                               "stencil f(x: [f32]n) -> y = map(v -> half(v), x)\n";
    struct lift_source source = {"program", text, sizeof text - 1};
    struct lift_choose_options o = {.source = &source, .stored = true};
    struct lift_error errors = {0};
    struct stage s;

    (void)state;
    begin(&s, "stored.db");
    open_it(&s);
    o.rules = s.rules;
    o.device = &s.here.info;
    assert_null(lift_choose(&o, &errors));
    assert_int_equal(lift_error_count(&errors), 1);
    assert_non_null(strstr(lift_str_get(&errors.text), "give the program's file"));
    lift_error_fini(&errors);
    end(&s);
}

/* ---- candidates of another program */

static void test_swapped(void **state)
{
    struct stage s;

    (void)state;
    begin(&s, "swapped.db");
    put(&s, blur);
    put(&s, edge);
    open_it(&s);
    change(&s, "CREATE TEMP TABLE old AS SELECT id, candidate FROM trial;"
               "UPDATE trial SET candidate = (SELECT o.candidate FROM old o"
               "  WHERE o.id <> trial.id); DROP TABLE old");
    expect_refused(&s, blur, "no derivation leads to it from this program");
    expect_refused(&s, edge, "no derivation leads to it from this program");
    end(&s);
}

/* ---- invalid rewrites */

#define LAST                                                                             \
    " WHERE child = (SELECT c.expr FROM candidate c JOIN trial t ON t.candidate = c.id)"

static void test_steps(void **state)
{
    static const struct {
        const char *sql, *why;
    } rows[] = {
        {"UPDATE deriv SET rule = 'nosuch'" LAST, "is by a rule that is not loaded"},
        {"UPDATE deriv SET position = '9.9.9'" LAST, "no longer applies"},
        {"UPDATE deriv SET position = '1.x'" LAST, "no longer applies"},
        {"UPDATE deriv SET position = '*/ x'" LAST, "no longer applies"},
        {"UPDATE deriv SET args = 'choice 999999999999'" LAST, "no longer applies"},
        {"UPDATE deriv SET args = 'choice -1'" LAST, "no longer applies"},
        {"UPDATE deriv SET args = 'choice 1 */'" LAST, "no longer applies"},
        {"DELETE FROM deriv" LAST, "no derivation leads to it"},
        {DAMAGE_OWN_PARENTS LAST, "no derivation leads to it"},
        {"UPDATE candidate SET expr = (SELECT root FROM problem)",
         "it is not lowered for 'host'"},
    };

    char copy[600];
    struct stage s;

    (void)state;
    begin(&s, "sound.db");
    put(&s, blur);
    snprintf(copy, sizeof copy, "cp '%s' '%s'", s.path, path_of("steps.db"));
    take_path(&s, "steps.db");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(system(copy), 0);
        open_it(&s);
        change(&s, rows[i].sql);
        expect_refused(&s, blur, rows[i].why);
        lift_db_close(s.db);
    }
    s.db = NULL;
    end(&s);
}

/* Malformed texts, and numbers: lift uses a correct kernel, or a different one. */
static void test_values(void **state)
{
    static const char *const rows[] = {
        "UPDATE device SET name = CAST(x'ff411b5b' AS TEXT)",
        "UPDATE candidate SET tunables = CAST(x'7bff7d' AS TEXT)",
        "UPDATE candidate SET tunables = '[1, 2]'",
        "UPDATE candidate SET tunables = '{\"compiler\":99999999999999999999}'",
        "UPDATE candidate SET tunables = '{\"tile_x\":-7,\"compiler\":\"x\"}'",
        DAMAGE_ENDLESS_TIMES,
        "UPDATE trial SET median_ns = 1e-300",
        "UPDATE problem SET points = -1, bytes = -1",
        "UPDATE device SET compute_units = -5, local_bytes = -1, global_bytes = -1",
        "UPDATE OR IGNORE macro_use SET steps = 9223372036854775807",
        "UPDATE macro_use SET depth = -9223372036854775807",
        "UPDATE OR IGNORE macro_use SET macro = 'none */ of ours'",
    };
    char copy[600];
    struct stage s;

    (void)state;
    begin(&s, "sound.db");
    put(&s, blur);
    snprintf(copy, sizeof copy, "cp '%s' '%s'", s.path, path_of("values.db"));
    take_path(&s, "values.db");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct lift_str text = {0};
        struct lift_chosen *chosen;

        assert_int_equal(system(copy), 0);
        open_it(&s);
        change(&s, rows[i]);
        chosen = choose(&s, blur);
        lift_chosen_json(chosen, &text);
        assert_null(strstr(lift_str_get(&text), "none */"));
        lift_str_fini(&text);
        lift_chosen_destroy(chosen);
        lift_db_close(s.db);
    }
    s.db = NULL;
    end(&s);
}

static bool is_made_by(const struct derivation *d, int leaf, const char *rule)
{
    int node = d->leaves[leaf].node;

    for (const struct derive_edge *e; (e = d->nodes[node].edges); node = e->parent) {
        while (e->next)
            e = e->next;
        if (!strcmp(e->rule->name, rule))
            return true;
    }
    return false;
}

/* The two programs have one root. */
static void put_relaxed(struct stage *s, const char *relaxed, const char *exact)
{
    struct explore_problem *p = problem_of(relaxed, NULL), *q = problem_of(exact, NULL);
    struct recorder r = {.db = s->db, .problem = q, .device = &s->here.info};
    bool found = false;

    assert_true(record_problem(&r));
    r.problem = p;
    r.stored = false;
    r.derivation = derive_create(p, s->rules, s->here.info.dialect);
    configurations_add_families(r.derivation, 0);
    assert_true(
        record_problem(&r) &&
        lift_db_session_start(r.db, &(struct lift_db_session){"test", 1, "1 trial", "1"},
                              &r.session));
    for (int i = 0; i < r.derivation->leaf_count && !found; i++)
        found = is_made_by(r.derivation, i, "combineQuotients") && put_leaf(&r, i, 1e-3);
    assert_true(found);
    assert_true(lift_db_session_end(r.db, r.session, "budget"));
    derive_destroy(r.derivation);
    explore_problem_destroy(p);
    explore_problem_destroy(q);
}

/* A rule that rounds differently, for a program that allows none. */
static void test_class(void **state)
{
    static const char exact[] =
        "exact\nsize n = 100\nparam a: f32 = 2.0\n"
        "stencil part(x: [f32]n) -> y = map(v -> v / (v + a) + a / (v * v + a), x)\n";
    struct lift_chosen *chosen;
    struct stage s;

    (void)state;
    begin(&s, "class.db");
    open_it(&s);
    put_relaxed(&s, exact + 6, exact);
    chosen = choose(&s, exact + 6);
    assert_int_equal(lift_chosen_facts(chosen)->how, LIFT_CHOSEN_EXACT);
    lift_chosen_destroy(chosen);
    change(&s, "UPDATE trial SET problem = (SELECT id FROM problem WHERE id <> problem)");
    expect_refused(&s, exact, "changes values, which the program does not allow");
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_stored_program),
        cmocka_unit_test(test_swapped),   cmocka_unit_test(test_steps),
        cmocka_unit_test(test_values),    cmocka_unit_test(test_class),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
