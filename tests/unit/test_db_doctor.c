/* Findings of 'lift db doctor', and the database after a repair. */
#include "damage.h"
#include "tuner/db_tools.h"
#include "unit/db_world.h"

struct findings {
    int ok, notes, errors, repaired;
    char text[16][256];
    int count;
};

static void note_finding(void *user, enum lift_db_health health, const char *what)
{
    struct findings *f = user;

    f->ok += health == LIFT_DB_OK;
    f->notes += health == LIFT_DB_NOTE;
    f->errors += health == LIFT_DB_ERROR;
    f->repaired += health == LIFT_DB_REPAIRED;
    if (health != LIFT_DB_OK && f->count < 16)
        snprintf(f->text[f->count++], 256, "%s", what);
}

/* problem_id(program, root, sizes, params, dtype): see lift_db_put_problem. */
static void problem_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct lift_hash id = {0};
    char hex[LIFT_HASH_HEX];

    for (int i = 0; i < argc; i++) {
        const char *text = (const char *)sqlite3_value_text(argv[i]);
        struct lift_hash part = lift_hash_text(text);

        if (i < 2)
            assert_true(lift_hash_parse(text, &part));
        id = i ? lift_hash_combine(id, part) : part;
    }
    sqlite3_result_text(context, lift_hash_hex(id, hex), -1, SQLITE_TRANSIENT);
}

static void plant(const char *name, const char *sql)
{
    sqlite3 *handle;

    assert_int_equal(sqlite3_open(path_of(name), &handle), SQLITE_OK);
    sqlite3_create_function_v2(handle, "problem_id", 5, SQLITE_UTF8, NULL, problem_id,
                               NULL, NULL, NULL);
    if (sqlite3_exec(handle, sql, NULL, NULL, NULL))
        fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
    sqlite3_close(handle);
}

#define ZEROS "00000000000000000000000000000000"

