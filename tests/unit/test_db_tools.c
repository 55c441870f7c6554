/* Merging, exporting, importing, pruning, looking after databases. */
#include "tuner/db_tools.h"
#include "unit/db_world.h"
#include <jansson.h>

/* Random databases: parts of one world of expressions, problems and devices, each found
 * in another order, with separate sessions and trials. */

#define ZEROS "00000000000000000000000000000000"

enum { EXPRS = 24, DEVICES = 3, PROBLEMS = 2 };

struct universe {
    struct lift_db *db;
    struct lift_rng rng;
    struct lift_hash exprs[EXPRS], problems[PROBLEMS], devices[DEVICES], session;
};

static int below(struct universe *u, int n)
{
    return (int)lift_rng_below(&u->rng, (uint64_t)n);
}

static void put_random_expr(struct universe *u, int i)
{
    struct lift_str text = {0};

    for (int k = 0; k <= i * i; k++)
        lift_str_addf(&text, "map f%d . ", k % (i + 1));
    u->exprs[i] = hash_of(lift_str_get(&text));
    OK(u->db,
       lift_db_put_expr(
           u->db, &(struct lift_db_expr){u->exprs[i], lift_str_get(&text),
                                         i > EXPRS / 2 ? LIFT_DB_LOW : LIFT_DB_HIGH, i}));
    lift_str_fini(&text);
}

/* A derivation is found from the root on; then follow rewrites between arbitrary terms.
 */
static void put_random_derivs(struct universe *u)
{
    static const char *const rules[] = {"rule", "rule_2", "rule(3)", "rule(0, 3)",
                                        "rule(boxes)"};
    int order[EXPRS];

    for (int i = 0; i < EXPRS; i++)
        order[i] = i;
    for (int i = EXPRS - 1; i > 1; i--) {
        int j = 1 + below(u, i), swap = order[i];

        order[i] = order[j];
        order[j] = swap;
    }
    for (int i = 1; i < EXPRS + 20; i++) {
        int child = i < EXPRS ? order[i] : below(u, EXPRS);
        int parent = i < EXPRS ? order[below(u, i)] : below(u, EXPRS);
        const char *rule = rules[below(u, 5)];

        OK(u->db, lift_db_put_deriv(u->db, &(struct lift_db_deriv){u->exprs[child],
                                                                   u->exprs[parent], rule,
                                                                   ".", NULL}));
        OK(u->db, lift_db_put_macro(u->db, &(struct lift_db_macro){
                                               u->exprs[child], u->exprs[parent], "macro",
                                               i % 2 ? "0" : "1", 1, below(u, 3)}));
    }
}

static void put_random_points(struct universe *u)
{
    for (int i = EXPRS / 2; i < EXPRS; i++) {
        const struct lift_db_option options[] = {{"tile", below(u, 2) ? "exact" : "cut"},
                                                 {"copy", "boxes"}};

        if (below(u, 3))
            OK(u->db,
               lift_db_put_configuration(u->db, u->exprs[i], options, below(u, 3)));
    }
}

static void put_random_problems(struct universe *u)
{
    for (int i = 0; i < PROBLEMS; i++) {
        struct lift_db_program program = {hash_of(i ? "b" : "a"), i ? "b" : "a", "text"};
        struct lift_db_problem problem = {.program = program.id,
                                          .root = u->exprs[0],
                                          .sizes = "{\"n\":8}",
                                          .points = 1000,
                                          .bytes = 8000};

        OK(u->db, lift_db_put_program(u->db, &program));
        OK(u->db, lift_db_put_problem(u->db, &problem, &u->problems[i]));
    }
    for (int i = 0; i < DEVICES; i++) {
        struct lift_device_info info = devices[0];

        info.compute_units = i + 1;
        u->devices[i] = lift_device_hash(&info);
        OK(u->db, lift_db_put_device(u->db, &info));
        if (below(u, 2))
            OK(u->db, lift_db_put_copy_bandwidth(u->db, u->devices[i], below(u, 1000)));
    }
}

