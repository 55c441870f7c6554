/* The best kernels of a database against C by hand on this processor: plain loop nests in
 * all ways that compilers offer, and tuned ones; and all of them against what the memory
 * can do. Everything is checked, and then timed in one run, turn by turn.
 *
 *     bench_host [-b DATABASE] [-n ROUNDS] [-c FILE.csv] [-r FOLDER]
 *                [FILE.lift[:SIZES[:PRECISION]] | @LIST ...]
 *
 * Without programs those of bench/host.list. A table and, in FILE.csv, all figures for
 * each state of the machine that was seen (base/states.h): ratios are of samples in the
 * same state, the nearest in time. FOLDER holds the kernels by hand
 * (bench/reference/README.md). Ends with status 1 if a program could not be measured, or
 * a kernel by hand failed or is wrong. */
#include "base/bug.h"
#include "entry.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 128, ANY = -1, WAYS = 3 };

#define FAST "-ffast-math"

/* Where vectors have 512 bits compilers hesitate to use them. */
static const struct turns_way all_ways[WAYS] = {
    {"gcc", "gcc", FAST},
    {"gcc 256", "gcc", FAST " -mprefer-vector-width=256"},
    {"clang", "clang", FAST},
};

/* ---- the figures of a kernel in a state */

struct line {
    const struct turns_entry *entry;
    int state; /* ANY: ratios only */
    double round_trip;
    int samples;
    struct figure seconds;
    double gpts, gbs, percent;
    const struct turns_entry *plain, *hand; /* the best ones; NULL: there is none */
    struct figure to_plain, to_hand;        /* how many times as fast as these */
};

static double ceiling_gbs(const struct turns_result *t, int state)
{
    const struct turns_entry *best = turns_best(t, TURNS_CEILING, state);
    struct figure f;

    return best && turns_figure(best, state, &f) ? 1e-9 * best->bytes / f.median : 0;
}

static void compare(const struct line *l, const struct turns_entry *other,
                    struct figure *ratio)
{
    if (other && other != l->entry && l->entry->kind != TURNS_CEILING)
        turns_ratio(l->entry, other, l->state, ratio);
}

static struct line make_line(const struct entry_report *r, const struct turns_entry *e,
                             int state)
{
    const struct turns_result *t = r->turns;
    double bytes = e->kind == TURNS_CEILING ? e->bytes : r->bytes, ceiling;
    struct line l = {.entry = e, .state = state};

    l.plain = turns_best(t, TURNS_PLAIN, state);
    l.hand = turns_best(t, TURNS_HAND, state);
    compare(&l, l.plain, &l.to_plain);
    compare(&l, l.hand, &l.to_hand);
    if (state == ANY)
        return l;
    l.round_trip = turns_round_trip(t, state);
    l.samples = turns_figure(e, state, &l.seconds);
    if (l.samples == 0)
        return l;
    ceiling = ceiling_gbs(t, state);
    l.gpts = e->kind == TURNS_CEILING ? 0 : 1e-9 * r->points / l.seconds.median;
    l.gbs = 1e-9 * bytes / l.seconds.median;
    l.percent = ceiling > 0 ? 100 * l.gbs / ceiling : 0;
    return l;
}

/* ---- the table */

static void print_head(const struct entry_settings *s)
{
    printf("%s: %s, %s; %d rounds, turn by turn\n"
           "Medians by the state of the machine, which the round trip of a cache line "
           "between two cores\ntells; n: samples that nothing disturbed; +-%%: half the "
           "distance of the quartiles; GB/s: each\ninput and output once; %%: of the "
           "fastest ceiling; then how many times as fast as the best plain\nloop nest, "
           "and as the best tuned by hand, in the same state, with quartiles\n",
           s->device, s->probed.info.name, s->probed.info.driver, s->rounds);
}

static void print_ratio(struct figure f)
{
    if (f.median > 0)
        printf(" | %6.3f %6.3f - %6.3f", f.median, f.low, f.high);
    else
        printf(" | %6s %6s   %6s", "", "", "");
}

static void print_line(const struct line *l)
{
    char state[TEXT] = "any";

    if (l->state != ANY)
        snprintf(state, sizeof state, "%.0f ns", 1e9 * l->round_trip);
    printf("  %-36s %7s", l->entry->name, state);
    if (l->state == ANY)
        printf(" %4s %8s %5s %7s %6s", "", "", "", "", "");
    else if (l->entry->kind == TURNS_CEILING)
        printf(" %4d %8s %5.1f %7.1f %6.1f", l->samples, "", turns_spread(l->seconds),
               l->gbs, l->percent);
    else
        printf(" %4d %8.3f %5.1f %7.1f %6.1f", l->samples, l->gpts,
               turns_spread(l->seconds), l->gbs, l->percent);
    print_ratio(l->to_plain);
    print_ratio(l->to_hand);
    putchar('\n');
}

