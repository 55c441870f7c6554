/* The interior of a result that consists of regions: the part with the most elements if
 * every length of an input is about a thousand. A size is a length if an input has this
 * size, plus a constant, as a dimension. For example, the width w of a layer with inputs
 * of '2 * w' or 'n - 2 * w' elements is not a length. */
#include "rules/native/interior.h"
#include "base/table.h"
#include "ir/spine.h"
#include <string.h>

struct search {
    struct lift_path at, best;
    double most;                /* number of elements; -1: no part found so far */
    struct lift_ptrmap lengths; /* sizes that are lengths of inputs */
    lift_nat len;               /* the current length */
};

static void note_length(void *user, const struct lift_var *var)
{
    struct search *s = user;

    if (lift_nat_is_const(lift_nat_sub(s->len, var->nat), NULL))
        lift_ptrmap_put(&s->lengths, var->nat, s);
}

struct usual {
    const struct search *s;
    lift_nat len;     /* the length being evaluated */
    const char *name; /* the name of the current variable */
    lift_nat var;     /* the current variable */
};

static void note_var(void *user, const struct lift_var *var)
{
    struct usual *u = user;

    if (!strcmp(var->name, u->name))
        u->var = var->nat;
}

static bool find_lengths(void *search, lift_expr e)
{
    struct search *s = search;

    for (lift_type t = e->type; e->kind == LIFT_EXPR_FREE && t->kind == LIFT_TYPE_ARRAY;
         t = t->elem) {
        s->len = t->len;
        lift_nat_each_var(t->len, note_length, s);
    }
    return true;
}

/* Returns an assumed value of a size variable. Lengths of inputs are large. Other sizes,
 * such as the width of a layer, are small. Tunables have their smallest value, so that
 * tiles are larger than the remainder. */
static bool usual_value(void *user, const char *name, int64_t *value)
{
    struct usual *u = user;
    enum lift_var_kind kind;
    int64_t usual;

    u->name = name;
    u->var = NULL;
    lift_nat_each_var(u->len, note_var, u);
    if (!u->var || !lift_nat_is_var(u->var, &kind))
        return false;
    usual = kind != LIFT_VAR_SIZE                     ? 1
            : lift_ptrmap_get(&u->s->lengths, u->var) ? 1024
                                                      : 8;
    if (usual < lift_nat_lo(u->var))
        usual = lift_nat_lo(u->var);
    *value = usual > lift_nat_hi(u->var) ? lift_nat_hi(u->var) : usual;
    return true;
}

/* Returns the assumed length; 0 if the length has no value. */
static int64_t usual_length(const struct search *s, lift_nat len)
{
    struct usual u = {.s = s, .len = len};
    int64_t value;

    return lift_nat_eval(len, usual_value, &u, &value) ? value : 0;
}

static double elements(const struct search *s, lift_type t)
{
    double count = 1;

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem)
        count *= (double)usual_length(s, t->len);
    return count;
}

static void look(struct search *s, lift_expr e);

static void look_inside(struct search *s, lift_expr e, int child)
{
    if (s->at.count == LIFT_MAX_PATH)
        return;
    s->at.steps[s->at.count++] = (uint8_t)child;
    look(s, lift_expr_child(e, child));
    s->at.count--;
}

static void look(struct search *s, lift_expr e)
{
    int slot = e->kind == LIFT_EXPR_LAMBDA ? 0 : lift_moved_slot(e);

    if (lift_expr_is(e, LIFT_LET) || lift_expr_is(e, LIFT_INSET) ||
        lift_expr_is(e, LIFT_INSET_BOX))
        slot = 1;
    if (slot >= 0)
        look_inside(s, e, slot);
    else if (lift_moves_each(e))
        for (int i = 0; i < e->arg_count; i++) {
            if (e->op != LIFT_TUPLE || !lift_has_fewer_dims(e->type, i))
                look_inside(s, e, i);
        }
    else if (elements(s, e->type) > s->most) {
        s->most = elements(s, e->type);
        s->best = s->at;
    }
}

void place_interior(lift_expr term, struct lift_path *out)
{
    struct search s = {.most = -1};

    lift_expr_each(term, find_lengths, &s);
    look(&s, term);
    lift_ptrmap_fini(&s.lengths);
    *out = s.best;
}

bool interior_same_lengths(lift_expr term, lift_type a, lift_type b)
{
    struct search s = {.most = -1};
    bool same = true;

    lift_expr_each(term, find_lengths, &s);
    for (; same && a->kind == LIFT_TYPE_ARRAY && b->kind == LIFT_TYPE_ARRAY;
         a = a->elem, b = b->elem)
        same = a->len == b->len || usual_length(&s, a->len) == usual_length(&s, b->len);
    lift_ptrmap_fini(&s.lengths);
    return same && a->kind != LIFT_TYPE_ARRAY && b->kind != LIFT_TYPE_ARRAY;
}

bool interior_is_thin(lift_expr nest)
{
    struct search s = {.most = -1};
    lift_type inner = nest->type->elem;
    int64_t planes;
    bool thin;

    lift_expr_each(nest, find_lengths, &s);
    planes = usual_length(&s, nest->type->len);
    thin = inner->kind == LIFT_TYPE_ARRAY && 2 * planes <= usual_length(&s, inner->len);
    lift_ptrmap_fini(&s.lengths);
    return thin;
}
