/* Options of decisions in the database: stored rows, views, and rows from other
 * databases. */
#include "tuner/db_tools.h"
#include "unit/db_world.h"

static const struct lift_db_option guarded[] = {{"tiling", "guarded"}, {"copy", "tma"}};
static const struct lift_db_option exact[] = {{"tiling", "divisible"}};

static struct lift_hash put_low(struct world *w, const char *text)
{
    struct lift_db_expr expr = {hash_of(text), text, LIFT_DB_LOW, 5};

    OK(w->db, lift_db_put_expr(w->db, &expr));
    return expr.id;
}

/* Three points on one device, one of them with defaults alone, and a trial of each. */
static void put_points(struct world *w)
{
    struct lift_hash plain = put_low(w, "mapSeq f");

    OK(w->db, lift_db_put_configuration(w->db, w->low[0], guarded, 2));
    OK(w->db, lift_db_put_configuration(w->db, w->low[1], exact, 1));
    OK(w->db, lift_db_put_configuration(w->db, plain, NULL, 0));
    put_ok(w, 0, 0, "{\"tile\":16}", 2e-6);
    put_ok(w, 0, 0, "{\"tile\":32}", 1e-6);
    put_failure(w, 0, 0, LIFT_TRIAL_COMPILE_ERROR, "unknown type");
    put_failure(w, 1, 0, LIFT_TRIAL_WRONG, "3 values");
    w->low[1] = plain;
    put_ok(w, 1, 0, "{}", 4e-6);
}

static bool note_point(void *user, const struct lift_db_configuration *p)
{
    struct lift_str *out = user;

    for (int i = 0; i < p->option_count; i++)
        lift_str_addf(out, "%s=%s ", p->options[i].decision, p->options[i].option);
    lift_str_addf(out, "%d/%d %.3g us %.2f%s; ", (int)p->verified, (int)p->trials,
                  p->seconds * 1e6, p->share, p->best ? " best" : "");
    return true;
}

static bool note_rule(void *user, const char *rule, int64_t rewrites)
{
    lift_str_addf(user, "%s %d; ", rule, (int)rewrites);
    return true;
}

static void assert_said(const struct lift_str *said, const char *part)
{
    if (!strstr(lift_str_get(said), part))
        fail_msg("'%s' is not in '%s'", part, lift_str_get(said));
}

static void test_points(void **state)
{
    struct lift_str said = {0};
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put_points(&w);
    OK(w.db, lift_db_configurations(w.db, note_point, &said));
    assert_said(&said, "copy=tma tiling=guarded 2/3 1 us 1.00 best; ");
    assert_said(&said, "tiling=divisible 0/1 0 us 0.00; ");
    assert_said(&said, "1/1 4 us 0.25; ");
    lift_str_clear(&said);
    OK(w.db, lift_db_rules(w.db, note_rule, &said));
    assert_string_equal(lift_str_get(&said),
                        "joinSplit 1; lowerAll 1; lowerPar 1; lowerWrg 1; splitJoin 1; ");
    lift_str_fini(&said);
    end(&w);
}

static void test_view(void **state)
{
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put_points(&w);
    assert_answer(
        w.db,
        "SELECT group_concat(decision || '=' || option || ' ' || exprs || ' ' ||"
        " trials || ' ' || verified || ' ' || ifnull(round(gpts, 2), '-') || ' '"
        " || ifnull(round(share, 2), '-') || best, ', ') FROM (SELECT * FROM"
        " option_result ORDER BY decision, option)",
        "copy=(default) 2 2 1 0.25 0.250, copy=tma 1 3 2 1.0 1.01, "
        "tiling=(default) 1 1 1 0.25 0.250, tiling=divisible 1 1 0 - -0, "
        "tiling=guarded 1 3 2 1.0 1.01");
    /* The newest final benchmark counts. */
    OK(w.db, lift_db_put_finalist(
                 w.db, w.session, w.problem, w.device[0],
                 &(struct lift_db_finalist){1, put_ok(&w, 0, 0, "{\"tile\":32}", 9e-7),
                                            2e-6, 1e-6, 3e-6, false}));
    assert_answer(w.db, "SELECT share FROM option_result WHERE option = 'tma'", "1.0");
    assert_answer(w.db,
                  "SELECT round(median_ms, 6) FROM option_result WHERE option = "
                  "'tma'",
                  "0.002");
    end(&w);
}

