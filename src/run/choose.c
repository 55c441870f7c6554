/* The candidates for a problem on a device, best first. */
#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"
#include "explore/configurations.h"
#include "explore/derive.h"
#include "lift/parse.h"
#include "run/chosen.h"
#include "tuner/db_query.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_OF_PROBLEM = 5, /* examined expressions of a problem ... */
    MOST_ALIKE = 50,     /* ... if the kernel must resemble 'near' */
    MOST_DERIVED = 200,  /* derived expressions of a problem */
    MOST_ROWS = 1000,    /* trials read of a problem */
    POOR = 4,            /* a poor kernel is this factor slower than at other sizes */
    SHORT_HASH = 12,     /* digits */
};

/* Seconds. Memory bandwidth limits most launches of this length or more. */
static const double LONG_LAUNCH = 20e-6;

/* A problem and a device that have a best kernel. */
struct source_row {
    enum lift_chosen_how how;
    double distance;
    struct lift_hash problem, device;
    const char *sizes, *device_name;
    double points, bytes; /* of a launch */
    double rate;          /* bytes a second */
};

struct walk {
    const struct chooser *c;
    chosen_visit *visit;
    void *user;
    bool over, failed;
    struct source_row *rows;
    int count, cap;
    const struct source_row *at; /* the row whose trials are read */
    struct lift_hash seen[MOST_DERIVED];
    int seen_count, looked, read;
    int visited;               /* candidates so far */
    double slower;             /* as in chosen_candidate */
    int refused;               /* number of expressions that cannot be derived here */
    const char *refusal;       /* the first of these expressions, and the reason */
    struct derivation *points; /* of the program, if 'known_as' is another program */
};

/* ---- rows of the database */

