/* The database: rows in and out, views, and the queries of its document. */
#include "tuner/db_report.h"
#include "unit/db_world.h"

/* Rows. */

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

    snprintf(r->text[r->count++], 256, "%s %s %s %.3f", lift_trial_status_name(t->status),
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
    put_trials(&w);
    OK(w.db, lift_db_best(w.db, &(struct lift_db_filter){0}, note_best, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0],
                        "acoustic {\"nx\":100,\"ny\":10} Test CPU {\"tile\":32} "
                        "gpts 1.000 gbs 8.000 share 0.400 us 1.000");
    assert_string_equal(r.text[1],
                        "acoustic {\"nx\":100,\"ny\":10} Test GPU {\"tile\":32} "
                        "gpts 0.250 gbs 2.000 share 0.000 us 4.000");
    lift_hash_hex(w.program, id);
    id[8] = '\0';
    {
        const struct {
            struct lift_db_filter filter;
            int rows;
        } filters[] = {
            {{.program = "acoustic"}, 2}, {{.program = id}, 2},
            {{.program = "heat"}, 0},     {{.sizes = "{\"nx\":100,\"ny\":10}"}, 2},
            {{.sizes = "{\"nx\":1}"}, 0}, {{.device = "gpu"}, 1},
            {{.device = "HOST"}, 1},      {{.device = "acme"}, 2},
            {{.program = "acou"}, 0},     {{.device = "h200"}, 0},
            {{.dtype = "f32"}, 2},        {{.dtype = "f64"}, 0},
        };

        for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
            r.count = 0;
            OK(w.db, lift_db_best(w.db, &filters[i].filter, note_best, &r));
            assert_int_equal(r.count, filters[i].rows);
        }
    }
    end(&w);
}

