/* Files of earlier versions of the schema: reading a file upgrades it, with all its rows.
 */
#include "unit/db_world.h"

/* Our migrations and one more. */
struct migrations {
    const char *steps[16];
};

static struct migrations and_then(const char *step)
{
    struct migrations m = {{NULL}};
    int n = 0;

    for (; db_migrations[n]; n++)
        m.steps[n] = db_migrations[n];
    assert_true(n < 15);
    m.steps[n] = step;
    return m;
}

static void test_migration(void **state)
{
    const char *path = path_of("old.db");
    struct migrations newer = and_then(
                          "ALTER TABLE expr ADD COLUMN cost REAL; CREATE TABLE extra(a)"),
                      broken =
                          and_then("CREATE TABLE extra(a); INSERT INTO extra VALUES (1); "
                                   "CREATE TABLE nonsense(");
    struct lift_str error = {0};
    struct lift_db *db;
    struct world w;
    struct rows r = {0};
    struct lift_hash id;

    (void)state;
    begin(&w, path);
    put_trials(&w);
    end(&w);
    /* A step that fails leaves the old version untouched. */
    assert_null(db_open_with(path, LIFT_DB_WRITE, broken.steps, &error));
    assert_non_null(strstr(lift_str_get(&error), "cannot migrate"));
    lift_str_fini(&error);
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "PRAGMA user_version", "11");
    assert_answer(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'", "0");
    lift_db_close(db);
    db = db_open_with(path, LIFT_DB_READ, newer.steps, &error);
    assert_non_null(db);
    assert_true(lift_db_read_only(db));
    assert_answer(db, "PRAGMA user_version", "12");
    assert_answer(db, "SELECT count(*) FROM extra", "0");
    assert_answer(db, "SELECT count(*) FROM trial", "7");
    lift_db_close(db);
    /* To this program the file is now of a newer version. */
    db = open_db(path, LIFT_DB_WRITE);
    assert_true(lift_db_read_only(db));
    OK(db, lift_db_best(db, &(struct lift_db_filter){0}, note_best, &r));
    assert_int_equal(r.count, 2);
    assert_false(lift_db_put_candidate(db, w.low[0], "{\"q\":1}", &id));
    assert_non_null(
        strstr(lift_db_error(db), "its schema 12 is newer than this program"));
    lift_db_close(db);
    unlink(path);
}

/* Files of old versions, as they were written: the same rows in all of them. */
static const char old_rows[] =
    "INSERT INTO device(id, runtime, name, vendor, arch, compute_units, simd_width,\n"
    "  max_group_size, local_bytes, global_bytes, copy_gbs, copy_at)\n"
    "  VALUES ('d1', 'host', 'Test CPU', 'Acme', 'x', 4, 0, 0, 0, 1073741824, 20, 't');\n"
    "INSERT INTO program VALUES ('p1', 'acoustic', 'the text');\n"
    "INSERT INTO expr VALUES ('e0', 'high', 5, 'root'), ('e1', 'high', 5, 'middle'),\n"
    "  ('e2', 'low', 5, replace(hex(zeroblob(500)), '0', 'map f . ')),\n"
    "  ('e3', 'high', 5, 'aside');\n"
    "INSERT INTO problem VALUES ('b1', 'p1', 'e0', '{\"nx\":100}', '{}', 'f32', 1000,\n"
    "  8000);\n"
    "INSERT INTO deriv VALUES ('e1', 'e0', 'splitJoin', '0', 'v'),\n"
    "  ('e0', 'e1', 'joinSplit', '0', ''), ('e2', 'e1', 'lowerPar', '0.1', ''),\n"
    "  ('e3', 'e2', 'turn', '', ''), ('e2', 'e3', 'turnBack', '', ''),\n"
    "  ('e2', 'e0', 'lowerAll', '0', '');\n"
    "INSERT INTO candidate VALUES ('c1', 'e2', '{\"tile\":32}');\n"
    "INSERT INTO session VALUES ('s1', 'lift-explore', '7', '60 s', '0.1', 'h', 'b', 1,\n"
    "  '1', 't0', 't1', 'budget');\n"
    "INSERT INTO build VALUES ('u1', 'h1', 'kernel', 'cc', '1', '-O3', 32, NULL, 0,\n"
    "  NULL, 'warning: x');\n"
    "INSERT INTO build VALUES ('u2', 'h1', 'kernel', 'cc', '2', '-O3', 32, NULL, 0,\n"
    "  NULL, '');\n"
    "INSERT INTO try VALUES ('t1', 'c1', 'b1', 'd1', 's1', 'ok', '', 'u1', 1000.0, "
    "'t0',\n"
    "  't1');\n"
    "INSERT INTO try VALUES ('t2', 'c1', 'b1', 'd1', 's1', 'crash', 'signal 11', "
    "'u2',\n"
    "  NULL, 't0', 't1');\n"
    "INSERT INTO check_result VALUES ('t1', 0, 'full', 0, 1e-5, 0, NULL);\n"
    "INSERT INTO timing VALUES ('t1', 0, 1100), ('t1', 1, 1000), ('t1', 2, 900);\n"
    "CREATE VIEW best_kernel AS SELECT id AS try FROM try;\n"
    "CREATE VIEW first_deriv AS SELECT child, parent FROM deriv;\n";

