/* The database: rows in and out, views, damage, locks, full disks, and processes that are
 * killed in the middle of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lift/db.h"
#include "lift/db_query.h"
#include "lift/diag.h"
#include "lift/rng.h"
#include "tuner/db_internal.h"
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/lift-test-db-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static struct lift_db *open_db(const char *path, enum lift_db_mode mode)
{
    struct lift_str error = {0};
    struct lift_db *db = lift_db_open(path, mode, &error);

    if (!db)
        fail_msg("%s", lift_str_get(&error));
    lift_str_fini(&error);
    return db;
}

/* The message of an open that must fail. */
static char *open_error(const char *path, enum lift_db_mode mode)
{
    struct lift_str error = {0};

    assert_null(lift_db_open(path, mode, &error));
    return lift_str_take(&error);
}

#define OK(db, call)                                                                     \
    do {                                                                                 \
        if (!(call))                                                                     \
            fail_msg("%s: %s", #call, lift_db_error(db));                                \
    } while (0)

static struct lift_hash hash_of(const char *text)
{
    return lift_hash_text(text);
}

/* The first column of the first row, as text; the caller frees it. */
static char *ask(struct lift_db *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    char *text;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db->handle));
    text = strdup(sqlite3_step(stmt) == SQLITE_ROW ? db_text(stmt, 0) : "no row");
    sqlite3_finalize(stmt);
    return text;
}

static void assert_answer(struct lift_db *db, const char *sql, const char *expected)
{
    char *text = ask(db, sql);

    assert_string_equal(text, expected);
    free(text);
}

/* A database with one program, two devices and some tries. */

struct world {
    struct lift_db *db;
    struct lift_hash program, root, middle, low[2], problem, device[2], session;
};

static const struct lift_device_info devices[2] = {
    {.name = "Test CPU",
     .vendor = "Acme",
     .runtime = "host",
     .driver = "1",
     .arch = "x",
     .compiler = "cc 1",
     .compute_units = 4,
     .global_bytes = 1 << 30},
    {.name = "Test GPU",
     .vendor = "Acme",
     .runtime = "opencl",
     .driver = "2",
     .arch = "y",
     .compiler = "ocl",
     .compute_units = 80,
     .local_bytes = 49152},
};

static void put_exprs(struct world *w)
{
    const struct {
        struct lift_hash *id;
        const char *text;
        enum lift_db_level level;
    } rows[] = {
        {&w->root, "map f . slide 3 1", LIFT_DB_HIGH},
        {&w->middle, "join . map (map f) . split v", LIFT_DB_HIGH},
        {&w->low[0], "mapPar (mapSeq f)", LIFT_DB_LOW},
        {&w->low[1], "mapWrg (mapLcl f)", LIFT_DB_LOW},
    };

    for (int i = 0; i < 4; i++) {
        *rows[i].id = hash_of(rows[i].text);
        OK(w->db,
           lift_db_put_expr(w->db, &(struct lift_db_expr){*rows[i].id, rows[i].text,
                                                          rows[i].level, 5 + i}));
    }
}