/* Trials that are fast but were not verified are not best, whatever wrote them. */
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
             "UPDATE check_result SET bad = 1 WHERE kind = 'small' AND trial = '%s'",
             lift_hash_hex(fast, hex));
    assert_int_equal(sqlite3_exec(w.db->handle, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_answer(w.db, "SELECT tunables FROM best_kernel", "{\"tile\":16}");
    snprintf(sql, sizeof sql, "DELETE FROM check_result WHERE trial = '%s'", hex);
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

/* Another program whose root is an intermediate term of a derivation: each program has a
 * separate derivation. */
static void test_derivation_from(void **state)
{
    const struct lift_hash stranger = hash_of("stranger");
    struct lift_db_problem other = {
        .sizes = "{}", .params = "{}", .dtype = "f32", .points = 1};
    struct lift_hash id;
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    other.program = w.program;
    other.root = w.middle;
    OK(w.db, lift_db_put_problem(w.db, &other, &id));
    OK(w.db, lift_db_derivation_from(w.db, &w.root, w.low[0], note_step, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "1 splitJoin 0 v");
    assert_string_equal(r.text[1], "2 lowerPar 0.1 ");
    r.count = 0;
    OK(w.db, lift_db_derivation_from(w.db, &w.middle, w.low[0], note_step, &r));
    OK(w.db, lift_db_derivation(w.db, w.low[0], note_step, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "1 lowerPar 0.1 ");
    assert_string_equal(r.text[1], "1 lowerPar 0.1 ");
    r.count = 0;
    OK(w.db, lift_db_derivation_from(w.db, &stranger, w.low[0], note_step, &r));
    assert_int_equal(r.count, 0);
    end(&w);
}

static bool note_macros(void *user, const struct lift_db_step *s)
{
    struct rows *r = user;
    char *text = r->text[r->count++];
    int len = snprintf(text, 256, "%d %s", s->step, s->rule);

    for (int i = 0; i < s->macro_count; i++)
        len += snprintf(text + len, 256 - (size_t)len, ", %s at %s: %d, %d",
                        s->macros[i].macro, s->macros[i].position, s->macros[i].first,
                        s->macros[i].steps);
    return true;
}

/* A macro belongs to a derivation if the derivation has both its ends, at the macro's
 * distance. */
static void test_macros(void **state)
{
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");

    const struct lift_db_macro macros[] = {
        {w.middle, w.root, "inner", "0", 1, 1},
        {w.low[0], w.root, "outer", ".", 2, 0},
        {w.low[0], w.root, "far", ".", 1, 0},
        {w.low[1], w.low[0], "elsewhere", ".", 1, 0},
        {w.low[0], w.root, "outer", ".", 2, 0},
    };
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++)
        OK(w.db, lift_db_put_macro(w.db, &macros[i]));
    OK(w.db, lift_db_derivation(w.db, w.low[0], note_macros, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "1 splitJoin, outer at .: 1, 2, inner at 0: 1, 1");
    assert_string_equal(r.text[1], "2 lowerPar, outer at .: 1, 2");
    assert_answer(
        w.db,
        "SELECT group_concat(step || ' ' || macros, '; ') FROM derivation d JOIN "
        "expr e ON e.id = d.expr WHERE e.text LIKE 'mapPar%'",
        "1 outer, inner; 2 outer");
    end(&w);
}

static bool note_reach(void *user, const struct lift_db_reach *row)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%s %s %d", row->what, row->reason,
             (int)row->count);
    return true;
}

/* Of several sessions the last one counts. */
static void test_reach(void **state)
{
    const struct lift_db_reach old = {"tried", "", 3}, now = {"tried", "", 5},
                               left = {"not tried", "too large", 7};
    struct lift_db_session session = {"again", 1, "", ""};
    struct lift_hash second;
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    usleep(2000); /* so that it is the later one by the clock */
    OK(w.db, lift_db_session_start(w.db, &session, &second));
    OK(w.db, lift_db_put_reach(w.db, w.session, w.problem, w.device[0], &old));
    OK(w.db, lift_db_put_reach(w.db, second, w.problem, w.device[0], &now));
    OK(w.db, lift_db_put_reach(w.db, second, w.problem, w.device[0], &left));
    OK(w.db, lift_db_reach(w.db, w.problem, w.device[0], note_reach, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "tried  5");
    assert_string_equal(r.text[1], "not tried too large 7");
    OK(w.db, lift_db_reach(w.db, w.problem, w.device[1], note_reach, &r));
    assert_int_equal(r.count, 2);
    end(&w);
}

static void test_tried_and_failures(void **state)
{
    int64_t counts[LIFT_TRIAL_STATUSES];
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    put_trials(&w);
    start_trial(&w, 0, 0, "{\"tile\":5}");
    OK(w.db, lift_db_counts(w.db, w.problem, w.device[0], counts));
    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++)
        assert_int_equal(counts[i],
                         i == LIFT_TRIAL_OK || i == LIFT_TRIAL_COMPILE_ERROR ? 2
                         : i == LIFT_TRIAL_WRONG || i == LIFT_TRIAL_STARTED  ? 1
                                                                             : 0);
    OK(w.db, lift_db_tried(w.db, w.problem, w.device[0], note_tried, &r));
    assert_int_equal(r.count, 3); /* the callback stopped it */
    assert_string_equal(r.text[0], "ok {\"tile\":16}  2.000");
    assert_string_equal(r.text[2], "compile_error {\"tile\":99} unknown type 0.000");

    r.count = 0;
    OK(w.db, lift_db_failures(w.db, w.problem, w.device[0], note_failure, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.text[0], "compile_error unknown type 2");
    assert_string_equal(r.text[1], "wrong 3 values 1");
    assert_answer(w.db, "SELECT count(*) FROM trials WHERE status = 'started'", "1");
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
    assert_answer(w.db, "SELECT count(*) FROM trial", "3");
    assert_answer(w.db, "SELECT seed FROM session LIMIT 1", "18446744073709551615");
    assert_answer(w.db, "SELECT registers || '/' || ifnull(spill_bytes, '-') FROM build",
                  "32/-");
    end(&w);
}

static void test_trial_ends_once(void **state)
{
    struct world w;
    double samples[] = {1e-6};
    struct lift_db_end again = ok_end(samples, 1);
    struct lift_hash id;

    (void)state;
    begin(&w, ":memory:");
    id = put_failure(&w, 0, 0, LIFT_TRIAL_CRASH, "signal 11");
    assert_false(lift_db_trial_finish(w.db, id, &again));
    assert_non_null(strstr(lift_db_error(w.db), "it is not running"));
    assert_answer(w.db, "SELECT count(*) FROM timing", "0");
    assert_answer(w.db, "SELECT status FROM trial", "crash");
    assert_int_not_equal(
        sqlite3_exec(w.db->handle, "UPDATE trial SET status = 'ok'", NULL, NULL, NULL),
        SQLITE_OK);
    end(&w);
}

static void test_foreign_keys(void **state)
{
    struct world w;
    struct lift_db_trial trial = {0};
    struct lift_hash id;

    (void)state;
    begin(&w, ":memory:");
    assert_false(lift_db_trial_start(w.db, &trial, &id));
    assert_non_null(strstr(lift_db_error(w.db), "':memory:': FOREIGN KEY"));
    end(&w);
}

static void test_statuses(void **state)
{
    struct lift_db *db = open_db(":memory:", LIFT_DB_WRITE);
    char sql[128];

    (void)state;
    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM status WHERE name = '%s'",
                 lift_trial_status_name((enum lift_trial_status)i));
        assert_answer(db, sql, "1");
    }
    snprintf(sql, sizeof sql, "%d", LIFT_TRIAL_STATUSES);
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
    OK(w.db, lift_db_trial_finish(w.db, start_trial(&w, 0, 0, "{}"), &done));
    assert_answer(w.db, "SELECT median_ns FROM trial", "3000.0");
    assert_answer(w.db,
                  "SELECT group_concat(ns) FROM (SELECT ns FROM timing ORDER BY idx)",
                  "5000,1000,4000,2000");
    end(&w);
}

static void test_copy_bandwidth(void **state)
{
    struct world w;
    double gbs;

    (void)state;
    begin(&w, ":memory:");
    OK(w.db, lift_db_get_copy_bandwidth(w.db, w.device[0], &gbs));
    assert_true(gbs == 20);
    OK(w.db, lift_db_get_copy_bandwidth(w.db, w.device[1], &gbs));
    assert_true(gbs == 0);
    OK(w.db, lift_db_put_copy_bandwidth(w.db, w.device[1], 900));
    OK(w.db, lift_db_get_copy_bandwidth(w.db, w.device[1], &gbs));
    assert_true(gbs == 900);
    assert_false(lift_db_put_copy_bandwidth(w.db, hash_of("no device"), 1));
    end(&w);
}

/* Ids may be shortened as long as they tell. */
static void test_find(void **state)
{
    static const struct lift_hash ids[] = {{1, 0xabcd012300000000},
                                           {2, 0xabcd012300000000}};
    struct world w;
    struct lift_hash found = {0};
    char hex[LIFT_HASH_HEX];

    (void)state;
    begin(&w, ":memory:");
    for (int i = 0; i < 2; i++)
        OK(w.db,
           lift_db_put_expr(w.db, &(struct lift_db_expr){ids[i], "x", LIFT_DB_LOW, 1}));
    lift_hash_hex(w.root, hex);
    for (int digits = 32; digits >= 12; digits -= 4) {
        hex[digits] = '\0';
        OK(w.db, lift_db_find(w.db, LIFT_DB_ID_EXPR, hex, &found));
        assert_true(lift_hash_equal(found, w.root));
    }
    assert_false(lift_db_find(w.db, LIFT_DB_ID_EXPR, "abcd0123", &found));
    assert_string_equal(lift_db_error(w.db),
                        "':memory:': more than one expression begins with 'abcd0123': "
                        "abcd0123000000000000000000000001, "
                        "abcd0123000000000000000000000002");
    assert_false(lift_db_find(w.db, LIFT_DB_ID_PROGRAM, "abcd0123", &found));
    assert_string_equal(lift_db_error(w.db),
                        "':memory:': no program begins with 'abcd0123'");
    end(&w);
}

/* An intermediate term of a derivation gets its text when it becomes a kernel, and keeps
 * it. */
static void test_text_comes_later(void **state)
{
    static const struct lift_db_expr puts[] = {
        {{1, 2}, "", LIFT_DB_HIGH, 3},
        {{1, 2}, "mapGlb(f)", LIFT_DB_LOW, 3},
        {{1, 2}, "", LIFT_DB_HIGH, 3},
    };
    static const char *const known[] = {"high 0", "low 9", "low 9"};
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    for (int i = 0; i < 3; i++) {
        OK(w.db, lift_db_put_expr(w.db, &puts[i]));
        assert_answer(w.db,
                      "SELECT level || ' ' || length(text) FROM expr WHERE size = 3 AND "
                      "id LIKE '%20000000000000001'",
                      known[i]);
    }
    end(&w);
}

static void test_texts(void **state)
{
    struct world w;
    struct lift_str text = {0};
    char hex[LIFT_HASH_HEX], other[LIFT_HASH_HEX];

    (void)state;
    begin(&w, ":memory:");
    lift_hash_hex(put_ok(&w, 0, 0, "{}", 1e-6), hex);
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_SOURCE, hex, &text));
    hex[10] = '\0';
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_LOG, hex, &text));
    OK(w.db, lift_db_program(w.db, &(struct lift_db_filter){"acoustic"}, &text));
    OK(w.db, lift_db_text(w.db, LIFT_DB_TEXT_EXPR, lift_hash_hex(w.root, hex), &text));
    assert_string_equal(lift_str_get(&text), "kernelwarning: xthe textmap f . slide 3 1");
    assert_false(lift_db_text(w.db, LIFT_DB_TEXT_EXPR, "abc", &text));
    assert_string_equal(
        lift_db_error(w.db),
        "':memory:': 'abc' is no hash: expected at least 4 of its digits, "
        "0 to 9 and a to f");
    assert_false(lift_db_text(w.db, LIFT_DB_TEXT_EXPR, "abcde", &text));
    assert_string_equal(lift_db_error(w.db),
                        "':memory:': no expression begins with 'abcde'");
    OK(w.db, lift_db_put_program(
                 w.db, &(struct lift_db_program){hash_of("other"), "acoustic", "two"}));
    lift_hash_hex(hash_of("other"), other);
    lift_hash_hex(w.program, hex);
    OK(w.db, lift_db_program(w.db, &(struct lift_db_filter){"acoustic", .dtype = "f32"},
                             &text));
    assert_false(lift_db_program(
        w.db, &(struct lift_db_filter){"acoustic", .dtype = "f64"}, &text));
    assert_string_equal(lift_db_error(w.db),
                        "':memory:' has no program 'acoustic' of f64");
    assert_false(lift_db_program(w.db, &(struct lift_db_filter){"acoustic"}, &text));
    assert_non_null(
        strstr(lift_db_error(w.db), "':memory:' has several programs 'acoustic': "));
    assert_non_null(strstr(lift_db_error(w.db), "or by --precision"));
    hex[12] = other[12] = '\0';
    strcat(hex, " (f32)");
    assert_non_null(strstr(lift_db_error(w.db), hex));
    assert_non_null(strstr(lift_db_error(w.db), other));
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
    put_trials(&w);
    out = open_memstream(&text, &size);
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_BEST, out));
    fclose(out);
    assert_memory_equal(text, "\"device\",\"program\",\"sizes\",\"gpts\"", 33);
    assert_non_null(
        strstr(text, "\n\"Test CPU\",\"acoustic\",\"{\"\"nx\"\":100,\"\"ny\"\":10}\","
                     "\"1.0\",\"8.0\",\"40.0\","));
    free(text);
    out = open_memstream(&text, &size);
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_TRIALS, out));
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_TIMINGS, out));
    fclose(out);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1 + 7 + 1 + 9);
    free(text);
    out = fopen("/dev/full", "w");
    assert_non_null(out);
    OK(w.db, lift_db_export_csv(w.db, LIFT_DB_CSV_TRIALS, out));
    assert_true(fflush(out) || ferror(out)); /* for the caller to see */
    fclose(out);
    end(&w);
}

