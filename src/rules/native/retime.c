/* Retiming of weighted sums. Several steps may add a term of a sum over the window of a
 * stream. The first such step is the arrival of the last plane that the term reads; the
 * last step completes the point. Terms added early form a separate stream of partial
 * sums. The partial sum of a point is the element at the position of the newest plane in
 * the sum.
 *
 *     mapSeqSlide(fun(w => post(E(w) + L(w))), n, 1, x)
 *   = mapSeqSlide(fun(w => post(w[b].0 + L(w.1))), n, 1, zip(S, x))
 *     S = map(fun(v => toPrivate(E(v))), slide(m, 1, pad(m - 1, 0, any, x)))
 *
 * where E reads the planes b-m+1 .. b of w and w.1 is the window of the second members.
 * With more than two groups of terms, each later partial sum starts from the previous
 * one: S' is computed from zip(S, x), and replaces S. If x is a zip, S becomes an
 * additional member. */
#include "rules/native/retime.h"
#include "rules/native/natives.h"
#include "rules/nd.h"
#include <limits.h>
#include <stdlib.h>

enum { MAX_SUMS = 8 }; /* limit of sums in a stream that are split in halves */

typedef bool find_sum(struct retime_sum *s, lift_expr body);

struct retiming {
    struct rule_redex *redex;
    struct lift_ir *ir;
    struct retime_sum sum;
    lift_expr body; /* in normal form; reads the window sum.w */
    lift_expr xs, members[LIFT_MAX_ARGS];
    int member_count; /* number of members of xs if it is a zip; otherwise 0 */
};

/* The stream of partial sums so far; 'sums' is NULL if there are no partial sums. */
struct partial {
    lift_expr sums;
    int at; /* position of the partial sum of a point in its window */
};

static lift_nat number(struct retiming *r, int value)
{
    return lift_nat_const(lift_ir_nats(r->ir), value);
}

/* ---- the time of a term */

/* Groups of 'size' planes, counted from the newest plane. The arrival of the last plane
 * of a group adds the group. */
static int time_by_groups(struct retime_sum *s, lift_expr term, const void *size)
{
    struct retime_span span = retime_span_of(s, term);
    int last = s->n - 1, planes = *(const int *)size;

    return span.lo > span.hi ? last : last - (last - span.hi) / planes * planes;
}

/* Adds a term outside the column on arrival of its plane, and terms of the column last.
 */
static int time_by_plane(struct retime_sum *s, lift_expr term, const void *user)
{
    struct retime_span span = retime_span_of(s, term);

    (void)user;
    return span.lo == span.hi && retime_beside_column(s, term) ? span.hi : s->n - 1;
}

/* ---- partial sums */

/* Zips the stream with the partial sums. */
static lift_expr with_sums(struct retiming *r, const struct partial *p)
{
    lift_expr all[LIFT_MAX_ARGS] = {p->sums, r->xs};

    if (!p->sums)
        return r->xs;
    for (int i = 0; i < r->member_count; i++)
        all[1 + i] = r->members[i];
    return lift_call(r->ir, LIFT_ZIP, all, r->member_count ? 1 + r->member_count : 2);
}

/* Returns the element of the stream, given an element with a partial sum. */
static lift_expr without_sum(struct lift_ir *ir, void *user, lift_expr q)
{
    const struct retiming *r = user;
    lift_expr members[LIFT_MAX_ARGS];

    if (!r->member_count)
        return lift_get(ir, 1, q);
    for (int i = 0; i < r->member_count; i++)
        members[i] = lift_get(ir, 1 + i, q);
    return lift_call(ir, LIFT_TUPLE, members, r->member_count);
}

/* Replaces 'plane' of the sum's window in 'e' by 'q', which has a partial sum. */
static lift_expr replace_plane(struct retiming *r, lift_expr e, lift_expr plane,
                               lift_expr q)
{
    for (int i = 0; i < r->member_count; i++)
        e = nd_replace(r->ir, e, lift_get(r->ir, i, plane), lift_get(r->ir, 1 + i, q));
    return nd_replace(r->ir, e, plane, without_sum(r->ir, r, q));
}

/* Rewrites 'e', which reads the sum's window, to read the window 'v' of the stream with
 * the partial sums 'p'. Window 'v' starts 'first' planes later. */
