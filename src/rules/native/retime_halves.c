/* Sums in two halves: the semi-stencil. The first half of a sum has terms up to the
 * middle plane of the window, so that the last step reads no plane before the middle. */
#include "ir/expr.h"
#include "rules/native/retime.h"
#include "rules/nd.h"

static int middle_of(const struct retime_sum *s)
{
    return s->n - 1 - s->n / 2;
}

/* The reads of planes in an expression. Kept values and partial sums are no such reads.
 */
struct plane_reads {
    struct retime_sum *s;
    int before;               /* different elements of planes before the middle */
    bool partial;             /* the expression reads a partial sum */
    bool others;              /* it reads a member that is not in 's->newest' */
    struct lift_ptrmap *last; /* receives the members that it reads in the last plane */
};

/* Returns the member of a plane that 'e' reads, as a member of plane 0, and the plane.
 * NULL if 'e' is no read of a plane. '*inside': the read is of an element of an array. */
static lift_expr member_of(struct plane_reads *r, lift_expr e, int *k, bool *inside)
{
    lift_expr of;

    *inside = false;
    if (retime_is_plane(r->s, e, k))
        return lift_at(r->s->ir, 0, r->s->w);
    if (!lift_expr_is(e, LIFT_GET) && !lift_expr_is(e, LIFT_AT))
        return NULL;
    of = member_of(r, e->u.prim.args[0], k, inside);
    if (!of)
        return NULL;
    *inside |= e->op == LIFT_AT;
    return *inside ? of : lift_get(r->s->ir, e->u.prim.attrs.get.k, of);
}

static bool note_read(void *plane_reads, lift_expr e)
{
    struct plane_reads *r = plane_reads;
    bool inside;
    int k, direct;
    lift_expr member = member_of(r, e, &k, &inside), first = member;

    r->before += e == r->s->w;
    r->others |= e == r->s->w;
    if (!member)
        return true;
    while (lift_expr_is(first, LIFT_GET) && lift_expr_is(first->u.prim.args[0], LIFT_GET))
        first = first->u.prim.args[0];
    direct = lift_expr_is(first, LIFT_GET) ? first->u.prim.attrs.get.k : 63;
    r->partial |= r->s->sums >> direct & 1;
    if ((r->s->sums | r->s->kept) >> direct & 1)
        return false;
    r->before += k < middle_of(r->s);
    r->others |= !lift_ptrmap_get(&r->s->newest, member);
    if (r->last && k == r->s->n - 1)
        lift_ptrmap_put(r->last, member, (void *)member);
    return false;
}

static struct plane_reads reads_of(struct retime_sum *s, lift_expr e)
{
    struct plane_reads r = {.s = s};

    lift_expr_each(e, note_read, &r);
    return r;
}

int retime_by_halves(struct retime_sum *s, lift_expr term, const void *user)
{
    struct retime_span span = retime_span_of(s, term);
    bool early = span.lo <= span.hi && span.hi <= middle_of(s);

    (void)user;
    return early && !reads_of(s, term).others ? middle_of(s) : s->n - 1;
}

struct finding {
    struct retime_sum *s;
    lift_expr body, best;
    int left;   /* reads of planes before the middle that the last step keeps */
    bool whole; /* only sums that read the first and the last plane */
};

/* The reads before the middle that remain if the sum 'e' is split; 'left' of the best sum
 * if the first half has no such read. */
static int left_without(struct finding *f, lift_expr e)
{
    lift_expr early, late, hole = lift_fresh(f->s->ir, "sum", e->type);

    f->s->root = e;
    early = retime_part(f->s, retime_by_halves, NULL, middle_of(f->s));
    if (!early || reads_of(f->s, early).before == 0)
        return f->left;
    late = retime_part(f->s, retime_by_halves, NULL, f->s->n - 1);
    return reads_of(f->s, nd_replace(f->s->ir, f->body, e, late ? late : hole)).before;
}

static bool find(void *finding, lift_expr e)
{
    struct finding *f = finding;
    struct retime_span span = retime_span_of(f->s, e);
    int middle = middle_of(f->s), left;

    if (e->kind != LIFT_EXPR_PRIM || span.lo >= middle)
        return false;
    if (f->whole && (span.lo > 0 || span.hi < f->s->n - 1))
        return true;
    if (span.hi <= middle || !lift_type_is_float(e->type) || reads_of(f->s, e).partial)
        return true;
    left = left_without(f, e);
    if (left < f->left) {
        f->left = left;
        f->best = e;
    }
    return true;
}

static bool halves_find(struct retime_sum *s, lift_expr body, bool whole)
{
    struct finding f = {.s = s, .body = body, .whole = whole};
    struct plane_reads all = {.s = s, .last = &s->newest};

    lift_expr_each(body, note_read, &all);
    s->before = all.before;
    f.left = all.before + 1;
    lift_expr_each(body, find, &f);
    s->root = f.best;
    return s->root != NULL;
}

bool retime_halves_find(struct retime_sum *s, lift_expr body)
{
    return halves_find(s, body, false);
}

bool retime_whole_halves_find(struct retime_sum *s, lift_expr body)
{
    return halves_find(s, body, true);
}
