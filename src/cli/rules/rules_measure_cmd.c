#include "base/arena.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/explore/interrupt.h"
#include "cli/rules/rules_measure.h"
#include <csv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PROGRAMS = 64, MAX_FILES = 16 };
struct args {
    struct lift_arena *arena;
    const char *file, *programs[MAX_PROGRAMS], *files[MAX_FILES + 1];
    int program_count, file_count;
    const char *device, *size, *precision, *csv, *folder;
    int64_t seed, repeat, tries, jobs, steps;
    double seconds;
    bool force, quiet;
};

static const struct cli_option options[] = {
    {"device", 'd', "NAME", 0, "Where: host, opencl:0, cuda:0, ... (host)",
     CLI_WORD(struct args, device)},
    {"seconds", 't', "N", 0, "Of each exploration (60)",
     CLI_POSITIVE(struct args, seconds, 1)},
    {"tries", 0, "N", 0, "Of each exploration, instead",
     CLI_NUMBER(struct args, tries, 1, INT64_MAX)},
    {"repeat", 'n', "N", 0, "Explore so often, with other seeds (1)",
     CLI_NUMBER(struct args, repeat, 1, 1000)},
    {"seed", 0, "N", 0, "The first one (1)", CLI_NUMBER(struct args, seed, 1, INT64_MAX)},
    {"jobs", 'j', "N", 0, "Candidates that are compiled at once (one for each core)",
     CLI_NUMBER(struct args, jobs, 1, 64)},
    {"size", 's', "NAME=N,...", 0, "Sizes that programs have by these names",
     CLI_WORD(struct args, size)},
    CLI_PRECISION_OPTION(0, CLI_WORD(struct args, precision)),
    CLI_STEPS_OPTION(0, struct args),
    {"rules", 'r', "FILE", 0, "Rules that both sides have; may be repeated",
     CLI_LIST(struct args, files, file_count, "rule files")},
    {"csv", 0, "FILE", 0, "The table as CSV, too", CLI_WORD(struct args, csv)},
    {"output", 'o', "FOLDER", 0,
     "Keep the databases there: PROGRAM.SEED.without.db, .with.db and, of the final, "
     ".both.db",
     CLI_WORD(struct args, folder)},
    CLI_FORCE_OPTION(0, struct args),
    {"quiet", 'q', NULL, 0, "No progress", CLI_FLAG(struct args, quiet)},
    {0}};

static const char doc[] =
    "Explore each program without the rules of a file and with them, for the same time, "
    "and time both best kernels turn by turn.\vThe ratio says how many times as fast as "
    "the best kernel without the rules the one with them is, in one final; behind it the "
    "interval (95 %) of its medians. Explorations differ by chance: --repeat says by how "
    "much. Rules of which the best kernel has none made no difference but for the tries "
    "that they took.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (!a->file)
            a->file = arg;
        else
            cli_add(state, a->programs, &a->program_count, MAX_PROGRAMS, "programs", arg);
        return 0;
    case ARGP_KEY_END:
        if (a->program_count == 0)
            argp_error(state, "which rules, on which programs?");
        return 0;
    default:
        return cli_set(options, key, arg, state);
    }
}

/* ---- the table */

static void print_head(void)
{
    printf("%-24s %6s %10s %7s %10s %7s %7s %-17s %s\n", "program", "seed", "without",
           "tries", "with", "tries", "ratio", "", "rules in the best");
    printf("%-24s %6s %10s %7s %10s\n", "", "", "GPts/s", "", "GPts/s");
}

static void add_rules(struct lift_str *out, const struct measured *m, const char *between)
{
    for (int i = 0; i < m->rule_count; i++)
        lift_str_addf(out, "%s%s", i ? between : "", m->rules[i]);
}

