#include "sessions.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* ---- exploring */

static _Noreturn void become(const struct bench_session *s)
{
    char seed[16], budget[32];
    const char *argv[24] = {s->lift,    "explore", s->program,
                            "--device", s->device, s->tries > 0 ? "--tries" : "--seconds",
                            budget,     "--db",    s->db,
                            "--seed",   seed,      "--quiet"};
    int count = 12;

    snprintf(seed, sizeof seed, "%d", s->seed);
    if (s->tries > 0)
        snprintf(budget, sizeof budget, "%d", s->tries);
    else
        snprintf(budget, sizeof budget, "%g", s->seconds);
    if (s->sizes) {
        argv[count++] = "--size";
        argv[count++] = s->sizes;
    }
    if (s->precision) {
        argv[count++] = "--precision";
        argv[count++] = s->precision;
    }
    if (s->jobs) {
        argv[count++] = "--jobs";
        argv[count++] = s->jobs;
    }
    if (!freopen("/dev/null", "w", stdout))
        _exit(127);
    execvp(s->lift, (char *const *)argv);
    perror(s->lift);
    _exit(127);
}

bool bench_explore(const struct bench_session *session)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0)
        become(session);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* ---- reading */

/* Seconds from the start of the session to the end of the try. */
#define AT "(julianday(t.ended) - julianday(s.started)) * 86400"
#define NEWEST "(SELECT id FROM session ORDER BY started DESC, id DESC LIMIT 1)"
#define TRIES " FROM try t JOIN session s ON s.id = t.session WHERE s.id = " NEWEST
#define SEARCHED TRIES " AND t.phase <> 'final'"
/* Of what the newest session worked on. */
#define BEST                                                                             \
    " FROM best_kernel b WHERE EXISTS (SELECT 1 FROM try t WHERE t.session = " NEWEST    \
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

struct bench_outcome bench_outcome_read(const char *path)
{
    sqlite3 *db = open_db(path);
    struct bench_outcome o = {
        .best = ask(db, "SELECT 1e-3 * median_ms" BEST, 0),
        .first = ask(
            db, "SELECT min(" AT ")" TRIES " AND t.id IN (SELECT try FROM verified)", 0),
        .session = ask(db,
                       "SELECT (julianday(ended) - julianday(started)) * 86400"
                       " FROM session WHERE id = " NEWEST,
                       0),
        .gpts = ask(db, "SELECT gpts" BEST, 0),
        .roof = ask(db, "SELECT roof_percent" BEST, 0),
        .tries = (int)ask(db, "SELECT count(*)" SEARCHED, 0),
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

double bench_time_to(const char *path, double seconds)
{
    sqlite3 *db = open_db(path);
    double at = ask(db,
                    "SELECT min(" AT ")" SEARCHED " AND t.median_ns <= 1e9 * ?"
                    " AND t.id IN (SELECT try FROM verified)",
                    seconds);

    sqlite3_close(db);
    return at;
}