static void test_first_stays(void **state)
{
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_put_configuration(w.db, w.low[0], exact, 1));
    OK(w.db, lift_db_put_configuration(w.db, w.low[0], guarded, 2));
    assert_answer(w.db, "SELECT group_concat(options) FROM configuration",
                  "tiling=divisible");
    end(&w);
}

static void test_names_are_held_to(void **state)
{
    static char longest[LIFT_DB_NAME + 1], longer[LIFT_DB_NAME + 2];
    static const struct lift_db_option wrong[] = {{"tiling", "a b"},
                                                  {"", "x"},
                                                  {"tiling", "1"},
                                                  {"tiling", "\x1b[2J"},
                                                  {"tiling", longer}};
    struct world w;

    (void)state;
    memset(longest, 'x', LIFT_DB_NAME);
    memset(longer, 'x', LIFT_DB_NAME + 1);
    begin(&w, ":memory:");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(lift_db_put_configuration(w.db, w.low[0], &wrong[i], 1));
    assert_false(lift_db_put_configuration(w.db, w.low[0], NULL, 1));
    assert_answer(w.db, "SELECT count(*) FROM configuration", "0");
    OK(w.db, lift_db_put_configuration(w.db, w.low[0],
                                       &(struct lift_db_option){longest, longest}, 1));
    end(&w);
}

/* Rows that a program never writes are no points to whoever reads, and no code. */
static void test_hostile_rows(void **state)
{
    static const char *const options[] = {
        "none",
        "tiling=",
        "=exact",
        "tiling=divisible,",
        "tiling=divisible,copy=tma",
        "tiling=divisible,tiling=remainder",
        "tiling=divisible=cut",
        "tiling=' || char(27) || '[2J",
        "tiling=a''b",
        "' || replace(hex(zeroblob(40000)), '00', ',') || '",
        "' || replace(hex(zeroblob(40000)), '00', 'a=b,') || '",
    };
    struct lift_str said = {0};
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put_points(&w);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char sql[200];

        snprintf(sql, sizeof sql, "UPDATE configuration SET options = '%s'", options[i]);
        assert_int_equal(sqlite3_exec(w.db->handle, sql, NULL, NULL, NULL), SQLITE_OK);
        OK(w.db, lift_db_configurations(w.db, note_point, &said));
        assert_string_equal(lift_str_get(&said), "");
        assert_answer(w.db,
                      "SELECT count(*) FROM option_result WHERE option <> '(default)' AND"
                      " (decision || option GLOB '*[^a-z]*')",
                      "0");
    }
    end(&w);
}

static char *merged(const char *to, const char *from)
{
    struct lift_db *a = open_db(path_of(to), LIFT_DB_WRITE);
    struct lift_db *b = open_db(path_of(from), LIFT_DB_READ);
    struct lift_db_gain gain;
    char *options;

    OK(a, lift_db_merge(a, b, &gain));
    options = ask(a, "SELECT group_concat(options) FROM configuration");
    lift_db_close(a);
    lift_db_close(b);
    return options;
}

/* Of two points that are one expression a merge keeps one, whole, whichever comes first.
 */
static void test_merge(void **state)
{
    static const char *const names[] = {"first", "second"};
    char *ab, *ba;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct world w;

        begin(&w, path_of(names[i]));
        OK(w.db, lift_db_put_configuration(w.db, w.low[0], i ? guarded : exact, i + 1));
        end(&w);
    }
    free(merged("both", "first"));
    ab = merged("both", "second");
    ba = merged("second", "first");
    assert_string_equal(ab, ba);
    assert_string_equal(ab, "tiling=divisible");
    free(ab);
    free(ba);
}

