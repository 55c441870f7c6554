/* Search techniques on recorded spaces: a technique proposes, the table answers. For
 * every space and technique the mean, over some seeds, of the fastest time that there is
 * over the fastest that was found after 25, 50, 100 and 200 trials. */
#include "search.h"
#include "base/bug.h"
#include "bench.h"
#include <argp.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRIALS = 200, SEARCH_MOST = 16, MARKS = 4 };

static const int marks[MARKS] = {25, 50, 100, 200};

struct search_space {
    char *name;
    struct lift_replay *replay;
};

/* A run: optimum / best found after 1, 2, ... trials, 0 as long as nothing was good. */
struct search_result {
    double found[TRIALS];
    double seconds; /* that the technique itself took */
};

struct search_bench {
    struct search_space *spaces;
    int space_count;
    const struct lift_technique *const *techniques;
    int technique_count, seeds;
    uint64_t first;                /* seed */
    struct search_result *results; /* [technique][space][seed], shared by processes */
};

struct arguments {
    const char *directory, *csv;
    const struct lift_technique *techniques[SEARCH_MOST];
    int technique_count, seeds, jobs;
    uint64_t first;
};

static const struct argp_option options[] = {
    {"seeds", 's', "N", 0, "Runs of each technique on each space (50)", 0},
    {"first", 'f', "N", 0, "The first seed (1)", 0},
    {"jobs", 'j', "N", 0, "Processes (2)", 0},
    {"technique", 't', "NAME", 0, "This one only; may be repeated (all)", 0},
    {"csv", 'c', "FILE", 0, "Write the means of every space, too", 0},
    {0},
};

/* Techniques of this benchmark only, in addition to those of the library. */
static const struct lift_technique *const own[] = {&search_bandit, &search_genetic,
                                                   &search_annealing, NULL};

static const struct lift_technique *find_own(const char *name)
{
    for (int i = 0; own[i]; i++)
        if (!strcmp(own[i]->name, name))
            return own[i];
    return NULL;
}

static int number(struct argp_state *state, const char *text)
{
    char *end;
    long n = strtol(text, &end, 10);

    if (end == text || *end || n < 1 || n > 1000000)
        argp_error(state, "'%s' is no number from 1 to 1000000", text);
    return (int)n;
}

static void add_technique(struct argp_state *state, struct arguments *a, const char *name)
{
    const struct lift_technique *technique = lift_technique_find(name);

    if (!technique && !(technique = find_own(name)))
        argp_error(state, "no search technique '%s'", name);
    if (a->technique_count == SEARCH_MOST)
        argp_error(state, "more than %d techniques", SEARCH_MOST);
    a->techniques[a->technique_count++] = technique;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 's':
        a->seeds = number(state, arg);
        return 0;
    case 'f':
        a->first = (uint64_t)number(state, arg);
        return 0;
    case 'j':
        a->jobs = number(state, arg);
        return 0;
    case 't':
        add_technique(state, a, arg);
        return 0;
    case 'c':
        a->csv = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (a->directory)
            argp_error(state, "one directory is expected, not '%s' too", arg);
        a->directory = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a directory of recorded spaces is expected");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "DIRECTORY",
    "Compare search techniques on the recorded spaces (*.txt, *.txt.gz) of a directory: "
    "optimum / best found after some trials, 1 is the optimum.",
    NULL,
    NULL,
    NULL};

/* All but 'exhaustive', which is no competitor. */
static void all_techniques(struct arguments *a)
{
    for (int i = 0; lift_techniques[i]; i++)
        if (strcmp(lift_techniques[i]->name, "exhaustive") != 0)
            a->techniques[a->technique_count++] = lift_techniques[i];
    for (int i = 0; own[i]; i++)
        a->techniques[a->technique_count++] = own[i];
}

/* Where the ending of a table's file name begins; NULL: the file is no table. */
static const char *ending(const char *name)
{
    static const char *const endings[] = {".txt", ".txt.gz"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(endings[i]);

        if (length > size && !strcmp(name + length - size, endings[i]))
            return name + length - size;
    }
    return NULL;
}

static int is_table(const struct dirent *entry)
{
    return ending(entry->d_name) != NULL;
}

static struct search_space *load(const char *directory, int *count)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, is_table, alphasort);
    struct search_space *spaces = calloc(n > 0 ? (size_t)n : 1, sizeof *spaces);
    struct lift_str why = {0};

    LIFT_ASSERT(spaces);
    if (n <= 0) {
        fprintf(stderr, "search: no *.txt or *.txt.gz in '%s'\n", directory);
        exit(2);
    }
    for (int i = 0; i < n; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
        spaces[i].name = strndup(entries[i]->d_name, (size_t)(ending(entries[i]->d_name) -
                                                              entries[i]->d_name));
        spaces[i].replay = lift_replay_read(path, &why);
        if (!spaces[i].replay) {
            fprintf(stderr, "search: %s\n", why.data);
            exit(1);
        }
        free(entries[i]);
    }
    free(entries);
    *count = n;
    return spaces;
}

/* ---- runs */

static size_t run_count(const struct search_bench *b)
{
    return (size_t)b->technique_count * (size_t)b->space_count * (size_t)b->seeds;
}

/* In a space with fewer points than trials the search ends early and keeps its results.
 */
static void replay(const struct lift_replay *space,
                   const struct lift_technique *technique, uint64_t seed,
                   struct search_result *result)
{
    double best = 0, optimum = lift_replay_best(space), start = bench_processor_seconds();
    struct lift_search *search =
        lift_search_create(lift_replay_joint(space), technique, seed);
    bool more = true;

