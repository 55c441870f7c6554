#include "report/fold.h"
#include "base/table.h"
#include <string.h>

enum { SMALL = 6 }; /* number of nodes up to which a subterm is never abbreviated */

struct fold {
    struct lift_ir *ir;
    struct lift_ptrmap known;
    int levels; /* remaining levels */
};

/* A placeholder of the same type, so that the surrounding term stays well-typed.
 * Functions stay functions, with abbreviated bodies. */
static lift_expr dots(struct fold *f, lift_expr e)
{
    return lift_expr_free(f->ir, "...", e->type);
}

typedef bool is_folded(const struct fold *f, lift_expr e);

static lift_expr fold(struct fold *f, lift_expr e, is_folded *folded)
{
    lift_expr children[LIFT_MAX_ARGS], to;
    int n = lift_expr_child_count(e);

    if (e->size > SMALL && e->kind == LIFT_EXPR_PRIM && folded(f, e))
        return dots(f, e);
    f->levels--;
    for (int i = 0; i < n; i++)
        children[i] = fold(f, lift_expr_child(e, i), folded);
    f->levels++;
    if (lift_expr_is(e, LIFT_GET) && children[0]->kind == LIFT_EXPR_FREE &&
        !strcmp(children[0]->u.name, "..."))
        return dots(f, e);
    to = n ? lift_expr_rebuild(f->ir, e, children, NULL) : e;
    return to ? to : e;
}

static void learn(struct fold *f, lift_expr e)
{
    if (lift_ptrmap_get(&f->known, e))
        return;
    lift_ptrmap_put(&f->known, e, f);
    for (int i = 0; i < lift_expr_child_count(e); i++)
        learn(f, lift_expr_child(e, i));
}

static bool is_known(const struct fold *f, lift_expr e)
{
    return lift_ptrmap_get(&f->known, e) != NULL;
}

static bool is_deep(const struct fold *f, lift_expr e)
{
    (void)e;
    return f->levels <= 0;
}

lift_expr report_fold_known(struct lift_ir *ir, lift_expr e, lift_expr known)
{
    struct fold f = {.ir = ir};

    if (known)
        learn(&f, known);
    e = fold(&f, e, is_known);
    lift_ptrmap_fini(&f.known);
    return e;
}

lift_expr report_fold_deep(struct lift_ir *ir, lift_expr e, int levels)
{
    struct fold f = {.ir = ir, .levels = levels};

    return fold(&f, e, is_deep);
}
