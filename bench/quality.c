/* How long an exploration takes until its best kernel is as good as the best of a long
 * one.
 *
 *     bench_quality [-l LIFT] [-d DEVICE] [-t SECONDS] [-n REPETITIONS] [-o FOLDER]
 *                   FILE.lift[:SIZES] ...
 *
 * Each program is explored REPETITIONS times with different seeds, each time into a fresh
 * database of FOLDER, which is kept. All figures are read from the databases: times run
 * from the start of the session (rewriting, the reference, the device's roof and seeds
 * are part of it) to the end of the try. The best is the fastest of all repetitions, by
 * the finals. Prints a table; FOLDER/quality.csv has the same rows. */
#include "bench.h"
#include <getopt.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 100 };

struct settings {
    const char *lift, *device, *seconds, *folder;
    int repetitions;
};

/* What one database says. */
struct outcome {
    double best;       /* seconds of the best kernel */
    double first;      /* s until the first verified kernel */
    double within[2];  /* s until within 5 and 1 % of the best of all; negative: never */
    double session;    /* s in all */
    double gpts, roof; /* of the best */
    int tries;
};

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "quality: %s: %s\n", what, why);
    exit(1);
}

/* ---- exploring */

static void explore(const struct settings *s, const char *program, const char *sizes,
                    const char *db, int seed)
{
    char number[16];
    const char *argv[16] = {s->lift,   "explore",   program,    "--device",
                            s->device, "--seconds", s->seconds, "--db",
                            db,        "--seed",    number,     "--quiet"};
    int status;
    pid_t pid;

    snprintf(number, sizeof number, "%d", seed);
    if (sizes) {
        argv[12] = "--size";
        argv[13] = sizes;
    }
    pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execvp(s->lift, (char *const *)argv);
        perror(s->lift);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        stop(program, "the exploration failed");
}

/* ---- reading */

/* Seconds from the start of the session to the end of the try. */
#define AT "(julianday(t.ended) - julianday(s.started)) * 86400"

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

static sqlite3 *open_db(const char *path)
{
    sqlite3 *db;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        stop(path, sqlite3_errmsg(db));
    return db;
}

static struct outcome read_run(const char *path)
{
    sqlite3 *db = open_db(path);
    struct outcome o = {
        .best = 1e-3 * ask(db, "SELECT median_ms FROM best_kernel", 0),
        .first = ask(db,
                     "SELECT min(" AT ") FROM try t JOIN session s ON s.id = t.session"
                     " WHERE t.id IN (SELECT try FROM verified)",
                     0),
        .session = ask(db,
                       "SELECT (julianday(ended) - julianday(started)) * 86400"
                       " FROM session",
                       0),
        .gpts = ask(db, "SELECT gpts FROM best_kernel", 0),
        .roof = ask(db, "SELECT roof_percent FROM best_kernel", 0),
        .tries = (int)ask(db, "SELECT count(*) FROM try WHERE phase <> 'final'", 0)};

    sqlite3_close(db);
    return o;
}

/* Until a candidate was measured that is within that factor of the best. */
static double time_to(const char *path, double seconds)
{
    sqlite3 *db = open_db(path);
    double at = ask(db,
                    "SELECT min(" AT ") FROM try t JOIN session s ON s.id = t.session"
                    " WHERE t.phase <> 'final' AND t.median_ns <= 1e9 * ?"
                    " AND t.id IN (SELECT try FROM verified)",
                    seconds);

    sqlite3_close(db);
    return at;
}

/* ---- one program */

static void name_db(const struct settings *s, const char *program, int run, char *out,
                    size_t size)
{
    const char *base = strrchr(program, '/');

    base = base ? base + 1 : program;
    snprintf(out, size, "%s/%.*s-%d.db", s->folder, (int)strcspn(base, "."), base, run);
}