static void put_derivs(struct world *w)
{
    struct lift_db_deriv rows[] = {
        {w->middle, w->root, "splitJoin", "0", "v"},
        {w->root, w->middle, "joinSplit", "0", ""}, /* the way back */
        {w->low[0], w->middle, "lowerPar", "0.1", ""},
        {w->low[0], w->root, "lowerAll", "0", ""}, /* found later: not shown */
        {w->low[1], w->middle, "lowerWrg", "0.1", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        OK(w->db, lift_db_put_deriv(w->db, &rows[i]));
}

static void put_problem(struct world *w)
{
    struct lift_db_problem problem = {.program = w->program,
                                      .root = w->root,
                                      .sizes = "{\"nx\":100,\"ny\":10}",
                                      .params = "{}",
                                      .dtype = "f32",
                                      .points = 1000,
                                      .bytes = 8000};

    OK(w->db, lift_db_put_problem(w->db, &problem, &w->problem));
}

static void fill_world(struct world *w)
{
    struct lift_db_session session = {"lift-explore a.lift --seed 7", UINT64_MAX, "60 s",
                                      "0.1"};

    w->program = hash_of("acoustic program");
    OK(w->db, lift_db_put_program(
                  w->db, &(struct lift_db_program){w->program, "acoustic", "the text"}));
    put_exprs(w);
    put_derivs(w);
    put_problem(w);
    for (int i = 0; i < 2; i++) {
        w->device[i] = lift_device_hash(&devices[i]);
        OK(w->db, lift_db_put_device(w->db, &devices[i]));
    }
    OK(w->db, lift_db_put_roof(w->db, w->device[0], 20));
    OK(w->db, lift_db_session_start(w->db, &session, &w->session));
}

static void begin(struct world *w, const char *path)
{
    w->db = open_db(path, LIFT_DB_WRITE);
    fill_world(w);
}

static struct lift_hash start_try(struct world *w, int low, int device,
                                  const char *tunables)
{
    struct lift_db_try try = {
        .problem = w->problem, .device = w->device[device], .session = w->session};
    struct lift_hash id;

    OK(w->db, lift_db_put_candidate(w->db, w->low[low], tunables, &try.candidate));
    OK(w->db, lift_db_try_start(w->db, &try, &id));
    return id;
}

static const struct lift_db_check good_checks[] = {
    {LIFT_CHECK_SMALL, 1e-7, 1e-5, 0, -1},
    {LIFT_CHECK_FULL, 2e-7, 1e-5, 0, -1},
};

static const struct lift_db_build a_build = {
    .source = "kernel",
    .compiler = "cc 1",
    .driver = "1",
    .flags = "-O3",
    .log = "warning: x",
    .resources = {
        .registers = 32, .spill_bytes = -1, .local_bytes = 0, .max_group_size = -1}};

static struct lift_db_end ok_end(const double *samples, int count)
{
    return (struct lift_db_end){.status = LIFT_TRY_OK,
                                .build = &a_build,
                                .checks = good_checks,
                                .check_count = 2,
                                .samples = samples,
                                .sample_count = count};
}

static struct lift_hash put_ok(struct world *w, int low, int device, const char *tunables,
                               double seconds)
{
    double samples[] = {seconds * 1.5, seconds, seconds * 0.5};
    struct lift_db_end end = ok_end(samples, 3);
    struct lift_hash id = start_try(w, low, device, tunables);

    OK(w->db, lift_db_try_finish(w->db, id, &end));
    return id;
}

static struct lift_hash put_failure(struct world *w, int low, int device,
                                    enum lift_try_status status, const char *reason)
{
    struct lift_db_check check = {LIFT_CHECK_FULL, NAN, 1e-5, 3, 17};
    struct lift_db_end end = {.status = status, .reason = reason, .build = &a_build};
    struct lift_hash id = start_try(w, low, device, "{\"tile\":99}");

    if (status == LIFT_TRY_WRONG || status == LIFT_TRY_NONFINITE) {
        end.checks = &check;
        end.check_count = 1;
    }
    OK(w->db, lift_db_try_finish(w->db, id, &end));
    return id;
}

static void put_tries(struct world *w)
{
    put_ok(w, 0, 0, "{\"tile\":16}", 2e-6);
    put_ok(w, 0, 0, "{\"tile\":32}", 1e-6);
    put_ok(w, 1, 1, "{\"tile\":32}", 4e-6);
    put_failure(w, 0, 0, LIFT_TRY_COMPILE_ERROR, "unknown type");
    put_failure(w, 0, 0, LIFT_TRY_COMPILE_ERROR, "unknown type");
    put_failure(w, 0, 0, LIFT_TRY_WRONG, "3 values");
    put_failure(w, 1, 1, LIFT_TRY_NONFINITE, "");
}

static void end(struct world *w)
{
    OK(w->db, lift_db_session_end(w->db, w->session, "budget"));
    lift_db_close(w->db);
}

/* Rows. */

struct rows {
    int count;
    char text[16][256];
};

static bool note_best(void *user, const struct lift_db_best *b)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%s %s %s %s gpts %.3f gbs %.3f roof %.3f us %.3f",
             b->program, b->sizes, b->device, b->tunables, b->gpts, b->gbs, b->roof,
             b->seconds * 1e6);
    return true;
}