static const struct damage {
    const char *sql;
    bool error, repaired; /* found; nothing is left after a repair */
    const char *expected;
} ills[] = {
    {"SELECT 1", false, true, NULL},
    {"UPDATE session SET pid = 99999999, ended = NULL", true, true, "were killed"},
    {"UPDATE trial SET status = 'started', launched = 't' WHERE id = (SELECT min(id) "
     "FROM "
     "trial)",
     true, true, "1 trials of ended sessions are still open"},
    {"DELETE FROM candidate", true, false, "rows refer to missing rows"},
    {"INSERT INTO env VALUES ('" ZEROS "', '', '', '', '', '', '', '', '')", false, true,
     "1 rows are unused"},
    {"CREATE TEMP TABLE two AS SELECT min(id) AS a, max(id) AS b FROM candidate; UPDATE "
     "candidate SET id = 'x' WHERE id = (SELECT a FROM two); UPDATE candidate SET id = "
     "(SELECT a FROM two) WHERE id = (SELECT b FROM two); UPDATE candidate SET id = "
     "(SELECT b FROM two) WHERE id = 'x'",
     true, true, "2 candidates do not match their ids"},
    {"UPDATE candidate SET tunables = '{\"tile\":77}' WHERE id = (SELECT min(id) FROM "
     "candidate)",
     true, true, "1 candidates do not match their ids"},
    {"UPDATE session SET host = 'far', ended = NULL", false, true, "1 sessions run"},
    {"UPDATE expr SET bytes = 900, text = zeroblob(300) WHERE level = 'low'", true, false,
     "a packed text is damaged"},
    {"DELETE FROM check_result", false, true, "good trials lack a time or checks"},
    {"UPDATE problem SET sizes = '{\"nx\":-5,\"ny\":10}'", true, true,
     "1 problems have sizes that are not positive numbers"},
    {"UPDATE problem SET sizes = 'no object'", true, true, "not positive numbers"},
    {"UPDATE problem SET points = -1000", true, true, "not positive numbers"},
    {"UPDATE problem SET bytes = -8", true, true, "not positive numbers"},
    {"UPDATE trial SET median_ns = -1 WHERE id = (SELECT min(id) FROM trial WHERE "
     "median_ns)",
     true, true, "1 trials have impossible times"},
    {DAMAGE_ENDLESS_TIMES " WHERE median_ns", true, true, "impossible"},
    {"UPDATE trial SET median_ns = 'nan' WHERE median_ns", true, true, "impossible"},
    {"UPDATE trial SET median_ns = 1e-5 WHERE median_ns", true, true, "impossible"},
    {"UPDATE trial SET median_ns = median_ns * 2 WHERE median_ns", true, true,
     "impossible"},
    {"UPDATE trial SET compile_s = -3 WHERE median_ns", true, true, "impossible"},
    {"UPDATE timing SET ns = -ns", true, true, "impossible"},
    {"UPDATE timing SET batch = 0", true, true, "impossible"},
    {"INSERT INTO finalist SELECT session, problem, device, 1, id, -5, 1, 9, 0 FROM "
     "trial "
     "WHERE median_ns LIMIT 1",
     true, true, "1 places of final benchmarks have impossible times"},
    {"UPDATE device SET copy_gbs = 'NaN'", true, true,
     "2 devices have impossible bandwidths"},
    {"UPDATE device SET copy_gbs = 9e999", true, true,
     "2 devices have impossible bandwidths"},
    {"UPDATE device SET copy_gbs = -12", true, true,
     "2 devices have impossible bandwidths"},
    {"UPDATE device SET name = 'Forged' WHERE runtime = 'host'", true, false,
     "a row of table 'device' has a 'id' that is not the hash of its row"},
    {"UPDATE problem SET params = '{\"a\":1}'", true, false,
     "a row of table 'problem' has a 'id' that is not the hash of its row"},
    {DAMAGE_OWN_PARENTS " WHERE rule = 'lowerPar' OR rule = 'lowerAll'", true, true,
     "1 expressions are derived from themselves"},
    /* Rows that would be shown first, and lead nowhere. */
    {"INSERT INTO deriv SELECT DISTINCT child, child, 'rule', '.', '', 0, 0 FROM deriv "
     "WHERE rule = 'lowerWrg'",
     true, true, "1 expressions are derived from themselves"},
    {"INSERT INTO deriv SELECT parent, child, 'rule', '.', '', 0, 0 FROM deriv WHERE "
     "rule "
     "= 'lowerWrg'",
     true, true, "3 expressions are derived from themselves"},
    {"DELETE FROM deriv WHERE rule IN ('lowerPar', 'lowerAll', 'lowerWrg')", true, true,
     "no derivation leads to"},
    {"INSERT INTO problem SELECT problem_id(program, e.id, sizes, params, dtype), "
     "program,"
     " e.id, sizes, params, dtype, points, problem.bytes, steps FROM problem JOIN expr e "
     "WHERE "
     "e.text LIKE 'mapWrg%'; UPDATE trial SET problem = (SELECT p.id FROM problem p JOIN "
     "expr "
     "e ON e.id = p.root WHERE e.text LIKE 'mapWrg%') WHERE candidate IN (SELECT c.id "
     "FROM "
     "candidate c JOIN expr e ON e.id = c.expr WHERE e.text LIKE 'mapPar%')",
     true, true, "trials are of expressions of another program"},
    {"UPDATE session SET argv = 'caf' || CAST(x'e9' AS TEXT)", true, true,
     "1 rows have invalid values: a row of table 'session' has a 'argv'"},
    {"UPDATE expr SET text = text || char(27), bytes = bytes + 1", true, true,
     "has a 'text' that is not UTF-8 without control characters"},
    {"UPDATE session SET ended = 'soon'", true, true, "has a 'ended' that is not a time"},
    {"UPDATE trial SET measure_s = 1e19 WHERE median_ns", true, true,
     "has a 'measure_s' that is too large a number"},
    {"UPDATE device SET copy_gbs = 1e308", true, true,
     "2 devices have impossible bandwidths"},
    {"UPDATE check_result SET max_error = -1", true, true,
     "'max_error' that is negative"},
    {"UPDATE check_result SET bad = 1e300", true, true,
     "'bad' that is not a whole number"},
    {"INSERT INTO configuration SELECT id, 'tile=7' FROM expr WHERE level = 'low'", true,
     true, "'options' that is not options such as"},
    {"INSERT INTO configuration SELECT id, x'00' FROM expr WHERE level = 'low'", true,
     true, "'options' that is not a text"},
    {"INSERT INTO configuration VALUES ('" ZEROS "', '')", true, false,
     "1 rows refer to missing rows"},
    {"UPDATE device SET vendor = x'00'", true, false, "'vendor' that is not a text"},
    {"CREATE TABLE mine(x)", false, true, "other tables or columns: table 'mine'"},
    {"ALTER TABLE env ADD COLUMN more TEXT", true, false, "without our table 'env'"},
};

static bool is_said(const struct findings *f, const char *words)
{
    bool said = false;

    for (int i = 0; i < f->count; i++)
        said |= strstr(f->text[i], words) != NULL;
    return said;
}

static void assert_found(const struct damage *damage)
{
    struct findings f = {0}, g = {0};
    struct lift_db *db = open_db(path_of("b"), LIFT_DB_READ);
    bool ok = lift_db_doctor(db, LIFT_DB_LOOK, note_finding, &f);

    lift_db_close(db);
    assert_true(ok == !damage->error);
    assert_int_equal(f.errors > 0, damage->error);
    assert_int_equal(f.repaired, 0);
    if (damage->expected ? !is_said(&f, damage->expected) : f.count)
        fail_msg("%s: %s", damage->sql, f.text[0]);
    db = open_db(path_of("b"), LIFT_DB_WRITE);
    assert_true(lift_db_doctor(db, LIFT_DB_REPAIR_ALL, note_finding, &g) ==
                damage->repaired);
    memset(&f, 0, sizeof f);
    assert_true(lift_db_doctor(db, LIFT_DB_LOOK, note_finding, &f) == damage->repaired);
    lift_db_close(db);
}

