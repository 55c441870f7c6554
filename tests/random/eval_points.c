/* Points off the grid. */
#include "base/bug.h"
#include "eval_core.h"

static int place_of(struct rp_run *r, const struct rp_expr *e, const struct frame *env,
                    int point, int k)
{
    struct path path = {.n = 0};
    struct rp_num at;

    push(&path, k);
    push(&path, point);
    at = rp_eval(r, e->arg[1], env, &path);
    LIFT_ASSERT(r->bad || at.sure);
    return r->bad ? 0 : (int)at.v;
}

/* The weights of a point at offset 'o' of its box, and a factor. */
static struct rp_num weighted(struct rp_run *r, const struct rp_expr *e,
                              const struct frame *env, int point, const int *o,
                              struct rp_num x)
{
    bool bad = false;

    for (int k = 0; k < e->d; k++) {
        struct path path = {.n = 0};

        push(&path, o[k]);
        push(&path, k);
        push(&path, point);
        x = rp_num_binary(false, RP_MUL, x, rp_eval(r, e->arg[2], env, &path), &bad);
    }
    return x;
}

static int box_side(const struct rp_run *r, const struct rp_expr *e)
{
    return rp_len_value(r->program, e->arg[2]->type->elem->elem->len);
}

/* In no order that a relaxed program promises. */
struct rp_num rp_eval_inject(struct rp_run *r, const struct rp_expr *e,
                             const struct frame *env, const struct path *path)
{
    int n = rp_len_value(r->program, e->arg[1]->type->len), q = box_side(r, e);
    struct rp_num sum = rp_eval(r, e->arg[0], env, path);
    struct path at = *path;
    int i[RP_DIMS], o[RP_DIMS];
    bool bad = false;

    pop_all(&at, i, e->d);
    for (int p = 0; p < n && !r->bad; p++) {
        struct path of = {1, {p}};
        bool inside = true;

        for (int k = 0; k < e->d; k++) {
            o[k] = i[k] - place_of(r, e, env, p, k);
            inside &= o[k] >= 0 && o[k] < q;
        }
        if (inside)
            sum = rp_num_binary(
                false, RP_ADD, sum,
                weighted(r, e, env, p, o, rp_eval(r, e->arg[3], env, &of)), &bad);
    }
    return sum;
}

/* Elements beyond the grid are read as zero: a weight that is not finite makes them NaN.
 */
struct rp_num rp_eval_sample(struct rp_run *r, const struct rp_expr *e,
                             const struct frame *env, struct path path)
{
    int p = pop(&path), q = box_side(r, e), all = 1, o[RP_DIMS], i[RP_DIMS];
    struct rp_num sum = rp_num_of(e->type->elem->kind, 0);
    rp_type t = e->arg[0]->type;
    int64_t length[RP_DIMS];
    bool bad = false;

    for (int k = 0; k < e->d; k++, t = t->elem) {
        all *= q;
        length[k] = rp_len_value(r->program, t->len);
    }
    for (int at = 0; at < all && !r->bad; at++) {
        struct rp_num x = rp_num_of(e->type->elem->kind, 0);
        struct path from = path;
        bool inside = true;

        for (int k = e->d - 1, rest = at; k >= 0; k--, rest /= q) {
            o[k] = rest % q;
            i[k] = place_of(r, e, env, p, k) + o[k];
            inside &= i[k] >= 0 && i[k] < length[k];
        }
        push_all(&from, i, e->d);
        if (inside)
            x = rp_eval(r, e->arg[0], env, &from);
        sum = rp_num_binary(false, RP_ADD, sum, weighted(r, e, env, p, o, x), &bad);
    }
    return sum;
}