static bool note_step(void *user, const struct lift_db_step *s)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%d %s %s %s", s->step, s->rule, s->position,
             s->args);
    return true;
}

static bool note_tried(void *user, const struct lift_db_tried *t)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%s %s %s %.3f", lift_try_status_name(t->status),
             t->tunables, t->reason, t->seconds * 1e6);
    return r->count < 3;
}

static bool note_failure(void *user, const struct lift_db_failure *f)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%s %s %d", f->status, f->reason, (int)f->count);
    return true;
}

static void test_best(void **state)
{
    struct world w;
    struct rows r = {0};
    char id[LIFT_HASH_HEX];

    (void)state;
    begin(&w, ":memory:");
    put_tries(&w);
    OK(w.db, lift_db_best(w.db, &(struct lift_db_filter){0}, note_best, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0],
                        "acoustic {\"nx\":100,\"ny\":10} Test CPU {\"tile\":32} "
                        "gpts 1.000 gbs 8.000 roof 0.400 us 1.000");
    assert_string_equal(r.text[1],
                        "acoustic {\"nx\":100,\"ny\":10} Test GPU {\"tile\":32} "
                        "gpts 0.250 gbs 2.000 roof 0.000 us 4.000");
    lift_hash_hex(w.program, id);
    id[8] = '\0';
    {
        const struct {
            struct lift_db_filter filter;
            int rows;
        } filters[] = {
            {{"acoustic", NULL, NULL}, 2},   {{id, NULL, NULL}, 2},
            {{"heat", NULL, NULL}, 0},       {{NULL, "{\"nx\":100,\"ny\":10}", NULL}, 2},
            {{NULL, "{\"nx\":1}", NULL}, 0}, {{NULL, NULL, "gpu"}, 1},
            {{NULL, NULL, "HOST"}, 1},       {{NULL, NULL, "acme"}, 2},
            {{"acou", NULL, NULL}, 0},       {{NULL, NULL, "h200"}, 0},
        };

        for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
            r.count = 0;
            OK(w.db, lift_db_best(w.db, &filters[i].filter, note_best, &r));
            assert_int_equal(r.count, filters[i].rows);
        }
    }
    end(&w);
}

