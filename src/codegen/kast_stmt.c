/* Statements of the kernel AST: constructors and access to their parts. */
#include "base/bug.h"
#include "codegen/kast.h"

/* Sets the owner of the statement's blocks. */
static struct ks *own_blocks(struct ks *s)
{
    for (int i = 0; ks_block(s, i); i++)
        ks_block(s, i)->of = s;
    return s;
}

static struct ks *make(struct lift_arena *arena, struct ks s)
{
    return own_blocks(lift_arena_copy(arena, &s, sizeof s));
}

struct ks *ks_loop(struct lift_arena *arena, enum kloop level, int dim, lift_nat index,
                   int64_t extent)
{
    return make(
        arena,
        (struct ks){
            .kind = KS_LOOP,
            .loop = {.level = level, .dim = dim, .index = index, .extent = extent}});
}

struct ks *ks_if(struct lift_arena *arena, kx cond)
{
    return make(arena, (struct ks){.kind = KS_IF, .test = {.cond = cond}});
}

struct ks *ks_elect(struct lift_arena *arena)
{
    return make(arena, (struct ks){.kind = KS_ELECT});
}

struct ks *ks_decl(struct lift_arena *arena, const char *name, kx value)
{
    return make(arena, (struct ks){.kind = KS_DECL, .set = {name, value}});
}

struct ks *ks_assign(struct lift_arena *arena, const char *name, kx value)
{
    return make(arena, (struct ks){.kind = KS_ASSIGN, .set = {name, value}});
}

struct ks *ks_array(struct lift_arena *arena, struct kbuffer *buffer)
{
    return make(arena, (struct ks){.kind = KS_ARRAY, .array = {buffer}});
}

struct ks *ks_store(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at,
                    kx value)
{
    return make(arena,
                (struct ks){.kind = KS_STORE,
                            .store = {.buffer = buffer, .at = at, .value = value}});
}

struct ks *ks_barrier(struct lift_arena *arena)
{
    return make(arena, (struct ks){.kind = KS_BARRIER});
}

struct ks *ks_fence(struct lift_arena *arena)
{
    return make(arena, (struct ks){.kind = KS_FENCE});
}

struct ks *ks_open(struct lift_arena *arena, struct kbuffer *bars, int64_t count,
                   enum kbars of)
{
    return make(arena, (struct ks){.kind = KS_OPEN, .bars = {bars, count, of}});
}

struct ks *ks_close(struct lift_arena *arena, struct kbuffer *bars, int64_t count,
                    enum kbars of)
{
    return make(arena, (struct ks){.kind = KS_CLOSE, .bars = {bars, count, of}});
}

struct ks *ks_meet(struct lift_arena *arena, enum ks_kind kind, struct kbatch batch)
{
    LIFT_ASSERT(kind == KS_ARRIVE || kind == KS_AWAIT);
    return make(arena, (struct ks){.kind = kind, .batch = {.of = batch}});
}

struct ks *ks_commit(struct lift_arena *arena)
{
    return make(arena, (struct ks){.kind = KS_COMMIT});
}

struct ks *ks_wait(struct lift_arena *arena, struct kbatch batch, int64_t pending)
{
    return make(arena,
                (struct ks){.kind = KS_WAIT, .batch = {.of = batch, .pending = pending}});
}

struct ks *ks_announce(struct lift_arena *arena, enum ks_kind kind, struct kbatch batch)
{
    LIFT_ASSERT(kind == KS_COMMIT || kind == KS_EXPECT);
    return make(arena, (struct ks){.kind = kind, .batch = {.of = batch, .boxes = true}});
}

struct ks *ks_box(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at,
                  struct kbatch batch, struct kbox box)
{
    return make(arena, (struct ks){.kind = KS_BOX, .box = {buffer, at, batch, box}});
}

struct ks *ks_prefetch(struct lift_arena *arena, struct kbuffer *buffer, lift_nat at)
{
    return make(arena, (struct ks){.kind = KS_PREFETCH, .prefetch = {buffer, at}});
}

struct ks *ks_copy(struct lift_arena *arena, const struct ks *s)
{
    struct ks *copy = lift_arena_copy(arena, s, sizeof *s);

    copy->next = NULL;
    for (int i = 0; ks_block(copy, i); i++)
        ks_block(copy, i)->first = ks_block(copy, i)->last = NULL;
    return own_blocks(copy);
}

