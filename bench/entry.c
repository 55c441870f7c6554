#include "entry.h"
#include "base/bug.h"
#include "explore/derive.h"
#include "explore/reference.h"
#include "ir/sizes.h"
#include "list.h"
#include <csv.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1 };

static const double most_seconds = 900; /* of one program */

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", entry_kind.name, what, why);
    exit(2);
}

/* ---- choosing */

static bool load(const struct bench_item *item, struct lift_source *out,
                 struct lift_error *errors)
{
    enum lift_scalar scalar;

    if (item->precision && !lift_precision_parse(item->precision, &scalar))
        stop(item->precision, "expected single or double");
    return lift_source_load(item->program, out, errors) &&
           (!item->precision || lift_source_precision(out, scalar, errors));
}

/* The kernel that 'lift best' names; NULL, after a message on stdout, if there is no
 * kernel. */
static struct lift_chosen *choose(const struct entry_settings *s,
                                  const struct bench_item *item)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_choose_options o = {
        .rules = s->rules, .db = s->db, .device = &s->probed.info, .without = s->without};
    struct lift_error errors = {0};
    struct lift_source source = {0};
    struct lift_chosen *chosen = NULL;

    o.source = &source;
    if (load(item, &source, &errors) &&
        (!item->sizes ||
         lift_sizes_parse(arena, item->sizes, &o.sizes, &o.size_count, &errors)))
        chosen = lift_choose(&o, &errors);
    if (!chosen && errors.code == LIFT_ERROR_PROGRAM) {
        lift_error_print(&errors, stderr);
        exit(2);
    }
    if (!chosen)
        printf("%s failed: %s\n", item->program, lift_error_text(&errors));
    lift_error_fini(&errors);
    lift_source_free(&source);
    lift_arena_destroy(arena);
    return chosen;
}

static void write_sizes(const struct explore_problem *p, char *out, size_t size)
{
    size_t len = 0;

    for (int i = 0; i < p->sizes.count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%lld", i ? "x" : "",
                                (long long)p->sizes.values[i]);
    if (len < size && strcmp(p->dtype, "f32") != 0)
        snprintf(out + len, size - len, " %s", p->dtype);
}

/* ---- CSV */

void entry_put_program(const struct entry_report *r)
{
    FILE *out = r->settings->csv;

    entry_put_text(out, r->program);
    entry_put_text(out, r->sizes);
    entry_put_text(out, r->dtype);
    entry_put_text(out, r->settings->probed.info.name);
    entry_put_text(out, r->chosen);
}

void entry_put_text(FILE *out, const char *text)
{
    csv_fwrite(out, text, strlen(text));
    fputc(',', out);
}

void entry_put_numbers(FILE *out, const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] > 0)
            fprintf(out, "%.9g,", numbers[i]);
        else
            fputc(',', out);
}

void entry_put_figure(FILE *out, struct figure f)
{
    entry_put_numbers(out, (const double[]){f.median, f.low, f.high}, 3);
}

void entry_put_failure(FILE *out, const char *failure)
{
    csv_fwrite(out, failure, strlen(failure));
    fputc('\n', out);
    fflush(out);
}

/* ---- one program */

static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *reply)
{
    struct turns_result *result = calloc(1, sizeof *result);

    (void)state, (void)request, (void)size;
    LIFT_ASSERT(result);
    turns_hold(user, result);
    lift_str_addn(reply, (const char *)result, sizeof *result);
    free(result);
}

/* Times our kernel in a separate process. Returns false, with the reason in the result,
 * if there are no figures. */
static bool hold(struct turns_request *q, struct turns_result *out)
{
    struct lift_worker *worker = lift_worker_create(serve, q);
    struct lift_str reply = {0};
    struct lift_worker_result end = lift_worker_call(worker, "", 1, most_seconds, &reply);

    if (end.end == LIFT_WORKER_OK && reply.len == sizeof *out)
        memcpy(out, reply.data, sizeof *out);
    else if (end.end == LIFT_WORKER_TIMEOUT)
        snprintf(out->failure, TURNS_TEXT, "it took more than %g s", most_seconds);
    else
        snprintf(out->failure, TURNS_TEXT, "the process crashed (%d)", end.code);
    lift_worker_stop(worker);
    lift_str_fini(&reply);
    return !*out->failure;
}

/* A reference that crashes the process or the device must not lose our kernel's figures.
 */
static void hold_twice(struct turns_request *q, struct turns_result *out)
{
    struct turns_result *alone;
    int count = q->reference_count;

    if (hold(q, out) || count == 0)
        return;
    alone = calloc(1, sizeof *alone);
    LIFT_ASSERT(alone);
    q->reference_count = 0;
    if (hold(q, alone)) {
        snprintf(alone->notes, sizeof alone->notes, "with references it fails: %s\n",
                 out->failure);
        alone->refused = count;
        *out = *alone;
    }
    q->reference_count = count;
    free(alone);
}

static void compete(const struct entry_settings *s, struct lift_chosen *chosen,
                    struct turns_result *out)
{
    struct explore_problem *p = chosen->problem;
    struct turns_request *q = calloc(1, sizeof *q);
    struct lift_str why = {0};

