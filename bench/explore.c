/* Explores programs one after the other, each for some time.
 *
 *     bench_explore [-l LIFT] [-d DEVICE] [-t SECONDS] [-j JOBS] [-s SEED] [-n TRIALS]
 *                   [-b DATABASE] [-r REPETITIONS] [-o FOLDER] [-c FILE.csv]
 *                   FILE.lift[:SIZES[:PRECISION]] | @LIST ...
 *
 * With -n, each program gets TRIALS trials instead. Prints one line per program: this
 * session and the best kernel in the database so far. An existing database is reused, and
 * its best kernels are tried first. FOLDER (default: none) receives the database as 'lift
 * db export --csv' writes it and 'lift db import' reads it.
 *
 * With -r, the time to quality: each program is explored REPETITIONS times, with seeds
 * from SEED on, each time into a fresh database of FOLDER ('quality'), which is kept.
 * The best is then the fastest of all repetitions, by the finals, and the medians of the
 * times to it are printed.
 *
 * Needs the two binaries only. Ends with status 1 if an exploration failed; the others
 * are done all the same. */
#include "base/stats.h"
#include "list.h"
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 100, MOST_ARGUMENTS = 24 };

static const double shares[2] = {1.05, 1.01};

struct settings {
    const char *lift, *device, *db;
    const char *jobs; /* NULL: as many as the command takes */
    double seconds;
    int trials; /* so many instead; 0: for so long */
    int seed;
    int repetitions;    /* 0: one, into 'db' */
    const char *folder; /* NULL: none */
    FILE *csv;          /* NULL: none */
};

/* Facts about the newest session in a database. Times run from the start of the session
 * (including rewriting, the reference, the device's copy bandwidth and seeds) to the end
 * of the trial; negative: never. The best kernel is that of all sessions of its problem.
 */
struct outcome {
    double best;             /* seconds of the best kernel; negative: there is none */
    double first;            /* s until the first verified kernel */
    double session;          /* s in all */
    double gpts, copy_share; /* of the best; in percent of copy bandwidth */
    int trials;              /* without the final benchmark */
    double rate; /* trials a minute, from the beginning of the first to the end of the
                    last */
    /* Total seconds of compilation (summed over concurrent processes), checks and timing.
     */
    double compile, check, measure;
    double within[2]; /* s until within 5 and 1 % of the best of all repetitions */
};

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "explore: %s: %s\n", what, why);
    exit(2);
}

/* ---- exploring */

/* False if the command failed; its messages are on stderr. */
static bool call(const char *const *argv, bool quiet)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        if (!quiet || freopen("/dev/null", "w", stdout))
            execvp(argv[0], (char *const *)argv);
        perror(argv[0]);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static bool explore(const struct settings *s, const struct bench_item *item,
                    const char *db, int seed)
{
    char number[16], budget[32];
    const char *argv[MOST_ARGUMENTS] = {
        s->lift, "explore", item->program, "--device", s->device, "--db",
        db,      "--seed",  number,        "--quiet",  budget};
    const char *const optional[][2] = {
        {"--size", item->sizes}, {"--precision", item->precision}, {"--jobs", s->jobs}};
    int count = 11;

    snprintf(number, sizeof number, "%d", seed);
    if (s->trials > 0)
        snprintf(budget, sizeof budget, "--trials=%d", s->trials);
    else
        snprintf(budget, sizeof budget, "--seconds=%g",
                 item->seconds > 0 ? item->seconds : s->seconds);
    for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++)
        if (optional[i][1]) {
            argv[count++] = optional[i][0];
            argv[count++] = optional[i][1];
        }
    return call(argv, true);
}

static bool export(const struct settings *s)
{
    return call((const char *const[]){s->lift, "db", "export", "--csv", s->folder, "--db",
                                      s->db, NULL},
                false);
}

/* ---- reading */

/* Seconds from the start of the session to the end of the trial. */
#define AT "(julianday(t.ended) - julianday(s.started)) * 86400"
#define NEWEST "(SELECT id FROM session ORDER BY started DESC, id DESC LIMIT 1)"
#define TRIALS " FROM trial t JOIN session s ON s.id = t.session WHERE s.id = " NEWEST
#define SEARCHED TRIALS " AND t.phase <> 'final_benchmark'"
/* Condition on rows: the problem of the newest session. */
#define BEST                                                                             \
    " FROM best_kernel b WHERE EXISTS (SELECT 1 FROM trial t WHERE t.session = " NEWEST  \
    " AND t.problem = b.problem_id AND t.device = b.device_id)"