void ks_add_style(struct kstyle *to, struct kstyle other)
{
    to->loads = other.loads > to->loads ? other.loads : to->loads;
    to->tests_last |= other.tests_last;
    to->tests_once |= other.tests_once;
}

bool kernel_reads_once(const struct kernel *k, const struct kbuffer *b)
{
    for (int i = 0; i < k->once_count; i++)
        if (k->once[i] == b)
            return true;
    return false;
}

void ks_append(struct kblock *block, struct ks *stmt)
{
    stmt->next = NULL;
    if (block->last)
        block->last->next = stmt;
    else
        block->first = stmt;
    block->last = stmt;
}

bool ks_is_simple(const struct ks *s)
{
    return s->kind == KS_DECL || s->kind == KS_ASSIGN || s->kind == KS_STORE ||
           s->kind == KS_ARRAY;
}

struct ks *ks_run_end(const struct ks *s)
{
    struct ks *end = s->next;

    while (ks_is_simple(s) && end && ks_is_simple(end))
        end = end->next;
    return end;
}

bool ks_is_loop(const struct ks *s, enum kloop level)
{
    return s->kind == KS_LOOP && s->loop.level == level;
}

bool ks_is_async(const struct ks *s)
{
    return s->kind == KS_STORE && s->store.async;
}

const char *ks_name(const struct ks *s)
{
    LIFT_ASSERT(s->kind == KS_DECL || s->kind == KS_ASSIGN);
    return s->set.name;
}

struct kblock *ks_block(const struct ks *s, int i)
{
    struct ks *own = (struct ks *)s;

    if (s->kind == KS_IF && i < 2)
        return i ? &own->test.otherwise : &own->test.body;
    return i > 0                 ? NULL
           : s->kind == KS_LOOP  ? &own->loop.body
           : s->kind == KS_ELECT ? &own->elect.body
                                 : NULL;
}

/* The member that holds the expression of a statement; NULL: no expression. */
static kx *expr_of(struct ks *s)
{
    switch (s->kind) {
    case KS_IF:
        return &s->test.cond;
    case KS_DECL:
    case KS_ASSIGN:
        return &s->set.value;
    case KS_STORE:
        return &s->store.value;
    default:
        return NULL;
    }
}

kx ks_expr(const struct ks *s)
{
    kx *e = expr_of((struct ks *)s);

    return e ? *e : NULL;
}

void ks_set_expr(struct ks *s, kx e)
{
    kx *to = expr_of(s);

    LIFT_ASSERT(to);
    *to = e;
}

static int add(lift_nat *out, int count, lift_nat n)
{
    if (n)
        out[count++] = n;
    return count;
}

int ks_nats(const struct ks *s, lift_nat out[KS_NATS])
{
    int n = 0;

    switch (s->kind) {
    case KS_LOOP:
        return add(out, 0, s->loop.limit);
    case KS_STORE:
        return add(out, 0, s->store.at);
    case KS_COMMIT:
    case KS_WAIT:
    case KS_EXPECT:
    case KS_ARRIVE:
    case KS_AWAIT:
        return add(out, 0, s->batch.of.number);
    case KS_BOX:
        n = add(out, 0, s->box.at);
        n = add(out, n, s->box.batch.number);
        for (int d = 0; d < LIFT_TENSOR_DIMS; d++)
            n = add(out, n, s->box.of.from[d]);
        return n;
    case KS_PREFETCH:
        return add(out, 0, s->prefetch.at);
    default:
        return 0;
    }
}

struct kbuffer *ks_buffer(const struct ks *s)
{
    switch (s->kind) {
    case KS_ARRAY:
        return s->array.buffer;
    case KS_STORE:
        return s->store.buffer;
    case KS_BOX:
        return s->box.buffer;
    case KS_PREFETCH:
        return s->prefetch.buffer;
    default:
        return NULL;
    }
}

void ks_each_in(struct ks *s, void (*each)(void *user, struct ks *s), void *user)
{
    each(user, s);
    for (int i = 0; ks_block(s, i); i++)
        ks_each(ks_block(s, i), each, user);
}

void ks_each(const struct kblock *block, void (*each)(void *user, struct ks *s),
             void *user)
{
    for (struct ks *s = block->first; s; s = s->next)
        ks_each_in(s, each, user);
}

bool ks_any(const struct ks *s, bool (*is)(const struct ks *s))
{
    bool any = is(s);

    for (int i = 0; ks_block(s, i) && !any; i++)
        for (const struct ks *in = ks_block(s, i)->first; in && !any; in = in->next)
            any = ks_any(in, is);
    return any;
}
