/* Prints statements as text. */
#include "codegen/text/dialect.h"

void cg_line(struct printer *p)
{
    lift_str_addf(p->out, "\n%*s", 4 * p->indent, "");
}

static void print_body(struct printer *p, const struct kblock *block,
                       const struct lift_launch *l)
{
    cg_open_block(p);
    cg_print_stmts(p, block, l);
    cg_close_block(p);
}

/* Prints a test; the work-items of a row may vote on the test ('row'). */
static void print_test(struct printer *p, kx test, bool row, const struct lift_launch *l)
{
    const char *const *any = p->d->any_of_row;

    row = row && any[0] && l->local[0] == LIFT_ROW_ITEMS;
    cg_put(p, "%s%x%s", row ? any[0] : "", test, row ? any[1] : "");
}

static void print_if(struct printer *p, const struct ks *s, const struct lift_launch *l)
{
    lift_str_add(p->out, "if (");
    print_test(p, s->test.cond, s->test.row, l);
    lift_str_add(p->out, ")");
    print_body(p, &s->test.body, l);
    if (!s->test.otherwise.first)
        return;
    lift_str_add(p->out, " else");
    print_body(p, &s->test.otherwise, l);
}

void cg_print_array(struct printer *p, const struct kbuffer *b)
{
    lift_str_addf(p->out, "%s%s %s[%lld];",
                  b->space == KSPACE_LOCAL ? p->d->local_array : "",
                  cg_scalar_type(b->scalar, true), b->name, (long long)b->count);
}

static void print_nontemporal(struct printer *p, const struct ks *s)
{
    const char *buffer = s->store.buffer->name;
    lift_type t = s->store.value->type;

    p->uses_nontemporal = true;
    if (p->d->nontemporal_store && kx_is_vector(s->store.value)) {
        cg_put(p, "%s%x, (%s%t *)&%s[%n]);", p->d->nontemporal_store, s->store.value,
               p->d->global, t, buffer, s->store.at);
        return;
    }
    if (p->d->nontemporal_store) {
        cg_put(p, "%s%x, &%s[%n]);", p->d->nontemporal_store, s->store.value, buffer,
               s->store.at);
        return;
    }
    p->stores |= cg_vector_bit(t);
    cg_put(p, "lift_store_%sx%d(&%s[%n], %x);", lift_scalar_name(t->scalar), t->count,
           s->store.buffer->name, s->store.at, s->store.value);
}

static void print_store(struct printer *p, const struct ks *s)
{
    const char *buffer = s->store.buffer->name;
    kx value = s->store.value;
    lift_nat at = s->store.at;

    if (!kx_is_vector(value))
        cg_put(p, "%s[%n] = %x;", buffer, at, value);
    else if (cg_print_aligned(p, s->store.buffer, at, value->type, ""))
        cg_put(p, " = %x;", value);
    else if (p->d->vectors == VECTORS_CUDA)
        cg_put(p, "lift_store(&%s[%n], %x);", buffer, at, value);
    else if (p->d->vectors == VECTORS_OPENCL)
        cg_put(p, "vstore%d(%x, 0, &%s[%n]);", value->type->count, value, buffer, at);
    else
        cg_put(p, "*(%t *)&%s[%n] = %x;", value->type, buffer, at, value);
}

/* Prints asynchronous copies of the widest size that both sides allow: 16, 8 or 4 bytes.
 */
static void print_copies(struct printer *p, const struct ks *s)
{
    kx load = s->store.value;
    lift_nat to = s->store.at, from = load->load.at;
    int lanes = kx_is_vector(load) ? load->type->count : 1;
    int bytes = lift_scalar_bytes(load->type->scalar), by = 16 / bytes;

    while (by > 1 && (lanes % by || !kx_is_aligned(to, by) || !kx_is_aligned(from, by)))
        by /= 2;
    p->uses_async = true;
    for (int i = 0; i < lanes; i += by) {
        if (i)
            cg_line(p);
        cg_put(p, "lift_copy<%d>(&%s[%n], &%s[%n]);", by * bytes, s->store.buffer->name,
               lift_nat_add_const(to, i), load->load.buffer->name,
               lift_nat_add_const(from, i));
    }
}

/* The index of the mbarrier of a batch. */
static lift_nat bar_of(const struct kbatch *b)
{
    return lift_nat_mod(b->number, lift_nat_const(lift_nat_pool(b->number), b->count));
}

/* Prints the initialisation or invalidation of mbarriers. */
static void print_bars(struct printer *p, const struct ks *s)
{
    bool open = s->kind == KS_OPEN;

    if (s->bars.of == KBARS_ITEMS) {
        p->uses_parts = true;
        lift_str_addf(p->out, "lift_%s_parts(%s);", open ? "open" : "close",
                      s->bars.bars->name);
        return;
    }
    if (s->bars.of == KBARS_READERS) {
        p->uses_readers = true;
        lift_str_addf(p->out, "lift_%s_readers(%s, %lld);", open ? "open" : "close",
                      s->bars.bars->name, (long long)s->bars.count);
        return;
    }
    p->uses_boxes = true;
    lift_str_addf(p->out, "lift_%s(%s, %lld%s);", open ? "open" : "close",
                  s->bars.bars->name, (long long)s->bars.count, open ? ", 1" : "");
}

