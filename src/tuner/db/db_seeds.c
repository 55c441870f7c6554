#include "tuner/db_seeds.h"
#include "base/json.h"
#include "base/memory.h"
#include "tuner/db/db_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SOURCES = 64, /* the nearest sources */
    TOP = 40,         /* candidates read of each source */
    OF_DEVICE = 4,
    OF_ARCH = 3,
    OF_EACH = 2, /* seeds of one source */
};

const char *lift_db_seed_kind_name(enum lift_db_seed_kind kind)
{
    static const char *const names[] = {"same device", "same architecture", "consensus"};

    return names[kind];
}

/* A candidate with its share of the source's best speed; 1: the best. */
struct good {
    struct lift_hash expr;
    char *tunables;
    double share;
};

/* A problem of the program on another device or at other sizes. The winner comes
 * first, then the other candidates in the order of their times. */
struct source {
    struct lift_hash problem, device;
    enum lift_db_seed_kind kind;
    double off; /* distance of the sizes, in doublings */
    struct good top[TOP];
    int count;
    double best; /* seconds */
};

struct seeder {
    struct lift_db *db;
    lift_db_seed_row *row;
    void *user;
    struct source *sources;
    int source_count;
    const struct good *given[LIFT_DB_SEEDS];
    int given_count;
    bool stopped; /* the callback has returned false */
};

/* ---- sources */

static bool same(const struct good *a, const struct good *b)
{
    return lift_hash_equal(a->expr, b->expr) && !strcmp(a->tunables, b->tunables);
}

/* Adds a candidate once, with its fastest trial. */
static void add_good(struct source *s, const struct lift_db_ranked *row)
{
    struct good good = {row->expr, (char *)row->tunables, 1};

    for (int i = 0; i < s->count; i++)
        if (same(&s->top[i], &good))
            return;
    good.tunables = lift_strdup(row->tunables);
    if (row->seconds > s->best)
        good.share = s->best / row->seconds;
    s->top[s->count++] = good;
}

/* The base-2 logarithm of a size; -10 if the problem lacks the size. */
static double size_off(const json_t *a, const char *name)
{
    const json_t *value = json_object_get(a, name);

    return json_is_integer(value) && json_integer_value(value) > 0
               ? log2((double)json_integer_value(value))
               : -10;
}

static double sizes_off(const char *mine, const char *others)
{
    json_t *a = lift_json_read(mine, 0), *b = lift_json_read(others, 0), *value;
    const char *name;
    double off = 0;

    json_object_foreach(a, name, value) off +=
        fabs(size_off(a, name) - size_off(b, name));
    json_decref(a);
    json_decref(b);
    return off;
}

static bool find_sources(struct seeder *s, struct lift_hash problem,
                         struct lift_hash device)
{
    sqlite3_stmt *stmt = db_query(s->db, DB_SEED_SOURCES, "hh", problem, device);
    int more;

    if (!stmt)
        return false;
    while ((more = db_step(s->db, stmt)) > 0) {
        struct source source = {.problem = db_hash(stmt, 0), .device = db_hash(stmt, 1)};

        source.kind = db_int(stmt, 2)   ? LIFT_DB_SEED_DEVICE
                      : db_int(stmt, 3) ? LIFT_DB_SEED_ARCH
                                        : LIFT_DB_SEED_CONSENSUS;
        source.off = sizes_off(db_text(stmt, 4), db_text(stmt, 5));
        source.best = db_real(stmt, 8, DB_MOST_SECONDS);
        add_good(&source, &(struct lift_db_ranked){.expr = db_hash(stmt, 6),
                                                   .tunables = db_text(stmt, 7),
                                                   .seconds = source.best});
        s->sources =
            lift_resize(s->sources, 1, sizeof source * ((size_t)s->source_count + 1));
        s->sources[s->source_count++] = source;
    }
    db_done(stmt);
    return more == 0;
}