static void test_doctor(void **state)
{
    struct world w;
    char copy[600];

    (void)state;
    begin(&w, path_of("a"));
    put_trials(&w);
    end(&w);
    snprintf(copy, sizeof copy, "cp '%s' '%s'", path_of("a"), path_of("b"));
    for (size_t i = 0; i < sizeof ills / sizeof ills[0]; i++) {
        assert_int_equal(system(copy), 0);
        plant("b", "DROP TRIGGER trial_ended");
        plant("b", ills[i].sql);
        plant("b", db_sql[DB_TRIAL_ENDED]);
        assert_found(&ills[i]);
        assert_int_equal(unlink(path_of("b")), 0);
    }
    unlink(path_of("a"));
}

/* ---- ids that no statement finds */

/* A dead session of a damaged id is looked for once, not for ever. */
static void test_damaged_session(void **state)
{
    struct findings f = {0};
    struct lift_db *db;
    struct world w;

    (void)state;
    begin(&w, path_of("b"));
    end(&w);
    plant("b", "UPDATE session SET id = 'zz', boot = 'other', ended = NULL");
    db = open_db(path_of("b"), LIFT_DB_WRITE);
    assert_false(lift_db_doctor(db, LIFT_DB_REPAIR, note_finding, &f));
    assert_true(is_said(&f, "'session' has a 'id' that is not 32 hexadecimal digits"));
    lift_db_close(db);
    unlink(path_of("b"));
}

/* ---- code in a database */

static const struct foreign {
    const char *sql, *words; /* of the doctor */
    bool opens;              /* it is none to be afraid of */
} foreigners[] = {
    {"CREATE TRIGGER evil AFTER INSERT ON session BEGIN DELETE FROM trial; END",
     "not of the schema: trigger 'evil'", false},
    {"DROP TRIGGER trial_ended; CREATE TRIGGER trial_ended BEFORE UPDATE ON trial BEGIN "
     "DELETE "
     "FROM trial; END",
     "not of the schema: trigger 'trial_ended'; missing or changed: trigger "
     "'trial_ended'",
     false},
    {"CREATE VIEW mine AS SELECT 1", "not of the schema: view 'mine'", false},
    {"DROP VIEW verified; CREATE VIEW verified AS SELECT id AS trial FROM trial",
     "not of the schema: view 'verified'; missing or changed: view 'verified'", false},
    {"DROP VIEW verified", "missing or changed: view 'verified'", true},
    {"DROP TRIGGER trial_ended", "missing or changed: trigger 'trial_ended'", true},
    {"DROP INDEX trial_rank", "missing or changed: index 'trial_rank'", true},
};

static void assert_foreign(const struct foreign *row)
{
    static const enum lift_db_mode modes[] = {LIFT_DB_READ, LIFT_DB_WRITE};
    struct findings f = {0};
    struct lift_db *db;

    for (int i = 0; i < 2 && !row->opens; i++) {
        char *why = open_error(path_of("b"), modes[i]);

        assert_non_null(strstr(why, "lift db doctor --repair --db"));
        free(why);
    }
    db = open_db(path_of("b"), LIFT_DB_INSPECT);
    assert_false(lift_db_doctor(db, LIFT_DB_LOOK, note_finding, &f));
    if (!strstr(f.text[0], row->words))
        fail_msg("no '%s' in: %s", row->words, f.text[0]);
    lift_db_close(db);
    db = open_db(path_of("b"), LIFT_DB_WRITE_DAMAGED);
    assert_true(lift_db_doctor(db, LIFT_DB_REPAIR, note_finding, &f));
    lift_db_close(db);
    memset(&f, 0, sizeof f);
    db = open_db(path_of("b"), LIFT_DB_WRITE);
    assert_true(lift_db_doctor(db, LIFT_DB_LOOK, note_finding, &f));
    assert_answer(db, "SELECT count(*) > 0 FROM trial", "1");
    lift_db_close(db);
}

static void test_foreign(void **state)
{
    struct world w;
    char copy[600];

    (void)state;
    begin(&w, path_of("a"));
    put_trials(&w);
    end(&w);
    snprintf(copy, sizeof copy, "cp '%s' '%s'", path_of("a"), path_of("b"));
    for (size_t i = 0; i < sizeof foreigners / sizeof foreigners[0]; i++) {
        assert_int_equal(system(copy), 0);
        plant("b", foreigners[i].sql);
        assert_foreign(&foreigners[i]);
        assert_int_equal(unlink(path_of("b")), 0);
    }
    unlink(path_of("a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doctor),
        cmocka_unit_test(test_damaged_session),
        cmocka_unit_test(test_foreign),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