static void put_random_trial(struct universe *u)
{
    struct lift_db_trial trial = {.problem = u->problems[below(u, PROBLEMS)],
                                  .device = u->devices[below(u, DEVICES)],
                                  .session = u->session,
                                  .phase =
                                      (enum lift_trial_phase)below(u, LIFT_TRIAL_PHASES)};
    double samples[4] = {1e-6, 1e-6 * (1 + below(u, 50)), 2e-6, 0.1};
    struct lift_db_build build = a_build;
    struct lift_db_end end = ok_end(samples, 1 + below(u, 4));
    char text[1000];
    struct lift_hash id;

    for (int i = 0; i < 999; i++)
        text[i] = (char)('a' + (i * 7 + below(u, 2)) % 26);
    text[below(u, 999)] = '\0';
    text[999] = '\0';
    build.source = text;
    build.log = below(u, 2) ? "it said \"no\",\r\nthen\n" : "";
    end.build = below(u, 4) ? &build : NULL;
    if (below(u, 3) == 0) {
        end.status = (enum lift_trial_status)(LIFT_TRIAL_SLOW + below(u, 12));
        end.reason = below(u, 2) ? "a reason, with a comma" : NULL;
    }
    OK(u->db,
       lift_db_put_env(u->db, &(struct lift_db_env){.unit = below(u, 2) ? "0" : "1"},
                       &trial.env));
    snprintf(text + 900, 64, "{\"tile\":%d}", below(u, 5));
    OK(u->db, lift_db_put_candidate(u->db, u->exprs[EXPRS - 1 - below(u, EXPRS / 2)],
                                    text + 900, &trial.candidate));
    text[900] = '\0';
    OK(u->db, lift_db_trial_start(u->db, &trial, &id));
    OK(u->db, lift_db_trial_launch(u->db, id));
    if (!below(u, 10))
        return;
    OK(u->db, lift_db_trial_finish(u->db, id, &end));
    if (end.status == LIFT_TRIAL_OK && below(u, 2))
        lift_db_put_finalist(u->db, u->session, trial.problem, trial.device,
                             &(struct lift_db_finalist){1 + below(u, 9), id, 1e-6,
                                                        below(u, 2) ? 9e-7 : 1.9e-6, 2e-6,
                                                        below(u, 2)});
}

static void put_random_session(struct universe *u)
{
    struct lift_db_session session = {"lift-explore", (uint64_t)below(u, 100), "", "0"};

    OK(u->db, lift_db_session_start(u->db, &session, &u->session));
    for (int i = 0; i < 20; i++)
        put_random_trial(u);
    for (int i = 0; i < 3; i++)
        OK(u->db, lift_db_put_reach(u->db, u->session, u->problems[0], u->devices[i],
                                    &(struct lift_db_reach){"tried", "", below(u, 9)}));
    OK(u->db, lift_db_put_event(u->db, u->session, u->devices[0],
                                &(struct lift_db_event){.kind = "strike", .text = "1"}));
}

static void make_random(const char *path, uint64_t seed)
{
    struct universe u = {.db = open_db(path, LIFT_DB_WRITE)};

    lift_rng_seed(&u.rng, seed);
    OK(u.db, lift_db_begin(u.db));
    for (int i = 0; i < EXPRS; i++)
        put_random_expr(&u, i);
    put_random_problems(&u);
    put_random_derivs(&u);
    put_random_points(&u);
    for (int i = 0; i < 2; i++) {
        put_random_session(&u);
        if (below(&u, 3))
            OK(u.db, lift_db_session_end(u.db, u.session, "budget"));
    }
    OK(u.db, lift_db_commit(u.db));
    lift_db_close(u.db);
}

/* Short names of files in the folder. */
struct path {
    char text[256];
};

static struct path in_folder(const char *name)
{
    struct path p;

    snprintf(p.text, sizeof p.text, "%s/%s", folder, name);
    return p;
}

static struct lift_db_gain merge_into(const char *target, const char *source)
{
    struct lift_db *to = open_db(in_folder(target).text, LIFT_DB_WRITE);
    struct lift_db *from = open_db(in_folder(source).text, LIFT_DB_READ);
    struct lift_db_gain gain;

    OK(to, lift_db_merge(to, from, &gain));
    assert_answer(to, "PRAGMA foreign_key_check", "no row");
    assert_answer(to, "SELECT count(*) FROM sqlite_schema WHERE name = 'trial_ended'",
                  "1");
    lift_db_close(from);
    lift_db_close(to);
    return gain;
}

