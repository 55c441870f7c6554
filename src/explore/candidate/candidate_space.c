#include "explore/candidate/candidate_space.h"
#include "lift/bug.h"
#include "lift/rng.h"
#include "lift/rule_loops.h"
#include "lift/sizes.h"
#include "lift/table.h"
#include <stdlib.h>
#include <string.h>

const char explore_flags_name[] = "flags";
const char explore_index_name[] = "index";
const char explore_width_name[] = "width";
const char explore_compiler_name[] = "compiler";

enum {
    MAX_VALUES = 64,
    MAX_CONSTRAINTS = 128,
    MAX_ROWS = 32,
    PRIVATE_BYTES = 16384,    /* of one work-item or thread */
    SOME_LOCAL_BYTES = 32768, /* where the device does not say */
    SOME_GROUP_SIZE = 256,
    START_GROUP = 64,     /* along dimension 0, where neighbours in memory are */
    LARGEST_GROUP = 1024, /* tried, whatever the device allows, if it is no processor */
    ANY_NUMBER = 1 << 24, /* no device has more; variables have one range for all */
};

struct maker {
    const struct candidate_space_request *request;
    const struct explore_problem *p;
    const struct lift_device_info *device;
    struct lift_arena *arena;
    struct lift_nats *nats;
    struct lift_param params[LIFT_SPACE_PARAMS];
    int param_count;
    struct lift_constraint constraints[MAX_CONSTRAINTS];
    int constraint_count;
    struct lift_side_condition rows[MAX_ROWS]; /* that bulk copies bring */
    int row_count;
    struct lift_str *why;
    bool failed;
};

static void fail(struct maker *m, const char *what)
{
    if (!m->failed)
        lift_str_add(m->why, what);
    m->failed = true;
}

/* ---- values of parameters */

struct values {
    int64_t items[MAX_VALUES];
    int count;
};

static void add_value(struct values *v, int64_t value, int64_t lo, int64_t hi)
{
    int at = v->count;

    if (value < lo || value > hi)
        return;
    while (at > 0 && v->items[at - 1] > value)
        at--;
    if ((at > 0 && v->items[at - 1] == value) || v->count == MAX_VALUES)
        return;
    memmove(&v->items[at + 1], &v->items[at],
            sizeof v->items[0] * (size_t)(v->count - at));
    v->items[at] = value;
    v->count++;
}

/* 1, 2, 3, 4, 6, 8, 12, ...: powers of two, and three times such. */
static void add_round(struct values *v, int64_t lo, int64_t hi)
{
    for (int64_t power = 1; power <= hi && power < INT64_MAX / 4; power *= 2) {
        add_value(v, power, lo, hi);
        add_value(v, 3 * power / 2, lo, hi);
    }
}

static void add_divisors(struct values *v, int64_t n, int64_t lo, int64_t hi)
{
    for (int64_t d = 1; d <= n / d; d++)
        if (n % d == 0) {
            add_value(v, d, lo, hi);
            add_value(v, n / d, lo, hi);
        }
}

/* The value that a parameter is set to is one of its values if it is in the range. */
static void add_param(struct maker *m, const char *name, struct values *v, int64_t start)
{
    lift_nat var = lift_nat_find_var(m->nats, name);

    for (int i = 0; var && i < m->request->set_count; i++)
        if (lift_tunable_called(name, m->request->set[i].name))
            add_value(v, m->request->set[i].value, lift_nat_lo(var), lift_nat_hi(var));
    if (m->param_count == LIFT_SPACE_PARAMS || v->count == 0) {
        fail(m, v->count ? "too many tunables" : "a tunable has no value at these sizes");
        return;
    }
    m->params[m->param_count++] = (struct lift_param){
        name, lift_arena_copy(m->arena, v->items, sizeof v->items[0] * (size_t)v->count),
        v->count, start};
}

static void add_tunable(struct maker *m, const struct lift_tunable *t)
{
    struct values v = {.count = 0};
    int64_t most = 1;

    for (int i = 0; i < m->p->sizes.count; i++)
        if (m->p->sizes.values[i] > most)
            most = m->p->sizes.values[i];
    if (t->hi < most)
        most = t->hi;
    add_value(&v, 0, t->lo, most);
    add_round(&v, t->lo, most);
    for (int i = 0; i < m->p->sizes.count; i++)
        add_divisors(&v, m->p->sizes.values[i], t->lo, most);
    add_param(m, t->name, &v, 0);
}