static int nearest_first(const void *a, const void *b)
{
    const struct source *x = a, *y = b;
    int order;

    if (x->kind != y->kind)
        return (int)x->kind - (int)y->kind;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    order = memcmp(&x->problem, &y->problem, sizeof x->problem);
    return order ? order : memcmp(&x->device, &y->device, sizeof x->device);
}

static bool take_good(void *user, const struct lift_db_ranked *row)
{
    struct source *s = user;

    add_good(s, row);
    return s->count < TOP;
}

static bool fill_sources(struct seeder *s)
{
    if (s->source_count)
        qsort(s->sources, (size_t)s->source_count, sizeof *s->sources, nearest_first);
    if (s->source_count > MAX_SOURCES)
        s->source_count = MAX_SOURCES;
    for (int i = 0; i < s->source_count; i++)
        if (!lift_db_ranked(s->db, s->sources[i].problem, s->sources[i].device, take_good,
                            &s->sources[i]))
            return false;
    return true;
}

/* ---- seeds */

/* Passes a seed to the callback. Returns false for a repeated seed, or at the limit
 * of seeds. */
static bool give(struct seeder *s, enum lift_db_seed_kind kind, const struct good *good)
{
    if (s->stopped || s->given_count == LIFT_DB_SEEDS)
        return false;
    for (int i = 0; i < s->given_count; i++)
        if (same(s->given[i], good))
            return false;
    s->given[s->given_count++] = good;
    s->stopped =
        !s->row(s->user, &(struct lift_db_seed){kind, good->expr, good->tunables});
    return true;
}

/* Passes the best candidate of each source of this kind, then the second best of
 * each, and so on. */
static void give_kind(struct seeder *s, enum lift_db_seed_kind kind, int most)
{
    for (int place = 0; place < OF_EACH; place++)
        for (int i = 0; i < s->source_count && most > 0; i++)
            if (s->sources[i].kind == kind && place < s->sources[i].count)
                most -= give(s, kind, &s->sources[i].top[place]);
}

/* The sum of shares over all sources: a kernel outside a source's best adds 0. */
static double consensus(const struct seeder *s, const struct good *good)
{
    double sum = 0;

    for (int i = 0; i < s->source_count; i++)
        for (int k = 0; k < s->sources[i].count; k++)
            if (same(&s->sources[i].top[k], good)) {
                sum += s->sources[i].top[k].share;
                break;
            }
    return sum;
}

struct vote {
    const struct good *good;
    double sum;
};

static int most_first(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    int order;

    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    order = memcmp(&x->good->expr, &y->good->expr, sizeof x->good->expr);
    return order ? order : strcmp(x->good->tunables, y->good->tunables);
}

static void give_consensus(struct seeder *s)
{
    struct vote *votes =
        lift_resize(NULL, (size_t)s->source_count * TOP + 1, sizeof *votes);
    int count = 0;

    for (int i = 0; i < s->source_count; i++)
        for (int k = 0; k < s->sources[i].count; k++)
            votes[count++] =
                (struct vote){&s->sources[i].top[k], consensus(s, &s->sources[i].top[k])};
    qsort(votes, (size_t)count, sizeof *votes, most_first);
    for (int i = 0; i < count; i++)
        give(s, LIFT_DB_SEED_CONSENSUS, votes[i].good);
    free(votes);
}

bool lift_db_seeds(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_seed_row *row, void *user)
{
    struct seeder s = {.db = db, .row = row, .user = user};
    bool good = find_sources(&s, problem, device) && fill_sources(&s);

    if (good) {
        give_kind(&s, LIFT_DB_SEED_DEVICE, OF_DEVICE);
        give_kind(&s, LIFT_DB_SEED_ARCH, OF_ARCH);
        give_consensus(&s);
    }
    for (int i = 0; i < s.source_count; i++)
        for (int k = 0; k < s.sources[i].count; k++)
            free(s.sources[i].top[k].tunables);
    free(s.sources);
    return good;
}