    LIFT_ASSERT(q);
    *q = s->request;
    q->chosen = chosen;
    q->rounds = s->rounds;
    q->reference_count = bench_references(&(struct bench_shelf){s->references, s->only},
                                          p, &s->probed.info, q->references);
    q->bench = (struct explore_bench){
        .problem = p, .device = s->device, .info = &s->probed.info, .seed = SEED};
    if (explore_reference_lower(&q->bench, s->rules, &why))
        hold_twice(q, out);
    else
        snprintf(out->failure, TURNS_TEXT, "%s", lift_str_get(&why));
    for (int i = 0; i < q->reference_count; i++)
        runner_unload(NULL, &q->references[i].module);
    lift_str_fini(&why);
    free(q);
}

/* On stderr. */
static void print_notes(const char *program, const char *notes)
{
    fflush(stdout);
    while (*notes) {
        int len = (int)strcspn(notes, "\n");

        fprintf(stderr, "%s: %s: %.*s\n", entry_kind.name, program, len, notes);
        notes += len + (notes[len] == '\n');
    }
}

/* False if there are no figures, or a reference has none. */
static bool measure(const struct entry_settings *s, const struct bench_item *item)
{
    struct lift_chosen *chosen = choose(s, item);
    const struct lift_chosen_facts *f = chosen ? lift_chosen_facts(chosen) : NULL;
    struct entry_report r = {.settings = s};
    bool good;

    if (!chosen)
        return false;
    r.program = f->program;
    r.sizes = f->sizes;
    r.dtype = chosen->problem->dtype;
    r.chosen = lift_chosen_how_name(f->how);
    r.points = (double)chosen->problem->points;
    r.bytes = (double)chosen->problem->bytes;
    r.turns = calloc(1, sizeof *r.turns);
    LIFT_ASSERT(r.turns);
    write_sizes(chosen->problem, r.short_sizes, sizeof r.short_sizes);
    compete(s, chosen, r.turns);
    entry_kind.show(&r);
    print_notes(r.program, r.turns->notes);
    good = !*r.turns->failure && r.turns->refused == 0;
    free(r.turns);
    lift_chosen_destroy(chosen);
    return good;
}

/* ---- opening and closing */

static void open_all(struct entry_settings *s)
{
    struct lift_str why = {0};
    struct lift_error error = {0};

    s->rules = lift_rules_shipped();
    if (s->database) {
        s->db = lift_db_open(s->database, LIFT_DB_READ, &error);
        if (!s->db)
            stop(s->database, lift_error_text(&error));
    }
    if (!lift_explore_device(s->device, false, &s->probed, &why))
        stop(s->device, lift_str_get(&why));
    lift_str_fini(&why);
}

static void close_all(struct entry_settings *s)
{
    lift_explore_device_fini(&s->probed);
    if (s->db)
        lift_db_close(s->db);
    lift_rules_destroy(s->rules);
}

/* ---- the command */

static struct entry_settings read_options(int argc, char **argv)
{
    struct entry_settings s = {
        .device = "host", .references = "bench/reference", .rounds = 15};
    const char *csv = NULL;
    bool good = true;
    int option;

    while ((option = getopt(argc, argv, entry_kind.options)) != -1)
        switch (option) {
        case 'd':
            s.device = optarg;
            break;
        case 'b':
            s.database = optarg;
            break;
        case 'r':
            s.references = optarg;
            break;
        case 'n':
            s.rounds = (int)strtol(optarg, NULL, 10);
            break;
        case 'c':
            csv = optarg;
            break;
        case 'a':
            s.request.note = true;
            break;
        case 'w':
            s.without = optarg;
            break;
        case 'k':
            s.only = optarg;
            break;
        default:
            good = false;
        }
    if (!good || (optind == argc && !entry_kind.programs) || s.rounds < 1 ||
        s.rounds > TURNS_ROUNDS)
        stop("usage", entry_kind.usage);
    s.csv = csv ? fopen(csv, "we") : NULL;
    if (csv && !s.csv)
        stop(csv, "cannot be written");
    return s;
}

int main(int argc, char **argv)
{
    char *const usual[] = {(char *)entry_kind.programs, NULL};
    struct entry_settings s = read_options(argc, argv);
    struct bench_list list;
    bool good = true;

    /* Idle threads of an OpenMP library sleep after a millisecond, so that another
     * kernel has the cores; the library reads this when it starts. */
    setenv("KMP_BLOCKTIME", "1", 0);
    bench_list_read(optind < argc ? argv + optind : usual, &list);
    open_all(&s);
    entry_kind.prepare(&s);
    if (s.csv)
        fprintf(s.csv, "program,sizes,dtype,device,chosen,%s,failure\n",
                entry_kind.columns);
    for (int i = 0; i < list.count; i++)
        good = measure(&s, &list.items[i]) && good;
    if (s.csv && fclose(s.csv) != 0)
        stop("the CSV file", "cannot be written");
    bench_list_free(&list);
    close_all(&s);
    return good ? 0 : 1;
}