static const char *const old_rows_of[] = {
    "",
    "INSERT INTO macro_use VALUES ('e2', 'e0', 'lower', '.', 2, 0);\n",
    "INSERT INTO reach VALUES ('s1', 'b1', 'd1', 'tried', '', 1);\n",
};

static void write_old(const char *path, int version)
{
    struct migrations m = {{NULL}};
    struct lift_str error = {0};
    struct lift_db *db;

    for (int i = 0; i < version; i++)
        m.steps[i] = db_migrations[i];
    db = db_open_with(path, LIFT_DB_WRITE, m.steps, &error);
    assert_non_null(db);
    if (sqlite3_exec(db->handle, old_rows, NULL, NULL, NULL))
        fail_msg("%s", sqlite3_errmsg(db->handle));
    for (int i = 0; i < version; i++)
        assert_int_equal(sqlite3_exec(db->handle, old_rows_of[i], NULL, NULL, NULL),
                         SQLITE_OK);
    lift_db_close(db);
}

static void assert_migrated(struct lift_db *db, int version)
{
    char device[LIFT_HASH_HEX];

    assert_answer(db, "PRAGMA user_version", "11");
    assert_answer(db, "PRAGMA integrity_check", "ok");
    assert_answer(db, "PRAGMA foreign_key_check", "no row");
    assert_answer(db, "SELECT sqlar_uncompress(text, bytes) FROM expr WHERE id = 'e1'",
                  "middle");
    assert_answer(
        db,
        "SELECT CAST(sqlar_uncompress(text, bytes) AS TEXT) = replace(hex(zeroblob(500)),"
        " '0', 'map f . ') AND length(text) < 100 FROM expr WHERE id = 'e2'",
        "1");
    assert_answer(db, "SELECT count(*) || min(text) FROM source", "1kernel");
    assert_answer(db,
                  "SELECT group_concat(step || ' ' || rule || ' ' || position || args, "
                  "', ') FROM (SELECT * FROM derivation WHERE expr = 'e2' ORDER BY step)",
                  "1 splitJoin 0v, 2 lowerPar 0.1");
    assert_answer(db,
                  "SELECT group_concat(rule || ' ' || depth || later, ', ') FROM (SELECT"
                  " * FROM deriv ORDER BY rule)",
                  "joinSplit 21, lowerAll 21, lowerPar 20, splitJoin 10, turn 30, "
                  "turnBack 41");
    assert_answer(db, "SELECT count(*) FROM macro_use", version < 2 ? "0" : "1");
    assert_answer(db, "SELECT count(*) FROM reach", version < 3 ? "0" : "1");
    assert_answer(db, "SELECT tunables || median_ms || trial FROM best_kernel",
                  "{\"tile\":32}0.001t1");
    assert_answer(db,
                  "SELECT phase || batch FROM trial t JOIN timing m ON m.trial = t.id",
                  "search1");
    assert_answer(db, "SELECT id FROM device",
                  lift_hash_hex(lift_device_hash(&devices[0]), device));
}

