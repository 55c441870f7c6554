/* Malicious or broken databases and folders: endless files, too long texts, malformed
 * texts. */
#include "lift/plan.h"
#include "patience.h"
#include "tuner/db_tools.h"
#include "unit/db_world.h"
#include <sys/socket.h>
#include <sys/un.h>

/* None of this may wait: an alarm ends the suite. */
static int begin_suite(void **state)
{
    alarm((unsigned)patient(120));
    return make_folder(state);
}

static void assert_refused(const char *path, const char *expected)
{
    for (int mode = LIFT_DB_READ; mode <= LIFT_DB_WRITE; mode++) {
        char *text = open_error(path, (enum lift_db_mode)mode);

        if (!strstr(text, expected))
            fail_msg("'%s' is not in '%s'", expected, text);
        free(text);
    }
}

static void make_world(const char *path)
{
    struct world w;

    begin(&w, path);
    put_trials(&w);
    end(&w);
}

static void sql_file(const char *path, const char *sql)
{
    sqlite3 *handle;

    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    if (sqlite3_exec(handle, sql, NULL, NULL, NULL))
        fail_msg("%s: %s", sql, sqlite3_errmsg(handle));
    sqlite3_close(handle);
}

static void test_paths(void **state)
{
    static const char *const beside[] = {"p.db-wal", "p.db-shm", "p.db-journal"};

    (void)state;
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    assert_refused(path_of("fifo"), "fifo': it is a pipe, not a file");
    put_socket(path_of("socket"));
    assert_refused(path_of("socket"), "socket': it is a socket, not a file");
    assert_int_equal(symlink("/dev/zero", path_of("zero")), 0);
    assert_refused(path_of("zero"), "zero': it is a device, not a file");
    assert_refused("/dev/zero", "it is a device");
    assert_refused(folder, "it is a folder, not a file");
    make_world(path_of("p.db"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(mkfifo(path_of(beside[i]), 0600), 0);
        assert_refused(path_of("p.db"), "it is a pipe, not a file");
        unlink(path_of(beside[i]));
    }
}

/* Plans reject the same files: as database, as rules, as program. */
static void test_plans(void **state)
{
    const char *fifo = path_of("fifo");
    const struct lift_planner_options none = {.database = NULL},
                                      wrong[] = {
                                          {.database = fifo},
                                          {.database = "/dev/zero"},
                                          {.rules = &fifo, .rule_count = 1},
                                      };
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_planner *planner;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_null(lift_planner_create(&wrong[i], &error));
        assert_non_null(
            strstr(lift_error_text(&error), i == 1 ? "it is a device" : "it is a pipe"));
    }
    planner = lift_planner_create(&none, &error);
    assert_non_null(planner);
    assert_null(lift_plan_create(
        planner, &(struct lift_plan_options){.file = "/dev/zero"}, &error));
    assert_non_null(strstr(lift_error_text(&error), "it is a device, not a file"));
    lift_planner_destroy(planner);
}

static void assert_not_merged(struct lift_db *db, const char *expected)
{
    struct lift_db *to = open_db(":memory:", LIFT_DB_WRITE);
    struct lift_db_gain gain;

    assert_false(lift_db_merge(to, db, &gain));
    if (!strstr(lift_db_error(to), expected) || !strstr(lift_db_error(to), db->path))
        fail_msg("'%s' is not in '%s'", expected, lift_db_error(to));
    assert_answer(to, "SELECT count(*) FROM device", "0");
    lift_db_close(to);
}

/* The result of reading an expression after 'sql': the text, or the error. */
static void assert_text(const char *sql, bool good, const char *expected,
                        const char *merged)
{
    struct lift_str out = {0};
    char hex[LIFT_HASH_HEX];
    struct lift_db *db;
    struct world w;
    const char *got;

    begin(&w, path_of("x.db"));
    end(&w);
    sql_file(path_of("x.db"), sql);
    db = open_db(path_of("x.db"), LIFT_DB_READ);
    assert_int_equal(
        lift_db_text(db, LIFT_DB_TEXT_EXPR, lift_hash_hex(w.low[0], hex), &out), good);
    got = good ? lift_str_get(&out) : lift_db_error(db);
    if (good ? strcmp(got, expected) != 0 : !strstr(got, expected))
        fail_msg("'%s' is not '%s'", expected, got);
    assert_not_merged(db, merged);
    lift_str_fini(&out);
    lift_db_close(db);
    unlink(path_of("x.db"));
}

/* Files with too long texts: rejected by the stated length, or when the text exceeds the
 * limit. */