/* Tries that are fast but were not verified are not best, whatever wrote them. */
static void test_unverified_is_not_best(void **state)
{
    struct world w;
    struct lift_hash fast;
    char sql[256], hex[LIFT_HASH_HEX];

    (void)state;
    begin(&w, ":memory:");
    put_ok(&w, 0, 0, "{\"tile\":16}", 2e-6);
    fast = put_ok(&w, 0, 0, "{\"tile\":8}", 1e-9);
    assert_answer(w.db, "SELECT tunables FROM best_kernel", "{\"tile\":8}");
    snprintf(sql, sizeof sql,
             "UPDATE check_result SET bad = 1 WHERE kind = 'small' AND try = '%s'",
             lift_hash_hex(fast, hex));
    assert_int_equal(sqlite3_exec(w.db->handle, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_answer(w.db, "SELECT tunables FROM best_kernel", "{\"tile\":16}");
    snprintf(sql, sizeof sql, "DELETE FROM check_result WHERE try = '%s'", hex);
    assert_int_equal(sqlite3_exec(w.db->handle, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_answer(w.db, "SELECT tunables FROM best_kernel", "{\"tile\":16}");
    end(&w);
}

static void test_derivation(void **state)
{
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_derivation(w.db, w.low[0], note_step, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "1 splitJoin 0 v");
    assert_string_equal(r.text[1], "2 lowerPar 0.1 ");
    r.count = 0;
    OK(w.db, lift_db_derivation(w.db, w.root, note_step, &r));
    assert_int_equal(r.count, 0);
    assert_answer(w.db,
                  "SELECT group_concat(step || ' ' || rule, ', ') FROM (SELECT * FROM "
                  "derivation d JOIN expr e ON e.id = d.expr WHERE e.text LIKE 'mapWrg%' "
                  "ORDER BY step)",
                  "1 splitJoin, 2 lowerWrg");
    assert_answer(w.db, "SELECT count(*) FROM derivation", "5");
    end(&w);
}

static void test_tried_and_failures(void **state)
{
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    put_tries(&w);
    start_try(&w, 0, 0, "{\"tile\":5}");
    OK(w.db, lift_db_tried(w.db, w.problem, w.device[0], note_tried, &r));
    assert_int_equal(r.count, 3); /* the callback stopped it */
    assert_string_equal(r.text[0], "ok {\"tile\":16}  2.000");
    assert_string_equal(r.text[2], "compile_error {\"tile\":99} unknown type 0.000");

    r.count = 0;
    OK(w.db, lift_db_failures(w.db, w.problem, w.device[0], note_failure, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "compile_error unknown type 2");
    assert_string_equal(r.text[1], "wrong 3 values 1");
    assert_answer(w.db, "SELECT count(*) FROM tries WHERE status = 'started'", "1");
    end(&w);
}

static void test_idempotent(void **state)
{
    struct world w;
    struct lift_hash problem;
    const char *tables[] = {"device", "program",   "expr", "problem",
                            "deriv",  "candidate", "build"};
    const char *counts[] = {"2", "1", "4", "1", "5", "2", "1"};

    (void)state;
    begin(&w, ":memory:");
    put_ok(&w, 0, 0, "{\"tile\":16}", 2e-6);
    problem = w.problem;
    fill_world(&w);
    put_ok(&w, 0, 0, "{\"tile\":16}", 2e-6);
    put_ok(&w, 0, 0, NULL, 2e-6);
    assert_true(lift_hash_equal(problem, w.problem));
    for (int i = 0; i < 7; i++) {
        char sql[64];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        assert_answer(w.db, sql, counts[i]);
    }
    assert_answer(w.db, "SELECT count(*) FROM try", "3");
    assert_answer(w.db, "SELECT seed FROM session LIMIT 1", "18446744073709551615");
    assert_answer(w.db, "SELECT registers || '/' || ifnull(spill_bytes, '-') FROM build",
                  "32/-");
    end(&w);
}

static void test_try_ends_once(void **state)
{
    struct world w;
    double samples[] = {1e-6};
    struct lift_db_end again = ok_end(samples, 1);
    struct lift_hash id;

    (void)state;
    begin(&w, ":memory:");
    id = put_failure(&w, 0, 0, LIFT_TRY_CRASH, "signal 11");
    assert_false(lift_db_try_finish(w.db, id, &again));
    assert_non_null(strstr(lift_db_error(w.db), "it is not in hand"));
    assert_answer(w.db, "SELECT count(*) FROM timing", "0");
    assert_answer(w.db, "SELECT status FROM try", "crash");
    assert_int_not_equal(
        sqlite3_exec(w.db->handle, "UPDATE try SET status = 'ok'", NULL, NULL, NULL),
        SQLITE_OK);
    end(&w);
}

static void test_foreign_keys(void **state)
{
    struct world w;
    struct lift_db_try try = {0};
    struct lift_hash id;

    (void)state;
    begin(&w, ":memory:");
    assert_false(lift_db_try_start(w.db, &try, &id));
    assert_non_null(strstr(lift_db_error(w.db), "':memory:': FOREIGN KEY"));
    end(&w);
}

static void test_statuses(void **state)
{
    struct lift_db *db = open_db(":memory:", LIFT_DB_WRITE);
    char sql[128];

    (void)state;
    for (int i = 0; i < LIFT_TRY_STATUSES; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM status WHERE name = '%s'",
                 lift_try_status_name((enum lift_try_status)i));
        assert_answer(db, sql, "1");
    }
    snprintf(sql, sizeof sql, "%d", LIFT_TRY_STATUSES);
    assert_answer(db, "SELECT count(*) FROM status", sql);
    lift_db_close(db);
}

static void test_median(void **state)
{
    struct world w;
    double samples[] = {5e-6, 1e-6, 4e-6, 2e-6};
    struct lift_db_end done = ok_end(samples, 4);

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_try_finish(w.db, start_try(&w, 0, 0, "{}"), &done));
    assert_answer(w.db, "SELECT median_ns FROM try", "3000.0");
    assert_answer(w.db,
                  "SELECT group_concat(ns) FROM (SELECT ns FROM timing ORDER BY idx)",
                  "5000,1000,4000,2000");
    end(&w);
}

static void test_roof(void **state)
{
    struct world w;
    double gbs;

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_get_roof(w.db, w.device[0], &gbs));
    assert_true(gbs == 20);
    OK(w.db, lift_db_get_roof(w.db, w.device[1], &gbs));
    assert_true(gbs == 0);
    OK(w.db, lift_db_put_roof(w.db, w.device[1], 900));
    OK(w.db, lift_db_get_roof(w.db, w.device[1], &gbs));
    assert_true(gbs == 900);
    assert_false(lift_db_put_roof(w.db, hash_of("no device"), 1));
    end(&w);
}

static void test_texts(void **state)
{
    struct world w;
    struct lift_str text = {0};
    char hex[LIFT_HASH_HEX];

    (void)state;
    begin(&w, ":memory:");
    lift_hash_hex(put_ok(&w, 0, 0, "{}", 1e-6), hex);
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_SOURCE, hex, &text));
    hex[10] = '\0';
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_LOG, hex, &text));
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_PROGRAM, "acoustic", &text));
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_EXPR, lift_hash_hex(w.root, hex), &text));
    assert_string_equal(lift_str_get(&text), "kernelwarning: xthe textmap f . slide 3 1");
    assert_false(lift_db_text(w.db, LIFT_DB_TEXT_EXPR, "abc", &text));
    assert_string_equal(lift_db_error(w.db), "':memory:' has no expression 'abc'");
    OK(w.db, lift_db_put_program(
                 w.db, &(struct lift_db_program){hash_of("other"), "acoustic", "two"}));
    assert_false(lift_db_text(w.db, LIFT_DB_TEXT_PROGRAM, "acoustic", &text));
    assert_string_equal(lift_db_error(w.db),
                        "':memory:' has several: program 'acoustic'");
    lift_str_fini(&text);
    end(&w);
}

