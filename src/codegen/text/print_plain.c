/* Prints kernels as text of no dialect. Such text is for statements that a later pass
 * replaces, and for statements that are not well formed. Their expressions are well
 * formed. */
#include "codegen/text/dialect.h"
#include <stdlib.h>

static void print_word(struct printer *p, const char *word, bool yes)
{
    if (yes)
        lift_str_addf(p->out, " %s", word);
}

static void print_number(struct printer *p, const char *word, int64_t n, int64_t from)
{
    if (n >= from)
        lift_str_addf(p->out, " %s %lld", word, (long long)n);
}

static void print_nat(struct printer *p, const char *word, lift_nat n)
{
    if (n)
        cg_put(p, " %s %n", word, n);
}

static void print_value(struct printer *p, kx e)
{
    if (e)
        cg_print_kx(p, e, 0);
    else
        lift_str_add(p->out, "nothing");
}

static const char *name_of(const struct kbuffer *b)
{
    return b ? b->name : "nothing";
}

static void print_element(struct printer *p, const struct kbuffer *b, lift_nat at)
{
    if (at)
        cg_put(p, "%s[%n]", name_of(b), at);
    else
        cg_put(p, "%s[]", name_of(b));
}

static void print_batch(struct printer *p, const struct kbatch *b)
{
    print_nat(p, "batch", b->number);
    if (b->bars)
        lift_str_addf(p->out, " by %lld of %s", (long long)b->count, b->bars->name);
}

static void print_loop(struct printer *p, const struct ks *s)
{
    static const char *const levels[] = {"seq", "par", "task", "simd",
                                         "glb", "wrg", "lcl"};
    const char *index = s->loop.index ? lift_nat_is_var(s->loop.index, NULL) : NULL;

    lift_str_addf(p->out, "%s", levels[s->loop.level]);
    if (s->loop.level >= KLOOP_GLB)
        lift_str_addf(p->out, "(%d)", s->loop.dim);
    lift_str_addf(p->out, " %s < %lld", index ? index : "nothing",
                  (long long)s->loop.extent);
    print_nat(p, "and", s->loop.limit);
    print_number(p, "collapse", s->loop.collapse, 2);
    print_number(p, "lanes", s->loop.lanes, 2);
    print_number(p, "ahead", s->loop.ahead, 1);
    print_number(p, "loads", s->loop.body.style.loads, 2);
    print_word(p, "more", s->loop.more);
    print_word(p, "shuffles", s->loop.shuffles);
    print_word(p, "nontemporal", s->loop.nontemporal);
    print_word(p, "nontemporal_loads", s->loop.nontemporal_loads);
    print_word(p, "version", s->loop.version == KVERSION_LOOP);
    print_word(p, "versions", s->loop.version == KVERSION_ITERATION);
}

static void print_store(struct printer *p, const struct ks *s)
{
    print_element(p, s->store.buffer, s->store.at);
    lift_str_add(p->out, " = ");
    print_value(p, s->store.value);
    print_word(p, "nontemporal", s->store.nontemporal);
    print_word(p, "async", s->store.async);
}

static void print_array(struct printer *p, const struct kbuffer *b)
{
    lift_str_addf(p->out, "%s %s %s[%lld]",
                  b && b->space == KSPACE_LOCAL ? "local" : "private",
                  b ? cg_scalar_type(b->scalar, true) : "", name_of(b),
                  b ? (long long)b->count : 0);
}

static void print_box(struct printer *p, const struct ks *s)
{
    print_element(p, s->box.buffer, s->box.at);
    lift_str_addf(p->out, " = box of tensor %d", s->box.of.tensor);
    for (int d = 0; d < LIFT_TENSOR_DIMS; d++)
        print_nat(p, d ? "," : "from", s->box.of.from[d]);
    print_batch(p, &s->box.batch);
}