/* ---- constraints */

static lift_nat keep_tunables(void *user, lift_nat var)
{
    const struct maker *m = user;
    enum lift_var_kind kind;
    const char *name = lift_nat_is_var(var, &kind);
    int64_t value;

    if (lift_nat_env_value((void *)&m->p->sizes, name, &value))
        return lift_nat_const(m->nats, value);
    return NULL;
}

static lift_nat at_sizes(struct maker *m, lift_nat n)
{
    return lift_nat_subst(m->nats, n, keep_tunables, m);
}

static void constrain(struct maker *m, enum lift_constraint_kind kind, lift_nat a,
                      lift_nat b, const char *why)
{
    if (m->constraint_count == MAX_CONSTRAINTS) {
        fail(m, "too many constraints");
        return;
    }
    m->constraints[m->constraint_count++] = (struct lift_constraint){kind, a, b, why};
}

static void add_conditions(struct maker *m, const struct candidate_space *candidates)
{
    for (int i = 0; i < candidates->condition_count; i++) {
        const struct lift_side_condition *c = &candidates->conditions[i];

        constrain(m,
                  c->kind == LIFT_SIDE_LE ? LIFT_CONSTRAINT_LE : LIFT_CONSTRAINT_DIVIDES,
                  at_sizes(m, c->a), at_sizes(m, c->b), c->why);
    }
}

struct storage {
    struct maker *m;
    struct lift_ptrmap seen;
    lift_nat bytes[2];   /* local, private */
    bool points;         /* streams keep points of planes in registers */
    int64_t ring;        /* in the argument of a mapSeqSlide: slots of a ring at least */
    enum lift_copy copy; /* in that of one whose rings are filled so */
    bool bulks;          /* there is one by bulk copies, of rows or boxes */
};

/* At any sizes. */
static lift_nat bytes_of(struct maker *m, lift_type t)
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

enum { BULK_BYTES = 16, BOX_SIDE = 256 };

static void measure_storage(struct storage *s, lift_expr e);

/* The arguments of a mapSeqSlide, one of which is its function. */
static void measure_children(struct storage *s, lift_expr e)
{
    struct storage outer = *s;

    for (int i = 0; i < lift_expr_child_count(e); i++) {
        if (lift_expr_is(e, LIFT_MAP_SEQ_SLIDE)) {
            s->ring = i == 0 ? 0 : e->u.prim.attrs[2] > 1 ? e->u.prim.attrs[2] : 1;
            s->copy = i > 0 ? (enum lift_copy)e->u.prim.attrs[3] : LIFT_COPY_PLAIN;
            s->bulks |= s->copy == LIFT_COPY_BULK || s->copy == LIFT_COPY_TENSOR;
        }
        measure_storage(s, lift_expr_child(e, i));
        s->ring = outer.ring;
        s->copy = outer.copy;
    }
}

/* Bulk copies bring whole rows, of small tiles at small sizes too, or boxes. */
static void limit_rows(struct storage *s, lift_type t)
{
    struct maker *m = s->m;

    if (m->device->dialect != LIFT_DIALECT_CUDA)
        return;
    for (; t->kind == LIFT_TYPE_ARRAY; t = t->elem) {
        if (s->copy == LIFT_COPY_TENSOR)
            constrain(m, LIFT_CONSTRAINT_LE, at_sizes(m, t->len),
                      lift_nat_const(m->nats, BOX_SIDE),
                      "boxes of at most 256 elements a side");
        if (s->copy != LIFT_COPY_BULK || t->elem->kind == LIFT_TYPE_ARRAY)
            continue;
        if (m->row_count == MAX_ROWS)
            fail(m, "too many rings that are filled by bulk copies");
        else
            m->rows[m->row_count++] = (struct lift_side_condition){
                LIFT_SIDE_DIVIDES, lift_nat_const(m->nats, BULK_BYTES), bytes_of(m, t),
                "rows of whole 16 bytes for bulk copies"};
    }
}

