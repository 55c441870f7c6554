#include "entry.h"
#include "base/bug.h"
#include "explore/derive.h"
#include "explore/reference.h"
#include "ir/sizes.h"
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1 };

static const double most_seconds = 900; /* of one program */

void entry_stop(const struct entry_settings *s, const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", s->bench, what, why);
    exit(2);
}

/* ---- choosing */

static bool load(const struct entry_settings *s, const struct bench_item *item,
                 struct lift_source *out, struct lift_error *errors)
{
    enum lift_scalar scalar;

    if (item->precision && !lift_precision_parse(item->precision, &scalar))
        entry_stop(s, item->precision, "expected single or double");
    return lift_source_load(item->program, out, errors) &&
           (!item->precision || lift_source_precision(out, scalar, errors));
}

struct lift_chosen *entry_choose(const struct entry_settings *s,
                                 const struct bench_item *item)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_choose_options o = {
        .rules = s->rules, .db = s->db, .device = &s->probed.info, .without = s->without};
    struct lift_error errors = {0};
    struct lift_source source = {0};
    struct lift_chosen *chosen = NULL;

    o.source = &source;
    if (load(s, item, &source, &errors) &&
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

void entry_sizes(const struct explore_problem *p, char *out, size_t size)
{
    size_t len = 0;

    for (int i = 0; i < p->sizes.count && len < size; i++)
        len += (size_t)snprintf(out + len, size - len, "%s%lld", i ? "x" : "",
                                (long long)p->sizes.values[i]);
    if (len < size && strcmp(p->dtype, "f32") != 0)
        snprintf(out + len, size - len, " %s", p->dtype);
}

/* ---- a contest */

bool entry_call(lift_worker_serve *serve, struct contest *c, void *out, size_t size,
                char failure[CONTEST_TEXT])
{
    struct lift_worker *worker = lift_worker_create(serve, c);
    struct lift_str reply = {0};
    struct lift_worker_result end = lift_worker_call(worker, "", 1, most_seconds, &reply);
    bool good = end.end == LIFT_WORKER_OK && reply.len == size;

    if (good)
        memcpy(out, reply.data, size);
    else if (end.end == LIFT_WORKER_TIMEOUT)
        snprintf(failure, CONTEST_TEXT, "it took more than %g s", most_seconds);
    else
        snprintf(failure, CONTEST_TEXT, "the process crashed (%d)", end.code);
    lift_worker_stop(worker);
    lift_str_fini(&reply);
    return good;
}

bool entry_set_up(const struct entry_settings *s, struct lift_chosen *chosen,
                  struct contest *c, struct lift_str *why)
{
    struct explore_problem *p = chosen->problem;

    c->chosen = chosen;
    c->rounds = s->rounds;
    c->reference_count = bench_references(&(struct bench_shelf){s->references, s->only},
                                          p, &s->probed.info, c->references);
    c->bench = (struct explore_bench){
        .problem = p, .device = s->device, .info = &s->probed.info, .seed = SEED};
    return explore_reference_plain(&c->bench, s->rules, EXPLORE_THIRD, why);
}

void entry_release(struct contest *c)
{
    for (int i = 0; i < c->reference_count; i++)
        runner_unload(NULL, &c->references[i].module);
    explore_reference_free(&c->bench);
}

void entry_notes(const struct entry_settings *s, const char *program, const char *notes)
{
    fflush(stdout);
    while (*notes) {
        int len = (int)strcspn(notes, "\n");

        fprintf(stderr, "%s: %s: %.*s\n", s->bench, program, len, notes);
        notes += len + (notes[len] == '\n');
    }
}

/* ---- CSV */

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

/* ---- opening and closing */

void entry_open(struct entry_settings *s)
{
    struct lift_str why = {0};
    struct lift_error error = {0};

    s->rules = lift_rules_shipped();
    if (s->database) {
        s->db = lift_db_open(s->database, LIFT_DB_READ, &error);
        if (!s->db)
            entry_stop(s, s->database, lift_error_text(&error));
    }
    if (!lift_explore_device(s->device, false, &s->probed, &why))
        entry_stop(s, s->device, lift_str_get(&why));
    lift_str_fini(&why);
}

void entry_close(struct entry_settings *s)
{
    lift_explore_device_fini(&s->probed);
    if (s->db)
        lift_db_close(s->db);
    lift_rules_destroy(s->rules);
}
