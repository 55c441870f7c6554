/* Random programs, each compared with its value: docs/internals.md, Tests. */
#include "base/str.h"
#include "gen.h"
#include "patience.h"
#include "print.h"
#include "shrink.h"
#include "statistics.h"
#include "steps.h"
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 16, REASONS = 100, SHRINK_STEPS = 3 /* which take all their time */ };

struct args {
    uint64_t seed, first;
    int count, candidates, every, shrink;
    double seconds, refused;
    const char *names, *found;
    const char *devices[STEPS], *targets[STEPS];
    int device_count, target_count;
    bool stages, statistics, print_only, verbose;
};

/* Reasons and counts of rejected programs. */
struct reason {
    char text[200];
    uint64_t number;
    int count;
};

struct session {
    struct args args;
    struct rp_options options;
    struct rp_step steps[STEPS];
    int step_count;
    bool absent[STEPS];
    double limit;
    int outcomes[RP_OUTCOMES], done;
    int ran[STEPS], kernels[STEPS], without[STEPS];
    double seconds[STEPS];
    struct reason reasons[REASONS];
    int reason_count;
    struct rp_statistics statistics;
};

/* ---- options */

enum {
    FIRST = 256,
    CANDIDATES,
    EVERY,
    SHRINK,
    SECONDS,
    REFUSED,
    NAMES,
    FOUND,
    STAGES,
    STATISTICS,
    PRINT
};