/* An expression with one correct and one wrong result is not verified. */
static void test_wrong_later(void **state)
{
    struct world w;
    struct lift_db_check check = {LIFT_CHECK_SECOND, 1, 1e-5, 3, 17};
    struct lift_db_end bad = {.status = LIFT_TRIAL_NONDETERMINISTIC,
                              .reason = "wrong on another input",
                              .checks = &check,
                              .check_count = 1};

    (void)state;
    begin(&w, ":memory:");
    put_ok(&w, 0, 0, "{\"a\":1}", 1.0e-6);
    put_ok(&w, 0, 0, "{\"b\":1}", 1.1e-6);
    OK(w.db, lift_db_trial_finish(w.db, start_trial(&w, 0, 0, "{\"a\":1}"), &bad));
    assert_answer(w.db, "SELECT tunables FROM best_kernel", "{\"b\":1}");
    assert_answer(w.db, "SELECT kind FROM check_result WHERE bad > 0", "second");
    end(&w);
}

static size_t report_rows(const json_t *report, const char *table)
{
    const json_t *rows = json_object_get(report, table);

    assert_true(json_is_array(rows));
    return json_array_size(rows);
}

/* The filters of a report, with some sizes omitted, and its events. */
static void test_report(void **state)
{
    const struct {
        struct lift_db_filter filter;
        size_t devices;
    } filters[] = {{{NULL}, 2},
                   {{.program = "acoustic", .device = "gpu", .dtype = "f32"}, 1},
                   {{.sizes = "{\"nx\":100}"}, 2},
                   {{.sizes = "{\"nx\":100,\"nz\":1}"}, 0},
                   {{.sizes = "{\"nx\":1}"}, 0},
                   {{.steps = 2}, 0}};
    struct world w;

    (void)state;
    begin(&w, ":memory:");
    put_trials(&w);
    OK(w.db, lift_db_put_event(
                 w.db, w.session, w.device[1],
                 &(struct lift_db_event){.kind = "quarantine", .text = "three\033"}));
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        json_auto_t *report = lift_db_report(w.db, &filters[i].filter);
        size_t some = filters[i].devices > 0;

        OK(w.db, report);
        assert_int_equal(report_rows(report, "devices"), filters[i].devices);
        assert_int_equal(report_rows(report, "problems"), some);
        assert_int_equal(report_rows(report, "sessions"), some);
        assert_int_equal(report_rows(report, "explored"), filters[i].devices);
        assert_int_equal(report_rows(report, "events"), some);
        if (some) {
            const char *kind, *text;
            int nx;

            assert_int_equal(json_unpack(report, "{s:[{s:s, s:s}], s:[{s:{s:i}}]}",
                                         "events", "kind", &kind, "text", &text,
                                         "problems", "sizes", "nx", &nx),
                             0);
            assert_string_equal(kind, "quarantine");
            assert_string_equal(text, "three\xef\xbf\xbd");
            assert_int_equal(nx, 100);
        }
    }
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