static sqlite3 *open_db(const char *path)
{
    sqlite3 *db;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        stop(path, sqlite3_errmsg(db));
    return db;
}

/* The number that a query gives; -1: none. 'value' is bound if it has a parameter. */
static double ask(sqlite3 *db, const char *sql, double value)
{
    sqlite3_stmt *stmt;
    double answer = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        stop(sql, sqlite3_errmsg(db));
    if (sqlite3_bind_parameter_count(stmt))
        sqlite3_bind_double(stmt, 1, value);
    if (sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) != SQLITE_NULL)
        answer = sqlite3_column_double(stmt, 0);
    sqlite3_finalize(stmt);
    return answer;
}

static struct outcome read_outcome(const char *path)
{
    sqlite3 *db = open_db(path);
    struct outcome o = {
        .best = ask(db, "SELECT 1e-3 * median_ms" BEST, 0),
        .first = ask(
            db, "SELECT min(" AT ")" TRIALS " AND t.id IN (SELECT trial FROM verified)",
            0),
        .session = ask(db,
                       "SELECT (julianday(ended) - julianday(started)) * 86400"
                       " FROM session WHERE id = " NEWEST,
                       0),
        .gpts = ask(db, "SELECT gpts" BEST, 0),
        .copy_share = ask(db, "SELECT copy_percent" BEST, 0),
        .trials = (int)ask(db, "SELECT count(*)" SEARCHED, 0),
        .rate = ask(db,
                    "SELECT count(*) / (1440 * (max(julianday(t.ended))"
                    " - min(julianday(t.started))))" SEARCHED,
                    0),
        .compile = ask(db, "SELECT total(t.compile_s)" SEARCHED, 0),
        .check = ask(db, "SELECT total(t.check_s)" SEARCHED, 0),
        .measure = ask(db, "SELECT total(t.measure_s)" SEARCHED, 0)};

    sqlite3_close(db);
    return o;
}

/* s until the newest session measured a kernel that takes at most so many seconds;
 * negative: never. */
static double time_to(const char *path, double seconds)
{
    sqlite3 *db = open_db(path);
    double at = ask(db,
                    "SELECT min(" AT ")" SEARCHED " AND t.median_ns <= 1e9 * ?"
                    " AND t.id IN (SELECT trial FROM verified)",
                    seconds);

    sqlite3_close(db);
    return at;
}

/* ---- printing */

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static void print_head(void)
{
    printf("%-28s %-24s %-6s %3s %9s %6s %6s %6s %8s %8s %8s %8s %8s %8s %8s\n",
           "program", "sizes", "", "run", "GPts/s", "%copy", "trials", "a min", "compile",
           "check", "time", "first s", "5 % s", "1 % s", "all s");
}

static void print_outcome(const struct bench_item *item, int run, const struct outcome *o)
{
    const double times[] = {o->compile,   o->check,     o->measure, o->first,
                            o->within[0], o->within[1], o->session};

    printf("%-28s %-24s %-6s %3d %9.3f %6.1f %6d %6.0f", item->program,
           or_nothing(item->sizes), or_nothing(item->precision), run + 1, o->gpts,
           o->copy_share, o->trials, o->rate);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (times[i] < 0)
            printf(" %8s", "-");
        else
            printf(" %8.1f", times[i]);
    putchar('\n');
    fflush(stdout);
}

/* Sizes have commas. */
static void put_outcome(FILE *csv, const struct bench_item *item, int run,
                        const struct outcome *o)
{
    fprintf(csv,
            "%s,\"%s\",%s,%d,%.4f,%.2f,%d,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.9f\n",
            item->program, or_nothing(item->sizes), or_nothing(item->precision), run + 1,
            o->gpts, o->copy_share, o->trials, o->rate, o->compile, o->check, o->measure,
            o->first, o->within[0], o->within[1], o->session, o->best);
    fflush(csv);
}

static void print_medians(const char *program, const struct outcome *runs, int count)
{
    for (int k = 0; k < 2; k++) {
        double within[MOST_RUNS], longest = 0, median;

        for (int i = 0; i < count; i++) {
            within[i] = runs[i].within[k] < 0 ? HUGE_VAL : runs[i].within[k];
            longest = within[i] > longest ? within[i] : longest;
        }
        median = lift_median(within, count);
        printf("%-28s within %d %%: ", program, k ? 1 : 5);
        if (median == HUGE_VAL)
            printf("not reached in half of %d\n", count);
        else if (longest == HUGE_VAL)
            printf("median of %d: %.1f s, not reached in all\n", count, median);
        else
            printf("median of %d: %.1f s, longest %.1f s\n", count, median, longest);
    }
}

