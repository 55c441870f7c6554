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
#include "sessions.h"
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_RUNS = 100 };

struct settings {
    const char *lift, *device, *folder;
    double seconds;
    int repetitions;
};

/* What one database says. */
struct outcome {
    struct bench_outcome of;
    double within[2]; /* s until within 5 and 1 % of the best of all; negative: never */
};

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "quality: %s: %s\n", what, why);
    exit(1);
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
           o->of.first, o->within[0], o->within[1], o->of.session, o->of.tries,
           o->of.gpts, o->of.roof);
    fprintf(csv, "%s,%d,%.2f,%.2f,%.2f,%.2f,%d,%.4f,%.2f,%.9f\n", program, run + 1,
            o->of.first, o->within[0], o->within[1], o->of.session, o->of.tries,
            o->of.gpts, o->of.roof, o->of.best);
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
        if (!bench_explore(&(struct bench_session){.lift = s->lift,
                                                   .program = program,
                                                   .sizes = sizes,
                                                   .device = s->device,
                                                   .db = path,
                                                   .seconds = s->seconds,
                                                   .seed = i + 1}))
            stop(program, "the exploration failed");
        runs[i].of = bench_outcome_read(path);
        if (runs[i].of.best > 0 && (best <= 0 || runs[i].of.best < best))
            best = runs[i].of.best;
    }
    for (int i = 0; i < s->repetitions; i++) {
        name_db(s, program, i, path, sizeof path);
        runs[i].within[0] = bench_time_to(path, 1.05 * best);
        runs[i].within[1] = bench_time_to(path, 1.01 * best);
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
    struct settings s = {.lift = "lift",
                         .device = "host",
                         .folder = "quality",
                         .seconds = 600,
                         .repetitions = 1};
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
            s.seconds = strtod(optarg, NULL);
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
    if (optind == argc || !(s.seconds > 0) || s.repetitions < 1 ||
        s.repetitions > MOST_RUNS)
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