/* What a stream stores in registers is one element an item, not a plane. */
static void measure_storage(struct storage *s, lift_expr e)
{
    int kind = lift_expr_is(e, LIFT_TO_LOCAL)     ? 0
               : lift_expr_is(e, LIFT_TO_PRIVATE) ? 1
                                                  : -1;

    if (lift_ptrmap_get(&s->seen, e))
        return;
    lift_ptrmap_put(&s->seen, e, s);
    s->points |= kind == 1 && s->ring && e->type->kind == LIFT_TYPE_ARRAY;
    if (kind == 0)
        limit_rows(s, e->type);
    if (kind == 0 && s->ring)
        s->bytes[0] = lift_nat_add(
            s->bytes[0],
            lift_nat_mul_const(at_sizes(s->m, bytes_of(s->m, e->type)), s->ring));
    else if (kind >= 0 && !s->ring)
        s->bytes[kind] =
            lift_nat_add(s->bytes[kind], at_sizes(s->m, bytes_of(s->m, e->type)));
    measure_children(s, e);
}

/* Compute capability 8.0 is "sm_80". */
static bool has_capability(const struct lift_device_info *device, int least)
{
    int arch = 0;

    return !device->arch || !*device->arch ||
           (sscanf(device->arch, "sm_%d", &arch) == 1 && arch >= least);
}

unsigned explore_option_device(const struct lift_device_info *device)
{
    unsigned has =
        lift_dialect_has_groups(device->dialect) ? LIFT_ON_GROUPS : LIFT_ON_THREADS;

    if (lift_dialect_copies_asynchronously(device->dialect)) {
        has |= has_capability(device, 80) ? LIFT_HAS_ASYNC_COPIES : 0;
        has |= has_capability(device, 90) ? LIFT_HAS_BULK_COPIES : 0;
    }
    return has;
}

/* Elsewhere what was found with bulk copies is made of plain ones. */
static bool refuses_bulk_copies(const struct lift_device_info *device)
{
    return lift_dialect_copies_asynchronously(device->dialect) &&
           !(explore_option_device(device) & LIFT_HAS_BULK_COPIES);
}

static void limit_bytes(struct maker *m, lift_nat bytes, int64_t most, const char *why)
{
    if (!lift_nat_is(bytes, 0))
        constrain(m, LIFT_CONSTRAINT_LE, bytes, lift_nat_const(m->nats, most), why);
}

/* The dimensions in which a group has work for several work-items: beside loops over
 * tiles those of mapLcl, else those of mapGlb. Borders are too small to count. */
struct dims {
    bool used[3];
    struct values lengths; /* of mapGlb in dimension 0, where there are no tiles */
};

static void note_length(struct maker *m, struct dims *dims, const struct lift_loop *loop)
{
    int64_t length;

    if (loop->map->op == LIFT_MAP_GLB && loop->map->u.prim.attrs[0] == 0 &&
        lift_nat_is_const(at_sizes(m, loop->map->type->len), &length))
        add_value(&dims->lengths, length, 1, INT64_MAX);
}

static struct dims find_dims(struct maker *m, lift_expr term)
{
    struct lift_loops all = {0};
    struct dims dims = {.lengths = {.count = 0}};
    bool groups = false;

    lift_loops_find(term, &all);
    for (int i = 0; i < all.count; i++)
        groups |= all.items[i].map->op == LIFT_MAP_WRG;
    for (int i = 0; i < all.count; i++) {
        const struct lift_loop *loop = &all.items[i];
        int dim = loop->map->u.prim.attrs[0];

        if (loop->map->op == (groups ? LIFT_MAP_LCL : LIFT_MAP_GLB) && dim >= 0 &&
            dim < 3 && (!loop->copies || loop->storage != LIFT_OP_COUNT)) {
            dims.used[dim] = true;
            note_length(m, &dims, loop);
        }
    }
    lift_loops_fini(&all);
    return dims;
}

/* Processors make vectors of work-items that are neighbours. A test for the end of a row
 * turns them into masked ones, which take twice the time: groups that divide the row, or
 * are as long, need none. */