static void test_csv(void **state)
{
    struct world w;
    char *text = NULL;
    size_t size;
    FILE *out;
    int lines = 0;

    (void)state;
    begin(&w, ":memory:");
    put_tries(&w);
    out = open_memstream(&text, &size);
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_BEST, out));
    fclose(out);
    assert_memory_equal(text, "\"device\",\"program\",\"sizes\",\"gpts\"", 33);
    assert_non_null(
        strstr(text, "\n\"Test CPU\",\"acoustic\",\"{\"\"nx\"\":100,\"\"ny\"\":10}\","
                     "\"1.0\",\"8.0\",\"40.0\","));
    free(text);
    out = open_memstream(&text, &size);
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_TRIES, out));
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_TIMINGS, out));
    fclose(out);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1 + 7 + 1 + 9);
    free(text);
    out = fopen("/dev/full", "w");
    assert_non_null(out);
    assert_false(lift_db_export_csv(w.db, LIFT_DB_CSV_TRIES, out));
    assert_non_null(strstr(lift_db_error(w.db), "as CSV: No space left"));
    fclose(out);
    end(&w);
}

static void test_transactions(void **state)
{
    struct world w;
    struct lift_hash id;

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_begin(w.db));
    OK(w.db, lift_db_begin(w.db));
    OK(w.db, lift_db_put_candidate(w.db, w.low[0], "{\"a\":1}", &id));
    OK(w.db, lift_db_commit(w.db));
    lift_db_rollback(w.db);
    assert_answer(w.db, "SELECT count(*) FROM candidate", "0");
    OK(w.db, lift_db_begin(w.db));
    OK(w.db, lift_db_begin(w.db));
    OK(w.db, lift_db_put_candidate(w.db, w.low[0], "{\"a\":1}", &id));
    lift_db_rollback(w.db);
    assert_false(lift_db_commit(w.db));
    assert_answer(w.db, "SELECT count(*) FROM candidate", "0");
    OK(w.db, lift_db_begin(w.db));
    OK(w.db, lift_db_put_candidate(w.db, w.low[0], "{\"a\":1}", &id));
    OK(w.db, lift_db_commit(w.db));
    assert_answer(w.db, "SELECT count(*) FROM candidate", "1");
    end(&w);
}