/* The pages that describe databases: their queries run, and they name all that there is.
 */

static void load_page(const char *name, struct lift_source *page)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    struct lift_error errors = {0};
    char path[512];

    snprintf(path, sizeof path, "%s/docs/%s", root ? root : ".", name);
    if (!lift_source_load(path, page, &errors))
        fail_msg("cannot read '%s'", path);
}

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

/* The best kernel, and one that is slower. */
static void put_points(struct world *w)
{
    static const struct lift_db_option guarded = {"tile", "guarded"},
                                       cut = {"tile", "cut"};

    OK(w->db, lift_db_put_configuration(w->db, w->low[0], &guarded, 1));
    OK(w->db, lift_db_put_configuration(w->db, w->middle, &cut, 1));
    w->low[1] = w->middle;
    put_ok(w, 1, 0, "{}", 5e-6);
}

static void test_documented_queries(void **state)
{
    static const char *const pages[] = {"results-and-database.md", "database-schema.md"};
    struct world w;
    int n = 0;

    (void)state;
    begin(&w, ":memory:");
    put_trials(&w);
    put_points(&w);
    OK(w.db, lift_db_put_reach(w.db, w.session, w.problem, w.device[0],
                               &(struct lift_db_reach){"tried", "", 3}));
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct lift_source page;
        const char *at;
        char *sql;

        load_page(pages[i], &page);
        for (at = page.text; (sql = next_query(&at)); n++) {
            run_query(w.db, sql);
            free(sql);
        }
        lift_source_free(&page);
    }
    assert_int_equal(n, 14);
    end(&w);
}