static void print_program(const struct entry_report *r)
{
    int disturbed = 0, all = 0;

    for (int i = 0; i < r->turns->count; i++) {
        disturbed += turns_disturbed(&r->turns->entries[i]);
        all += r->turns->entries[i].count;
    }
    printf("\n%s %s, %s: %d samples, of which %d were disturbed; states: %d\n",
           r->program, r->short_sizes, r->chosen, all, disturbed, r->turns->states);
    printf("  %-36s %7s %4s %8s %5s %7s %6s | %-22s | %s\n", "", "state", "n", "GPts/s",
           "+-%", "GB/s", "%", "to the best plain", "to the best by hand");
}

/* ---- CSV */

static void put_line(const struct entry_report *r, const struct line *l)
{
    static const char *const kinds[TURNS_KINDS] = {"ours", "plain", "hand", "ceiling"};
    FILE *out = r->settings->csv;
    bool ceiling = l->entry->kind == TURNS_CEILING;

    entry_put_program(r);
    entry_put_text(out, l->entry->name);
    entry_put_text(out, kinds[l->entry->kind]);
    entry_put_numbers(out, (const double[]){1e9 * l->round_trip}, 1);
    fprintf(out, "%d,%d,", l->samples, turns_disturbed(l->entry));
    entry_put_numbers(
        out,
        (const double[]){ceiling ? 0 : r->points, ceiling ? l->entry->bytes : r->bytes},
        2);
    entry_put_figure(out, l->seconds);
    entry_put_numbers(out, (const double[]){l->gpts, l->gbs, l->percent}, 3);
    entry_put_text(out, l->plain ? l->plain->name : "");
    entry_put_figure(out, l->to_plain);
    entry_put_text(out, l->hand ? l->hand->name : "");
    entry_put_figure(out, l->to_hand);
    entry_put_failure(out, "");
}

/* ---- one program */

static void show_line(const struct entry_report *r, const struct line *l)
{
    print_line(l);
    if (r->settings->csv)
        put_line(r, l);
}

/* A line for each state that it was timed in; one for all, if there are several, or
 * none. */
static void show_entry(const struct entry_report *r, const struct turns_entry *e)
{
    int shown = 0;

    for (int s = 0; s < r->turns->states; s++) {
        struct line l = make_line(r, e, s);

        if (l.samples == 0)
            continue;
        show_line(r, &l);
        shown++;
    }
    if (shown != 1) {
        struct line l = make_line(r, e, ANY);

        show_line(r, &l);
    }
}

static void show(const struct entry_report *r)
{
    FILE *csv = r->settings->csv;

    if (*r->turns->failure) {
        printf("\n%s %s failed: %s\n", r->program, r->short_sizes, r->turns->failure);
        if (!csv)
            return;
        entry_put_program(r);
        fputs(",,,,,,,,,,,,,,,,,,,,,", csv);
        entry_put_failure(csv, r->turns->failure);
        return;
    }
    print_program(r);
    for (int i = 0; i < r->turns->count; i++)
        show_entry(r, &r->turns->entries[i]);
}

/* ---- the command */

/* On PATH. */
static bool is_installed(const char *command)
{
    char *folders = strdup(getenv("PATH") ? getenv("PATH") : ""), *rest = folders;
    const char *folder;
    bool found = false;

    LIFT_ASSERT(folders);
    while (!found && (folder = strsep(&rest, ":"))) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", command);
        found = access(path, X_OK) == 0;
    }
    free(folders);
    return found;
}

static void prepare(struct entry_settings *s)
{
    static struct turns_way ways[WAYS];
    bool wide = strstr(s->probed.info.arch, "avx512") != NULL;

    s->request.flags = FAST;
    s->request.ways = ways;
    for (int w = 0; w < WAYS; w++)
        if (!is_installed(all_ways[w].compiler))
            fprintf(stderr,
                    "bench_host: '%s' is not installed; its kernels are left out\n",
                    all_ways[w].compiler);
        else if (wide || !strstr(all_ways[w].flags, "vector-width"))
            ways[s->request.way_count++] = all_ways[w];
    print_head(s);
}

const struct entry_kind entry_kind = {
    .name = "host",
    .options = "b:n:c:r:",
    .usage = "bench_host [-b DATABASE] [-n ROUNDS] [-c FILE.csv] [-r FOLDER] "
             "[FILE.lift[:SIZES[:PRECISION]] | @LIST ...]",
    .programs = "@bench/host.list",
    .columns = "kernel,kind,round_trip_ns,samples,disturbed,points,bytes,median_s,"
               "lower_s,upper_s,gpts,gbs,percent_of_ceiling,plain,to_plain,"
               "to_plain_lower,to_plain_upper,hand,to_hand,to_hand_lower,to_hand_upper",
    .prepare = prepare,
    .show = show,
};