/* Files that cannot be used. */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

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
    assert_open_error(folder, LIFT_DB_WRITE, "unable to open database file");
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
    put_tries(&w);
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

/* Reads as a user who may not write the folder; the exit status of a child. */
static int read_as_guest(const char *path)
{
    struct lift_str error = {0};
    struct rows r = {0};
    struct lift_db *db;

    if (getuid() == 0 && setuid(65534))
        return 1;
    db = lift_db_open(path, LIFT_DB_READ, &error);
    if (!db)
        fprintf(stderr, "%s\n", lift_str_get(&error));
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
    put_tries(&w);
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

static const char *const newer_schema[] = {
    NULL, "ALTER TABLE expr ADD COLUMN cost REAL; CREATE TABLE extra(a)", NULL};

static const char *const broken_schema[] = {
    NULL, "CREATE TABLE extra(a); INSERT INTO extra VALUES (1); CREATE TABLE nonsense(",
    NULL};

static void test_migration(void **state)
{
    const char *path = path_of("old.db");
    const char *newer[3], *broken[3];
    struct lift_str error = {0};
    struct lift_db *db;
    struct world w;
    struct rows r = {0};
    struct lift_hash id;

    (void)state;
    memcpy(newer, newer_schema, sizeof newer);
    memcpy(broken, broken_schema, sizeof broken);
    newer[0] = broken[0] = db_migrations[0];
    begin(&w, path);
    put_tries(&w);
    end(&w);
    /* A step that fails leaves the old version untouched. */
    assert_null(db_open_with(path, LIFT_DB_WRITE, broken, &error));
    assert_non_null(strstr(lift_str_get(&error), "cannot migrate"));
    lift_str_fini(&error);
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "PRAGMA user_version", "1");
    assert_answer(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'", "0");
    lift_db_close(db);
    assert_null(db_open_with(path, LIFT_DB_READ, newer, &error));
    assert_non_null(strstr(lift_str_get(&error), "is old"));
    lift_str_fini(&error);
    db = db_open_with(path, LIFT_DB_WRITE, newer, &error);
    assert_non_null(db);
    assert_answer(db, "PRAGMA user_version", "2");
    assert_answer(db, "SELECT count(*) FROM extra", "0");
    assert_answer(db, "SELECT count(*) FROM try", "7");
    lift_db_close(db);
    /* To this program the file is now of a newer version. */
    db = open_db(path, LIFT_DB_WRITE);
    assert_true(lift_db_read_only(db));
    OK(db, lift_db_best(db, &(struct lift_db_filter){0}, note_best, &r));
    assert_int_equal(r.count, 2);
    assert_false(lift_db_put_candidate(db, w.low[0], "{\"q\":1}", &id));
    assert_non_null(strstr(lift_db_error(db), "its schema 2 is newer than this program"));
    lift_db_close(db);
    unlink(path);
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
    id = start_try(&w, 0, 0, "{}");
    sqlite3_busy_timeout(w.db->handle, 50);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_false(lift_db_try_finish(w.db, id, &done));
    assert_non_null(strstr(lift_db_error(w.db), "locked by another process"));
    assert_non_null(strstr(lift_db_error(w.db), path));
    sqlite3_close(other);
    OK(w.db, lift_db_try_finish(w.db, id, &done));
    end(&w);
    unlink(path);
}

/* The disk is full after ever more pages, so that every step of the end of a try fails
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
    id = start_try(&w, 0, 0, "{}");
    pages = ask(w.db, "PRAGMA page_count");
    for (int limit = atoi(pages);; limit++, failures++) {
        char sql[64];

        snprintf(sql, sizeof sql, "PRAGMA max_page_count = %d", limit);
        free(ask(w.db, sql));
        if (lift_db_try_finish(w.db, id, &done))
            break;
        assert_non_null(strstr(lift_db_error(w.db), "the disk is full"));
        assert_answer(w.db, "SELECT count(*) FROM timing", "0");
        assert_answer(w.db, "SELECT count(*) FROM check_result", "0");
        assert_answer(w.db, "SELECT count(*) FROM build", "0");
        assert_answer(w.db, "SELECT status FROM try", "started");
    }
    assert_true(failures > 20);
    assert_answer(w.db, "SELECT count(*) FROM timing", "5000");
    assert_answer(w.db, "PRAGMA integrity_check", "ok");
    free(pages);
    end(&w);
    unlink(path);
}

/* Sessions. */

static void test_session_end_loses_tries(void **state)
{
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    start_try(&w, 0, 0, "{}");
    OK(w.db, lift_db_session_end(w.db, w.session, "interrupted"));
    assert_answer(w.db, "SELECT status || ', ' || reason FROM try", "lost, interrupted");
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
    start_try(&w, 0, 0, "{}");
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "SELECT status FROM try", "started");
    assert_int_equal(sqlite3_exec(db->handle,
                                  "UPDATE session SET host = 'far', pid = 99999999", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    lift_db_close(db);
    db = open_db(path, LIFT_DB_WRITE);
    assert_answer(db, "SELECT status FROM try", "started");
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
        start_try(&w, 0, 0, "{}");
        assert_int_equal(sqlite3_exec(w.db->handle, signs[i], NULL, NULL, NULL),
                         SQLITE_OK);
        lift_db_close(w.db);
        w.db = open_db(path, LIFT_DB_WRITE);
        assert_answer(w.db, "SELECT status || ', ' || reason FROM try",
                      "lost, the process died");
        assert_answer(w.db, "SELECT count(*) FROM session WHERE ended IS NULL", "0");
        lift_db_close(w.db);
        unlink(path);
    }
}

/* The child's life: tries without end, of all kinds, until it is killed. */
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
        id = start_try(&w, (int)lift_rng_below(&rng, 2), 0, tunables);
        if (!lift_db_try_finish(w.db, id, &done))
            _exit(1);
    }
}

