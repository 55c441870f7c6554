/* The database under damage, locks and full disks, of other versions, in several hands,
 * and under processes that are killed in the middle of it. */
#include "unit/db_world.h"

/* Files that cannot be used. */

static void sql_file(const char *path, const char *sql)
{
    sqlite3 *handle;

    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
}

static void assert_open_error(const char *path, enum lift_db_mode mode,
                              const char *expected)
{
    char *text = open_error(path, mode);

    if (!strstr(text, expected) || !strstr(text, path))
        fail_msg("'%s' is not in '%s'", expected, text);
    free(text);
}

static void test_unusable_files(void **state)
{
    const char *path = path_of("x.db");
    char missing[256];

    (void)state;
    write_file(path, "This is a letter, long enough to look like something else. "
                     "SQLite looks at the first hundred bytes of a file, and so this "
                     "goes on a little further than one would think.");
    assert_open_error(path, LIFT_DB_WRITE, "it is not an SQLite database");
    assert_open_error(path, LIFT_DB_READ, "it is not an SQLite database");
    unlink(path);
    assert_open_error(path, LIFT_DB_READ, "No such file or directory");
    sql_file(path, "CREATE TABLE t(a)");
    assert_open_error(path, LIFT_DB_WRITE, "but not of lift");
    assert_open_error(path, LIFT_DB_READ, "but not of lift");
    unlink(path);
    sql_file(path, "PRAGMA application_id = 5; CREATE TABLE t(a)");
    assert_open_error(path, LIFT_DB_WRITE, "but not of lift");
    unlink(path);
    snprintf(missing, sizeof missing, "%s/none/x.db", folder);
    assert_open_error(missing, LIFT_DB_WRITE, "No such file or directory");
    assert_open_error(folder, LIFT_DB_WRITE, "it is a folder, not a file");
}

/* One flipped bit of a good file is the sign of its version. */
static void test_negative_version(void **state)
{
    static const enum lift_db_mode modes[] = {LIFT_DB_READ, LIFT_DB_WRITE,
                                              LIFT_DB_INSPECT, LIFT_DB_WRITE_DAMAGED};
    const char *path = path_of("negative.db");

    (void)state;
    lift_db_close(open_db(path, LIFT_DB_WRITE));
    sql_file(path, "PRAGMA user_version = -2147483641");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        assert_open_error(path, modes[i],
                          "it is damaged: the version of its schema is -2147483641");
    unlink(path);
}

static void test_empty_file_is_new(void **state)
{
    const char *path = path_of("empty.db");
    struct lift_db *db;

    (void)state;
    write_file(path, "");
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "PRAGMA application_id", "1279870548");
    assert_answer(db, "PRAGMA journal_mode", "wal");
    assert_answer(db, "PRAGMA foreign_keys", "1");
    lift_db_close(db);
    lift_db_close(open_db(path, LIFT_DB_READ));
    unlink(path);
}

static void test_read_only(void **state)
{
    const char *path = path_of("read.db");
    struct world w;
    struct rows r = {0};
    struct lift_hash id;

    (void)state;
    begin(&w, path);
    put_trials(&w);
    end(&w);
    w.db = open_db(path, LIFT_DB_READ);
    assert_true(lift_db_read_only(w.db));
    OK(w.db, lift_db_best(w.db, &(struct lift_db_filter){0}, note_best, &r));
    assert_int_equal(r.count, 2);
    assert_false(lift_db_put_candidate(w.db, w.low[0], "{\"q\":1}", &id));
    assert_non_null(strstr(lift_db_error(w.db), "readonly"));
    lift_db_close(w.db);
    unlink(path);
}

/* A writer's rows are in the file itself, though another connection stays open. */
static void test_log_is_emptied(void **state)
{
    const char *path = path_of("log.db");
    struct lift_db *reader;
    struct world w;
    struct stat st;

    (void)state;
    begin(&w, path);
    reader = open_db(path, LIFT_DB_READ);
    put_trials(&w);
    assert_int_equal(stat(path_of("log.db-wal"), &st), 0);
    assert_true(st.st_size > 0);
    end(&w);
    assert_true(stat(path_of("log.db-wal"), &st) != 0 || st.st_size == 0);
    lift_db_close(reader);
    unlink(path);
}

/* Reads as a user without write permission for the folder; the exit status of a child. */
static int read_as_guest(const char *path)
{
    struct lift_error error = {0};
    struct rows r = {0};
    struct lift_db *db;

    if (getuid() == 0 && setuid(65534))
        return 1;
    db = lift_db_open(path, LIFT_DB_READ, &error);
    if (!db)
        fprintf(stderr, "%s\n", lift_error_text(&error));
    if (!db || !lift_db_best(db, &(struct lift_db_filter){0}, note_best, &r))
        return 2;
    return r.count == 2 ? 0 : 3;
}