/* Version 5 knows of slabs, and keeps the checks that there were. */
static void test_slabs_are_new(void **state)
{
    const char *path = path_of("fourth.db");
    struct migrations m = {{NULL}};
    struct lift_str error = {0};
    struct lift_db *db;

    (void)state;
    for (int i = 0; i < 4; i++)
        m.steps[i] = db_migrations[i];
    db = db_open_with(path, LIFT_DB_WRITE, m.steps, &error);
    assert_non_null(db);
    assert_int_equal(sqlite3_exec(db->handle,
                                  "PRAGMA foreign_keys = OFF; INSERT INTO check_result"
                                  " VALUES ('t1', 0, 'full', 0, 1e-5, 0, NULL)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    lift_db_close(db);
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "PRAGMA user_version", "11");
    assert_answer(db, "SELECT kind || bound FROM check_result", "full1.0e-05");
    assert_answer(db, "SELECT count(*) FROM status WHERE name = 'slab'", "1");
    assert_answer(db, "SELECT count(*) FROM best_kernel", "0");
    lift_db_close(db);
}

/* Version 6 has a table of options, which is empty for older trials. */
static void test_configurations_are_new(void **state)
{
    const char *path = path_of("fifth.db");
    struct migrations m = {{NULL}};
    struct lift_str error = {0};
    struct lift_db *db;

    (void)state;
    for (int i = 0; i < 5; i++)
        m.steps[i] = db_migrations[i];
    db = db_open_with(path, LIFT_DB_WRITE, m.steps, &error);
    assert_non_null(db);
    assert_int_equal(sqlite3_exec(db->handle,
                                  "CREATE VIEW best_kernel AS SELECT id AS try FROM try;"
                                  "INSERT INTO expr VALUES ('e1', 'low', 5, 3, 'map')",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    lift_db_close(db);
    db = open_db(path, LIFT_DB_READ);
    assert_answer(db, "PRAGMA user_version", "11");
    assert_answer(db, "SELECT text FROM expr", "map");
    assert_answer(db, "SELECT count(*) FROM configuration", "0");
    assert_answer(db, "SELECT count(*) FROM option_result", "0");
    assert_answer(db, "SELECT sizes FROM best_kernel", "no row");
    lift_db_close(db);
}

/* A file of a version from 4 to 9 as well: a trial of a final benchmark, and views. */
static void age(const char *path, int version)
{
    struct migrations m = {{NULL}};
    struct lift_str error = {0};
    struct lift_db *db;

    for (int i = 0; i < version; i++)
        m.steps[i] = db_migrations[i];
    db = db_open_with(path, LIFT_DB_WRITE, m.steps, &error);
    assert_non_null(db);
    if (sqlite3_exec(
            db->handle,
            "DROP TRIGGER try_final; UPDATE try SET phase = 'final' WHERE id = "
            "'t2'; CREATE TRIGGER try_final BEFORE UPDATE ON try WHEN OLD.status "
            "<> 'started'\nBEGIN SELECT RAISE(ABORT, 'a try that has ended is "
            "not changed'); END;"
            "INSERT INTO finalist SELECT session, problem, device, 1, id, 1000,"
            " 900, 1100, 0 FROM try WHERE id = 't1';"
            "CREATE VIEW verified AS SELECT t.id AS try FROM try t;"
            "CREATE VIEW tries AS SELECT try FROM verified",
            NULL, NULL, NULL))
        fail_msg("%s", sqlite3_errmsg(db->handle));
    lift_db_close(db);
}

/* Files of all older versions are brought up to date by reading them. */
static void test_old_versions(void **state)
{
    const char *path = path_of("first.db");

    (void)state;
    for (int version = 1; version <= 9; version++) {
        struct lift_db *db;

        write_old(path, version < 3 ? version : 3);
        if (version > 3)
            age(path, version);
        db = open_db(path, LIFT_DB_READ);
        assert_migrated(db, version);
        assert_answer(db, "SELECT group_concat(phase) FROM trial",
                      version > 3 ? "search,final_benchmark" : "search,search");
        assert_answer(db, "SELECT count(*) FROM finalist f JOIN trial ON id = f.trial",
                      version > 3 ? "1" : "0");
        lift_db_close(db);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_migration),
        cmocka_unit_test(test_configurations_are_new),
        cmocka_unit_test(test_old_versions),
        cmocka_unit_test(test_slabs_are_new),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