static void print_row(const struct measured *m)
{
    struct measured_ratio r = measured_ratio(m);
    LIFT_SCOPED(lift_str) rules = {0};
    char interval[32] = "";

    add_rules(&rules, m, ", ");
    if (m->same)
        snprintf(interval, sizeof interval, "the same kernel");
    else if (m->apart)
        snprintf(interval, sizeof interval, "not side by side");
    else
        snprintf(interval, sizeof interval, "%.3f to %.3f", r.low, r.high);
    printf("%-24s %6llu %10.4g %7lld %10.4g %7lld ", m->program,
           (unsigned long long)m->seed, m->sides[0].gpts, (long long)m->sides[0].tries,
           m->sides[1].gpts, (long long)m->sides[1].tries);
    if (*m->failure)
        printf("%7s %s\n", "-", m->failure);
    else
        printf("%7.3f %-17s %s\n", r.ratio, interval,
               rules.len ? lift_str_get(&rules) : "none");
    fflush(stdout);
}

static void put(FILE *out, const char *text, bool last)
{
    csv_fwrite(out, text, strlen(text));
    fputc(last ? '\n' : ',', out);
}

static void put_number(FILE *out, const char *format, double x)
{
    fprintf(out, format, x);
    fputc(',', out);
}

static void write_head(FILE *out)
{
    fputs("program,sizes,dtype,seed,without_gpts,without_tries,with_gpts,with_tries,"
          "ratio,low,high,without_expr,with_expr,rules,failure\n",
          out);
}

static void write_row(FILE *out, const struct measured *m)
{
    struct measured_ratio r = measured_ratio(m);
    LIFT_SCOPED(lift_str) rules = {0};
    char id[LIFT_HASH_HEX];

    add_rules(&rules, m, " ");
    put(out, m->program, false);
    put(out, m->sizes ? m->sizes : "", false);
    put(out, m->dtype ? m->dtype : "", false);
    fprintf(out, "%llu,", (unsigned long long)m->seed);
    for (int i = 0; i < 2; i++) {
        put_number(out, "%.6g", m->sides[i].gpts);
        put_number(out, "%.0f", (double)m->sides[i].tries);
    }
    put_number(out, "%.6g", r.ratio);
    put_number(out, "%.6g", r.low);
    put_number(out, "%.6g", r.high);
    for (int i = 0; i < 2; i++) {
        lift_hash_hex(m->sides[i].expr, id);
        put(out, m->sides[i].tunables ? id : "", false);
    }
    put(out, lift_str_get(&rules), false);
    put(out, m->failure, true);
    fflush(out);
}

/* ---- programs */

static char *stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return lift_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static int measure_once(const struct measure_options *o, const struct lift_source *source,
                        const char *path, uint64_t seed, FILE *csv)
{
    LIFT_SCOPED(measured) m = {.program = stem_of(path)};
    int status;

    if (measure_rules(o, source, seed, &m, &status)) {
        print_row(&m);
        if (csv)
            write_row(csv, &m);
        status = *m.failure ? CLI_FAILED : CLI_DONE;
    }
    return status;
}

/* The greatest status; what is wrong with one program does not keep the others from being
 * measured. */
static int measure_all(const struct args *a, const struct measure_options *o, FILE *csv)
{
    int status = CLI_DONE;

    print_head();
    for (int i = 0; i < a->program_count && !cli_interrupted; i++) {
        struct lift_error errors = {0};
        struct lift_source source = {0};
        int one = CLI_DONE;

        if (!cli_source(a->programs[i], a->precision, a->steps, &source, &errors))
            one = cli_malformed(&errors);
        for (int k = 0; k < a->repeat && one == CLI_DONE && !cli_interrupted; k++)
            one = measure_once(o, &source, a->programs[i], (uint64_t)(a->seed + k), csv);
        lift_source_free(&source);
        status = one > status ? one : status;
    }
    return status;
}

/* ---- rules, folder, files */