static lift_expr of_window(struct retiming *r, const struct partial *p, lift_expr e,
                           lift_expr v, int first)
{
    lift_expr w = r->sum.w;
    int64_t len = 0;

    lift_nat_is_const(v->type->len, &len);
    for (int k = 0; k < len; k++) {
        lift_expr plane = lift_at(r->ir, first + k, w), q = lift_at(r->ir, k, v);

        e = p->sums ? replace_plane(r, e, plane, q) : nd_replace(r->ir, e, plane, q);
    }
    if (!nd_count(e, w, 1))
        return e;
    if (p->sums)
        v = lift_map(r->ir, lift_lambda(r->ir, "q", v->type->elem, without_sum, r), v);
    return nd_replace(r->ir, e, w, v);
}

/* Adds 'e', which may be NULL, to the partial sum so far, if there is one. */
static lift_expr continued(struct retiming *r, const struct partial *p, lift_expr e,
                           lift_expr v, int first)
{
    lift_expr so_far;

    e = e ? of_window(r, p, e, v, first) : NULL;
    if (!p->sums)
        return e;
    so_far = lift_get(r->ir, 0, lift_at(r->ir, p->at - first, v));
    return e ? lift_call2(r->ir, LIFT_ADD, so_far, e) : so_far;
}

static lift_expr window_of(struct retiming *r, lift_expr xs, int size)
{
    return lift_fresh(r->ir, "w",
                      lift_type_array(r->ir, xs->type->elem, number(r, size)));
}

/* Adds the terms 'e' to the partial sums when plane 'time' arrives; false on a type
 * error. */
static bool add_early(struct retiming *r, struct partial *p, lift_expr e, int time)
{
    struct retime_span span = retime_span_of(&r->sum, e);
    int first = p->sums && p->at < span.lo ? p->at : span.lo, size = time - first + 1;
    lift_expr xs = with_sums(r, p), v, sums;

    if (!xs)
        return false;
    v = window_of(r, xs, size);
    sums = lift_call1(r->ir, LIFT_TO_PRIVATE, continued(r, p, e, v, first));
    if (size > 1)
        xs = lift_pad(r->ir, number(r, size - 1), number(r, 0), LIFT_PAD_ANY, xs);
    if (!sums || !xs)
        return false;
    p->sums = lift_map(r->ir, lift_fun(r->ir, sums, v),
                       lift_slide(r->ir, number(r, size), number(r, 1), xs));
    p->at = time;
    return p->sums != NULL;
}

/* ---- results */

static lift_expr last_step(struct retiming *r, const struct partial *p, lift_expr late)
{
    lift_expr hole = lift_fresh(r->ir, "sum", r->sum.root->type);
    lift_expr xs = with_sums(r, p), w, sum, body;
    struct lift_prim_args a;

    if (!xs)
        return NULL;
    w = window_of(r, xs, r->sum.n);
    body = nd_replace(r->ir, r->body, r->sum.root, hole);
    body = of_window(r, p, body, w, 0);
    sum = continued(r, p, late, w, 0);
    if (!body || !sum)
        return NULL;
    lift_expr_args(r->redex->at, &a);
    a.args[0] = lift_fun(r->ir, nd_replace(r->ir, body, hole, sum), w);
    a.args[1] = xs;
    return lift_make(r->ir, LIFT_MAP_SEQ_SLIDE, &a);
}

static void emit(struct retiming *r, retime_time *when, const void *user)
{
    struct partial p = {0};
    lift_expr e;

    for (int time = 0; time < r->sum.n - 1; time++) {
        e = retime_part(&r->sum, when, user, time);
        if (e && !add_early(r, &p, e, time))
            return;
    }
    e = p.sums ? retime_part(&r->sum, when, user, r->sum.n - 1) : NULL;
    if (p.sums)
        redex_emit(r->redex, last_step(r, &p, e));
}

/* ---- the redex */

/* Marks the members that are partial sums or kept values, as made by add_early and rule
 * keep. */
static void note_stored(struct retime_sum *sum, lift_expr xs)
{
    for (int i = 0; lift_expr_is(xs, LIFT_ZIP) && i < xs->arg_count; i++) {
        lift_expr map = xs->u.prim.args[i];
        bool late = lift_expr_is(map, LIFT_PAD);

        map = late ? map->u.prim.args[0] : map;
        if (!lift_expr_is(map, LIFT_MAP) ||
            !lift_expr_is(map->u.prim.args[0]->u.lambda.body, LIFT_TO_PRIVATE))
            continue;
        if (!late && lift_expr_is(map->u.prim.args[1], LIFT_SLIDE))
            sum->sums |= (uint64_t)1 << i;
        else
            sum->kept |= (uint64_t)1 << i;
    }
}