static void add_row_parts(const struct maker *m, const struct dims *dims,
                          struct values *v, int64_t most)
{
    for (int i = 0; m->device->is_cpu && i < dims->lengths.count; i++)
        add_divisors(v, dims->lengths.items[i], START_GROUP, most);
}

static lift_nat add_groups(struct maker *m, const struct dims *dims)
{
    int64_t most =
        m->device->max_group_size ? m->device->max_group_size : SOME_GROUP_SIZE;
    lift_nat product = lift_nat_const(m->nats, 1);

    if (most > LARGEST_GROUP && !m->device->is_cpu)
        most = LARGEST_GROUP;
    for (int d = 0; d < 3; d++) {
        int64_t limit =
            m->device->max_group_dims[d] ? m->device->max_group_dims[d] : most;
        struct values v = {.count = 0};
        lift_nat var;

        if (!dims->used[d])
            continue;
        var = lift_nat_var(m->nats, lift_local_names[d], LIFT_VAR_TUNABLE, 1, ANY_NUMBER);
        for (int64_t n = 1; n <= limit && n <= most; n *= 2)
            add_value(&v, n, 1, most);
        if (d == 0)
            add_row_parts(m, dims, &v, limit < most ? limit : most);
        add_param(m, lift_local_names[d], &v, d == 0 ? START_GROUP : 1);
        product = lift_nat_mul(product, var);
    }
    constrain(m, LIFT_CONSTRAINT_LE, product, lift_nat_const(m->nats, most),
              "work-group size");
    return product;
}

/* How many groups a compute unit has to have room for: the compiler then uses as many
 * registers as that leaves, to have more loads under way, and spills what does not fit;
 * else it weighs one against the other by rules of its own. */
static void add_resident(struct maker *m, lift_nat items)
{
    struct values v = {.items = {0, 1, 2, 3, 4, 6, 8}, .count = 7};
    int64_t most = m->device->unit_items;
    lift_nat groups;

    if (most <= 0)
        return;
    groups = lift_nat_var(m->nats, lift_resident_name, LIFT_VAR_TUNABLE, 0, ANY_NUMBER);
    add_param(m, lift_resident_name, &v, 0);
    m->params[m->param_count - 1].tacit = true;
    constrain(m, LIFT_CONSTRAINT_LE, lift_nat_mul(groups, items),
              lift_nat_const(m->nats, most), "work-items of a compute unit");
}

/* A work-item can keep in registers what it computes at a point of each plane only if the
 * points of its group are as many as its work-items. */
static void add_own_points(struct maker *m, lift_expr term)
{
    struct lift_loops all = {0};

    lift_loops_find(term, &all);
    for (int i = 0; i < all.count; i++) {
        const struct lift_loop *loop = &all.items[i];
        int dim = loop->map->u.prim.attrs[0];
        lift_nat var;

        if (loop->map->op != LIFT_MAP_LCL || loop->streams == 0 || dim < 0 || dim > 2)
            continue;
        var = lift_nat_find_var(m->nats, lift_local_names[dim]);
        if (var)
            constrain(m, LIFT_CONSTRAINT_LE, at_sizes(m, loop->map->type->len), var,
                      "a point of a plane for each work-item");
    }
    lift_loops_fini(&all);
}

/* 32-bit indices take fewer registers; 64-bit ones need no sign extension, which
 * vectorisers of processors like better. */
static void add_index_bits(struct maker *m)
{
    struct values v = {.items = {32, 64}, .count = 2};

    add_param(m, explore_index_name, &v, 64);
}

static void add_device(struct maker *m, lift_expr term)
{
    struct storage s = {.m = m};
    int64_t local = m->device->local_bytes ? m->device->local_bytes : SOME_LOCAL_BYTES;

    s.bytes[0] = s.bytes[1] = lift_nat_const(m->nats, 0);
    measure_storage(&s, term);
    lift_ptrmap_fini(&s.seen);
    if (s.bulks && refuses_bulk_copies(m->device))
        constrain(m, LIFT_CONSTRAINT_LE, lift_nat_const(m->nats, 1),
                  lift_nat_const(m->nats, 0), "bulk copies from sm_90 on");
    limit_bytes(m, s.bytes[0], local, "local memory");
    limit_bytes(m, s.bytes[1], PRIVATE_BYTES, "private memory");
    if (lift_dialect_has_groups(m->device->dialect)) {
        struct dims dims = find_dims(m, term);

        add_resident(m, add_groups(m, &dims));
        if (s.points)
            add_own_points(m, term);
        add_index_bits(m);
    }
}

