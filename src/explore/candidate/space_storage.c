/* The memory that a term takes, and the limits of the device. */
#include "base/table.h"
#include "explore/candidate/space_maker.h"

enum {
    PRIVATE_BYTES = 16384,    /* limit of one thread */
    SOME_LOCAL_BYTES = 32768, /* if the device reports no limit */
};

struct storage {
    struct space_maker *m;
    lift_expr term;
    struct lift_ptrmap seen;
    lift_nat bytes[2]; /* local, private */
    lift_nat points;   /* bytes of a plane of each stream that is in registers */
    lift_nat shown;    /* bytes of planes that neighbours read, but for the last stream */
    int64_t most_half; /* of all streams */
    int64_t ring;      /* least number of slots of a circular buffer, in the argument of a
                          mapSeqSlide */
    int64_t half;      /* planes of a window before its centre, at least 1 */
    enum lift_copy copy; /* of circular buffers, in a mapSeqSlide's argument */
    bool boxes;          /* some circular buffer is filled by TMA copies */
};

/* Bytes of a value, with the sizes as variables. */
static lift_nat bytes_of(struct space_maker *m, lift_type t)
{
    lift_nat points = lift_type_points(m->p->ir, t);
    lift_type base = lift_type_base(t);
    int64_t bytes = 0;

    if (base->kind == LIFT_TYPE_TUPLE)
        for (int i = 0; i < base->count; i++)
            bytes += lift_type_is_value(base->parts[i])
                         ? lift_scalar_bytes(base->parts[i]->scalar)
                         : 8;
    else
        bytes = lift_scalar_bytes(base->scalar) *
                (base->kind == LIFT_TYPE_VECTOR ? base->count : 1);
    return lift_nat_mul_const(points, bytes);
}

static void measure_storage(struct storage *s, lift_expr e);

static int64_t half_of(lift_nat window)
{
    int64_t size;

    return lift_nat_is_const(window, &size) && size > 3 ? (size - 1) / 2 : 1;
}

/* The least number of slots of a circular buffer. On a stack, whose size compilers must
 * know, the number of elements of a window. */
static int64_t slots_of(const struct space_maker *m, lift_expr slide)
{
    int64_t least = 1 + lift_slide_ahead(slide, 1), size;

    return m->traits->frame_bytes && lift_nat_is_const(slide->u.prim.nats[0], &size) &&
                   size > least
               ? size
               : least;
}

static void refuse(struct space_maker *m, const char *why)
{
    m->refused = m->refused ? m->refused : why;
    maker_constrain(m, LIFT_CONSTRAINT_LE, lift_nat_const(m->nats, 1),
                    lift_nat_const(m->nats, 0), why);
}

/* TMA copies and split barriers need circular buffers. */
static void check_slide(struct space_maker *m, lift_expr slide)
{
    bool rings = lift_expr_mentions(slide->u.prim.args[1], LIFT_TO_LOCAL);

    if (slide->u.prim.attrs.slide.copy == LIFT_COPY_TENSOR && m->traits->bulk_from &&
        (!rings || slide->u.prim.attrs.slide.stages < 2))
        refuse(m, "TMA copies for circular buffers of two pipeline stages");
    if (slide->u.prim.attrs.slide.barrier == LIFT_BARRIER_SPLIT &&
        lift_dialect_has_groups(m->device->dialect) &&
        (!rings || slide->u.prim.attrs.slide.stages < 3))
        refuse(m, "a split barrier for circular buffers of three pipeline stages");
}

/* Measures the arguments of a mapSeqSlide, one of which is its function. */
static void measure_children(struct storage *s, lift_expr e)
{
    struct storage outer = *s;

    if (lift_expr_is(e, LIFT_MAP_SEQ_SLIDE))
        check_slide(s->m, e);
    for (int i = 0; i < lift_expr_child_count(e); i++) {
        if (lift_expr_is(e, LIFT_MAP_SEQ_SLIDE)) {
            s->ring = i == 0 ? 0 : slots_of(s->m, e);
            s->half = half_of(e->u.prim.nats[0]);
            s->copy = i > 0 ? e->u.prim.attrs.slide.copy : LIFT_COPY_PLAIN;
            s->boxes |= s->copy == LIFT_COPY_TENSOR;
        }
        measure_storage(s, lift_expr_child(e, i));
        s->ring = outer.ring;
        s->half = outer.half;
        s->copy = outer.copy;
    }
}

static void require(struct space_maker *m, int64_t divisor, lift_nat n, const char *why)
{
    lift_nat d = lift_nat_const(m->nats, divisor);

    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].a == d && m->rows[i].b == n)
            return;
    if (m->row_count == MAKER_ROWS)
        maker_fail(m, "too many rows of TMA copies");
    else
        m->rows[m->row_count++] =
            (struct lift_side_condition){LIFT_SIDE_DIVIDES, d, n, why};
}

/* A row of a TMA copy, in a window of a tiled row. */
struct box_row {
    struct space_maker *m;
    lift_nat length;
};