    for (int i = 0; i < TRIALS; i++) {
        struct lift_choice choice;

        if (more && (more = lift_search_next(search, &choice))) {
            struct lift_outcome outcome = lift_replay_answer(space, &choice).outcome;

            lift_search_tell(search, &choice, outcome);
            if (outcome.ok && optimum / outcome.seconds > best)
                best = optimum / outcome.seconds;
        }
        result->found[i] = best;
    }
    lift_search_destroy(search);
    result->seconds = bench_processor_seconds() - start;
}

static void work(struct search_bench *b, size_t from, size_t step)
{
    for (size_t i = from; i < run_count(b); i += step) {
        size_t place = i / (size_t)b->seeds;

        replay(b->spaces[place % (size_t)b->space_count].replay,
               b->techniques[place / (size_t)b->space_count],
               b->first + i % (size_t)b->seeds, &b->results[i]);
    }
}

/* Fills 'results', in this number of processes. */
static void run_all(struct search_bench *b, int jobs)
{
    size_t size = run_count(b) * sizeof *b->results;
    int status;

    b->results =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    LIFT_ASSERT(b->results != MAP_FAILED);
    for (int i = 0; i < jobs; i++) {
        pid_t pid = fork();

        LIFT_ASSERT(pid >= 0);
        if (pid == 0) {
            work(b, (size_t)i, (size_t)jobs);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "search: a process ended early\n");
            exit(1);
        }
}

static void free_results(struct search_bench *b)
{
    munmap(b->results, run_count(b) * sizeof *b->results);
    b->results = NULL;
}

/* ---- figures */

/* Results of a technique: on one space, or on all. */
struct figures {
    double mean[MARKS];
    double close50;      /* part of the runs within 10 % of the optimum after 50 trials */
    double close200;     /* within 5 % after 200 */
    double worst[MARKS]; /* mean of the worst space */
    double overhead;     /* seconds a proposal */
};

static struct figures figures_of_space(const struct search_bench *b, int technique,
                                       int space)
{
    const struct search_result *runs =
        b->results + (technique * b->space_count + space) * b->seeds;
    struct figures f = {0};

    for (int s = 0; s < b->seeds; s++) {
        for (int m = 0; m < MARKS; m++)
            f.mean[m] += runs[s].found[marks[m] - 1] / b->seeds;
        f.close50 += (runs[s].found[49] >= 1 / 1.10) / (double)b->seeds;
        f.close200 += (runs[s].found[199] >= 1 / 1.05) / (double)b->seeds;
        f.overhead += runs[s].seconds / TRIALS / b->seeds;
    }
    for (int m = 0; m < MARKS; m++)
        f.worst[m] = f.mean[m];
    return f;
}

static struct figures figures_of(const struct search_bench *b, int technique)
{
    struct figures all = {.worst = {1, 1, 1, 1}};

    for (int space = 0; space < b->space_count; space++) {
        struct figures f = figures_of_space(b, technique, space);

        for (int m = 0; m < MARKS; m++) {
            all.mean[m] += f.mean[m] / b->space_count;
            if (f.worst[m] < all.worst[m])
                all.worst[m] = f.worst[m];
        }
        all.close50 += f.close50 / b->space_count;
        all.close200 += f.close200 / b->space_count;
        all.overhead += f.overhead / b->space_count;
    }
    return all;
}

static void print_table(const struct search_bench *b, FILE *out)
{
    fprintf(out, "optimum / best found: mean of %d spaces, %d seeds each\n",
            b->space_count, b->seeds);
    fprintf(out, "%-12s %6s %6s %6s %6s  %8s %8s  %9s %9s  %8s\n", "technique", "@25",
            "@50", "@100", "@200", "<10% @50", "<5% @200", "worst @50", "@200",
            "ms a trial");
    for (int t = 0; t < b->technique_count; t++) {
        struct figures f = figures_of(b, t);

        fprintf(out, "%-12s", b->techniques[t]->name);
        for (int m = 0; m < MARKS; m++)
            fprintf(out, " %6.3f", f.mean[m]);
        fprintf(out, "  %8.2f %8.2f  %9.3f %9.3f  %8.3f\n", f.close50, f.close200,
                f.worst[1], f.worst[3], 1e3 * f.overhead);
    }
}

static void print_csv(const struct search_bench *b, FILE *out)
{
    fprintf(out, "technique,space,found25,found50,found100,found200,within10at50,"
                 "within5at200,seconds_a_trial\n");
    for (int t = 0; t < b->technique_count; t++)
        for (int space = 0; space < b->space_count; space++) {
            struct figures f = figures_of_space(b, t, space);

            fprintf(out, "%s,%s", b->techniques[t]->name, b->spaces[space].name);
            for (int m = 0; m < MARKS; m++)
                fprintf(out, ",%.5f", f.mean[m]);
            fprintf(out, ",%.4f,%.4f,%.3g\n", f.close50, f.close200, f.overhead);
        }
}

int main(int argc, char **argv)
{
    struct arguments a = {.seeds = 50, .jobs = 2, .first = 1};
    struct search_bench b = {0};
    FILE *csv = NULL;

    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (!a.technique_count)
        all_techniques(&a);
    if (a.csv && !(csv = fopen(a.csv, "w"))) {
        fprintf(stderr, "search: cannot write '%s'\n", a.csv);
        return 1;
    }
    b.spaces = load(a.directory, &b.space_count);
    b.techniques = a.techniques;
    b.technique_count = a.technique_count;
    b.seeds = a.seeds;
    b.first = a.first;
    run_all(&b, a.jobs);
    print_table(&b, stdout);
    if (csv) {
        print_csv(&b, csv);
        fclose(csv);
    }
    for (int i = 0; i < b.space_count; i++) {
        free(b.spaces[i].name);
        lift_replay_destroy(b.spaces[i].replay);
    }
    free(b.spaces);
    free_results(&b);
    return 0;
}