/* ---- flags */

/* -ffast-math without what turns a test for a number that is none into nothing. */
#define FAST "-ffast-math -fno-finite-math-only"

static const char *const host_relaxed[] = {FAST, NULL};
static const char *const host_exact[] = {"-ffp-contract=off", NULL};
static const char *const opencl_relaxed[] = {"-cl-mad-enable -cl-no-signed-zeros",
                                             "-cl-fast-relaxed-math", NULL};
static const char *const opencl_exact[] = {"", NULL};
static const char *const cuda_relaxed[] = {"--fmad=true", "--use_fast_math", NULL};
static const char *const cuda_exact[] = {"--fmad=false", NULL};
static const char *const hip_relaxed[] = {"-ffp-contract=fast",
                                          "-ffp-contract=fast " FAST, NULL};
static const char *const hip_exact[] = {"-ffp-contract=off", NULL};

const char *const *explore_flag_sets(const struct explore_problem *p,
                                     const struct lift_device_info *device)
{
    if (device->dialect == LIFT_DIALECT_OPENCL)
        return p->relaxed ? opencl_relaxed : opencl_exact;
    if (device->dialect == LIFT_DIALECT_CUDA)
        return p->relaxed ? cuda_relaxed : cuda_exact;
    if (device->dialect == LIFT_DIALECT_HIP)
        return p->relaxed ? hip_relaxed : hip_exact;
    return p->relaxed ? host_relaxed : host_exact;
}

static void add_flags(struct maker *m)
{
    const char *const *sets = explore_flag_sets(m->p, m->device);
    struct values v = {.count = 0};

    for (int i = 0; sets[i]; i++)
        add_value(&v, i, 0, MAX_VALUES);
    if (v.count > 1)
        add_param(m, explore_flags_name, &v, 0);
}

/* Processors with registers of 512 bits: compilers differ in what they prefer there, and
 * half of it may be faster. */
static void add_width(struct maker *m)
{
    struct values v = {.items = {256, 512}, .count = 2};

    if (m->device->dialect == LIFT_DIALECT_OPENMP && m->device->arch &&
        strstr(m->device->arch, "avx512"))
        add_param(m, explore_width_name, &v, 512);
}

/* Which one there is where the device does not say: it was stored, and is not here. */
static void add_compiler(struct maker *m)
{
    struct values v = {.count = 0};
    unsigned all = 1u << LIFT_GCC | 1u << LIFT_CLANG;
    unsigned known = m->device->compilers ? m->device->compilers : all;

    if (m->device->dialect != LIFT_DIALECT_OPENMP)
        return;
    for (int i = LIFT_GCC; i < LIFT_COMPILERS; i++)
        if (known >> i & 1)
            add_value(&v, i, 0, LIFT_COMPILERS);
    add_param(m, explore_compiler_name, &v, LIFT_GCC);
    m->params[m->param_count - 1].settled = true;
}

/* ---- the space */

static void merge_conditions(struct candidate_space *candidates, const struct maker *m,
                             const struct lift_side_conditions *own)
{
    const struct explore_conditions extra = m->request->conditions;
    int count = own->count + extra.count + m->row_count;
    struct lift_side_condition *all =
        LIFT_NEW_ARRAY(m->arena, struct lift_side_condition, count + 1);

    candidates->conditions = all;
    candidates->condition_count = count;
    for (int i = 0; i < own->count; i++)
        *all++ = own->items[i];
    for (int i = 0; i < extra.count; i++)
        *all++ = extra.items[i];
    for (int i = 0; i < m->row_count; i++)
        *all++ = m->rows[i];
}

static bool is_set(const struct maker *m, const char *name, int64_t value)
{
    for (int i = 0; i < m->request->set_count; i++)
        if (lift_tunable_called(name, m->request->set[i].name) &&
            m->request->set[i].value == value)
            return true;
    return false;
}