/* Prints a TMA copy. The first coordinate is the position in a row. */
static void print_box(struct printer *p, const struct ks *s)
{
    const struct ktensor *t = &p->kernel->tensors[s->box.of.tensor];

    p->uses_boxes = true;
    cg_put(p, "lift_box(&%s[%n], &%s", s->box.buffer->name, s->box.at, t->name);
    for (int d = t->shape.dims - 1; d >= 0; d--)
        cg_put(p, ", %n", s->box.of.from[d]);
    cg_put(p, ", &%s[%n]);", s->box.batch.bars->name, bar_of(&s->box.batch));
}

/* Prints the announcement of the bytes of later TMA copies. */
static void print_announced(struct printer *p, const struct ks *s)
{
    p->uses_boxes = true;
    cg_put(p, "lift_%s(%l, &%s[%n]);", s->kind == KS_EXPECT ? "expect" : "announce",
           (int64_t)s->batch.bytes, s->batch.of.bars->name, bar_of(&s->batch.of));
}

static void print_commit(struct printer *p, const struct ks *s)
{
    if (s->batch.boxes) {
        print_announced(p, s);
        return;
    }
    p->uses_async = true;
    lift_str_add(p->out, "lift_commit();");
}

/* The parity of a batch's use of its mbarrier: number / count mod 2. */
static lift_nat parity_of(const struct kbatch *b)
{
    lift_nat turn =
        lift_nat_div(b->number, lift_nat_const(lift_nat_pool(b->number), b->count));

    return lift_nat_mod(turn, lift_nat_const(lift_nat_pool(turn), 2));
}

static void print_part(struct printer *p, const struct ks *s)
{
    const struct kbatch *b = &s->batch.of;

    const char *who = s->batch.boxes ? "readers" : "part";

    p->uses_parts |= !s->batch.boxes;
    p->uses_readers |= s->batch.boxes;
    if (s->kind == KS_ARRIVE)
        cg_put(p, "lift_arrive_%s(&%s[%n]);", who, b->bars->name, bar_of(b));
    else
        cg_put(p, "lift_await_%s(&%s[%n], %n);", who, b->bars->name, bar_of(b),
               parity_of(b));
}

static void print_wait(struct printer *p, const struct ks *s)
{
    const struct kbatch *b = &s->batch.of;

    if (!b->bars) {
        p->uses_async = true;
        lift_str_addf(p->out, "lift_wait<%lld>();", (long long)s->batch.pending);
        return;
    }
    p->uses_boxes = true;
    cg_put(p, "lift_await(&%s[%n], %n);", b->bars->name, bar_of(b), parity_of(b));
}

static void print_elect(struct printer *p, const struct ks *s,
                        const struct lift_launch *l)
{
    lift_str_add(p->out, "if (");
    for (int d = 0; d < 3; d++)
        lift_str_addf(p->out, "%s%s", d ? " + " : "", p->d->item[d]);
    lift_str_add(p->out, " == 0)");
    print_body(p, &s->elect.body, l);
}

static void print_assign(struct printer *p, const struct ks *s,
                         const struct lift_launch *l)
{
    if (s->kind == KS_DECL && s->set.index)
        lift_str_addf(p->out, "const %s ", p->index_type);
    else if (s->kind == KS_DECL)
        cg_put(p, "%t ", s->set.value->type);
    lift_str_addf(p->out, "%s = ", s->set.name);
    print_test(p, s->set.value, s->set.row, l);
    lift_str_add(p->out, ";");
}

void cg_print_fence(struct printer *p)
{
    p->uses_fence = true;
    lift_str_add(p->out, "lift_fence();");
}

static void print_stmt(struct printer *p, const struct ks *s, const struct lift_launch *l)
{
    switch (s->kind) {
    case KS_LOOP:
        cg_print_loop(p, s, l);
        break;
    case KS_IF:
        print_if(p, s, l);
        break;
    case KS_DECL:
    case KS_ASSIGN:
        print_assign(p, s, l);
        break;
    case KS_ARRAY:
        cg_print_array(p, s->array.buffer);
        break;
    case KS_STORE:
        (s->store.async         ? print_copies
         : s->store.nontemporal ? print_nontemporal
                                : print_store)(p, s);
        break;
    case KS_BARRIER:
        lift_str_add(p->out, *p->d->barrier ? p->d->barrier : "#pragma omp barrier");
        break;
    case KS_ARRIVE:
    case KS_AWAIT:
        print_part(p, s);
        break;
    case KS_COMMIT:
        print_commit(p, s);
        break;
    case KS_WAIT:
        print_wait(p, s);
        break;
    case KS_EXPECT:
        print_announced(p, s);
        break;
    case KS_BOX:
        print_box(p, s);
        break;
    case KS_ELECT:
        print_elect(p, s, l);
        break;
    case KS_FENCE:
        cg_print_fence(p);
        break;
    case KS_PREFETCH:
        p->uses_fetch = p->d->async_copies;
        cg_put(p, p->uses_fetch ? "lift_fetch(&%s[%n]);" : "__builtin_prefetch(&%s[%n]);",
               s->prefetch.buffer->name, s->prefetch.at);
        break;
    case KS_OPEN:
    case KS_CLOSE:
        print_bars(p, s);
        break;
    }
}

void cg_print_stmts(struct printer *p, const struct kblock *block,
                    const struct lift_launch *launch)
{
    for (const struct ks *s = block->first; s; s = s->next) {
        if (s->kind == KS_ARRAY && p->d->local_at_top &&
            s->array.buffer->space == KSPACE_LOCAL)
            continue;
        cg_line(p);
        print_stmt(p, s, launch);
    }
}
