/* Explores programs one after the other into one database, each for some time, and writes
 * its content down.
 *
 *     bench_explore [-l LIFT] [-d DEVICE] [-t SECONDS] [-j JOBS] [-s SEED]
 *                       [-n TRIES] [-b DATABASE] [-o FOLDER] [-c FILE.csv]
 *                       FILE.lift[:SIZES] | @LIST ...
 *
 * With -n, each so many tries instead. Prints a line a program, of its own session and of
 * the best kernel that the database knows by then. The database is kept and may be there
 * already: then what was good is tried first. FOLDER (none: not done) gets all of its
 * content, as 'lift db export --csv' writes it and 'lift db import' reads it. Needs the
 * two binaries only. Ends with status 1 if an exploration failed; the others are done all
 * the same. */
#include "list.h"
#include "sessions.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct settings {
    struct bench_session session; /* of each program */
    const char *folder;           /* NULL: none */
    FILE *csv;                    /* NULL: none */
};

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "explore: %s: %s\n", what, why);
    exit(2);
}

static const char *sizes_of(const struct bench_item *item)
{
    return item->sizes ? item->sizes : "";
}

static const char *precision_of(const struct bench_item *item)
{
    return item->precision ? item->precision : "";
}

static void print_head(void)
{
    printf("%-28s %-24s %-6s %9s %6s %6s %6s %8s %8s %8s %8s %8s %8s\n", "program",
           "sizes", "", "GPts/s", "%copy", "tries", "a min", "compile", "check", "time",
           "first s", "5 % s", "all s");
}

static void print_time(double seconds)
{
    if (seconds < 0)
        printf(" %8s", "-");
    else
        printf(" %8.1f", seconds);
}

static void print_outcome(const struct bench_item *item, const struct bench_outcome *o,
                          double within)
{
    printf("%-28s %-24s %-6s %9.3f %6.1f %6d %6.0f", item->program, sizes_of(item),
           precision_of(item), o->gpts, o->roof, o->tries, o->rate);
    print_time(o->compile);
    print_time(o->check);
    print_time(o->measure);
    print_time(o->first);
    print_time(within);
    print_time(o->session);
    putchar('\n');
    fflush(stdout);
}

static void put_head(FILE *csv)
{
    fputs("program,sizes,precision,gpts,roof_percent,tries,tries_a_minute,compile_s,"
          "check_s,measure_s,first_s,within_5_s,session_s,best_s\n",
          csv);
}

/* Sizes have commas. */
static void put_outcome(FILE *csv, const struct bench_item *item,
                        const struct bench_outcome *o, double within)
{
    fprintf(csv, "%s,\"%s\",%s,%.4f,%.2f,%d,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.9f\n",
            item->program, sizes_of(item), precision_of(item), o->gpts, o->roof, o->tries,
            o->rate, o->compile, o->check, o->measure, o->first, within, o->session,
            o->best);
    fflush(csv);
}

static bool explore(const struct settings *s, const struct bench_item *item)
{
    struct bench_session session = s->session;
    struct bench_outcome o;
    double within;

    session.program = item->program;
    session.sizes = item->sizes;
    session.precision = item->precision;
    if (item->seconds > 0)
        session.seconds = item->seconds;
    if (!bench_explore(&session)) {
        printf("%-28s %-24s %-6s failed\n", item->program, sizes_of(item),
               precision_of(item));
        return false;
    }
    o = bench_outcome_read(session.db);
    within = o.best > 0 ? bench_time_to(session.db, 1.05 * o.best) : -1;
    print_outcome(item, &o, within);
    if (s->csv)
        put_outcome(s->csv, item, &o, within);
    return true;
}

static bool export(const struct settings *s)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        execlp(s->session.lift, s->session.lift, "db", "export", "--csv", s->folder,
               "--db", s->session.db, (char *)NULL);
        perror(s->session.lift);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static _Noreturn void usage(void)
{
    stop("usage", "bench_explore [-l LIFT] [-d DEVICE] [-t SECONDS] [-j JOBS] "
                  "[-s SEED] [-n TRIES] [-b DATABASE] [-o FOLDER] [-c FILE.csv] "
                  "FILE.lift[:SIZES[:PRECISION]] | @LIST ...");
}

static const char **text_option(struct settings *s, int option)
{
    switch (option) {
    case 'l':
        return &s->session.lift;
    case 'd':
        return &s->session.device;
    case 'j':
        return &s->session.jobs;
    case 'b':
        return &s->session.db;
    case 'o':
        return &s->folder;
    default:
        return NULL;
    }
}

static struct settings read_options(int argc, char **argv)
{
    struct settings s = {.session = {.lift = "lift",
                                     .device = "host",
                                     .db = "explore.db",
                                     .seconds = 120,
                                     .seed = 1}};
    const char *csv = NULL;
    int option;

    while ((option = getopt(argc, argv, "l:d:t:j:s:n:b:o:c:")) != -1) {
        const char **text = text_option(&s, option);

        if (text)
            *text = optarg;
        else if (option == 't')
            s.session.seconds = strtod(optarg, NULL);
        else if (option == 's')
            s.session.seed = (int)strtol(optarg, NULL, 10);
        else if (option == 'n')
            s.session.tries = (int)strtol(optarg, NULL, 10);
        else if (option == 'c')
            csv = optarg;
        else
            usage();
    }
    if (optind == argc || !(s.session.seconds > 0))
        usage();
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
        put_head(s.csv);
    print_head();
    for (int i = 0; i < list.count; i++)
        good = explore(&s, &list.items[i]) && good;
    if (s.csv && fclose(s.csv) != 0)
        stop("the CSV file", "cannot be written");
    bench_list_free(&list);
    return (!s.folder || export(&s)) && good ? 0 : 1;
}