static void kill_one(const char *path, struct lift_rng *rng, uint64_t seed)
{
    int status;
    pid_t child = fork();

    if (!child)
        write_forever(path, seed);
    assert_true(child > 0);
    usleep((useconds_t)lift_rng_range(rng, 2000, 150000));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void test_kill(void **state)
{
    const char *path = path_of("killed.db");
    struct lift_rng rng;
    long tries = 0, lost = 0;

    (void)state;
    lift_rng_seed(&rng, 11);
    for (int i = 0; i < 25; i++) {
        struct lift_db *db;
        char *count;

        kill_one(path, &rng, (uint64_t)i);
        db = open_db(path, LIFT_DB_WRITE);
        assert_answer(db, "PRAGMA integrity_check", "ok");
        assert_answer(db, "PRAGMA foreign_key_check", "no row");
        assert_answer(db, "SELECT count(*) FROM try WHERE status = 'started'", "0");
        assert_answer(db, "SELECT count(*) FROM session WHERE ended IS NULL", "0");
        assert_answer(
            db,
            "SELECT count(*) FROM (SELECT session FROM try WHERE status = 'lost'"
            " GROUP BY session HAVING count(*) > 1)",
            "0");
        assert_answer(
            db,
            "SELECT count(*) FROM try t WHERE status = 'ok' AND (build IS NULL OR"
            " median_ns <> 2000 OR ended IS NULL OR"
            " 2 <> (SELECT count(*) FROM check_result WHERE try = t.id) OR"
            " 3 <> (SELECT count(*) FROM timing WHERE try = t.id))",
            "0");
        assert_answer(db, "SELECT count(*) FROM try WHERE status NOT IN ('ok', 'lost')",
                      "0");
        assert_answer(db,
                      "SELECT count(*) FROM timing m JOIN try t ON t.id = m.try"
                      " WHERE t.status = 'lost'",
                      "0");
        count = ask(db, "SELECT count(*) FROM try");
        assert_true(atol(count) >= tries);
        tries = atol(count);
        free(count);
        count = ask(db, "SELECT count(*) FROM try WHERE status = 'lost'");
        lost = atol(count);
        free(count);
        lift_db_close(db);
    }
    print_message("%ld tries written by 25 killed processes, %ld lost\n", tries, lost);
    assert_true(tries > 25);
    unlink(path);
}

/* Several explorations begin one file together and write to it at the same time. */
static int write_some(const char *path, int tries)
{
    double samples[] = {3e-6, 1e-6, 2e-6};
    struct lift_db_end done = ok_end(samples, 3);
    struct world w;

    begin(&w, path);
    for (int i = 0; i < tries; i++) {
        struct lift_hash id = start_try(&w, i % 2, 0, "{\"tile\":4}");

        if (!lift_db_try_finish(w.db, id, &done))
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
        assert_answer(db, "SELECT count(*) FROM try WHERE status = 'ok'", "40");
        assert_answer(db, "SELECT count(*) FROM timing", "120");
        assert_answer(db, "SELECT count(*) FROM session WHERE end_reason = 'budget'",
                      "4");
        lift_db_close(db);
        unlink(path);
    }
}

/* The queries of docs/database.md. */

static char *next_query(const char **at)
{
    const char *begin_mark = "```sql\n", *from = strstr(*at, begin_mark), *to;

    if (!from)
        return NULL;
    from += strlen(begin_mark);
    to = strstr(from, "```");
    assert_non_null(to);
    *at = to + 3;
    return strndup(from, (size_t)(to - from));
}

static void run_query(struct lift_db *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int rows = 0, rc;

    if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db->handle));
    while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
        rows++;
    assert_int_equal(rc, SQLITE_DONE);
    if (!rows)
        fail_msg("no rows: %s", sql);
    sqlite3_finalize(stmt);
}