static void export_to(const char *name, const char *out)
{
    struct lift_db *db = open_db(in_folder(name).text, LIFT_DB_READ);

    OK(db, lift_db_export(db, in_folder(out).text));
    lift_db_close(db);
}

static void assert_same(const char *a, const char *b)
{
    char command[600];

    snprintf(command, sizeof command, "diff -r '%s' '%s' >&2", in_folder(a).text,
             in_folder(b).text);
    assert_int_equal(system(command), 0);
}

static void empty_folder(void)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf '%s'/*", folder);
    assert_int_equal(system(command), 0);
}

/* Every derivation, followed backwards, ends at the root; only the graph bounds its
 * length. */
static void assert_derivations_end(const char *name)
{
    struct lift_db *db = open_db(in_folder(name).text, LIFT_DB_READ);

    assert_answer(
        db,
        "WITH RECURSIVE c(expr, at, n) AS (SELECT id, id, 0 FROM expr UNION ALL"
        " SELECT c.expr, f.parent, n + 1 FROM c JOIN first_deriv f ON f.child ="
        " c.at WHERE n < 100) SELECT max(n) < 30 AND (SELECT count(*) FROM expr)"
        " = (SELECT count(*) FROM c WHERE at IN (SELECT root FROM problem))"
        " FROM c",
        "1");
    lift_db_close(db);
}

static void test_merge(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        make_random(in_folder("a").text, 3 * seed);
        make_random(in_folder("b").text, 3 * seed + 1);
        make_random(in_folder("c").text, 3 * seed + 2);
        merge_into("abc", "a");
        merge_into("abc", "b");
        merge_into("abc", "c");
        assert_int_equal(merge_into("abc", "b").rows, 0);
        merge_into("ca", "c");
        merge_into("ca", "a");
        merge_into("b", "ca");
        merge_into("b", "a");
        export_to("abc", "one");
        export_to("b", "two");
        assert_same("one", "two");
        assert_derivations_end("abc");
        empty_folder();
    }
}

/* A copy that was made while a session ran, and the file itself when it had ended. */
static void test_merge_of_a_younger_copy(void **state)
{
    char command[600];
    struct world w;
    struct lift_hash id;
    double samples[] = {1e-6};
    struct lift_db_end done = ok_end(samples, 1);

    (void)state;
    begin(&w, in_folder("a").text);
    id = start_trial(&w, 0, 0, "{}");
    assert_int_equal(sqlite3_wal_checkpoint(w.db->handle, NULL), SQLITE_OK);
    snprintf(command, sizeof command, "cp '%s' '%s'", in_folder("a").text,
             in_folder("young").text);
    assert_int_equal(system(command), 0);
    OK(w.db, lift_db_trial_finish(w.db, id, &done));
    end(&w);
    /* Elsewhere the copy's session counts as dead. */
    w.db = open_db(in_folder("young").text, LIFT_DB_WRITE);
    OK(w.db, lift_db_session_end(w.db, w.session, "the process died"));
    lift_db_close(w.db);
    merge_into("one", "young");
    merge_into("one", "a");
    merge_into("two", "a");
    merge_into("two", "young");
    export_to("one", "x");
    export_to("two", "y");
    assert_same("x", "y");
    w.db = open_db(in_folder("two").text, LIFT_DB_READ);
    assert_answer(w.db, "SELECT status || end_reason FROM trial JOIN session",
                  "okbudget");
    lift_db_close(w.db);
    empty_folder();
}