static void print_run(FILE *csv, const char *program, int run, const struct outcome *o)
{
    printf("%-24s %3d %8.1f %8.1f %8.1f %8.1f %6d %9.3f %6.1f\n", program, run + 1,
           o->first, o->within[0], o->within[1], o->session, o->tries, o->gpts, o->roof);
    fprintf(csv, "%s,%d,%.2f,%.2f,%.2f,%.2f,%d,%.4f,%.2f,%.9f\n", program, run + 1,
            o->first, o->within[0], o->within[1], o->session, o->tries, o->gpts, o->roof,
            o->best);
    fflush(stdout);
    fflush(csv);
}

static void print_medians(const char *program, const struct outcome *runs, int count)
{
    double within[2][MOST_RUNS];

    for (int i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            within[k][i] = runs[i].within[k] < 0 ? INT_MAX : runs[i].within[k];
    if (count < 2)
        return;
    for (int k = 0; k < 2; k++) {
        double median = bench_median(within[k], count);

        if (median < INT_MAX)
            printf("%-24s within %d %%: median of %d: %.1f s, longest %.1f s\n", program,
                   k ? 1 : 5, count, median, within[k][count - 1]);
        else
            printf("%-24s within %d %%: not reached in half of %d\n", program, k ? 1 : 5,
                   count);
    }
}

static void measure(const struct settings *s, char *program, FILE *csv)
{
    struct outcome runs[MOST_RUNS];
    char *sizes = strchr(program, ':'), path[PATH_MAX];
    double best = 0;

    if (sizes)
        *sizes++ = '\0';
    for (int i = 0; i < s->repetitions; i++) {
        name_db(s, program, i, path, sizeof path);
        if (access(path, F_OK) == 0)
            stop(path, "is there already; choose another folder");
        explore(s, program, sizes, path, i + 1);
        runs[i] = read_run(path);
        if (runs[i].best > 0 && (best <= 0 || runs[i].best < best))
            best = runs[i].best;
    }
    for (int i = 0; i < s->repetitions; i++) {
        name_db(s, program, i, path, sizeof path);
        runs[i].within[0] = time_to(path, 1.05 * best);
        runs[i].within[1] = time_to(path, 1.01 * best);
        print_run(csv, program, i, &runs[i]);
    }
    print_medians(program, runs, s->repetitions);
}

static void usage(void)
{
    stop("usage", "bench_quality [-l LIFT] [-d DEVICE] [-t SECONDS] [-n REPETITIONS] "
                  "[-o FOLDER] FILE.lift[:SIZES] ...");
}

int main(int argc, char **argv)
{
    struct settings s = {"lift", "host", "600", "quality", 1};
    char path[PATH_MAX];
    FILE *csv;
    int option;

    while ((option = getopt(argc, argv, "l:d:t:n:o:")) != -1)
        switch (option) {
        case 'l':
            s.lift = optarg;
            break;
        case 'd':
            s.device = optarg;
            break;
        case 't':
            s.seconds = optarg;
            break;
        case 'o':
            s.folder = optarg;
            break;
        case 'n':
            s.repetitions = (int)strtol(optarg, NULL, 10);
            break;
        default:
            usage();
        }
    if (optind == argc || s.repetitions < 1 || s.repetitions > MOST_RUNS)
        usage();
    mkdir(s.folder, 0777);
    snprintf(path, sizeof path, "%s/quality.csv", s.folder);
    csv = fopen(path, "we");
    if (!csv)
        stop(path, "cannot be written");
    fputs("program,run,first_s,within_5_s,within_1_s,session_s,tries,gpts,roof_percent,"
          "best_s\n",
          csv);
    printf("%-24s %3s %8s %8s %8s %8s %6s %9s %6s\n", "program", "run", "first s",
           "5 % s", "1 % s", "all s", "tries", "GPts/s", "roof %");
    for (; optind < argc; optind++)
        measure(&s, argv[optind], csv);
    fclose(csv);
    return 0;
}
