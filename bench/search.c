/* Search techniques on recorded spaces: a technique proposes, the table answers. For
 * every space and technique the mean, over some seeds, of the fastest time that there is
 * over the fastest that was found after 25, 50, 100 and 200 tries. */
#include "search.h"
#include "base/bug.h"
#include <argp.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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

/* Techniques that no exploration uses, besides those of the library. */
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
    "optimum / best found after some tries, 1 is the optimum.",
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
    search_run(&b, a.jobs);
    search_print(&b, stdout);
    if (csv) {
        search_print_csv(&b, csv);
        fclose(csv);
    }
    for (int i = 0; i < b.space_count; i++) {
        free(b.spaces[i].name);
        lift_replay_destroy(b.spaces[i].replay);
    }
    free(b.spaces);
    search_free(&b);
    return 0;
}
