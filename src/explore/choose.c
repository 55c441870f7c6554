/* The candidates for a problem on a device, the first of them to be taken. */
#include "explore/chosen.h"
#include "explore/derive.h"
#include "explore/lower.h"
#include "explore/phase.h"
#include "lift/bug.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_OF_PROBLEM = 5, /* expressions that are looked at */
    MOST_ROWS = 1000,    /* tries that are read for them */
};

/* A problem and a device that have a best kernel. */
struct source_row {
    enum lift_chosen_how how;
    double distance;
    struct lift_hash problem, device;
    const char *sizes, *device_name;
    double points, bytes; /* of a launch */
};

struct walk {
    const struct chooser *c;
    chosen_visit *visit;
    void *user;
    bool over, failed;
    struct source_row *rows;
    int count, cap;
    const struct source_row *at; /* whose tries are read */
    struct lift_hash seen[MOST_OF_PROBLEM];
    int seen_count, read;
    int visited; /* candidates so far */
};

/* ---- rows of the database */

/* Infinite if they are not sizes of the same names. */
static double distance(const struct explore_problem *p, const char *sizes)
{
    json_t *json = json_loads(sizes, 0, NULL);
    double sum = json_object_size(json) == (size_t)p->sizes.count ? 0 : INFINITY;

    for (int i = 0; i < p->sizes.count; i++) {
        const json_t *value = json_object_get(json, p->sizes.names[i]);

        sum += json_is_integer(value) && json_integer_value(value) > 0
                   ? fabs(log2((double)json_integer_value(value) /
                               (double)p->sizes.values[i]))
                   : INFINITY;
    }
    json_decref(json);
    return sum;
}

struct likeness {
    const struct lift_device_info *wanted;
    bool same;
};

static bool compare_device(void *user, const struct lift_device_info *row)
{
    struct likeness *l = user;

    l->same =
        !strcmp(row->runtime, l->wanted->runtime) && !strcmp(row->arch, l->wanted->arch);
    return false;
}

/* False if it is no kernel for the wanted device. */
static bool likeness(struct walk *w, const struct lift_db_best *row,
                     enum lift_chosen_how *how, double distance)
{
    struct likeness l = {.wanted = w->c->device};

    if (lift_hash_equal(row->device_id, lift_device_hash(w->c->device))) {
        *how = distance > 0 ? LIFT_CHOSEN_SIZE : LIFT_CHOSEN_EXACT;
        return true;
    }
    *how = LIFT_CHOSEN_ARCH;
    if (!lift_db_device(w->c->db, row->device_id, compare_device, &l))
        w->failed = true;
    return l.same;
}

static bool take_best(void *user, const struct lift_db_best *row)
{
    struct walk *w = user;
    struct source_row s = {.distance = distance(w->c->problem, row->sizes),
                           .problem = row->problem,
                           .device = row->device_id,
                           .points = row->gpts * row->seconds,
                           .bytes = row->gbs * row->seconds};

    if (isinf(s.distance) || !likeness(w, row, &s.how, s.distance))
        return !w->failed;
    s.sizes = lift_arena_strdup(w->c->arena, row->sizes);
    s.device_name = lift_arena_strdup(w->c->arena, row->device);
    if (w->count == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 16;
        w->rows = realloc(w->rows, (size_t)w->cap * sizeof *w->rows);
        LIFT_ASSERT(w->rows);
    }
    w->rows[w->count++] = s;
    return true;
}

static int by_merit(const void *a, const void *b)
{
    const struct source_row *x = a, *y = b;

    if (x->how != y->how)
        return x->how < y->how ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return memcmp(&x->problem, &y->problem, sizeof x->problem);
}

/* ---- their expressions, at the wanted sizes */

static bool make_arm(struct walk *w, const struct lift_db_ranked *row,
                     struct chosen_candidate *out)
{
    const struct chooser *c = w->c;
    struct explore_arm_request request = {.problem = c->problem, .device = c->device};
    struct lift_str why = {0};
    bool good;

    request.term = out->how == LIFT_CHOSEN_EXACT
                       ? refit_parse(c, row->expr, &why)
                       : refit_derive(c, row->expr, &request.conditions, NULL, &why);
    good = request.term && derive_is_legal(c->problem, request.term) &&
           explore_arm_make(&request, &out->arm, &why) &&
           refit_point(&out->arm, row->tunables, out->point);
    lift_str_fini(&why);
    return good;
}