static void test_documented_queries(void **state)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    struct lift_diags diags = {0};
    struct lift_source doc;
    struct world w;
    const char *at;
    char path[512], *sql;
    int n = 0;

    (void)state;
    snprintf(path, sizeof path, "%s/docs/database.md", root ? root : ".");
    if (!lift_source_load(path, &doc, &diags))
        fail_msg("cannot read '%s'", path);
    begin(&w, ":memory:");
    put_tries(&w);
    for (at = doc.text; (sql = next_query(&at)); n++) {
        run_query(w.db, sql);
        free(sql);
    }
    assert_int_equal(n, 10);
    end(&w);
    lift_source_free(&doc);
}

/* The document's table of statuses is that of the schema. */
static void test_documented_statuses(void **state)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    struct lift_diags diags = {0};
    struct lift_source doc;
    char text[512];

    (void)state;
    snprintf(text, sizeof text, "%s/docs/database.md", root ? root : ".");
    if (!lift_source_load(text, &doc, &diags))
        fail_msg("cannot read '%s'", text);
    for (int i = 0; i < LIFT_TRY_STATUSES; i++) {
        snprintf(text, sizeof text, "\n| `%s` |",
                 lift_try_status_name((enum lift_try_status)i));
        if (!strstr(doc.text, text))
            fail_msg("the document lacks '%s'", text);
    }
    lift_source_free(&doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_unverified_is_not_best),
        cmocka_unit_test(test_derivation),
        cmocka_unit_test(test_tried_and_failures),
        cmocka_unit_test(test_idempotent),
        cmocka_unit_test(test_try_ends_once),
        cmocka_unit_test(test_foreign_keys),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_roof),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_unusable_files),
        cmocka_unit_test(test_empty_file_is_new),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_read_only_folder),
        cmocka_unit_test(test_migration),
        cmocka_unit_test(test_locked),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_session_end_loses_tries),
        cmocka_unit_test(test_living_and_foreign_sessions),
        cmocka_unit_test(test_dead_sessions),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_documented_queries),
        cmocka_unit_test(test_documented_statuses),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
