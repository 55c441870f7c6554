/* Results that are stored in the buffer of an input.
 *
 * The term marks such results (inPlace). The generator checks the kernels: an iteration
 * may read an element of the buffer only if it writes the element later. No kernel may
 * read the buffer after another kernel wrote the buffer. By construction of the output
 * spine, only one iteration writes each element: its nodes send different elements to
 * different places, except joinShift. */
#include "codegen/gen.h"
#include "ir/spine.h"

enum { MAX_STORES = 256 };

lift_expr cg_below_layout(lift_expr e)
{
    while (lift_expr_is_placed(e) || lift_expr_is(e, LIFT_IN_PLACE))
        e = e->u.prim.args[e->arg_count - 1];
    return e;
}

/* ---- the term */

static lift_type any_scalar(struct gen *g)
{
    return lift_type_scalar(g->ir, LIFT_I32);
}

/* The input whose buffer stores a result, or member 'member' of the result. Fails and
 * returns -1 if this is not allowed. */
static int input_for(struct gen *g, lift_expr e, int member)
{
    const struct lift_codegen_options *o = g->options;
    const char *why = "is no input";
    lift_expr input = lift_expr_arg(e, 0);

    if (lift_expr_is(input, LIFT_TUPLE))
        input = lift_expr_arg(input, member);
    for (int i = 0; i < o->input_count; i++)
        if (o->inputs[i] == input) {
            why = "is needed after the launch";
            if (o->dying && o->dying[i] && lift_writes_once(lift_expr_arg(e, 1)))
                return i;
            if (o->dying && o->dying[i])
                why = "may have elements that are written twice";
        }
    cg_fail(g, any_scalar(g), "'inPlace' in what %s", why);
    return -1;
}

bool cg_is_overwritten(const struct gen *g, const struct kbuffer *buffer)
{
    for (int i = 0; i < g->bind_count; i++)
        if (g->binds[i].in_place == buffer->bind)
            return true;
    return false;
}

/* Uses the buffers of an input for the result from '*leaf' on. */
static void take(struct gen *g, const struct mem *output, int input, int *leaf)
{
    if (cg_is_overwritten(g, g->inputs[input].leaves[0]))
        cg_fail(g, any_scalar(g), "two results overwrite the same input ('inPlace')");
    for (int i = 0; i < g->inputs[input].leaf_count; i++, ++*leaf) {
        struct kbuffer *b = g->inputs[input].leaves[i];

        g->binds[output->leaves[*leaf]->bind].in_place = b->bind;
        output->leaves[*leaf] = b;
    }
}

static void share_one(struct gen *g, const struct mem *output, lift_expr e, int *leaf)
{
    lift_expr to = lift_expr_arg(e, 0);
    int count = lift_expr_is(to, LIFT_TUPLE) ? to->arg_count : 1;

    for (int i = 0; i < count; i++) {
        int input = input_for(g, e, i);

        if (input < 0)
            return;
        take(g, output, input, leaf);
    }
    g->in_place_count--;
}

/* Assigns buffers to the result from '*leaf' on. */
static void share(struct gen *g, const struct mem *output, lift_expr e, int *leaf)
{
    while (lift_expr_is(e, LIFT_LET) || lift_expr_is_placed(e))
        e = e->op == LIFT_LET ? lift_expr_arg(e, 1)->u.lambda.body : lift_expr_arg(e, 0);
    for (int i = 0; lift_expr_is(e, LIFT_TUPLE) && i < e->arg_count; i++)
        share(g, output, lift_expr_arg(e, i), leaf);
    if (lift_expr_is(e, LIFT_IN_PLACE))
        share_one(g, output, e, leaf);
    else if (!lift_expr_is(e, LIFT_TUPLE))
        *leaf += cg_leaf_count(e->type);
}

void cg_share_buffers(struct gen *g, const struct mem *output, lift_expr body)
{
    int leaf = 0;

    share(g, output, body, &leaf);
    if (g->in_place_count > 0 && !g->failed)
        cg_fail(g, any_scalar(g), "'inPlace' of a value that is no result");
}

