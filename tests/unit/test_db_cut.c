/* A database that another process truncates, removes or vacuums while this process writes
 * it. */
#include "unit/db_world.h"

static void resize(const char *path, off_t by)
{
    struct stat is;

    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(truncate(path, is.st_size + by), 0);
}

static void open_whole(struct world *w, const char *path)
{
    begin(w, path);
    for (int i = 0; i < 20; i++)
        put_ok(w, 0, 0, "{\"a\":1}", 1e-6);
    assert_answer(w->db, "PRAGMA wal_checkpoint(TRUNCATE)", "0");
    OK(w->db, lift_db_begin(w->db));
    OK(w->db, lift_db_commit(w->db));
}

/* Later queries do not read the lost pages. */
static void test_cut(void **state)
{
    const char *path = path_of("cut.db");
    struct world w;

    (void)state;
    open_whole(&w, path);
    resize(path, -4096);
    assert_false(lift_db_begin(w.db));
    assert_non_null(strstr(lift_db_error(w.db), "another process truncated the file"));
    assert_false(lift_db_session_end(w.db, w.session, "budget"));
    lift_db_close(w.db);
}

static void test_removed(void **state)
{
    const char *path = path_of("removed.db");
    struct world w;

    (void)state;
    open_whole(&w, path);
    assert_int_equal(unlink(path), 0);
    assert_false(lift_db_begin(w.db));
    assert_non_null(strstr(lift_db_error(w.db), "No such file"));
    lift_db_close(w.db);
}

static void test_vacuumed(void **state)
{
    const char *path = path_of("vacuumed.db");
    struct world w;

    (void)state;
    open_whole(&w, path);
    assert_int_equal(sqlite3_exec(w.db->handle,
                                  "DELETE FROM timing; VACUUM; "
                                  "PRAGMA wal_checkpoint(TRUNCATE)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    OK(w.db, lift_db_begin(w.db));
    OK(w.db, lift_db_commit(w.db));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_removed),
        cmocka_unit_test(test_vacuumed),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