static void test_read_only_folder(void **state)
{
    char inner[256], path[300];
    struct world w;
    int status;
    pid_t child;

    (void)state;
    snprintf(inner, sizeof inner, "%s/ro #1", folder);
    snprintf(path, sizeof path, "%s/a?b%%.db", inner);
    assert_int_equal(mkdir(inner, 0755), 0);
    begin(&w, path);
    put_trials(&w);
    end(&w);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(inner, 0555), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    child = fork();
    if (!child)
        _exit(read_as_guest(path));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(chmod(inner, 0755), 0);
    assert_int_equal(status, 0);
}

static void test_locked(void **state)
{
    const char *path = path_of("locked.db");
    struct world w;
    struct lift_hash id;
    double samples[] = {1e-6};
    struct lift_db_end done = ok_end(samples, 1);
    sqlite3 *other;

    (void)state;
    begin(&w, path);
    id = start_trial(&w, 0, 0, "{}");
    sqlite3_busy_timeout(w.db->handle, 50);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_false(lift_db_trial_finish(w.db, id, &done));
    assert_non_null(strstr(lift_db_error(w.db), "locked by another process"));
    assert_non_null(strstr(lift_db_error(w.db), path));
    sqlite3_close(other);
    OK(w.db, lift_db_trial_finish(w.db, id, &done));
    end(&w);
    unlink(path);
}

/* The disk is full after ever more pages, so that every step of the end of a trial fails
 * once: each time nothing of the end is there, and when there is room enough it can be
 * repeated. */
static void test_full(void **state)
{
    const char *path = path_of("full.db");
    static double samples[5000];
    struct lift_db_end done = ok_end(samples, 5000);
    struct lift_hash id;
    struct world w;
    int failures = 0;
    char *pages;

    (void)state;
    for (int i = 0; i < 5000; i++)
        samples[i] = 1e-6 + i * 1e-9;
    begin(&w, path);
    id = start_trial(&w, 0, 0, "{}");
    pages = ask(w.db, "PRAGMA page_count");
    for (int limit = atoi(pages);; limit++, failures++) {
        char sql[64];

        snprintf(sql, sizeof sql, "PRAGMA max_page_count = %d", limit);
        free(ask(w.db, sql));
        if (lift_db_trial_finish(w.db, id, &done))
            break;
        assert_non_null(strstr(lift_db_error(w.db), "the disk is full"));
        assert_answer(w.db, "SELECT count(*) FROM timing", "0");
        assert_answer(w.db, "SELECT count(*) FROM check_result", "0");
        assert_answer(w.db, "SELECT count(*) FROM build", "0");
        assert_answer(w.db, "SELECT status FROM trial", "started");
    }
    assert_true(failures > 20);
    assert_answer(w.db, "SELECT count(*) FROM timing", "5000");
    assert_answer(w.db, "PRAGMA integrity_check", "ok");
    free(pages);
    end(&w);
    unlink(path);
}

/* Network file systems. */

static long fake_type;

static long fake_fs(const char *path)
{
    return access(path, F_OK) ? 0 : fake_type;
}

static void test_network(void **state)
{
    static const struct {
        long type;
        const char *name;
    } kinds[] = {{0x6969, "NFS"},      {0xff534d42, "CIFS"}, {0x0bd00bd0, "Lustre"},
                 {0x47504653, "GPFS"}, {0x65735546, "FUSE"}, {(int)0xfe534d42, "SMB"}};
    long (*real)(const char *) = db_fs_type;

    (void)state;
    assert_null(lift_db_network(folder));
    db_fs_type = fake_fs;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fake_type = kinds[i].type;
        assert_string_equal(lift_db_network(path_of("none.db")), kinds[i].name);
        assert_string_equal(lift_db_network("none.db"), kinds[i].name);
    }
    fake_type = 0xef53;
    assert_null(lift_db_network("/tmp"));
    db_fs_type = real;
}

/* A file that was in WAL mode is written with a rollback journal there, and comes back.
 */