static bool limit_step(void *row, lift_expr e)
{
    const struct box_row *r = row;

    if (lift_expr_is(e, LIFT_SLIDE) && e->u.prim.nats[0] == r->length)
        require(r->m, LIFT_BOX_LEAD, e->u.prim.nats[1],
                "TMA copies that begin at a vector of a row");
    return true;
}

static bool limit_input(void *maker, lift_expr e)
{
    struct space_maker *m = maker;
    lift_type t = e->type;

    if (e->kind != LIFT_EXPR_FREE || t->kind != LIFT_TYPE_ARRAY ||
        t->elem->kind != LIFT_TYPE_ARRAY)
        return true;
    while (t->elem->kind == LIFT_TYPE_ARRAY)
        t = t->elem;
    if (t->elem->kind == LIFT_TYPE_SCALAR)
        require(m, LIFT_BOX_BYTES, bytes_of(m, t),
                "rows of multiples of 16 bytes for TMA copies");
    return true;
}

/* The sides of TMA copies are short. Copies begin at a vector of a row, and rows of
 * arrays begin at multiples of 16 bytes, also at small sizes. */
static void limit_boxes(const struct storage *s, lift_type t)
{
    struct box_row r = {.m = s->m};

    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem) {
        r.length = t->len;
        maker_constrain(r.m, LIFT_CONSTRAINT_LE, maker_at_sizes(r.m, t->len),
                        lift_nat_const(r.m->nats, LIFT_BOX_SIDE),
                        "TMA copies of at most 256 elements along a dimension");
    }
    lift_expr_each(s->term, limit_step, &r);
    if (!lift_expr_mentions(s->term, LIFT_ALIGN_ROWS) &&
        !lift_expr_mentions(s->term, LIFT_PAD_STORED))
        lift_expr_each(s->term, limit_input, r.m);
}

/* In registers a stream stores one element for each thread, not a plane. Values that all
 * threads of a processor or all blocks store together are in global memory. */
static void measure_storage(struct storage *s, lift_expr e)
{
    int kind = lift_expr_is(e, LIFT_TO_LOCAL)     ? 0
               : lift_expr_is(e, LIFT_TO_PRIVATE) ? 1
                                                  : -1;

    if (kind == 0 && (lift_expr_mentions(e->u.prim.args[0], LIFT_MAP_PAR) ||
                      lift_expr_mentions(e->u.prim.args[0], LIFT_MAP_WRG)))
        kind = -1;
    if (lift_ptrmap_get(&s->seen, e))
        return;
    lift_ptrmap_put(&s->seen, e, s);
    if (kind == 1 && s->ring && e->type->kind == LIFT_TYPE_ARRAY) {
        lift_nat plane = maker_at_sizes(s->m, bytes_of(s->m, e->type));

        if (!lift_nat_is(s->points, 0)) /* the first one found is the result */
            s->shown = lift_nat_add(s->shown, lift_nat_mul_const(plane, s->half + 1));
        s->points = lift_nat_add(s->points, plane);
        s->most_half = s->half > s->most_half ? s->half : s->most_half;
    }
    if (kind == 0 && s->copy == LIFT_COPY_TENSOR && s->m->traits->bulk_from)
        limit_boxes(s, e->type);
    if (kind == 0 && s->ring)
        s->bytes[0] = lift_nat_add(
            s->bytes[0],
            lift_nat_mul_const(maker_at_sizes(s->m, bytes_of(s->m, e->type)), s->ring));
    else if (kind >= 0 && !s->ring)
        s->bytes[kind] =
            lift_nat_add(s->bytes[kind], maker_at_sizes(s->m, bytes_of(s->m, e->type)));
    measure_children(s, e);
}

static void limit_bytes(struct space_maker *m, lift_nat bytes, int64_t most,
                        const char *why)
{
    if (!lift_nat_is(bytes, 0))
        maker_constrain(m, LIFT_CONSTRAINT_LE, bytes, lift_nat_const(m->nats, most), why);
}

/* Rejects TMA copies if the device has none: plain copies have a separate option. */
static void refuse_boxes(struct space_maker *m)
{
    int from = m->traits->bulk_from;

    if (from && !lift_device_reaches(m->device, from))
        refuse(m, lift_arena_printf(m->arena, "bulk copies from sm_%d on", from));
}

/* On a processor shared memory is on the stack of a thread; estimates model the caches.
 */
void maker_limit_local(struct space_maker *m, lift_nat bytes)
{
    int64_t most = m->traits->frame_bytes   ? m->traits->frame_bytes
                   : m->device->local_bytes ? m->device->local_bytes
                                            : SOME_LOCAL_BYTES;

    limit_bytes(m, bytes, most, "local memory");
}

struct maker_storage maker_limit_storage(struct space_maker *m, lift_expr term)
{
    struct storage s = {.m = m, .term = term};

    s.bytes[0] = s.bytes[1] = s.points = s.shown = lift_nat_const(m->nats, 0);
    measure_storage(&s, term);
    lift_ptrmap_fini(&s.seen);
    if (s.boxes)
        refuse_boxes(m);
    maker_limit_local(m, s.bytes[0]);
    limit_bytes(m, s.bytes[1], PRIVATE_BYTES, "private memory");
    return (struct maker_storage){s.bytes[0], s.points, s.shown, s.most_half};
}
