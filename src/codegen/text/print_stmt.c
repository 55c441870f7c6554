/* Statements as text. */
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

static void print_if(struct printer *p, const struct ks *s, const struct lift_launch *l)
{
    const char *const *any = p->d->any_of_row;
    bool row = s->test.row && any[0] && l->local[0] == LIFT_ROW_ITEMS;

    lift_str_addf(p->out, "if (%s", row ? any[0] : "");
    cg_print_kx(p, s->test.cond, 0);
    lift_str_addf(p->out, "%s)", row ? any[1] : "");
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

static void print_element(struct printer *p, const struct kbuffer *buffer, lift_nat at)
{
    lift_str_addf(p->out, "&%s[", buffer->name);
    cg_print_nat(p, at, 0);
    lift_str_addc(p->out, ']');
}

static void print_nontemporal(struct printer *p, const struct ks *s)
{
    lift_type t = s->store.value->type;

    p->stores |= cg_vector_bit(t);
    lift_str_addf(p->out, "lift_store_%sx%d(", lift_scalar_name(t->scalar), t->count);
    print_element(p, s->store.buffer, s->store.at);
    lift_str_add(p->out, ", ");
    cg_print_kx(p, s->store.value, 0);
    lift_str_add(p->out, ");");
}

static void print_store(struct printer *p, const struct ks *s)
{
    bool vector = kx_is_vector(s->store.value);

    if (vector &&
        cg_print_aligned(p, s->store.buffer, s->store.at, s->store.value->type, "")) {
        lift_str_add(p->out, " = ");
        cg_print_kx(p, s->store.value, 0);
        lift_str_addc(p->out, ';');
        return;
    }
    if (vector && p->d->vectors == VECTORS_CUDA) {
        lift_str_addf(p->out, "lift_store(&%s[", s->store.buffer->name);
        cg_print_nat(p, s->store.at, 0);
        lift_str_add(p->out, "], ");
        cg_print_kx(p, s->store.value, 0);
        lift_str_add(p->out, ");");
        return;
    }
    if (vector && p->d->vectors == VECTORS_OPENCL) {
        lift_str_addf(p->out, "vstore%d(", s->store.value->type->count);
        cg_print_kx(p, s->store.value, 0);
        lift_str_addf(p->out, ", 0, &%s[", s->store.buffer->name);
        cg_print_nat(p, s->store.at, 0);
        lift_str_add(p->out, "]);");
        return;
    }
    if (vector) {
        lift_str_add(p->out, "*(");
        cg_print_type(p, s->store.value->type);
        lift_str_add(p->out, " *)&");
    }
    lift_str_addf(p->out, "%s[", s->store.buffer->name);
    cg_print_nat(p, s->store.at, 0);
    lift_str_add(p->out, "] = ");
    cg_print_kx(p, s->store.value, 0);
    lift_str_addc(p->out, ';');
}

/* The widest copies that one instruction does: 16, 8 or 4 bytes, as both sides allow. */
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
        lift_str_addf(p->out, "lift_copy<%d>(", by * bytes);
        print_element(p, s->store.buffer, lift_nat_add_const(to, i));
        lift_str_add(p->out, ", ");
        print_element(p, load->load.buffer, lift_nat_add_const(from, i));
        lift_str_add(p->out, ");");
    }
}

static void print_bar(struct printer *p, const struct kbatch *b)
{
    lift_nat count = lift_nat_const(lift_nat_pool(b->number), b->count);

    print_element(p, b->bars, lift_nat_mod(b->number, count));
}

/* Memory barriers of bulk copies, or for the parts of a barrier. */
static void print_bars(struct printer *p, const struct ks *s)
{
    bool open = s->kind == KS_OPEN;

    if (s->bars.of == KBARS_ITEMS) {
        p->uses_parts = true;
        lift_str_addf(p->out, "lift_%s_parts(%s);", open ? "open" : "close",
                      s->bars.bars->name);
        return;
    }
    p->uses_bulk = true;
    lift_str_addf(p->out, "lift_%s(%s, %lld%s);", open ? "open" : "close",
                  s->bars.bars->name, (long long)s->bars.count,
                  !open                       ? ""
                  : s->bars.of == KBARS_BOXES ? ", 1"
                                              : ", blockDim.y * blockDim.z");
}