static void test_network_journal(void **state)
{
    const char *path = path_of("nfs.db");
    long (*real)(const char *) = db_fs_type;
    struct lift_error error = {0};
    struct world w;
    struct lift_db *other;

    (void)state;
    begin(&w, path);
    db_fs_type = fake_fs;
    fake_type = 0x6969;
    /* Not while another process has it open with a log. */
    db_busy_ms = 200;
    assert_null(lift_db_open(path, LIFT_DB_WRITE, &error));
    db_busy_ms = 10000;
    assert_non_null(strstr(lift_error_text(&error), "locked by another process"));
    lift_error_fini(&error);
    end(&w);
    w.db = open_db(path, LIFT_DB_WRITE);
    assert_answer(w.db, "PRAGMA journal_mode", "truncate");
    fill_world(&w);
    put_trials(&w);
    other = open_db(path, LIFT_DB_READ);
    assert_answer(other, "SELECT count(*) FROM trial", "7");
    lift_db_close(other);
    lift_db_close(w.db);
    assert_int_not_equal(access(path_of("nfs.db-wal"), F_OK), 0);
    path = path_of("nfs.db");
    db_fs_type = real;
    w.db = open_db(path, LIFT_DB_WRITE);
    assert_answer(w.db, "PRAGMA journal_mode", "wal");
    assert_answer(w.db, "SELECT count(*) FROM trial", "7");
    lift_db_close(w.db);
    unlink(path);
}

/* Sessions. */

static void test_session_end_loses_trials(void **state)
{
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_trial_launch(w.db, start_trial(&w, 0, 0, "{}")));
    start_trial(&w, 0, 0, "{\"tile\":2}"); /* never run: it is forgotten */
    OK(w.db, lift_db_session_end(w.db, w.session, "interrupted"));
    assert_answer(w.db, "SELECT group_concat(status || ', ' || reason) FROM trial",
                  "lost, interrupted, while it was run");
    assert_answer(w.db, "SELECT end_reason FROM session", "interrupted");
    lift_db_close(w.db);
}

static void test_living_and_foreign_sessions(void **state)
{
    const char *path = path_of("living.db");
    struct world w;
    struct lift_db *db;

    (void)state;
    begin(&w, path);
    start_trial(&w, 0, 0, "{}");
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "SELECT status FROM trial", "started");
    assert_int_equal(sqlite3_exec(db->handle,
                                  "UPDATE session SET host = 'far', pid = 99999999", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    lift_db_close(db);
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "SELECT status FROM trial", "started");
    lift_db_close(db);
    end(&w);
    unlink(path);
}

/* The number of a dead process may be that of a living one. */
static void test_dead_sessions(void **state)
{
    static const char *const signs[] = {
        "UPDATE session SET pid = 99999999",
        "UPDATE session SET boot = 'before'",
        "UPDATE session SET born = '1'",
    };
    const char *path = path_of("dead.db");

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;

        begin(&w, path);
        start_trial(&w, 0, 0, "{}");
        OK(w.db, lift_db_trial_launch(w.db, start_trial(&w, 0, 0, "{}")));
        assert_int_equal(sqlite3_exec(w.db->handle, signs[i], NULL, NULL, NULL),
                         SQLITE_OK);
        lift_db_close(w.db);
        w.db = open_db(path, LIFT_DB_WRITE);
        assert_answer(w.db,
                      "SELECT reason FROM trial WHERE status = 'lost'"
                      " AND launched IS NULL",
                      "the process died, before it was run");
        assert_answer(w.db,
                      "SELECT reason FROM trial WHERE status = 'lost'"
                      " AND launched IS NOT NULL",
                      "the process died, while it was run");
        assert_answer(w.db, "SELECT count(*) FROM session WHERE ended IS NULL", "0");
        assert_answer(w.db,
                      "SELECT s.ended = max(t.ended) AND min(t.ended = ifnull(t.launched,"
                      " t.started)) FROM session s JOIN trial t ON t.session = s.id",
                      "1");
        lift_db_close(w.db);
        unlink(path);
    }
}

/* The child's life: trials without end, of all kinds, until it is killed. */
static _Noreturn void write_forever(const char *path, uint64_t seed)
{
    static char log[4000];
    double samples[] = {3e-6, 1e-6, 2e-6};
    struct lift_db_end done = ok_end(samples, 3);
    struct lift_db_build build = a_build;
    struct lift_rng rng;
    struct world w;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    lift_rng_seed(&rng, seed);
    memset(log, 'x', sizeof log - 1);
    begin(&w, path);
    for (;;) {
        char tunables[64], source[64];
        struct lift_hash id;

        snprintf(tunables, sizeof tunables, "{\"tile\":%d}",
                 (int)lift_rng_below(&rng, 1000));
        snprintf(source, sizeof source, "kernel %d", (int)lift_rng_below(&rng, 1000000));
        build.source = source;
        build.log = log;
        done.build = &build;
        id = start_trial(&w, (int)lift_rng_below(&rng, 2), 0, tunables);
        if (!lift_db_trial_finish(w.db, id, &done))
            _exit(1);
    }
}