static bool has_text(const char *expr, const char *texts)
{
    for (size_t len; *texts; texts += len + (texts[len] == ',')) {
        len = strcspn(texts, ",");
        if (len && memmem(expr, strlen(expr), texts, len))
            return true;
    }
    return false;
}

/* It has what nobody wants. */
static bool is_unwanted(struct walk *w, struct lift_hash expr)
{
    struct lift_str text = {0};
    char hex[LIFT_HASH_HEX];
    bool unwanted;

    if (!w->c->without)
        return false;
    w->failed =
        !lift_db_text(w->c->db, LIFT_DB_TEXT_EXPR, lift_hash_hex(expr, hex), &text);
    unwanted = has_text(lift_str_get(&text), w->c->without);
    lift_str_fini(&text);
    return unwanted;
}

static bool is_new(struct walk *w, struct lift_hash expr)
{
    for (int i = 0; i < w->seen_count; i++)
        if (lift_hash_equal(w->seen[i], expr))
            return false;
    w->seen[w->seen_count++] = expr;
    return true;
}

static bool take_ranked(void *user, const struct lift_db_ranked *row)
{
    struct walk *w = user;
    struct chosen_candidate candidate = {
        .how = w->at->how,
        .try = row->try,
        .from_sizes = w->at->sizes,
        .from_device = w->at->device_name,
        .from_tunables = lift_arena_strdup(w->c->arena, row->tunables),
        .seconds = row->seconds,
        .gpts = w->at->points / row->seconds,
        .gbs = w->at->bytes / row->seconds};

    if (is_unwanted(w, row->expr))
        return !w->failed && ++w->read < MOST_ROWS;
    if (is_new(w, row->expr) && make_arm(w, row, &candidate)) {
        w->visited++;
        w->over = !w->visit(w->user, &candidate);
    }
    return !w->over && w->seen_count < MOST_OF_PROBLEM && ++w->read < MOST_ROWS;
}

/* The one that the database calls the best comes first: it won a final, while a single
 * try may have been lucky. */
static bool take_first(void *user, const struct lift_db_best *row)
{
    struct walk *w = user;
    const struct source_row *s = w->at;

    if (!lift_hash_equal(row->problem, s->problem) ||
        !lift_hash_equal(row->device_id, s->device))
        return true;
    take_ranked(w, &(struct lift_db_ranked){.expr = row->expr,
                                            .try = row->try,
                                            .tunables = row->tunables,
                                            .seconds = row->seconds});
    return false;
}

static void visit_source(struct walk *w, const struct source_row *s,
                         const struct lift_db_filter *filter)
{
    w->at = s;
    w->seen_count = w->read = 0;
    if (!lift_db_best(w->c->db, filter, take_first, w) ||
        (!w->over && !lift_db_ranked(w->c->db, s->problem, s->device, take_ranked, w)))
        w->failed = true;
}

static void visit_known(struct walk *w)
{
    char hex[LIFT_HASH_HEX];
    struct lift_db_filter filter = {
        .program = lift_hash_hex(lift_program_id(w->c->problem->program), hex)};

    if (!lift_db_best(w->c->db, &filter, take_best, w)) {
        w->failed = true;
        return;
    }
    if (w->count)
        qsort(w->rows, (size_t)w->count, sizeof *w->rows, by_merit);
    for (int i = 0; i < w->count && !w->over && !w->failed; i++)
        visit_source(w, &w->rows[i], &filter);
}

/* ---- without a database */

static void visit_default(struct walk *w)
{
    const struct chooser *c = w->c;
    const struct lowering *list;
    struct lift_str why = {0};
    int count = explore_lower(c->problem->ir, c->rules,
                              explore_prepare(c->problem, c->rules, c->device->dialect),
                              c->device->dialect, &list, &why);

    for (int i = 0; i < count && !w->over; i++) {
        struct chosen_candidate candidate = {.how = LIFT_CHOSEN_DEFAULT,
                                             .passed = w->visited};
        struct explore_arm_request request = {
            .problem = c->problem, .device = c->device, .term = list[i].term};

        if (explore_arm_make(&request, &candidate.arm, &why) &&
            refit_point(&candidate.arm, "{}", candidate.point))
            w->over = !w->visit(w->user, &candidate);
    }
    lift_str_fini(&why);
}

bool chosen_each(const struct chooser *c, chosen_visit *visit, void *user)
{
    struct walk w = {.c = c, .visit = visit, .user = user};

    if (c->db)
        visit_known(&w);
    if (!w.over && !w.failed)
        visit_default(&w);
    free(w.rows);
    return !w.failed;
}