static void print_row(struct printer *p, const struct ks *s)
{
    p->uses_bulk = true;
    lift_str_add(p->out, "lift_bulk(");
    print_element(p, s->store.buffer, s->store.at);
    lift_str_add(p->out, ", ");
    print_element(p, s->store.value->load.buffer, s->store.value->load.at);
    lift_str_addf(p->out, ", %lld, ",
                  (long long)s->store.row * lift_scalar_bytes(s->store.buffer->scalar));
    print_bar(p, &s->store.batch);
    lift_str_add(p->out, ");");
}

/* A copy of a box. The first coordinate is that of a row. */
static void print_box(struct printer *p, const struct ks *s)
{
    const struct ktensor *t = &p->kernel->tensors[s->box.of.tensor];

    p->uses_bulk = p->uses_boxes = true;
    lift_str_add(p->out, "lift_box(");
    print_element(p, s->box.buffer, s->box.at);
    lift_str_addf(p->out, ", &%s", t->name);
    for (int d = t->shape.dims - 1; d >= 0; d--) {
        lift_str_add(p->out, ", ");
        cg_print_nat(p, s->box.of.from[d], 0);
    }
    lift_str_add(p->out, ", ");
    print_bar(p, &s->box.batch);
    lift_str_add(p->out, ");");
}

/* Bytes of boxes that follow. */
static void print_announced(struct printer *p, const struct ks *s)
{
    p->uses_bulk = p->uses_boxes = true;
    lift_str_addf(p->out, "lift_%s(%lld, ", s->kind == KS_EXPECT ? "expect" : "announce",
                  (long long)s->batch.bytes);
    print_bar(p, &s->batch.of);
    lift_str_add(p->out, ");");
}

static void print_commit(struct printer *p, const struct ks *s)
{
    if (s->batch.boxes) {
        print_announced(p, s);
        return;
    }
    p->uses_bulk |= s->batch.of.bars != NULL;
    p->uses_async |= s->batch.of.bars == NULL;
    lift_str_add(p->out, s->batch.of.bars ? "lift_arrive(" : "lift_commit(");
    if (s->batch.of.bars)
        print_bar(p, &s->batch.of);
    lift_str_add(p->out, ");");
}

/* Whether the turn of a batch is an odd one. */
static void print_parity(struct printer *p, const struct kbatch *b)
{
    lift_nat turn =
        lift_nat_div(b->number, lift_nat_const(lift_nat_pool(b->number), b->count));

    cg_print_nat(p, lift_nat_mod(turn, lift_nat_const(lift_nat_pool(turn), 2)), 0);
}

static void print_part(struct printer *p, const struct ks *s)
{
    p->uses_parts = true;
    lift_str_addf(p->out, "lift_%s_part(", s->kind == KS_ARRIVE ? "arrive" : "await");
    print_bar(p, &s->batch.of);
    if (s->kind == KS_AWAIT) {
        lift_str_add(p->out, ", ");
        print_parity(p, &s->batch.of);
    }
    lift_str_add(p->out, ");");
}

static void print_wait(struct printer *p, const struct ks *s)
{
    const struct kbatch *b = &s->batch.of;

    if (!b->bars) {
        p->uses_async = true;
        lift_str_addf(p->out, "lift_wait<%lld>();", (long long)s->batch.pending);
        return;
    }
    p->uses_bulk = true;
    lift_str_add(p->out, "lift_await(");
    print_bar(p, b);
    lift_str_add(p->out, ", ");
    print_parity(p, b);
    lift_str_add(p->out, ");");
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

static void print_assign(struct printer *p, const struct ks *s)
{
    if (s->kind == KS_DECL) {
        cg_print_type(p, s->set.value->type);
        lift_str_addc(p->out, ' ');
    }
    lift_str_addf(p->out, "%s = ", s->set.name);
    cg_print_kx(p, s->set.value, 0);
    lift_str_addc(p->out, ';');
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
        print_assign(p, s);
        break;
    case KS_ARRAY:
        cg_print_array(p, s->array.buffer);
        break;
    case KS_STORE:
        (s->store.batch.bars    ? print_row
         : s->store.async       ? print_copies
         : s->store.nontemporal ? print_nontemporal
                                : print_store)(p, s);
        break;
    case KS_BARRIER:
        lift_str_add(p->out, p->d->barrier);
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
        lift_str_add(p->out, "__builtin_prefetch(");
        print_element(p, s->prefetch.buffer, s->prefetch.at);
        lift_str_add(p->out, ");");
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