/* ---- one program */

static void name_db(const struct settings *s, const char *program, int run,
                    char out[PATH_MAX])
{
    const char *base = strrchr(program, '/');

    base = base ? base + 1 : program;
    snprintf(out, PATH_MAX, "%s", s->db);
    if (s->repetitions == 0)
        return;
    snprintf(out, PATH_MAX, "%s/%.*s-%d.db", s->folder, (int)strcspn(base, "."), base,
             run);
    if (access(out, F_OK) == 0)
        stop(out, "is there already; choose another folder");
}

static bool measure(const struct settings *s, const struct bench_item *item)
{
    int count = s->repetitions ? s->repetitions : 1;
    static char paths[MOST_RUNS][PATH_MAX];
    struct outcome runs[MOST_RUNS];
    double best = 0;

    for (int i = 0; i < count; i++) {
        name_db(s, item->program, i, paths[i]);
        if (!explore(s, item, paths[i], s->seed + i)) {
            printf("%-28s %-24s %-6s failed\n", item->program, or_nothing(item->sizes),
                   or_nothing(item->precision));
            return false;
        }
        runs[i] = read_outcome(paths[i]);
        if (runs[i].best > 0 && (best <= 0 || runs[i].best < best))
            best = runs[i].best;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++)
            runs[i].within[k] = best > 0 ? time_to(paths[i], shares[k] * best) : -1;
        print_outcome(item, i, &runs[i]);
        if (s->csv)
            put_outcome(s->csv, item, i, &runs[i]);
    }
    if (count > 1)
        print_medians(item->program, runs, count);
    return true;
}

/* ---- the command */

static _Noreturn void usage(void)
{
    stop("usage", "bench_explore [-l LIFT] [-d DEVICE] [-t SECONDS] [-j JOBS] "
                  "[-s SEED] [-n TRIALS] [-b DATABASE] [-r REPETITIONS] [-o FOLDER] "
                  "[-c FILE.csv] FILE.lift[:SIZES[:PRECISION]] | @LIST ...");
}

static struct settings read_options(int argc, char **argv)
{
    struct settings s = {
        .lift = "lift", .device = "host", .db = "explore.db", .seconds = 120, .seed = 1};
    const char *csv = NULL;
    int option;

    while ((option = getopt(argc, argv, "l:d:t:j:s:n:b:r:o:c:")) != -1)
        switch (option) {
        case 'l':
            s.lift = optarg;
            break;
        case 'd':
            s.device = optarg;
            break;
        case 't':
            s.seconds = strtod(optarg, NULL);
            break;
        case 'j':
            s.jobs = optarg;
            break;
        case 's':
            s.seed = (int)strtol(optarg, NULL, 10);
            break;
        case 'n':
            s.trials = (int)strtol(optarg, NULL, 10);
            break;
        case 'b':
            s.db = optarg;
            break;
        case 'r':
            s.repetitions = (int)strtol(optarg, NULL, 10);
            if (s.repetitions < 1 || s.repetitions > MOST_RUNS)
                usage();
            break;
        case 'o':
            s.folder = optarg;
            break;
        case 'c':
            csv = optarg;
            break;
        default:
            usage();
        }
    if (optind == argc || !(s.seconds > 0))
        usage();
    if (s.repetitions && !s.folder)
        s.folder = "quality";
    if (s.repetitions)
        mkdir(s.folder, 0777);
    s.csv = csv ? fopen(csv, "we") : NULL;
    if (csv && !s.csv)
        stop(csv, "cannot be written");
    return s;
}

int main(int argc, char **argv)
{
    struct settings s = read_options(argc, argv);
    struct bench_list list;
    bool good = true;

    bench_list_read(argv + optind, &list);
    if (s.csv)
        fputs("program,sizes,precision,run,gpts,copy_percent,trials,trials_a_minute,"
              "compile_s,check_s,measure_s,first_s,within_5_s,within_1_s,session_s,"
              "best_s\n",
              s.csv);
    print_head();
    for (int i = 0; i < list.count; i++)
        good = measure(&s, &list.items[i]) && good;
    if (s.csv && fclose(s.csv) != 0)
        stop("the CSV file", "cannot be written");
    bench_list_free(&list);
    return (s.repetitions || !s.folder || export(&s)) && good ? 0 : 1;
}
