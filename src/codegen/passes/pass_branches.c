/* Local arrays of the two branches of a test share memory, since a group takes only one
 * branch. */
#include "base/number.h"
#include "codegen/passes/passes.h"

enum { ARRAYS = 64 };

struct arrays {
    struct kbuffer *items[ARRAYS];
    int count;
};

/* Collects local arrays that do not share memory yet. */
static void note_array(void *user, struct ks *s)
{
    struct arrays *a = user;

    if (s->kind == KS_ARRAY && s->array.buffer->space == KSPACE_LOCAL &&
        !s->array.buffer->over && a->count < ARRAYS)
        a->items[a->count++] = s->array.buffer;
}

static struct arrays arrays_of(const struct kblock *block)
{
    struct arrays a = {.count = 0};

    for (struct ks *s = block->first; s; s = s->next)
        ks_each_in(s, note_array, &a);
    return a;
}

/* Places each array in the memory of the first free array of the same type. */
static void put_over(struct arrays *under, const struct arrays *over)
{
    for (int i = 0; i < over->count; i++)
        for (int k = 0; k < under->count; k++) {
            struct kbuffer *b = over->items[i], *u = under->items[k];

            if (!u || u->scalar != b->scalar)
                continue;
            u->count = lift_max(u->count, b->count);
            b->over = u;
            under->items[k] = NULL;
            break;
        }
}

/* Visits inner tests before outer tests. */
static void look_at(struct kblock *block)
{
    for (struct ks *s = block->first; s; s = s->next) {
        for (int i = 0; ks_block(s, i); i++)
            look_at(ks_block(s, i));
        if (s->kind == KS_IF) {
            struct arrays under = arrays_of(&s->test.body);
            struct arrays over = arrays_of(&s->test.otherwise);

            put_over(&under, &over);
        }
    }
}

void cg_pass_branches(struct gen *g, struct kernel *kernel)
{
    (void)g;
    look_at(&kernel->body);
}