/* Lists the members of a zip, if the zip has space for one more member. */
static void take_members(struct retiming *r)
{
    if (!lift_expr_is(r->xs, LIFT_ZIP) || r->xs->arg_count == LIFT_MAX_ARGS)
        return;
    r->member_count = r->xs->arg_count;
    for (int i = 0; i < r->member_count; i++)
        r->members[i] = r->xs->u.prim.args[i];
}

/* Returns false if 'find' finds no sum to retime. */
static bool begin(struct retiming *r, struct rule_redex *redex, find_sum *find)
{
    lift_expr f = redex->at->u.prim.args[0];
    int64_t n;

    *r = (struct retiming){
        .redex = redex, .ir = redex->ir, .xs = redex->at->u.prim.args[1]};
    if (f->loose || !lift_nat_is_const(redex->at->u.prim.nats[0], &n) || n < 2 ||
        n > RETIME_MAX_PLANES || !lift_nat_is(redex->at->u.prim.nats[1], 1))
        return false;
    r->sum.ir = redex->ir;
    r->sum.n = (int)n;
    note_stored(&r->sum, r->xs);
    take_members(r);
    r->sum.w = lift_fresh(redex->ir, "w", f->type->parts[0]);
    r->body = retime_normal(redex->ir, lift_expr_apply(redex->ir, f, &r->sum.w));
    return r->body && find(&r->sum, r->body);
}

/* Emits a result for groups of every size from 'first' to 'last', which are functions of
 * the number of planes. */
static void retime_groups(struct rule_redex *redex, int (*first)(int n),
                          int (*last)(int n))
{
    struct retiming r;

    if (begin(&r, redex, retime_sum_find))
        for (int size = first(r.sum.n); size <= last(r.sum.n); size++)
            emit(&r, time_by_groups, &size);
    retime_sum_fini(&r.sum);
}

static int one(int n)
{
    return n > 0;
}

/* Returns the largest group size: fewer than all planes, and at most RULE_MAX_RESULTS. */
static int most(int n)
{
    return n <= RULE_MAX_RESULTS ? n - 1 : RULE_MAX_RESULTS;
}

static int more_than_half(int n)
{
    return n / 2 + 1;
}

void rule_retime(struct rule_redex *redex)
{
    retime_groups(redex, one, most);
}

void rule_retime_scatter(struct rule_redex *redex)
{
    retime_groups(redex, one, one);
}

void rule_retime_semi(struct rule_redex *redex)
{
    retime_groups(redex, more_than_half, more_than_half);
}

/* Splits the sums of 'e' in halves, one after another, as long as this saves reads of
 * planes before the middle. NULL if it saves none. */
static lift_expr sums_in_halves(struct rule_redex *redex, lift_expr e, find_sum *find)
{
    struct rule_results *results = calloc(1, sizeof *results);
    struct rule_redex each = *redex;
    lift_expr to = NULL;
    struct retiming r;
    int least = INT_MAX;

    each.results = results;
    each.at = e;
    for (int i = 0; results && each.at && i <= MAX_SUMS; i++) {
        bool found = begin(&r, &each, find);

        if (r.sum.before < least) {
            least = r.sum.before;
            to = i > 0 ? each.at : NULL;
        }
        results->count = 0;
        if (found && least > 0)
            emit(&r, retime_by_halves, NULL);
        retime_sum_fini(&r.sum);
        each.at = results->count ? results->items[0].expr : NULL;
    }
    free(results);
    return to;
}

void rule_retime_semi_each(struct rule_redex *redex)
{
    lift_expr to = sums_in_halves(redex, redex->at, retime_halves_find);

    if (to)
        redex_emit(redex, to);
}

void rule_retime_plane_first(struct rule_redex *redex)
{
    struct retiming r;

    if (begin(&r, redex, retime_sum_find))
        emit(&r, time_by_plane, NULL);
    retime_sum_fini(&r.sum);
}

/* reduce(f, i, x) = f(... f(f(i, x[0]), x[1]) ..., x[n-1]) */
void rule_reduce_to_chain(struct rule_redex *redex)
{
    lift_expr chain = retime_unrolled(redex->ir, redex->at);

    if (chain)
        redex_emit(redex, chain);
}

/* Keeps values of single planes that several partial sums need, before retiming. */
void rule_keep_semi(struct rule_redex *redex)
{
    struct rule_results *results = calloc(1, sizeof *results);
    struct rule_redex kept = *redex;
    lift_expr to = NULL;

    kept.results = results;
    if (results)
        rule_keep_across(&kept);
    if (results && results->count)
        to = sums_in_halves(redex, results->items[0].expr, retime_whole_halves_find);
    free(results);
    if (to)
        redex_emit(redex, to);
}