/* The page's table of statuses is that of the schema. */
static void test_documented_statuses(void **state)
{
    struct lift_source page;
    char row[64];

    (void)state;
    load_page("results-and-database.md", &page);
    for (int i = 0; i < LIFT_TRIAL_STATUSES; i++) {
        snprintf(row, sizeof row, "\n| `%s` |",
                 lift_trial_status_name((enum lift_trial_status)i));
        if (!strstr(page.text, row))
            fail_msg("the page lacks '%s'", row);
    }
    lift_source_free(&page);
}

/* The entry of each table and view names all of its columns. */
static void test_documented_schema(void **state)
{
    struct lift_source page;
    sqlite3_stmt *stmt = NULL;
    struct world w;
    int columns = 0;

    (void)state;
    load_page("database-schema.md", &page);
    begin(&w, ":memory:");
    assert_int_equal(sqlite3_prepare_v2(
                         w.db->handle,
                         "SELECT m.name, c.name FROM sqlite_master m,"
                         " pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')",
                         -1, &stmt, NULL),
                     SQLITE_OK);
    for (; sqlite3_step(stmt) == SQLITE_ROW; columns++) {
        const char *table = (const char *)sqlite3_column_text(stmt, 0);
        const char *column = (const char *)sqlite3_column_text(stmt, 1);
        const char *entry, *next, *at;
        char text[128];

        snprintf(text, sizeof text, "\n* `%s`: ", table);
        entry = strstr(page.text, text);
        if (!entry)
            fail_msg("the page lacks '%s'", table);
        next = strstr(entry + 1, "\n* `");
        snprintf(text, sizeof text, "`%s`", column);
        at = strstr(entry + strlen(table) + 5, text);
        if (!at || (next && at > next))
            fail_msg("the entry of '%s' lacks the column '%s'", table, column);
    }
    assert_true(columns > 100);
    sqlite3_finalize(stmt);
    end(&w);
    lift_source_free(&page);
}

/* Each stands at the index that names it. */
static void test_statements(void **state)
{
    (void)state;
    for (int i = 0; i < DB_STMTS; i++)
        assert_non_null(db_sql[i]);
    assert_null(db_sql[DB_STMTS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_unverified_is_not_best),
        cmocka_unit_test(test_derivation),
        cmocka_unit_test(test_derivation_from),
        cmocka_unit_test(test_macros),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_tried_and_failures),
        cmocka_unit_test(test_idempotent),
        cmocka_unit_test(test_trial_ends_once),
        cmocka_unit_test(test_foreign_keys),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_copy_bandwidth),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_text_comes_later),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_wrong_later),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_transactions),
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_documented_queries),
        cmocka_unit_test(test_documented_statuses),
        cmocka_unit_test(test_documented_schema),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