static int with_csv(const struct args *a, const struct measure_options *o)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_file_out out = {.file = NULL};
    int status;

    if (a->csv && !lift_file_create(a->csv, &out, &why))
        return cli_fail(CLI_FAILED, "cannot write '%s': %s", a->csv, lift_str_get(&why));
    if (a->csv)
        write_head(out.file);
    status = measure_all(a, o, out.file);
    if (a->csv && !lift_file_finish(&out, false, &why))
        status =
            cli_fail(CLI_FAILED, "cannot write '%s': %s", a->csv, lift_str_get(&why));
    return status;
}

/* What reads a database leaves its log. */
static void remove_one(const char *folder, const char *stem, uint64_t seed, int which)
{
    static const char *const tails[] = {"", "-wal", "-shm"};

    for (int i = 0; i < 3; i++) {
        LIFT_SCOPED(lift_str) path = {0};

        measure_path(folder, stem, seed, which, &path);
        lift_str_add(&path, tails[i]);
        unlink(lift_str_get(&path));
    }
}

static void remove_databases(const struct args *a, const char *folder)
{
    for (int i = 0; i < a->program_count; i++) {
        LIFT_FREED char *stem = stem_of(a->programs[i]);

        for (int k = 0; k < a->repeat; k++)
            for (int which = 0; which < MEASURE_DATABASES; which++)
                remove_one(folder, stem, (uint64_t)(a->seed + k), which);
    }
    rmdir(folder);
}

static int in_folder(const struct args *a, struct measure_options *o)
{
    const char *temporary = getenv("TMPDIR");
    char *own = lift_arena_printf(a->arena, "%s/lift-measure-XXXXXX",
                                  temporary && *temporary ? temporary : "/tmp");
    int status;

    if (a->folder) {
        o->folder = a->folder;
        mkdir(a->folder, 0777);
        return with_csv(a, o);
    }
    if (!mkdtemp(own))
        return cli_fail(CLI_FAILED, "cannot make a folder '%s'", own);
    o->folder = own;
    status = with_csv(a, o);
    remove_databases(a, own);
    return status;
}

static int with_rules(struct args *a, struct measure_options *o)
{
    struct lift_rules *without, *with = NULL;
    int status;

    without = cli_load_rules(a->files, a->file_count, a->force, &status);
    a->files[a->file_count] = a->file;
    if (without)
        with = cli_load_rules(a->files, a->file_count + 1, a->force, &status);
    if (with) {
        o->rules[MEASURE_WITHOUT] = without;
        o->rules[MEASURE_WITH] = with;
        cli_warn_unexplored(with);
        cli_catch_interrupts();
        status = in_folder(a, o);
    }
    lift_rules_destroy(with);
    lift_rules_destroy(without);
    return status;
}

static const struct cli_argp argp = {options, parse, "FILE PROGRAM.lift...", doc};

static int run(int argc, char **argv)
{
    static char name[] = "lift rules measure";
    struct args a = {.arena = lift_arena_create(),
                     .device = "host",
                     .seed = 1,
                     .repeat = 1,
                     .seconds = 60};
    struct measure_options o = {.quiet = false};
    int status;

    argv[0] = name;
    cli_parse(&argp, argc, argv, &a);
    o.quiet = a.quiet;
    o.explore = (struct lift_explore_options){.devices = &a.device,
                                              .device_count = 1,
                                              .argv = "lift rules measure",
                                              .seconds = a.tries ? 0 : a.seconds,
                                              .tries = a.tries,
                                              .jobs = (int)a.jobs,
                                              .no_seeds = true,
                                              .no_plain = true};
    if (!a.size || cli_sizes(a.arena, a.size, &o.explore.sizes, &o.explore.size_count)) {
        status = with_rules(&a, &o);
    } else {
        status = CLI_USAGE;
    }
    lift_arena_destroy(a.arena);
    return status;
}

const struct cli_command cli_rules_measure = {"measure", "measure what rules gain", run,
                                              &argp};
