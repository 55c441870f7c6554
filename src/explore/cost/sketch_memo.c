/* Values of expressions that a sketch remembers in environments. */
#include "explore/cost/sketch_t.h"

enum { MEMO_LISTS = 16 };

/* The memos of an environment, in lists by expression. */
struct sketch_memos {
    const struct sketch_memo *lists[MEMO_LISTS];
};

static size_t memo_list(lift_expr e)
{
    return (size_t)e->hash.lo % MEMO_LISTS;
}

const struct lift_bound *sk_remembered(void *drawer, lift_expr e, lift_env env)
{
    const struct sketch_memos *all = env->notes;
    const struct sketch_memo *m = all ? all->lists[memo_list(e)] : NULL;

    (void)drawer;
    while (m && m->expr != e)
        m = m->next;
    return m ? &m->value : NULL;
}

void sk_remember(void *drawer, lift_expr e, lift_env env, const struct lift_bound *value)
{
    struct lift_arena *arena = ((struct drawer *)drawer)->arena;
    struct sketch_memo *m = LIFT_NEW(arena, struct sketch_memo);
    struct sketch_memos *all = env->notes;
    size_t list = memo_list(e);

    if (!all)
        ((struct lift_env *)env)->notes = all = LIFT_NEW(arena, struct sketch_memos);
    *m = (struct sketch_memo){e, *value, all->lists[list]};
    all->lists[list] = m;
}