static void print_bars(struct printer *p, const struct ks *s)
{
    lift_str_addf(p->out, "%s %lld of %s", s->kind == KS_OPEN ? "open" : "close",
                  (long long)s->bars.count, name_of(s->bars.bars));
    print_word(p, "boxes", s->bars.of == KBARS_BOXES);
    print_word(p, "items", s->bars.of == KBARS_ITEMS);
    print_word(p, "readers", s->bars.of == KBARS_READERS);
}

static void print_commit(struct printer *p, const struct ks *s)
{
    lift_str_add(p->out, s->kind == KS_COMMIT   ? "commit"
                         : s->kind == KS_WAIT   ? "wait"
                         : s->kind == KS_ARRIVE ? "arrive"
                         : s->kind == KS_AWAIT  ? "await"
                                                : "expect");
    print_batch(p, &s->batch.of);
    print_number(p, "pending", s->batch.pending, 1);
    print_number(p, "bytes", s->batch.bytes, s->batch.boxes ? 0 : 1);
}

/* Prints a statement without its blocks. */
static void print_head(struct printer *p, const struct ks *s)
{
    switch (s->kind) {
    case KS_LOOP:
        print_loop(p, s);
        break;
    case KS_IF:
        lift_str_add(p->out, "if ");
        print_value(p, s->test.cond);
        break;
    case KS_ELECT:
        lift_str_add(p->out, "elect");
        break;
    case KS_DECL:
    case KS_ASSIGN:
        if (s->kind == KS_DECL && s->set.value)
            cg_put(p, "%t ", s->set.value->type);
        lift_str_addf(p->out, "%s = ", s->set.name);
        print_value(p, s->set.value);
        print_word(p, "row", s->set.row);
        break;
    case KS_ARRAY:
        print_array(p, s->array.buffer);
        break;
    case KS_STORE:
        print_store(p, s);
        break;
    case KS_BARRIER:
        lift_str_add(p->out, "barrier");
        break;
    case KS_FENCE:
        lift_str_add(p->out, "fence");
        break;
    case KS_OPEN:
    case KS_CLOSE:
        print_bars(p, s);
        break;
    case KS_COMMIT:
    case KS_WAIT:
    case KS_EXPECT:
    case KS_ARRIVE:
    case KS_AWAIT:
        print_commit(p, s);
        break;
    case KS_BOX:
        print_box(p, s);
        break;
    case KS_PREFETCH:
        lift_str_add(p->out, "prefetch ");
        print_element(p, s->prefetch.buffer, s->prefetch.at);
        break;
    }
}

static void print_block(struct printer *p, const struct kblock *block)
{
    cg_open_block(p);
    for (const struct ks *s = block->first; s; s = s->next) {
        cg_line(p);
        print_head(p, s);
        for (int i = 0; ks_block(s, i); i++) {
            if (i && !ks_block(s, i)->first)
                continue;
            print_word(p, "else", i > 0);
            print_block(p, ks_block(s, i));
        }
    }
    cg_close_block(p);
}

void cg_print_plain(const struct kernel *k, struct lift_str *out)
{
    struct printer p = {.d = &cg_dialects[LIFT_DIALECT_OPENMP], .out = out, .kernel = k};

    lift_str_addf(out, "\nkernel %s", k->name);
    print_block(&p, &k->body);
    lift_str_addc(out, '\n');
    free(p.user_funs.texts);
}

void cg_print_plain_statement(const struct ks *s, struct lift_str *out)
{
    struct printer p = {.d = &cg_dialects[LIFT_DIALECT_OPENMP], .out = out};

    print_head(&p, s);
    free(p.user_funs.texts);
}

static void note_unready(void *unready, struct ks *s)
{
    *(bool *)unready |= ks_is_async(s) && s->store.value->kind != KX_LOAD;
}

bool cg_is_printable(const struct kernel *k)
{
    bool unready = false;

    ks_each(&k->body, note_unready, &unready);
    return !unready;
}