static void kill_one(const char *path, struct lift_rng *rng, uint64_t seed, int most_ms)
{
    int status;
    pid_t child = fork();

    if (!child)
        write_forever(path, seed);
    assert_true(child > 0);
    usleep((useconds_t)lift_rng_range(rng, 2000, 1000 * most_ms));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void kill_many(const char *path, int times)
{
    struct lift_rng rng;
    long trials = 0, lost = 0;

    lift_rng_seed(&rng, 11);
    /* On a slow machine some are killed before they begin: until one was not, they live
     * longer and longer. */
    for (int i = 0; i < times || (!trials && i < 20 * times); i++) {
        struct lift_db *db;
        char *count;

        kill_one(path, &rng, (uint64_t)i, 150 * (1 + i / times));
        db = open_db(path, LIFT_DB_WRITE);
        assert_answer(db, "PRAGMA integrity_check", "ok");
        assert_answer(db, "PRAGMA foreign_key_check", "no row");
        assert_answer(db, "SELECT count(*) FROM trial WHERE status = 'started'", "0");
        assert_answer(db, "SELECT count(*) FROM session WHERE ended IS NULL", "0");
        assert_answer(
            db,
            "SELECT count(*) FROM (SELECT session FROM trial WHERE status = 'lost'"
            " GROUP BY session HAVING count(*) > 1)",
            "0");
        assert_answer(
            db,
            "SELECT count(*) FROM trial t WHERE status = 'ok' AND (build IS NULL OR"
            " median_ns <> 2000 OR ended IS NULL OR"
            " 2 <> (SELECT count(*) FROM check_result WHERE trial = t.id) OR"
            " 3 <> (SELECT count(*) FROM timing WHERE trial = t.id))",
            "0");
        assert_answer(db, "SELECT count(*) FROM trial WHERE status NOT IN ('ok', 'lost')",
                      "0");
        assert_answer(db,
                      "SELECT count(*) FROM timing m JOIN trial t ON t.id = m.trial"
                      " WHERE t.status = 'lost'",
                      "0");
        count = ask(db, "SELECT count(*) FROM trial");
        assert_true(atol(count) >= trials);
        trials = atol(count);
        free(count);
        count = ask(db, "SELECT count(*) FROM trial WHERE status = 'lost'");
        lost = atol(count);
        free(count);
        lift_db_close(db);
    }
    print_message("%ld trials written by %d killed processes, %ld lost\n", trials, times,
                  lost);
    assert_true(trials > 0);
    unlink(path);
}

static void test_kill(void **state)
{
    long (*real)(const char *) = db_fs_type;

    (void)state;
    kill_many(path_of("killed.db"), 25);
    db_fs_type = fake_fs;
    fake_type = 0x6969;
    kill_many(path_of("killed.db"), 10);
    db_fs_type = real;
}

/* Several explorations begin one file together and write to it at the same time. */
static int write_some(const char *path, int trials)
{
    double samples[] = {3e-6, 1e-6, 2e-6};
    struct lift_db_end done = ok_end(samples, 3);
    struct world w;

    begin(&w, path);
    for (int i = 0; i < trials; i++) {
        struct lift_hash id = start_trial(&w, i % 2, 0, "{\"tile\":4}");

        if (!lift_db_trial_finish(w.db, id, &done))
            return 1;
    }
    end(&w);
    return 0;
}

static void test_together(void **state)
{
    const char *path = path_of("together.db");
    struct lift_db *db;

    (void)state;
    db_busy_ms = 300000; /* however slow the disk */
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 4; i++)
            if (!fork())
                _exit(write_some(path, 10));
        for (int i = 0; i < 4; i++) {
            int status = -1;

            assert_true(wait(&status) > 0);
            assert_int_equal(status, 0);
        }
        db = open_db(path, LIFT_DB_WRITE);
        assert_answer(db, "PRAGMA integrity_check", "ok");
        assert_answer(db, "SELECT count(*) FROM trial WHERE status = 'ok'", "40");
        assert_answer(db, "SELECT count(*) FROM timing", "120");
        assert_answer(db, "SELECT count(*) FROM session WHERE end_reason = 'budget'",
                      "4");
        lift_db_close(db);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unusable_files),
        cmocka_unit_test(test_negative_version),
        cmocka_unit_test(test_empty_file_is_new),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_log_is_emptied),
        cmocka_unit_test(test_read_only_folder),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_network),
        cmocka_unit_test(test_network_journal),
        cmocka_unit_test(test_session_end_loses_trials),
        cmocka_unit_test(test_living_and_foreign_sessions),
        cmocka_unit_test(test_dead_sessions),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_together),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
