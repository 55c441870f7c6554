#include "shrink.h"
#include "base/bug.h"
#include <string.h>

struct shrinking {
    struct rp_program *p;
    int calls;
    rp_fails *fails;
    void *user;
};

static bool still(struct shrinking *s)
{
    return s->calls-- > 0 && !rp_illegal(s->p) && s->fails(s->user, s->p);
}

/* ---- expressions */

static bool binds(const struct rp_expr *e, int var)
{
    for (int i = 0; i < e->param_count; i++)
        if (e->param[i] == var)
            return true;
    for (int i = 0; i < e->count; i++)
        if (binds(e->arg[i], var))
            return true;
    return false;
}

/* True if 'part' uses a variable that 'e' binds. */
static bool depends_on(const struct rp_expr *e, const struct rp_expr *part)
{
    for (int i = 0; i < e->param_count; i++)
        if (rp_mentions(part, RP_VAR, e->param[i]) && !binds(part, e->param[i]))
            return true;
    for (int i = 0; i < e->count; i++)
        if (e->arg[i] != part && depends_on(e->arg[i], part))
            return true;
    return false;
}

static bool put(struct shrinking *s, struct rp_expr **slot, struct rp_expr *e)
{
    struct rp_expr *old = *slot;

    *slot = e;
    if (still(s))
        return true;
    *slot = old;
    return false;
}

/* By a part of itself that has its type. */
static bool by_part(struct shrinking *s, struct rp_expr **slot, struct rp_expr *part)
{
    for (int i = 0; i < part->count && s->calls > 0; i++) {
        struct rp_expr *x = part->arg[i];

        if (rp_same(x->type, (*slot)->type) && !depends_on(*slot, x) && put(s, slot, x))
            return true;
        if (by_part(s, slot, x))
            return true;
    }
    return false;
}

static bool has_array(rp_type t)
{
    if (t->form == RP_TUPLE)
        for (int i = 0; i < t->count; i++)
            if (has_array(t->member[i]))
                return true;
    return t->form == RP_ARRAY;
}

/* A grid of numbers as a new input. */
static bool by_input(struct shrinking *s, struct rp_expr **slot)
{
    struct rp_program *p = s->p;
    rp_type t = (*slot)->type, elem = t;
    struct rp_expr *e = rp_new(p, RP_INPUT, t);

    while (elem->form == RP_ARRAY)
        elem = elem->elem;
    if (!rp_is_number(elem) || p->input_count == RP_INPUTS)
        return false;
    e->k = p->input_count;
    p->next[e->k] = -1 - e->k;
    p->inputs[p->input_count++] =
        (struct rp_named){lift_arena_printf(p->arena, "new_%d", e->k), t, 0};
    if (put(s, slot, e))
        return true;
    p->input_count--;
    return false;
}

static bool by_leaf(struct shrinking *s, struct rp_expr **slot)
{
    rp_type t = (*slot)->type;

    if (!has_array(t))
        return (*slot)->op != RP_LIT && (*slot)->op != RP_VAR && (*slot)->op != RP_GET &&
               (*slot)->op != RP_AT && put(s, slot, rp_plain(s->p, t, 1));
    for (int i = 0; i < s->p->input_count && (*slot)->op != RP_INPUT; i++) {
        struct rp_expr *e = rp_new(s->p, RP_INPUT, s->p->inputs[i].type);

        e->k = i;
        if (rp_same(e->type, t) && put(s, slot, e))
            return true;
    }
    return (*slot)->op != RP_INPUT && (*slot)->op != RP_ZIP && by_input(s, slot);
}

static bool shrink_expr(struct shrinking *s, struct rp_expr **slot)
{
    bool better = false;

    while (s->calls > 0 && (*slot)->count > 0 &&
           (by_part(s, slot, *slot) || by_leaf(s, slot)))
        better = true;
    for (int i = 0; i < (*slot)->count && s->calls > 0; i++)
        better |= shrink_expr(s, &(*slot)->arg[i]);
    return better;
}

/* ---- outputs and the time loop */

static struct rp_expr *made_of(struct rp_program *p)
{
    struct rp_expr *e = p->body;

    while (e->op == RP_LET)
        e = e->arg[1];
    return e->op == RP_MAKE ? e : NULL;
}

static void retype_lets(struct rp_expr *e, rp_type t)
{
    for (; e->op == RP_LET; e = e->arg[1])
        e->type = t;
    e->type = t;
}