static void test_long_texts(void **state)
{
    static const char damaged[] = "has a 'text' that is damaged, or longer than";

    (void)state;
    assert_text("UPDATE expr SET bytes = 500000000, text = zeroblob(500000)", false,
                "a packed text is longer than 16 MiB", damaged);
    assert_text("UPDATE expr SET bytes = 5000, text = zeroblob(4999)", false,
                "a packed text is damaged", damaged);
    assert_text("UPDATE expr SET bytes = 20000000,"
                " text = CAST(zeroblob(20000000) AS TEXT)",
                false, "too big", "too big");
}

/* Malformed texts are shown with replacement characters, and are not merged. */
static void test_texts_that_are_none(void **state)
{
    static const char none[] = "has a 'text' that is not UTF-8 without control";

    (void)state;
    assert_text("UPDATE expr SET bytes = 4, text = CAST(x'1b5b324a' AS TEXT)", true,
                "\ufffd[2J", none);
    assert_text("UPDATE expr SET bytes = 2, text = CAST(x'e974' AS TEXT)", true,
                "\ufffdt", none);
    assert_text("UPDATE expr SET bytes = 3, text = 'a' || char(0) || 'b'", true,
                "a\ufffdb", none);
    assert_text("UPDATE expr SET bytes = 3, text = char(8238)", true,
                "\ufffd\ufffd\ufffd", none);
    assert_text("UPDATE device SET name = 'a' || char(10) || 'b'", true,
                "mapPar (mapSeq f)", "has a 'name' that is not one line");
    assert_text("UPDATE device SET compute_units = -3", true, "mapPar (mapSeq f)",
                "has a 'compute_units' that is negative");
    assert_text("UPDATE device SET global_bytes = 'many'", true, "mapPar (mapSeq f)",
                "has a 'global_bytes' that is not a number");
}

/* Compiler messages are stored as text, whatever their bytes. */
static void test_texts_are_stored_clean(void **state)
{
    struct world w;
    struct lift_db_program program = {hash_of("p"), "p", "// caf\xe9 \033[2J"};

    (void)state;
    begin(&w, path_of("clean.db"));
    OK(w.db, lift_db_put_program(w.db, &program));
    assert_answer(w.db, "SELECT text FROM program WHERE name = 'p'",
                  "// caf\ufffd \ufffd[2J");
    end(&w);
}

/* ---- imports */

static void assert_import_refused(const char *expected)
{
    struct lift_db *db = open_db(":memory:", LIFT_DB_WRITE);
    struct lift_db_gain gain;

    assert_false(lift_db_import(db, path_of("csv"), &gain));
    if (!strstr(lift_db_error(db), expected))
        fail_msg("'%s' is not in '%s'", expected, lift_db_error(db));
    assert_answer(db, "SELECT count(*) FROM device", "0");
    lift_db_close(db);
}

static void fill(const char *path, size_t bytes)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs("\"id\",\"level\",\"size\",\"text\"\n\"", out);
    while (bytes-- > 0)
        putc('a', out);
    assert_int_equal(fclose(out), 0);
}

static void test_imports_without_end(void **state)
{
    struct lift_db *db;

    (void)state;
    make_world(path_of("i.db"));
    db = open_db(path_of("i.db"), LIFT_DB_READ);
    OK(db, lift_db_export(db, path_of("csv")));
    lift_db_close(db);
    unlink(path_of("csv/expr.csv"));
    assert_import_refused("expr.csv': No such file");
    assert_int_equal(mkfifo(path_of("csv/expr.csv"), 0600), 0);
    assert_import_refused("expr.csv': it is a pipe, not a file");
    unlink(path_of("csv/expr.csv"));
    assert_int_equal(symlink("/dev/zero", path_of("csv/expr.csv")), 0);
    assert_import_refused("expr.csv': it is a device, not a file");
    unlink(path_of("csv/expr.csv"));
    put_socket(path_of("csv/expr.csv"));
    assert_import_refused("expr.csv': it is a socket, not a file");
    unlink(path_of("csv/expr.csv"));
    assert_int_equal(mkdir(path_of("csv/expr.csv"), 0700), 0);
    assert_import_refused("expr.csv': it is a folder, not a file");
    rmdir(path_of("csv/expr.csv"));
    fill(path_of("csv/expr.csv"), LIFT_DB_TEXT + 100);
    assert_import_refused("expr.csv:2:1: the field is longer than a text may be");
    assert_int_equal(truncate(path_of("csv/expr.csv"), (off_t)1 << 40), 0);
    assert_import_refused("expr.csv': it has more than 17179869184 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_texts_that_are_none),
        cmocka_unit_test(test_texts_are_stored_clean),
        cmocka_unit_test(test_imports_without_end),
    };

    return cmocka_run_group_tests(tests, begin_suite, drop_folder);
}