static void test_merge_refuses(void **state)
{
    struct lift_db *a, *b;
    struct lift_db_gain gain;

    (void)state;
    make_random(in_folder("a").text, 1);
    make_random(in_folder("b").text, 2);
    a = open_db(in_folder("a").text, LIFT_DB_READ);
    b = open_db(in_folder("b").text, LIFT_DB_WRITE);
    assert_false(lift_db_merge(a, b, &gain));
    assert_non_null(strstr(lift_db_error(a), "it can only be read"));
    a->newer = 9;
    assert_false(lift_db_merge(b, a, &gain));
    assert_non_null(strstr(lift_db_error(b), "its schema 9 is newer"));
    a->newer = 0;
    /* A source that breaks in the middle leaves nothing behind. */
    lift_db_close(b);
    b = open_db(in_folder("c").text, LIFT_DB_WRITE);
    lift_db_close(a);
    a = open_db(in_folder("a").text, LIFT_DB_WRITE);
    assert_int_equal(sqlite3_exec(a->handle,
                                  "PRAGMA foreign_keys = 0; DELETE FROM candidate", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    assert_false(lift_db_merge(b, a, &gain));
    assert_non_null(strstr(lift_db_error(b), "FOREIGN KEY"));
    assert_answer(b, "SELECT count(*) FROM expr", "0");
    lift_db_close(a);
    lift_db_close(b);
    empty_folder();
}

/* CSV. */

static void test_round_trip(void **state)
{
    struct lift_db *db;
    struct lift_db_gain gain;

    (void)state;
    make_random(in_folder("a").text, 77);
    export_to("a", "x");
    db = open_db(in_folder("b").text, LIFT_DB_WRITE);
    OK(db, lift_db_import(db, in_folder("x").text, &gain));
    assert_int_equal(gain.trials, 40);
    lift_db_close(db);
    export_to("b", "y");
    assert_same("x", "y");
    db = open_db(in_folder("b").text, LIFT_DB_WRITE);
    OK(db, lift_db_import(db, in_folder("x").text, &gain));
    assert_int_equal(gain.rows, 0);
    assert_false(lift_db_export(db, in_folder("x").text));
    assert_non_null(strstr(lift_db_error(db), "not empty"));
    lift_db_close(db);
    empty_folder();
}

/* A selection names the same kernels the best, and is a database like any other. */
static void check_selection(int64_t most)
{
    static const char best[] =
        "SELECT group_concat(x, ';') FROM (SELECT trial || tunables || gpts || expr AS x"
        " FROM best_kernel ORDER BY trial)";
    struct lift_db *a = open_db(in_folder("a").text, LIFT_DB_READ), *b;
    struct lift_db_gain gain;
    char *wanted = ask(a, best), sql[400];

    OK(a, lift_db_export_best(a, in_folder("x").text, most));
    assert_answer(a, "SELECT count(*) FROM sqlite_temp_schema", "0");
    assert_int_not_equal(sqlite3_exec(a->handle, "DELETE FROM reach", NULL, NULL, NULL),
                         SQLITE_OK);
    b = open_db(in_folder("b").text, LIFT_DB_WRITE);
    OK(b, lift_db_import(b, in_folder("x").text, &gain));
    assert_answer(b, best, wanted);
    snprintf(sql, sizeof sql,
             "SELECT max(n) BETWEEN 1 AND %lld AND min(n = m) FROM (SELECT count(*) AS n,"
             " count(DISTINCT expr) AS m FROM trials GROUP BY problem_id, device_id)",
             (long long)most);
    assert_answer(b, sql, "1");
    assert_answer(b, "SELECT count(*) FROM trials WHERE trial NOT IN verified", "0");
    assert_answer(b, "SELECT count(*) FROM source WHERE text IS NOT NULL", "0");
    OK(b, lift_db_merge(b, a, &gain));
    assert_answer(b, best, wanted);
    lift_db_close(a);
    lift_db_close(b);
    free(wanted);
}

static void test_selection(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        make_random(in_folder("a").text, 100 + seed);
        check_selection((int64_t)seed % 3 + 1);
        assert_derivations_end("b");
        export_to("b", "all");
        merge_into("c", "b");
        export_to("c", "again");
        assert_same("all", "again");
        empty_folder();
    }
}

/* Edits one file of the folder by sed and imports: the message, and nothing else. */
static void assert_import_error(const char *table, const char *edit, const char *expected)
{
    struct lift_db *db = open_db(":memory:", LIFT_DB_WRITE);
    struct lift_db_gain gain;
    char command[900];

    snprintf(command, sizeof command,
             "rm -rf '%s/y' && cp -r '%s/x' '%s/y' && sed -i '%s' '%s/y/%s.csv'", folder,
             folder, folder, edit, folder, table);
    assert_int_equal(system(command), 0);
    if (lift_db_import(db, in_folder("y").text, &gain))
        fail_msg("imported: %s of %s.csv", edit, table);
    if (!strstr(lift_db_error(db), expected))
        fail_msg("'%s' is not in '%s'", expected, lift_db_error(db));
    assert_answer(db, "SELECT count(*) FROM device", "0");
    assert_answer(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'trial_ended'",
                  "1");
    lift_db_close(db);
}

static void test_malformed_csv(void **state)
{
    (void)state;
    make_random(in_folder("a").text, 5);
    export_to("a", "x");
    assert_import_error("lift", "s/11/12/", "its schema is 12, this program's 11");
    assert_import_error("lift", "s/11/3/", "its schema is 3, this program's 11");
    assert_import_error(
        "trial", "1s/candidate/kandidat/",
        "/y/trial.csv:1:6: column 'candidate' was expected, not 'kandidat'");
    assert_import_error("timing", "3s/,[0-9]*,/,a,/",
                        "/y/timing.csv:3:36: 'a' of column 'idx' is not a whole number");
    assert_import_error("timing", "2s/$/,7/", "/y/timing.csv:2:");
    assert_import_error("timing", "2s/$/,7/", "the row has more than 6 fields");
    assert_import_error("timing", "4s/,.*//", "/y/timing.csv:4:35: the row has 1 of 6");
    assert_import_error("device", "2s/^[^,]*,//", "/y/device.csv:2:");
    assert_import_error("problem", "2s/^[^,]*,/,/",
                        "/y/problem.csv:2:1: column 'id' has no value");
    assert_import_error("timing", "2s/\"[0-9a-f]*\"/\"" ZEROS "\"/",
                        "/y/timing.csv:2:1: the row refers to a missing row");
    assert_import_error("candidate", "2s/\"[0-9a-f]*\"/\"" ZEROS "\"/2",
                        "of column 'id' is not the hash of its row");
    assert_import_error("candidate", "2s/\"[0-9a-f]*\"/\"x\"/2",
                        "2:36: 'x' of column 'expr' is not 32 hexadecimal digits");
    assert_import_error("expr", "3s/\"low\"\\|\"high\"/\"flat\"/",
                        "/y/expr.csv:3:1: CHECK");
    assert_import_error("session", "2s/\"/x\"/3", "/y/session.csv:2:");
    assert_import_error("program", "$s/\"$//", "a quote is not closed");
    assert_import_error("reach", "d", "/y/reach.csv:1:1: the file is empty");
    assert_int_equal(unlink(in_folder("x/env.csv").text), 0);
    assert_import_error("trial", "", "/y/env.csv': No such file");
    empty_folder();
}

/* Files that are CSV, with values that no export writes. */
static void test_values_of_csv(void **state)
{
    (void)state;
    make_random(in_folder("a").text, 5);
    export_to("a", "x");
    assert_import_error("program", "2s/text/te\\xe9t/",
                        "/y/program.csv:2:43: unexpected byte 0xe9: expected UTF-8");
    assert_import_error("program", "2s/text/te\\x00t/", ":2:43: unexpected byte 0x00");
    assert_import_error("program", "2s/text/t\\n\\x1b[2J/",
                        "/y/program.csv:3:1: unexpected byte 0x1b");
    assert_import_error("program", "2s/\"text\"/\"t\\xf0\\x9f/", "unexpected byte 0xf0");
    assert_import_error("program", "2s/\"[ab]\"/\"a b\"/",
                        "2:36: 'a b' of column 'name' is not a name");
    for (int i = 0; i < 8; i++) {
        static const char *const not [] = {"a b",    "a(",    "a()",  "(1)",
                                           "a(1,2)", "a(1)b", "1(1)", "a(1, )"};
        char edit[64];

        snprintf(edit, sizeof edit, "2s/\"rule[^\"]*\"/\"%s\"/", not [i]);
        assert_import_error("deriv", edit, "of column 'rule' is not the name of a rule");
        snprintf(edit, sizeof edit, "2s/\"macro\"/\"%s\"/", not [i]);
        assert_import_error("macro_use", edit, "of column 'macro' is not the name of a");
    }
    assert_import_error("problem", "2s/\"{\"\"n\"\":8}\"/\"8\"/",
                        "'8' of column 'sizes' is not an object of JSON");
    assert_import_error("problem", "2s/,1000,/,-1000,/",
                        "'-1000' of column 'points' is negative");
    assert_import_error("problem", "2s/,1000,/,1e3,/",
                        "'1e3' of column 'points' is not a whole number");
    assert_import_error("problem", "2s/,1000,/,9223372036854775808,/",
                        "column 'points' is not a whole number");
    assert_import_error("problem", "2s/,1000,/,9223372036854775807,/",
                        "column 'points' is too large a number");
    assert_import_error("problem", "2s/,1000,/,\" 1000\",/",
                        "column 'points' is not a whole");
    assert_import_error("device", "2s/,[0-9]*,0,/,4294967297,0,/",
                        "'4294967297' of column 'compute_units' is too large a number");
    for (int i = 0; i < 5; i++) {
        static const char *const not [] = {"nan", "inf", "1e999", "0x10", "-1"};
        char edit[64];

        snprintf(edit, sizeof edit, "2s/,[^,]*,[^,]*,,$/,%s,,,/", not [i]);
        assert_import_error("device", edit, "of column 'copy_gbs' is not a number");
    }
    assert_import_error("device", "2s/,[^,]*,[^,]*,,$/,1e308,,,/",
                        "'1e308' of column 'copy_gbs' is too large a number");
    assert_import_error("trial", "2s/,[^,]*$/,1e19/",
                        "'1e19' of column 'measure_s' is too large a number");
    assert_import_error("deriv", "2s/\\(\"[0-9a-f]*\"\\),\"[0-9a-f]*\"/\\1,\\1/",
                        "of column 'parent' is its own child");
    /* Two candidates get each other's names. */
    assert_import_error("candidate",
                        "2{h;d};3{G;s/^\\([^,]*\\)\\(.*\\n\\)\\([^,]*\\)/\\3\\2\\1/}",
                        "/y/candidate.csv:2:1: '");
    assert_import_error("candidate",
                        "2{h;d};3{G;s/^\\([^,]*\\)\\(.*\\n\\)\\([^,]*\\)/\\3\\2\\1/}",
                        "of column 'id' is not the hash of its row");
    assert_import_error("problem", "2s/\"\"n\"\":8/\"\"n\"\":9/",
                        "of column 'id' is not the hash of its row");
    assert_import_error("device", "2s/Acme/Acne/",
                        "of column 'id' is not the hash of its row");
    assert_import_error("source", "2s/\",\"/\",\"x/",
                        "of column 'id' is not the hash of its row");
    assert_import_error("session", "2s/\"20[0-9]*-[^\"]*\"/\"today\"/",
                        "'today' of column 'started' is not a time such as 20");
    empty_folder();
}

/* Pruning. */

static void test_prune(void **state)
{
    struct lift_db_prune what = {.top = 1, .keep_failures = true};
    struct lift_db_pruned out;
    struct world w;

    (void)state;
    begin(&w, in_folder("a").text);
    put_trials(&w);
    put_failure(&w, 0, 0, LIFT_TRIAL_CRASH, "signal 11");
    OK(w.db, lift_db_prune(w.db, &what, &out));
    assert_int_equal(out.samples, 3);
    assert_int_equal(out.sources, 0); /* it is that of the best, too */
    assert_int_equal(out.failures, 0);
    assert_answer(w.db, "SELECT count(*) FROM trial", "8");
    assert_answer(w.db, "SELECT group_concat(tunables) FROM best_kernel",
                  "{\"tile\":32},{\"tile\":32}");
    assert_answer(w.db, "SELECT count(DISTINCT median_ns) FROM trial", "3");
    what.keep_failures = false;
    OK(w.db, lift_db_session_end(w.db, w.session, "budget"));
    OK(w.db, lift_db_prune(w.db, &what, &out));
    assert_int_equal(out.failures, 3); /* wrong values stay */
    assert_answer(w.db, "PRAGMA foreign_key_check", "no row");
    lift_db_close(w.db);
    empty_folder();
}

/* A merge with the whole database restores pruned rows, in either order. */
static void test_prune_and_merge(void **state)
{
    struct lift_db_prune what = {.top = 2};
    struct lift_db_pruned out;
    struct lift_db *db;
    char command[600];

    (void)state;
    make_random(in_folder("a").text, 9);
    db = open_db(in_folder("a").text, LIFT_DB_WRITE);
    assert_int_equal(sqlite3_exec(db->handle,
                                  "UPDATE session SET ended = '2026-11-20T06:10:32.123Z'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    lift_db_close(db);
    snprintf(command, sizeof command, "cp '%s' '%s'", in_folder("a").text,
             in_folder("b").text);
    assert_int_equal(system(command), 0);
    db = open_db(in_folder("b").text, LIFT_DB_WRITE);
    OK(db, lift_db_prune(db, &what, &out));
    assert_true(out.sources > 0 && out.samples > 0 && out.exprs > 0 && out.failures > 0);
    assert_true(out.bytes_after < out.bytes_before);
    assert_answer(db, "PRAGMA integrity_check", "ok");
    lift_db_close(db);
    export_to("a", "whole");
    merge_into("b", "a");
    export_to("b", "again");
    assert_same("whole", "again");
    empty_folder();
}

/* The doctor: see also test_db_doctor.c. */

static void ignore_finding(void *user, enum lift_db_health health, const char *what)
{
    (void)user, (void)health, (void)what;
}

/* Damage in the middle of the file: whatever the byte, doctor says so or finds all well,
 * and nothing crashes; where it finds all well, all is there. */
static void test_damage(void **state)
{
    struct lift_rng rng;
    int found = 0;
    char copy[600];
    struct stat st;

    (void)state;
    lift_rng_seed(&rng, 6);
    make_random(in_folder("a").text, 11);
    assert_int_equal(stat(in_folder("a").text, &st), 0);
    snprintf(copy, sizeof copy, "cp '%s' '%s'", in_folder("a").text, in_folder("b").text);
    for (int i = 0; i < 40; i++) {
        long at = 4096 + (long)lift_rng_below(&rng, (uint64_t)st.st_size - 8192);
        struct lift_error error = {0};
        struct lift_db *db;
        FILE *file;

        assert_int_equal(system(copy), 0);
        file = fopen(in_folder("b").text, "r+");
        assert_non_null(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        for (int k = 0; k < 600; k++)
            fputc((int)lift_rng_below(&rng, 256), file);
        fclose(file);
        db = lift_db_open(in_folder("b").text, LIFT_DB_READ, &error);
        if (!db || !lift_db_doctor(db, LIFT_DB_LOOK, ignore_finding, NULL))
            found++;
        if (!db)
            assert_non_null(strstr(lift_error_text(&error), in_folder("b").text));
        else
            lift_db_close(db);
        lift_error_fini(&error);
    }
    print_message("damage found in %d of 40 files\n", found);
    assert_true(found > 20);
    empty_folder();
}

/* Numbers. */

static bool note_table(void *user, const struct lift_db_table_stats *row)
{
    struct rows *r = user;

    if (!strcmp(row->table, "trial") || !strcmp(row->table, "timing"))
        snprintf(r->text[r->count++], 256, "%s %d %d", row->table, (int)row->rows,
                 row->bytes != 0);
    return true;
}

static bool note_status(void *user, const struct lift_db_status_stats *row)
{
    struct rows *r = user;

    snprintf(r->text[r->count++], 256, "%s %s %s %d", row->program, row->device,
             row->status, (int)row->trials);
    return true;
}

static void test_stats(void **state)
{
    struct world w;
    struct rows r = {0};

    (void)state;
    begin(&w, ":memory:");
    put_trials(&w);
    OK(w.db, lift_db_table_stats(w.db, note_table, &r));
    OK(w.db, lift_db_status_stats(w.db, note_status, &r));
    assert_int_equal(r.count, 7);
    assert_string_equal(r.text[0], "trial 7 1");
    assert_string_equal(r.text[1], "timing 9 1");
    assert_string_equal(r.text[2], "acoustic Test CPU (host) compile_error 2");
    assert_string_equal(r.text[5], "acoustic Test GPU (opencl) nonfinite 1");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_of_a_younger_copy),
        cmocka_unit_test(test_merge_refuses),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_malformed_csv),
        cmocka_unit_test(test_values_of_csv),
        cmocka_unit_test(test_prune),
        cmocka_unit_test(test_prune_and_merge),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_stats),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