double chosen_distance(const struct explore_problem *p, const char *sizes)
{
    json_auto_t *json = lift_json_read(sizes, 0);
    double sum = json_object_size(json) == (size_t)p->sizes.count ? 0 : INFINITY;

    for (int i = 0; i < p->sizes.count; i++) {
        const json_t *value = json_object_get(json, p->sizes.names[i]);

        sum += json_is_integer(value) && json_integer_value(value) > 0
                   ? fabs(log2((double)json_integer_value(value) /
                               (double)p->sizes.values[i]))
                   : INFINITY;
    }
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

bool chosen_likeness(const struct chooser *c, struct lift_hash device, double distance,
                     enum lift_chosen_how *how, bool *failed)
{
    struct likeness l = {.wanted = c->device};

    if (lift_hash_equal(device, lift_device_hash(c->device))) {
        *how = distance > 0 ? LIFT_CHOSEN_SIZE : LIFT_CHOSEN_EXACT;
        return true;
    }
    *how = LIFT_CHOSEN_ARCH;
    if (!lift_db_device(c->db, device, compare_device, &l))
        *failed = true;
    return l.same;
}

static bool take_best(void *user, const struct lift_db_best *row)
{
    struct walk *w = user;
    struct source_row s = {.distance = chosen_distance(w->c->problem, row->sizes),
                           .problem = row->problem,
                           .device = row->device_id,
                           .points = row->gpts * row->seconds,
                           .bytes = row->gbs * row->seconds};

    if (!isfinite(s.points) || !isfinite(s.bytes))
        s.points = s.bytes = 0;
    s.rate = s.bytes / row->seconds;
    if (isinf(s.distance) ||
        !chosen_likeness(w->c, row->device_id, s.distance, &s.how, &w->failed))
        return !w->failed;
    s.sizes = chosen_text(w->c->arena, row->sizes);
    s.device_name = chosen_text(w->c->arena, row->device);
    LIFT_ROOM(w->rows, w->count, w->cap);
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

/* A short exploration may have found nothing good. At other sizes a kernel may be faster
 * because its grids are smaller and stay in a cache, or because a launch here is short.
 */
static bool is_poor(const struct source_row *exact, const struct source_row *other)
{
    return exact->how == LIFT_CHOSEN_EXACT && other->how == LIFT_CHOSEN_SIZE &&
           other->bytes >= exact->bytes && other->rate > POOR * exact->rate &&
           exact->bytes > LONG_LAUNCH * other->rate;
}

static void order_rows(struct walk *w)
{
    if (w->count)
        qsort(w->rows, (size_t)w->count, sizeof *w->rows, by_merit);
    for (int i = 1; i < w->count; i++)
        if (is_poor(&w->rows[0], &w->rows[i])) {
            const struct source_row first = w->rows[i];

            memmove(w->rows + 1, w->rows, (size_t)i * sizeof *w->rows);
            w->rows[0] = first;
            w->slower = first.rate / w->rows[1].rate;
            return;
        }
}

/* ---- expressions of rows, at the wanted sizes */

/* Applies the schedule options of another program's expression to this program. */
static lift_expr derive_point(struct walk *w, struct lift_hash expr,
                              struct explore_conditions *conditions, struct lift_str *why)
{
    const struct chooser *c = w->c;
    LIFT_SCOPED(lift_str) text = {0};
    struct lift_configuration point = {{0}};
    struct derived made;
    bool known, good;

    if (!w->points) {
        w->points = derive_create(c->problem, c->rules, c->device->dialect);
        w->points->device = explore_option_device(c->device);
    }
    good = lift_db_configuration_of(c->db, expr, &text, &known) && known &&
           lift_configuration_read(c->rules, lift_str_get(&text), &point, why) &&
           configurations_make(w->points, &point, &made, why);
    if (!good && !why->len)
        lift_str_add(why, "its options are not stored");
    if (!good)
        return NULL;
    *conditions = made.conditions;
    return w->points->nodes[made.node].term;
}

/* Derives the expression from the chooser's program. Returns NULL if the derivation fails
 * or if the expression does not suit the device. */
static lift_expr derive(struct walk *w, struct lift_hash expr,
                        struct explore_conditions *conditions)
{
    const struct chooser *c = w->c;
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) why = {0};
    lift_expr term = c->known_as ? derive_point(w, expr, conditions, &why)
                                 : refit_derive(c, expr, conditions, NULL, &why);

    if (term && !derive_is_lowered(term, c->device->dialect, &why)) {
        lift_str_addf(&why, ": it is not lowered for '%s'", c->device->runtime);
        term = NULL;
    } else if (term && !lift_program_may_overwrite(c->problem->program, term)) {
        lift_str_add(&why, "it overwrites an input that is needed again");
        term = NULL;
    }
    if (!term && !w->refused++)
        w->refusal = lift_arena_printf(c->arena, "%.*s: %s", SHORT_HASH,
                                       lift_hash_hex(expr, hex), lift_str_get(&why));
    return term;
}

static bool has_text(lift_expr term, const char *texts)
{
    LIFT_SCOPED(lift_str) printed = {0};
    bool found = false;

    lift_term_print(term, &printed);
    for (size_t len; *texts && !found; texts += len + (texts[len] == ',')) {
        len = strcspn(texts, ",");
        found = len && memmem(printed.data, printed.len, texts, len);
    }
    return found;
}

/* Replaces the text of 'why'. */
static bool fit(const struct candidate_space_request *request, const char *tunables,
                struct chosen_candidate *out, struct lift_str *why)
{
    lift_str_clear(why);
    if (!candidate_space_make(request, &out->candidates, why))
        return false;
    return candidate_space_nearest(&out->candidates, tunables, out->point) ||
           LIFT_FAIL(why, "no tunables fit these sizes");
}

static bool is_new(struct walk *w, struct lift_hash expr)
{
    for (int i = 0; i < w->seen_count; i++)
        if (lift_hash_equal(w->seen[i], expr))
            return false;
    w->seen[w->seen_count++] = expr;
    return true;
}

static void take_new(struct walk *w, const struct lift_db_ranked *row)
{
    struct candidate_space_request request = {.problem = w->c->problem,
                                              .device = w->c->device};
    struct chosen_candidate candidate = {.how = w->at->how,
                                         .trial = row->trial,
                                         .from_sizes = w->at->sizes,
                                         .from_device = w->at->device_name,
                                         .from_tunables =
                                             chosen_text(w->c->arena, row->tunables),
                                         .seconds = row->seconds,
                                         .gpts = w->at->points / row->seconds,
                                         .gbs = w->at->bytes / row->seconds};
    LIFT_SCOPED(lift_str) why = {0};

    request.term = derive(w, row->expr, &request.conditions);
    if (!request.term || (w->c->without && has_text(request.term, w->c->without)))
        return;
    w->looked++;
    if (!fit(&request, row->tunables, &candidate, &why))
        return;
    if (w->at->distance > 0)
        resize_point(w->c, &candidate);
    candidate.slower = w->at == &w->rows[0] ? w->slower : 0;
    candidate.refused = w->refused;
    candidate.refusal = w->refusal;
    w->visited++;
    w->over = !w->visit(w->user, &candidate);
}

static bool take_ranked(void *user, const struct lift_db_ranked *row)
{
    struct walk *w = user;

    if (lift_db_possible(row->seconds, w->at->bytes) && is_new(w, row->expr))
        take_new(w, row);
    return !w->over && w->looked < (w->c->near ? MOST_ALIKE : MOST_OF_PROBLEM) &&
           w->seen_count < MOST_DERIVED && ++w->read < MOST_ROWS;
}

/* Takes the database's best kernel first: this kernel won a final benchmark, whereas the
 * time of a single trial may be too short by chance. */
static bool take_first(void *user, const struct lift_db_best *row)
{
    struct walk *w = user;
    const struct source_row *s = w->at;

    if (!lift_hash_equal(row->problem, s->problem) ||
        !lift_hash_equal(row->device_id, s->device))
        return true;
    take_ranked(w, &(struct lift_db_ranked){.expr = row->expr,
                                            .trial = row->trial,
                                            .tunables = row->tunables,
                                            .seconds = row->seconds});
    return false;
}

static void visit_known(struct walk *w)
{
    char hex[LIFT_HASH_HEX];
    const struct lift_hash id =
        w->c->known_as ? *w->c->known_as : lift_program_id(w->c->problem->program);
    struct lift_db_filter filter = {.program = lift_hash_hex(id, hex)};

    if (!lift_db_best(w->c->db, &filter, take_best, w)) {
        w->failed = true;
        return;
    }
    order_rows(w);
    for (int i = 0; i < w->count && !w->over && !w->failed; i++) {
        const struct source_row *s = w->at = &w->rows[i];

        w->seen_count = w->looked = w->read = 0;
        if (!lift_db_best(w->c->db, &filter, take_first, w) ||
            (!w->over &&
             !lift_db_ranked(w->c->db, s->problem, s->device, take_ranked, w)))
            w->failed = true;
    }
}

/* ---- without a database */

struct plain {
    struct walk *walk;
    struct derivation *derivation;
    bool any_length; /* visits only kernels whose code is too long to explore */
    struct lift_str *why;
};

static bool is_short(const struct chooser *c, const struct chosen_candidate *candidate)
{
    struct runner_module module = {0};
    LIFT_SCOPED(lift_str) why = {0};
    bool made =
        chosen_generate(c, candidate, (struct chosen_use){.beside = NULL}, &module, &why);

    runner_unload(NULL, &module);
    return made;
}

static void visit_leaf(struct plain *p, const struct derive_leaf *leaf)
{
    struct walk *w = p->walk;
    struct chosen_candidate candidate = {.how = LIFT_CHOSEN_DEFAULT,
                                         .passed = w->visited,
                                         .refused = w->refused,
                                         .refusal = w->refusal};
    const struct candidate_space_request request = {
        .problem = w->c->problem,
        .device = w->c->device,
        .term = p->derivation->nodes[leaf->node].term,
        .conditions = leaf->conditions};

    if (w->c->without && has_text(request.term, w->c->without)) {
        if (!p->why->len)
            lift_str_addf(p->why, "the code of each contains one of the texts '%s'",
                          w->c->without);
        return;
    }
    if (!fit(&request, w->c->near ? w->c->near : "{}", &candidate, p->why) ||
        (p->any_length && is_short(w->c, &candidate)))
        return;
    candidate.any_length = p->any_length;
    w->over = !w->visit(w->user, &candidate);
}

static void visit_neighbour(void *user, const struct lift_configuration *point)
{
    struct plain *p = user;
    struct derivation *d = p->derivation;

    if (!p->walk->over && configurations_add(d, point))
        visit_leaf(p, &d->leaves[d->leaf_count - 1]);
}

static void visit_default(struct walk *w, struct lift_str *why)
{
    const struct chooser *c = w->c;
    struct derivation *d = derive_create(c->problem, c->rules, c->device->dialect);
    struct plain p = {w, d, false, why};
    int count;

    d->device = explore_option_device(c->device);
    configurations_add_standard(d);
    if (d->leaf_count == 0)
        lift_str_add(why, configurations_why_none(d));
    count = d->leaf_count;
    for (int i = 0; i < count && !w->over; i++)
        visit_leaf(&p, &d->leaves[i]);
    for (int i = 0; i < count && !w->over && c->near; i++) {
        const struct lift_configuration point = d->leaves[i].configuration;

        configurations_neighbours(d, &point, visit_neighbour, &p);
    }
    p.any_length = true;
    for (int i = 0; i < count && !w->over; i++)
        visit_leaf(&p, &d->leaves[i]);
    derive_destroy(d);
}

bool chosen_each(const struct chooser *c, chosen_visit *visit, void *user,
                 struct lift_str *why)
{
    struct walk w = {.c = c, .visit = visit, .user = user};

    if (c->db)
        visit_known(&w);
    if (!w.over && !w.failed)
        visit_default(&w, why);
    if (w.points)
        derive_destroy(w.points);
    free(w.rows);
    return !w.failed;
}