static const struct argp_option options[] = {
    {"seed", 's', "S", 0, "Of all programs (1)", 0},
    {"first", FIRST, "N", 0, "Begin with program number N (0)", 0},
    {"count", 'n', "N", 0, "So many programs (100)", 0},
    {"seconds", SECONDS, "S", 0, "Begin no program after so many seconds", 0},
    {"device", 'd', "DEVICE", 0,
     "Plan for it, and check candidates on it (host); may be given several times", 0},
    {"target", 't', "TARGET", 0, "Compile candidates for it; likewise", 0},
    {"candidates", CANDIDATES, "N", 0, "For each device and target (1)", 0},
    {"every", EVERY, "K", 0,
     "Candidates, targets and devices but the first for one program in K only (1)", 0},
    {"refused", REFUSED, "PERCENT", 0, "So many may be refused or too slow (2)", 0},
    {"names", NAMES, "FILE", 0, "Take names from these words", 0},
    {"shrink", SHRINK, "N", 0, "Test N smaller variants of a failed program (100)", 0},
    {"found", FOUND, "FOLDER", 0, "Write what fails there, too", 0},
    {"stages", STAGES, NULL, 0,
     "Programs of two to four stages; candidates store them, or tile over them", 0},
    {"statistics", STATISTICS, NULL, 0, "Print how many programs have each form", 0},
    {"print", PRINT, NULL, 0, "Print the programs and do nothing else", 0},
    {"verbose", 'v', NULL, 0, "A line for each program", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;

    switch (key) {
    case 's':
        a->seed = strtoull(arg, NULL, 10);
        return 0;
    case FIRST:
        a->first = strtoull(arg, NULL, 10);
        return 0;
    case 'n':
        a->count = atoi(arg);
        return 0;
    case SECONDS:
        a->seconds = atof(arg);
        return 0;
    case 'd':
        if (a->device_count < 4)
            a->devices[a->device_count++] = arg;
        return 0;
    case 't':
        if (a->target_count < 4)
            a->targets[a->target_count++] = arg;
        return 0;
    case CANDIDATES:
        a->candidates = atoi(arg);
        return 0;
    case EVERY:
        a->every = atoi(arg) > 0 ? atoi(arg) : 1;
        return 0;
    case REFUSED:
        a->refused = atof(arg);
        return 0;
    case NAMES:
        a->names = arg;
        return 0;
    case SHRINK:
        a->shrink = atoi(arg);
        return 0;
    case FOUND:
        a->found = arg;
        return 0;
    case STAGES:
        a->stages = true;
        return 0;
    case STATISTICS:
        a->statistics = true;
        return 0;
    case PRINT:
        a->print_only = true;
        return 0;
    case 'v':
        a->verbose = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- names */

/* One word a line; lines that begin with '#' are comments. */
static void read_names(struct session *s)
{
    FILE *file = fopen(s->args.names, "re");
    const char **words = calloc(4096, sizeof *words);
    char line[200];

    if (!file || !words) {
        fprintf(stderr, "random_programs: '%s': %s\n", s->args.names, strerror(errno));
        exit(2);
    }
    while (s->options.names.count < 4096 && fgets(line, sizeof line, file)) {
        line[strcspn(line, " \t\n")] = '\0';
        if (line[0] && line[0] != '#')
            words[s->options.names.count++] = strdup(line);
    }
    s->options.names.word = words;
    fclose(file);
}

static void free_names(struct session *s)
{
    for (int i = 0; i < s->options.names.count; i++)
        free((char *)s->options.names.word[i]);
    free((void *)s->options.names.word);
}

/* ---- steps for each program */

static void add_step(struct session *s, enum rp_step_kind kind, const char *device)
{
    if (s->step_count < STEPS)
        s->steps[s->step_count++] =
            (struct rp_step){kind, device, s->args.candidates, s->args.stages};
}

static void choose_steps(struct session *s)
{
    const struct args *a = &s->args;

    add_step(s, RP_FORMAT, "");
    add_step(s, RP_INTERPRET, "");
    for (int i = 0; i < a->device_count; i++)
        add_step(s, RP_PLAN, a->devices[i]);
    for (int i = 0; i < a->device_count && a->candidates > 0; i++)
        add_step(s, RP_CHECK, a->devices[i]);
    for (int i = 0; i < a->target_count && a->candidates > 0; i++)
        add_step(s, RP_BUILD, a->targets[i]);
}

/* lift itself compares candidates, at inputs and sizes that it chooses. */
static bool is_wanted(const struct session *s, int step, uint64_t number, bool sharp)
{
    const struct rp_step *at = &s->steps[step];
    bool first = at->kind == RP_FORMAT || at->kind == RP_INTERPRET ||
                 (at->kind == RP_PLAN && at->device == s->args.devices[0]);

    if (s->absent[step] || (at->kind == RP_CHECK && !sharp))
        return false;
    return first || (number + (uint64_t)step) % (uint64_t)s->args.every == 0;
}

static const char *step_name(const struct rp_step *step)
{
    static const char *const names[] = {"format", "interpreter", "plan", "check",
                                        "build"};

    return names[step->kind];
}

/* ---- one program */

static double time_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct subject {
    struct session *s;
    uint64_t number;
    struct lift_str text;
    struct rp_run run;
    struct rp_verdict verdict;
    int step;     /* the one that failed */
    double until; /* smaller programs are tried until then */
};

static void subject_fini(struct subject *x)
{
    lift_str_fini(&x->text);
    rp_run_fini(&x->run);
}

static void prepare(struct subject *x, const struct rp_program *p)
{
    lift_str_clear(&x->text);
    rp_print(p, &x->text);
    rp_run_init(&x->run, p, RP_INPUTS_SEED);
}

static void do_step(struct subject *x, const struct rp_program *p, int step)
{
    const struct rp_case c = {p, lift_str_get(&x->text), x->s->args.seed + x->number,
                              &x->run};

    rp_do(&x->s->steps[step], &c, x->s->limit, &x->verdict);
}

/* The message of a reason without its place, names and numbers. */
static void normal_form(const char *text, char *out, size_t size)
{
    const char *message = strstr(text, "error: ");
    size_t n = 0;
    bool quoted = false;

    for (text = message ? message : text; *text && *text != '\n' && n + 1 < size;
         text++) {
        bool digit = isdigit((unsigned char)*text);

        if (*text == '\'')
            quoted = !quoted;
        if ((quoted && *text != '\'') || (digit && n > 0 && out[n - 1] == '0'))
            continue;
        out[n++] = digit ? '0' : *text;
    }
    out[n] = '\0';
}

static bool same_reason(const char *a, const char *b)
{
    char x[120], y[120];

    normal_form(a, x, sizeof x);
    normal_form(b, y, sizeof y);
    return strcmp(x, y) == 0;
}

static bool fails_still(void *user, const struct rp_program *p)
{
    struct subject *x = user;
    struct subject now = {.s = x->s, .number = x->number};
    struct rp_run probe;
    bool good;

    if (time_now() > x->until)
        return false;
    rp_run_init(&probe, p, RP_INPUTS_SEED);
    good = rp_run_step(&probe) && rp_run_unknown(&probe) < rp_most_unknown(p);
    rp_run_fini(&probe);
    if (!good)
        return false;
    prepare(&now, p);
    do_step(&now, p, x->step);
    good = now.verdict.outcome == x->verdict.outcome &&
           (now.verdict.outcome != RP_REFUSED ||
            same_reason(now.verdict.text, x->verdict.text));
    subject_fini(&now);
    return good;
}

static void write_found(const struct subject *x, const char *text, const char *why)
{
    char path[500];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s-%llu-%llu.lift", x->s->args.found,
             rp_outcome_name(x->verdict.outcome), (unsigned long long)x->s->args.seed,
             (unsigned long long)x->number);
    for (char *c = path + strlen(x->s->args.found); *c; c++)
        *c = *c == ' ' ? '-' : *c;
    file = fopen(path, "we");
    if (!file)
        return;
    fprintf(file, "/* %s %s: %s\n%s */\n\n%s", step_name(&x->s->steps[x->step]),
            x->s->steps[x->step].device, rp_outcome_name(x->verdict.outcome), why, text);
    fclose(file);
}

static void report(struct subject *x, struct rp_program *p)
{
    struct subject small = {.s = x->s, .number = x->number, .step = x->step};
    char *full = strdup(lift_str_get(&x->text));

    printf("\n---- seed %llu, program %llu: %s, %s %s\n%s\n\n%s\n",
           (unsigned long long)x->s->args.seed, (unsigned long long)x->number,
           rp_outcome_name(x->verdict.outcome), step_name(&x->s->steps[x->step]),
           x->s->steps[x->step].device, x->verdict.text, full);
    fflush(stdout);
    x->until = time_now() + SHRINK_STEPS * x->s->limit;
    rp_shrink(p, x->s->args.shrink, fails_still, x);
    prepare(&small, p);
    do_step(&small, p, x->step);
    if (strcmp(full, lift_str_get(&small.text)) != 0)
        printf("---- smaller:\n%s\n\n%s\n", small.verdict.text,
               lift_str_get(&small.text));
    if (x->s->args.found)
        write_found(x, lift_str_get(&small.text), small.verdict.text);
    subject_fini(&small);
    free(full);
    fflush(stdout);
}

static void note_reason(struct session *s, const struct subject *x)
{
    char text[200];
    int i;

    normal_form(x->verdict.text, text, sizeof text);
    for (i = 0; i < s->reason_count; i++)
        if (strcmp(s->reasons[i].text, text) == 0)
            break;
    if (i == REASONS)
        return;
    if (i == s->reason_count) {
        s->reason_count++;
        strcpy(s->reasons[i].text, text);
        s->reasons[i].number = x->number;
    }
    s->reasons[i].count++;
}

/* The worst of all steps so far is the program's. */
static void run_step(struct session *s, struct subject *x, const struct rp_program *p,
                     int i)
{
    const struct rp_verdict worst = x->verdict;
    int at = x->step;

    x->step = i;
    do_step(x, p, i);
    if (x->verdict.outcome == RP_ABSENT) {
        printf("%s is not here: %s\n", s->steps[i].device, x->verdict.text);
        for (int k = 0; k < s->step_count; k++)
            s->absent[k] |= strcmp(s->steps[k].device, s->steps[i].device) == 0;
    } else {
        s->ran[i]++;
        s->kernels[i] += x->verdict.tried;
        s->without[i] += x->verdict.without;
        s->seconds[i] += x->verdict.seconds;
    }
    if (x->verdict.outcome <= worst.outcome) {
        x->verdict = worst;
        x->step = at;
    }
}

static void run_program(struct session *s, uint64_t number)
{
    struct lift_arena *arena = lift_arena_create();
    struct rp_program *p = rp_generate(arena, s->args.seed, number, &s->options);
    struct subject x = {.s = s, .number = number, .verdict = {.outcome = RP_RIGHT}};
    struct rp_run probe;
    bool sharp;

    rp_run_init(&probe, p, RP_INPUTS_SEED);
    sharp = rp_run_step(&probe) && rp_run_unknown(&probe) == 0;
    rp_run_fini(&probe);
    prepare(&x, p);
    rp_count(&s->statistics, p, rp_steps_at_once(p, s->args.seed + number) > 0);
    if (s->args.print_only)
        printf("// seed %llu, program %llu\n%s\n", (unsigned long long)s->args.seed,
               (unsigned long long)number, lift_str_get(&x.text));
    for (int i = 0; i < s->step_count && x.verdict.outcome == RP_RIGHT; i++)
        if (is_wanted(s, i, number, sharp))
            run_step(s, &x, p, i);
    s->done++;
    s->outcomes[x.verdict.outcome]++;
    if (x.verdict.outcome == RP_REFUSED)
        note_reason(s, &x);
    if (s->args.verbose)
        printf("program %llu: %s\n", (unsigned long long)number,
               rp_outcome_name(x.verdict.outcome));
    if (x.verdict.outcome != RP_RIGHT)
        report(&x, p);
    fflush(stdout);
    subject_fini(&x);
    lift_arena_destroy(arena);
}

/* ---- all of them */

/* The time limit of a step is a multiple of the time of the first program's plan. */
static void measure_limit(struct session *s)
{
    struct lift_arena *arena = lift_arena_create();
    const struct rp_options none = {.stages = false};
    struct rp_program *p = rp_generate(arena, 1, 0, &none);
    struct subject x = {.s = s};

    s->limit = patient(600);
    prepare(&x, p);
    for (int i = 0; i < s->step_count; i++)
        if (s->steps[i].kind == RP_PLAN) {
            do_step(&x, p, i);
            s->limit = patient(20) + 60 * x.verdict.seconds;
            break;
        }
    subject_fini(&x);
    lift_arena_destroy(arena);
}

static bool sum_up(const struct session *s)
{
    int refused = s->outcomes[RP_REFUSED] + s->outcomes[RP_SLOW];

    printf("\n%d programs:", s->done);
    for (int i = RP_RIGHT; i < RP_OUTCOMES; i++)
        printf("%s %d %s", i > RP_RIGHT ? "," : "", s->outcomes[i],
               rp_outcome_name((enum rp_outcome)i));
    printf("\n");
    for (int i = 0; i < s->step_count; i++)
        if (s->ran[i])
            printf(
                "  %s %s: %d programs, %d candidates right, %d without a kernel, %.1f s "
                "each\n",
                step_name(&s->steps[i]), s->steps[i].device, s->ran[i], s->kernels[i],
                s->without[i], s->seconds[i] / s->ran[i]);
    for (int i = 0; i < s->reason_count; i++)
        printf("  refused %d times, first by program %llu: %s\n", s->reasons[i].count,
               (unsigned long long)s->reasons[i].number, s->reasons[i].text);
    return s->outcomes[RP_WRONG] + s->outcomes[RP_CRASHED] + s->outcomes[RP_NO_COMPILE] ==
               0 &&
           refused <= s->args.refused / 100 * s->done;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        options, parse, NULL, "Random programs, compared with their values.",
        NULL,    NULL,  NULL};
    static struct session s;
    double begun = time_now();
    bool good = true;

    s.args = (struct args){.seed = 1,
                           .count = 100,
                           .candidates = 1,
                           .every = 1,
                           .shrink = 100,
                           .refused = 2};
    argp_parse(&argp, argc, argv, 0, NULL, &s.args);
    if (s.args.device_count == 0)
        s.args.devices[s.args.device_count++] = "host";
    s.options.stages = s.args.stages;
    if (s.args.names)
        read_names(&s);
    if (!s.args.print_only) {
        choose_steps(&s);
        measure_limit(&s);
    }
    for (int i = 0; i < s.args.count; i++)
        if (s.args.seconds == 0 || time_now() - begun < s.args.seconds)
            run_program(&s, s.args.first + (uint64_t)i);
    if (!s.args.print_only)
        good = sum_up(&s);
    if (s.args.statistics)
        rp_statistics_print(&s.statistics);
    free_names(&s);
    return good ? 0 : 1;
}