static void test_merge_refuses(void **state)
{
    struct lift_db *to = open_db(":memory:", LIFT_DB_WRITE);
    struct lift_db_gain gain;
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put_points(&w);
    assert_int_equal(sqlite3_exec(w.db->handle,
                                  "UPDATE configuration SET options = 'tiling=7'", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    assert_false(lift_db_merge(to, w.db, &gain));
    assert_non_null(strstr(lift_db_error(to),
                           "table 'configuration' has a 'options' that is not "
                           "options such as"));
    assert_answer(to, "SELECT count(*) FROM trial", "0");
    lift_db_close(to);
    end(&w);
}

static bool edit_and_import(const char *edit, struct lift_str *error)
{
    struct lift_db *db = open_db(":memory:", LIFT_DB_WRITE);
    struct lift_db_gain gain;
    char command[900];
    bool good;

    snprintf(command, sizeof command, "cd '%s' && rm -rf y && cp -r x y && cd y && %s",
             folder, edit);
    assert_int_equal(system(command), 0);
    good = lift_db_import(db, path_of("y"), &gain);
    lift_str_clear(error);
    lift_str_add(error, good ? "" : lift_db_error(db));
    assert_answer(db, "SELECT count(*) FROM trial", good ? "1" : "0");
    lift_db_close(db);
    return good;
}

/* A folder as programs before version 10 wrote it: former names of files, columns and a
 * phase, and devices without a cache. */
#define FORMER                                                                           \
    "mv trial.csv try.csv && sed -i s/final_benchmark/final/ try.csv && "                \
    "sed -i '1s/\"trial\"/\"try\"/' check_result.csv timing.csv finalist.csv && "        \
    "sed -i 's/,[^,]*,[^,]*$//' device.csv"

/* A selection has the points of its kernels; folders of version 5 have none at all. */
static void test_csv(void **state)
{
    struct lift_str error = {0};
    struct world w;

    (void)state;
    begin(&w, path_of("a"));
    put_points(&w);
    OK(w.db, lift_db_export_best(w.db, path_of("x"), 1));
    end(&w);
    assert_true(
        edit_and_import("grep -q '\"copy=tma,tiling=guarded\"'"
                        " configuration.csv && test $(wc -l <configuration.csv) = 2",
                        &error));
    assert_true(edit_and_import(
        "rm configuration.csv && sed -i s/11/5/ lift.csv && " FORMER " && "
        "sed -i 's/,[^,]*$//' problem.csv",
        &error));
    assert_true(edit_and_import("mv configuration.csv point.csv && " FORMER
                                " && sed -i s/11/9/ lift.csv",
                                &error));
    assert_false(edit_and_import("mv configuration.csv point.csv && " FORMER, &error));
    assert_false(edit_and_import("rm configuration.csv", &error));
    assert_said(&error, "/y/configuration.csv': No such file");
    assert_false(edit_and_import("sed -i s/guarded/gu.arded/ configuration.csv", &error));
    assert_said(&error, "/y/configuration.csv:2:36: ");
    assert_said(&error, "of column 'options' is not options such as");
    assert_false(
        edit_and_import("sed -i '2s/,.*/,\"{}\\x1b\"/' configuration.csv", &error));
    assert_said(&error, "unexpected byte 0x1b");
    assert_false(edit_and_import("sed -i '2s/copy/zopy/' configuration.csv", &error));
    assert_said(&error, "is not options such as copy=tma,tiling=divisible, in order");
    assert_false(edit_and_import("sed -i 's/\"[0-9a-f]*\"/\""
                                 "00000000000000000000000000000000"
                                 "\"/' configuration.csv",
                                 &error));
    assert_said(&error, "the row refers to a missing row");
    lift_str_fini(&error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),        cmocka_unit_test(test_view),
        cmocka_unit_test(test_first_stays),   cmocka_unit_test(test_names_are_held_to),
        cmocka_unit_test(test_hostile_rows),  cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_refuses), cmocka_unit_test(test_csv),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