/* Leaves a parameter the values that it is set to. */
static void restrict_param(struct maker *m, struct lift_param *param)
{
    int64_t *kept = LIFT_NEW_ARRAY(m->arena, int64_t, param->count + 1);
    int count = 0;

    for (int i = 0; i < param->count; i++)
        if (is_set(m, param->name, param->values[i]))
            kept[count++] = param->values[i];
    param->values = kept;
    param->count = count;
}

static void restrict_params(struct maker *m)
{
    for (int i = 0; i < m->request->set_count; i++) {
        const char *name = m->request->set[i].name;
        bool found = m->request->lenient;

        for (int k = 0; k < m->param_count; k++)
            if (lift_tunable_called(m->params[k].name, name)) {
                restrict_param(m, &m->params[k]);
                found = true;
            }
        if (!found && !m->failed)
            lift_str_addf(m->why, "there is no tunable '%s'", name);
        m->failed |= !found;
    }
}

bool candidate_space_make(const struct candidate_space_request *r,
                          struct candidate_space *out, struct lift_str *why)
{
    struct lift_arena *arena = lift_ir_arena(r->problem->ir);
    struct maker m = {.request = r,
                      .p = r->problem,
                      .device = r->device,
                      .arena = arena,
                      .nats = lift_ir_nats(r->problem->ir),
                      .why = why};
    struct lift_side_conditions own = lift_expr_constraints(arena, r->term);

    *out = (struct candidate_space){.term = r->term};
    for (int i = 0; i < own.tunable_count; i++)
        add_tunable(&m, &own.tunables[i]);
    add_device(&m, r->term);
    merge_conditions(out, &m, &own);
    add_flags(&m);
    add_width(&m);
    add_compiler(&m);
    add_conditions(&m, out);
    out->params = lift_arena_copy(arena, m.params, sizeof m.params);
    restrict_params(&m);
    if (m.failed)
        return false;
    out->space = lift_space_create(arena, m.params, m.param_count, m.constraints,
                                   m.constraint_count);
    if (lift_space_size(out->space, 1) > 0)
        return true;
    lift_str_add(why, "no values of the tunables fit the sizes");
    return false;
}

/* ---- numbers */

void explore_numbers_of(const struct explore_problem *p,
                        const struct candidate_space *candidates, const int *point,
                        struct explore_numbers *out)
{
    int count = 0;

    for (int i = 0; i < p->sizes.count; i++) {
        out->names[count] = p->sizes.names[i];
        out->values[count++] = p->sizes.values[i];
    }
    out->size_count = count;
    for (int i = 0; candidates && i < lift_space_param_count(candidates->space); i++) {
        const struct lift_param *param = lift_space_param(candidates->space, i);

        out->names[count] = param->name;
        out->values[count++] = param->values[point[i]];
    }
    out->env = (struct lift_nat_env){out->names, out->values, count};
}

int64_t explore_launch_number(const struct explore_numbers *numbers, const char *name,
                              int64_t otherwise)
{
    for (int i = numbers->size_count; i < numbers->env.count; i++)
        if (strcmp(numbers->names[i], name) == 0)
            return numbers->values[i];
    return otherwise;
}

static bool holds(const struct lift_side_condition *c, const struct lift_nat_env *numbers)
{
    int64_t a, b;

    if (!lift_nat_eval(c->a, lift_nat_env_value, (void *)numbers, &a) ||
        !lift_nat_eval(c->b, lift_nat_env_value, (void *)numbers, &b))
        return false;
    return c->kind == LIFT_SIDE_LE ? a <= b : a >= 1 && b % a == 0;
}

const struct lift_side_condition *
explore_first_broken(const struct lift_side_condition *conditions, int count,
                     const struct lift_nat_env *numbers)
{
    for (int i = 0; i < count; i++)
        if (!holds(&conditions[i], numbers))
            return &conditions[i];
    return NULL;
}

const struct lift_side_condition *explore_broken(const struct candidate_space *candidates,
                                                 const struct lift_nat_env *numbers)
{
    return explore_first_broken(candidates->conditions, candidates->condition_count,
                                numbers);
}