/* A program without output 'k', or with no other. */
static bool drop_output(struct shrinking *s, int k)
{
    struct rp_program before = *s->p;
    struct rp_expr *make = made_of(s->p), kept = *make;
    rp_type member[RP_MEMBERS], all = make->type;

    for (int i = k; i + 1 < make->count; i++) {
        make->arg[i] = make->arg[i + 1];
        s->p->outputs[i] = s->p->outputs[i + 1];
    }
    make->count--;
    s->p->output_count--;
    for (int i = 0; i < make->count; i++)
        member[i] = make->arg[i]->type;
    if (make->count == 1)
        *make = *make->arg[0];
    retype_lets(s->p->body, s->p->output_count == 1
                                ? member[0]
                                : rp_tuple(s->p, member, make->count));
    if (still(s))
        return true;
    *make = kept;
    retype_lets(s->p->body, all);
    memcpy(s->p->outputs, before.outputs, sizeof before.outputs);
    s->p->output_count = before.output_count;
    return false;
}

static bool without_flag(struct shrinking *s, bool *flag)
{
    if (!*flag)
        return false;
    *flag = false;
    if (still(s))
        return true;
    *flag = true;
    return false;
}

static void shrink_outputs(struct shrinking *s)
{
    for (int k = 0; !s->p->loops && s->p->output_count > 1 && k < s->p->output_count;)
        if (!made_of(s->p) || !drop_output(s, k))
            k++;
}

/* ---- sizes */

static bool shrink_sizes(struct shrinking *s)
{
    bool better = false;

    for (int i = 0; i < s->p->size_count; i++) {
        double old = s->p->sizes[i].value;
        const double smaller[] = {1, 2, 3, 5, (double)((int)old / 2), old - 1};

        for (int k = 0; k < 6; k++) {
            s->p->sizes[i].value = smaller[k];
            if (smaller[k] >= 1 && smaller[k] < old && still(s)) {
                better = true;
                break;
            }
            s->p->sizes[i].value = old;
        }
    }
    return better;
}

/* ---- unused declarations */

static bool is_used(const struct rp_program *p, enum rp_op op, int k)
{
    bool used = rp_mentions(p->body, op, k);

    for (int i = 0; i < p->fun_count; i++)
        used |= rp_mentions(p->funs[i].body, op, k);
    return used;
}

static void renumber(struct rp_expr *e, enum rp_op op, int k)
{
    if (e->op == op && e->k > k)
        e->k--;
    for (int i = 0; i < e->count; i++)
        renumber(e->arg[i], op, k);
}

static void renumber_all(struct rp_program *p, enum rp_op op, int k)
{
    renumber(p->body, op, k);
    for (int i = 0; i < p->fun_count; i++)
        renumber(p->funs[i].body, op, k);
}

static void drop_named(struct rp_program *p, enum rp_op op, struct rp_named *list,
                       int *count)
{
    for (int k = *count - 1; k >= 0; k--)
        if (!is_used(p, op, k)) {
            memmove(list + k, list + k + 1, sizeof *list * (size_t)(*count - k - 1));
            --*count;
            renumber_all(p, op, k);
        }
}

static bool has_inputs(const struct rp_program *p)
{
    for (int k = 0; k < p->input_count; k++)
        if (is_used(p, RP_INPUT, k))
            return true;
    return false;
}

static void drop_unused(struct rp_program *p)
{
    for (int k = p->fun_count - 1; k >= 0; k--)
        if (!is_used(p, RP_CALL, k)) {
            memmove(p->funs + k, p->funs + k + 1,
                    sizeof *p->funs * (size_t)(p->fun_count - k - 1));
            p->fun_count--;
            renumber_all(p, RP_CALL, k);
        }
    drop_named(p, RP_PARAM, p->params, &p->param_count);
    drop_named(p, RP_CONST, p->consts, &p->const_count);
    if (!p->loops && has_inputs(p)) {
        drop_named(p, RP_INPUT, p->inputs, &p->input_count);
        for (int i = 0; i < p->input_count; i++)
            p->next[i] = -1 - i;
    }
}

void rp_shrink(struct rp_program *p, int calls, rp_fails *fails, void *user)
{
    struct shrinking s = {p, calls, fails, user};
    bool better = true;

    without_flag(&s, &p->loops);
    if (!p->loops)
        for (int i = 0; i < p->input_count; i++)
            p->next[i] = -1 - i;
    without_flag(&s, &p->exact);
    shrink_outputs(&s);
    while (better && s.calls > 0) {
        drop_unused(p);
        better = shrink_expr(&s, &p->body);
        for (int i = 0; i < p->fun_count; i++)
            better |= shrink_expr(&s, &p->funs[i].body);
        better |= shrink_sizes(&s);
    }
    for (int i = 0; i < p->var_count && s.calls > 0; i++)
        if (rp_mentions(p->body, RP_VAR, i))
            without_flag(&s, &p->vars[i].apart);
    drop_unused(p);
}