/* ---- the kernels */

struct walk {
    const struct kbuffer *buffer;
    const struct ks *stores[MAX_STORES];
    int count, done;           /* 'done': stores before the current statement */
    int elsewhere[MAX_STORES]; /* not 0: the store is in the other branch of a test */
    bool reads, wrong;
};

static bool stores_here(const struct walk *w, const struct ks *s)
{
    return s->kind == KS_STORE && s->store.buffer == w->buffer;
}

static void find_store(void *walk, struct ks *s)
{
    struct walk *w = walk;

    if (stores_here(w, s) && w->count == MAX_STORES)
        w->wrong = true;
    else if (stores_here(w, s))
        w->stores[w->count++] = s;
}

/* A read must precede the store of the same element. Equal indices mean the same
 * iteration, since each loop has a separate variable. mapLcl loops may share a variable,
 * which then means the same work-item. */
static void check_read(void *walk, kx e)
{
    struct walk *w = walk;
    bool ahead = false;

    if (e->kind != KX_LOAD || e->load.buffer != w->buffer)
        return;
    w->reads = true;
    for (int i = 0; i < w->count; i++)
        if (!w->elsewhere[i] && w->stores[i]->store.at == e->load.at &&
            w->stores[i]->store.value->type == e->type) {
            ahead |= i >= w->done;
            w->wrong |= i < w->done;
        }
    w->wrong |= w->count > 0 && !ahead;
}

static void check_block(struct walk *w, const struct kblock *block);

static void count_store(void *walk, struct ks *s)
{
    struct walk *w = walk;

    w->count += stores_here(w, s);
}

static int stores_in(const struct walk *w, const struct kblock *block)
{
    struct walk in = {.buffer = w->buffer};

    ks_each(block, count_store, &in);
    return in.count;
}

static void put_elsewhere(struct walk *w, int from, int to, int more)
{
    for (int i = from; i < to && i < w->count; i++)
        w->elsewhere[i] += more;
}

/* Checks both branches. An iteration takes one branch, so stores in the other branch do
 * not count. */
static void check_branches(struct walk *w, const struct ks *test)
{
    int first = w->done, second = first + stores_in(w, &test->test.body);
    int end = second + stores_in(w, &test->test.otherwise);

    put_elsewhere(w, second, end, 1);
    check_block(w, &test->test.body);
    put_elsewhere(w, second, end, -1);
    put_elsewhere(w, first, second, 1);
    check_block(w, &test->test.otherwise);
    put_elsewhere(w, first, second, -1);
}

static void check_block(struct walk *w, const struct kblock *block)
{
    for (struct ks *s = block->first; s; s = s->next) {
        if (ks_expr(s))
            kx_each(ks_expr(s), check_read, w);
        w->done += stores_here(w, s);
        if (s->kind == KS_IF)
            check_branches(w, s);
        else
            for (int i = 0; ks_block(s, i); i++)
                check_block(w, ks_block(s, i));
    }
}

static bool overwrites_rightly(const struct kbuffer *buffer, const struct kernel *kernels,
                               int count)
{
    bool written = false;

    for (int i = 0; i < count; i++) {
        struct walk w = {.buffer = buffer};

        ks_each(&kernels[i].body, find_store, &w);
        check_block(&w, &kernels[i].body);
        if (w.wrong || (w.reads && w.count == 0 && written))
            return false;
        written |= w.count > 0;
    }
    return true;
}

void cg_check_in_place(struct gen *g, const struct mem *output,
                       const struct kernel *kernels, int count)
{
    for (int i = 0; i < output->leaf_count && !g->failed; i++) {
        const struct kbuffer *b = output->leaves[i];

        if (g->binds[b->bind].kind == LIFT_BIND_INPUT &&
            !overwrites_rightly(b, kernels, count))
            cg_fail(g, any_scalar(g),
                    "'inPlace' overwrites elements of '%s' that are read afterwards",
                    b->name);
    }
}
