/* Kernels and modules as text. */
#include "codegen/text/dialect.h"
#include "lift/bug.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    lift_str_add(p->out, "if (");
    cg_print_kx(p, s->test.cond, 0);
    lift_str_addc(p->out, ')');
    print_body(p, &s->test.body, l);
    if (!s->test.otherwise.first)
        return;
    lift_str_add(p->out, " else");
    print_body(p, &s->test.otherwise, l);
}

static void print_array(struct printer *p, const struct kbuffer *b)
{
    lift_str_addf(p->out, "%s%s %s[%lld];",
                  b->space == KSPACE_LOCAL ? p->d->local_array : "",
                  cg_scalar_type(b->scalar, true), b->name, (long long)b->count);
}

void cg_print_element(struct printer *p, const struct kbuffer *buffer, lift_nat at)
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
    cg_print_element(p, s->store.buffer, s->store.at);
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
        cg_print_element(p, s->store.buffer, lift_nat_add_const(to, i));
        lift_str_add(p->out, ", ");
        cg_print_element(p, load->load.buffer, lift_nat_add_const(from, i));
        lift_str_add(p->out, ");");
    }
}

static void print_bar(struct printer *p, const struct kbatch *b)
{
    lift_nat count = lift_nat_const(lift_nat_pool(b->number), b->count);

    cg_print_element(p, b->bars, lift_nat_mod(b->number, count));
}

/* Memory barriers of bulk copies. */
static void print_bars(struct printer *p, const struct ks *s)
{
    p->uses_bulk = true;
    lift_str_addf(p->out, "lift_%s(%s, %lld%s);", s->kind == KS_OPEN ? "open" : "close",
                  s->bars.bars->name, (long long)s->bars.count,
                  s->kind == KS_CLOSE ? ""
                  : s->bars.boxes     ? ", 1"
                                      : ", blockDim.y * blockDim.z");
}

static void print_row(struct printer *p, const struct ks *s)
{
    p->uses_bulk = true;
    lift_str_add(p->out, "lift_bulk(");
    cg_print_element(p, s->store.buffer, s->store.at);
    lift_str_add(p->out, ", ");
    cg_print_element(p, s->store.value->load.buffer, s->store.value->load.at);
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
    cg_print_element(p, s->box.buffer, s->box.at);
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

static void print_wait(struct printer *p, const struct ks *s)
{
    const struct kbatch *b = &s->batch.of;
    lift_nat turn;

    if (!b->bars) {
        p->uses_async = true;
        lift_str_addf(p->out, "lift_wait<%lld>();", (long long)s->batch.pending);
        return;
    }
    p->uses_bulk = true;
    lift_str_add(p->out, "lift_await(");
    print_bar(p, b);
    turn = lift_nat_div(b->number, lift_nat_const(lift_nat_pool(b->number), b->count));
    lift_str_add(p->out, ", ");
    cg_print_nat(p, lift_nat_mod(turn, lift_nat_const(lift_nat_pool(turn), 2)), 0);
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
        print_array(p, s->array.buffer);
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
        cg_print_element(p, s->prefetch.buffer, s->prefetch.at);
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

static bool is_written(const struct kernel *k, int bind)
{
    for (int i = 0; i < k->buffer_count; i++)
        if (k->buffers[i]->bind == bind)
            return k->buffers[i]->written;
    return false;
}

static void print_params(struct gen *g, struct printer *p, const struct kernel *k,
                         const struct lift_kernel *info)
{
    for (int i = 0; i < info->arg_count; i++) {
        const struct lift_bind *b = &g->binds[info->args[i]];
        const char *type = cg_scalar_type(b->scalar, b->kind != LIFT_BIND_PARAM);

        lift_str_add(p->out, i ? ", " : "(");
        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(p->out, "%s %s", type, b->name);
        else
            lift_str_addf(p->out, "%s%s *%s%s",
                          is_written(k, info->args[i]) ? p->d->output : p->d->input, type,
                          p->d->restrict_word, b->name);
    }
    for (int i = 0; i < k->tensor_count; i++)
        lift_str_addf(p->out, "%sconst __grid_constant__ lift_map %s",
                      i || info->arg_count ? ", " : "(", k->tensors[i].name);
    lift_str_add(p->out, info->arg_count || k->tensor_count ? ")" : "(void)");
}

/* Parts of the one array that the launch asks for. */
static void print_dynamic_locals(struct printer *p, const struct kernel *k)
{
    int64_t used = 0;

    cg_line(p);
    lift_str_addf(p->out, "extern %sunsigned char lift_local[];", p->d->local_array);
    for (int i = 0; i < k->buffer_count; i++) {
        const struct kbuffer *b = k->buffers[i];
        const char *type = cg_scalar_type(b->scalar, true);

        if (b->space != KSPACE_LOCAL)
            continue;
        used = cg_local_start(used);
        cg_line(p);
        lift_str_addf(p->out, "%s *const %s = (%s *)(lift_local + %lld);", type, b->name,
                      type, (long long)used);
        used += b->count * lift_scalar_bytes(b->scalar);
    }
}

static void print_locals(struct printer *p, const struct kernel *k)
{
    for (int i = 0; p->d->local_at_top && i < k->buffer_count; i++)
        if (k->buffers[i]->space == KSPACE_LOCAL) {
            cg_line(p);
            print_array(p, k->buffers[i]);
        }
}

static void print_call_entry(struct gen *g, struct printer *p,
                             const struct lift_kernel *info)
{
    lift_str_addf(p->out, "\nvoid %s_call(void *const *args)\n{\n%s    %s(", info->name,
                  p->ieee ? "    lift_ieee();\n" : "", info->name);
    for (int i = 0; i < info->arg_count; i++) {
        const struct lift_bind *b = &g->binds[info->args[i]];

        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(p->out, "%s*(const %s *)args[%d]", i ? ", " : "",
                          cg_scalar_type(b->scalar, false), i);
        else
            lift_str_addf(p->out, "%sargs[%d]", i ? ", " : "", i);
    }
    lift_str_add(p->out, ");\n}\n");
}

static bool is_local(const struct gen *g)
{
    return g->options->local_functions && g->options->dialect == LIFT_DIALECT_OPENMP;
}

enum { MOST_LANES = 64 }; /* of a wave */

/* Groups that a compute unit has to have room for, or as HIP wants it, their waves on
 * each of its units. */
static void print_group_size(const struct gen *g, struct printer *p,
                             const struct lift_launch *l)
{
    char bound[32] = "";
    int resident = g->options->resident, warp = g->options->warp;
    size_t waves = l->local[0] * l->local[1] * l->local[2];

    warp = warp > 0 ? warp : MOST_LANES;
    waves = (waves + (size_t)warp - 1) / (size_t)warp * (size_t)resident;
    if (p->d->wave_units)
        resident = (int)(waves + (size_t)p->d->wave_units - 1) / p->d->wave_units;
    if (resident > 0)
        snprintf(bound, sizeof bound, ", %d", resident);
    lift_str_addf(p->out, p->d->group_size, l->local[0], l->local[1], l->local[2], bound);
}

static void print_kernel(struct gen *g, struct printer *p, const struct kernel *k,
                         const struct lift_kernel *info)
{
    const struct lift_launch *l = &info->launch;

    if (!cg_is_printable(k)) {
        cg_print_plain(k, p->out);
        return;
    }
    lift_str_addf(p->out, "\n%s%s", is_local(g) ? "static " : "", p->d->function);
    if (p->d->group_size && l->dims > 0)
        print_group_size(g, p, l);
    lift_str_addf(p->out, "void %s", k->name);
    p->kernel = k;
    print_params(g, p, k, info);
    lift_str_add(p->out, "\n{");
    p->indent = 1;
    if (l->dynamic_bytes > 0)
        print_dynamic_locals(p, k);
    else
        print_locals(p, k);
    cg_print_stmts(p, &k->body, l);
    p->indent = 0;
    lift_str_add(p->out, "\n}\n");
    if (p->d->call_entry && !is_local(g))
        print_call_entry(g, p, info);
}

static void print_list(const char *word, const int64_t *list, int count,
                       struct lift_str *out)
{
    for (int d = count - 1; d >= 0; d--)
        lift_str_addf(out, "%s%lld", d == count - 1 ? word : ", ", (long long)list[d]);
}

/* How a caller makes the maps of a kernel; the dimension of rows comes first, as the
 * driver wants it. */
static void print_maps(const struct kernel *k, struct lift_str *out)
{
    for (int i = 0; i < k->tensor_count; i++) {
        const struct ktensor *t = &k->tensors[i];
        int64_t box[LIFT_TENSOR_DIMS];

        for (int d = 0; d < t->shape.dims; d++)
            box[d] = t->shape.box[d];
        lift_str_addf(out, "\n%s of %s: CUtensorMap of %s from element %lld on", t->name,
                      k->name, t->buffer->name, (long long)t->shape.offset);
        print_list(", dimensions ", t->shape.length, t->shape.dims, out);
        print_list(", strides ", t->shape.stride, t->shape.dims - 1, out);
        print_list(" elements, box ", box, t->shape.dims, out);
        lift_str_add(out, ", zeros outside");
    }
}

static void print_comment(struct gen *g, lift_expr body, const struct kernel *kernels,
                          int count, struct lift_str *out)
{
    struct lift_str text = {0};

    if (g->options->comment)
        lift_str_addf(&text, "%s\n", g->options->comment);
    lift_expr_print_alike(body, &text);
    cg_print_layouts(g, &text);
    for (int i = 0; i < count; i++)
        print_maps(&kernels[i], &text);
    lift_str_add(out, "/* ");
    for (const char *c = lift_str_get(&text); *c; c++) {
        if (c[0] == '*' && c[1] == '/')
            lift_str_add(out, "* ");
        else if (c[0] == '\n')
            lift_str_add(out, c[1] ? "\n * " : "");
        else
            lift_str_addc(out, *c);
    }
    lift_str_add(out, " */\n");
    lift_str_fini(&text);
}

/* The helpers of a module: each ends with a newline. */
struct helpers {
    struct lift_arena *arena;
    const char **items;
    int count;
};

enum { MAX_HELPERS = 64 };

static void add_helper(struct helpers *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_helper(struct helpers *h, const char *format, ...)
{
    struct lift_str text = {0};
    va_list args;

    LIFT_ASSERT(h->count < MAX_HELPERS);
    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    if (text.len)
        h->items[h->count++] = lift_arena_strdup(h->arena, lift_str_get(&text));
    lift_str_fini(&text);
}

static void add_vector_type(const struct printer *p, enum lift_scalar scalar, int width,
                            struct helpers *h)
{
    const char *type = cg_scalar_type(scalar, false), *name = lift_scalar_name(scalar);
    int bytes = lift_scalar_bytes(scalar);

    if (p->d->vectors == VECTORS_CUDA)
        add_helper(h, "typedef lift_vector<%s, %d> lift_%sx%d;\n", type, width, name,
                   width);
    else
        add_helper(h,
                   "typedef %s lift_%sx%d __attribute__((vector_size(%d), "
                   "aligned(%d), may_alias));\n",
                   type, name, width, bytes * width, bytes);
}

/* Whatever vectors this is compiled for: those that it hands on are its own. */
static const char own_vectors[] = "#pragma GCC diagnostic ignored \"-Wpsabi\"\n";

static void add_vector_types(const struct printer *p, struct helpers *h)
{
    if (p->vector_types && p->d->vectors == VECTORS_CUDA)
        add_helper(h, "%s", cg_cuda_vectors);
    else if (p->vector_types && p->d->vectors == VECTORS_GCC)
        add_helper(h, "%s", own_vectors);
    for (int s = 0; s < 3; s++)
        for (int i = 1; i <= 6; i++)
            if (p->vector_types & 1ull << (s * 8 + i))
                add_vector_type(p, (enum lift_scalar)s, 1 << i, h);
}

/* Lanes of 'a' where the mask is set, of 'b' elsewhere. */
static void add_select(const struct printer *p, enum lift_scalar scalar, int width,
                       struct helpers *h)
{
    const char *name = lift_scalar_name(scalar);
    int bytes = lift_scalar_bytes(scalar);

    add_helper(h,
               "\n%slift_%sx%d lift_select_%sx%d(lift_i32x%d m, lift_%sx%d a, lift_%sx%d "
               "b)\n{\n"
               "    typedef %s bits __attribute__((vector_size(%d)));\n"
               "    const bits of_a = __builtin_convertvector(m, bits);\n"
               "    return (lift_%sx%d)(((bits)a & of_a) | ((bits)b & ~of_a));\n}\n",
               p->d->helper, name, width, name, width, width, name, width, name, width,
               bytes == 8 ? "long" : "int", bytes * width, name, width);
}

static void add_selects(const struct printer *p, struct helpers *h)
{
    for (int s = 0; s < 3; s++)
        for (int i = 1; i <= 6; i++)
            if (p->selects & 1ull << (s * 8 + i))
                add_select(p, (enum lift_scalar)s, 1 << i, h);
}

static void add_text(void (*add)(const struct printer *, struct lift_str *),
                     const struct printer *p, struct helpers *h)
{
    struct lift_str text = {0};

    add(p, &text);
    add_helper(h, "%s", lift_str_get(&text));
    lift_str_fini(&text);
}

static void add_host_text(const struct printer *p, struct lift_str *out)
{
    cg_add_rows(p, out);
    cg_add_stores(p, out);
}

/* Threads that other kernels made may take subnormal numbers for 0. */
static void add_ieee(const struct printer *p, struct helpers *h)
{
    if (p->ieee)
        add_helper(h,
                   "#include <fenv.h>\n\nstatic inline void lift_ieee(void)\n{\n%s"
                   "    fesetenv(FE_DFL_ENV);\n}\n",
                   p->uses_threads ? "#pragma omp parallel\n" : "");
    if (p->d->vectors == VECTORS_OPENCL)
        add_helper(h, "#pragma OPENCL FP_CONTRACT OFF\n");
}

/* Of floats, with all that C leaves open. */
static void add_leasts(const struct printer *p, struct helpers *h)
{
    static const char *const types[] = {"float", "double"};

    for (int s = LIFT_F32; s <= LIFT_F64; s++)
        if (p->leasts & 1u << s)
            for (int larger = 0; larger < 2; larger++)
                add_helper(h,
                           "\n%s%s lift_%s_%s(%s a, %s b)\n{\n"
                           "    return a %c b || b != b ? a : b;\n}\n",
                           p->d->helper, types[s], larger ? "max" : "min",
                           lift_scalar_name((enum lift_scalar)s), types[s], types[s],
                           larger ? '>' : '<');
}

static void add_helpers(const struct printer *p, struct helpers *h)
{
    add_helper(h, "%s", p->d->headers);
    if (p->exact)
        add_ieee(p, h);
    add_leasts(p, h);
    add_vector_types(p, h);
    add_selects(p, h);
    if (p->d->vectors == VECTORS_GCC)
        add_text(add_host_text, p, h);
    if (p->uses_async)
        add_helper(h, "%s", cg_cuda_copies);
    if (p->uses_bulk)
        add_helper(h, "%s", cg_cuda_bulk);
    if (p->uses_boxes)
        add_helper(h, "%s", cg_cuda_boxes);
    if (p->uses_minmax)
        add_helper(h, "#define LIFT_MIN(a, b) ((a) < (b) ? (a) : (b))\n"
                      "#define LIFT_MAX(a, b) ((a) > (b) ? (a) : (b))\n");
    if (p->uses_div)
        add_helper(h,
                   "\n/* Division that rounds down. */\n"
                   "%slong lift_div(long a, long b)\n{\n"
                   "    return a / b - (a %% b != 0 && (a < 0) != (b < 0));\n}\n\n"
                   "%slong lift_mod(long a, long b)\n{\n"
                   "    return a - b * lift_div(a, b);\n}\n",
                   p->d->helper, p->d->helper);
    add_text(cg_add_user_types, p, h);
    add_text(cg_add_user_funs, p, h);
}

/* 32 bits leave room for indices into pads and rounded tiles if buffers are half as
 * large. */
static const char *index_type(const struct gen *g)
{
    for (int i = 0; i < g->bind_count; i++)
        if (g->binds[i].count > INT32_MAX / 2)
            return "long";
    return g->options->index_bits == 32 ? "int" : "long";
}

void cg_print_module(struct gen *g, const struct kernel *kernels, lift_expr body,
                     struct lift_module *out)
{
    struct lift_str text = {0}, comment = {0}, source = {0};
    struct helpers helpers = {
        .arena = g->arena, .items = LIFT_NEW_ARRAY(g->arena, const char *, MAX_HELPERS)};
    struct printer p = {.d = &cg_dialects[g->options->dialect],
                        .index_type = index_type(g),
                        .beside = g->options->beside,
                        .exact = g->options->exact,
                        .ieee = g->options->exact && !is_local(g) &&
                                cg_dialects[g->options->dialect].call_entry,
                        .out = &text};

    for (int i = 0; i < out->kernel_count; i++)
        print_kernel(g, &p, &kernels[i], &out->kernels[i]);
    print_comment(g, body, kernels, out->kernel_count, &comment);
    add_helpers(&p, &helpers);
    lift_str_add(&source, lift_str_get(&comment));
    for (int i = 0; i < helpers.count; i++)
        lift_str_add(&source, helpers.items[i]);
    lift_str_add(&source, lift_str_get(&text));
    out->source = lift_arena_strdup(g->arena, lift_str_get(&source));
    out->comment = lift_arena_strdup(g->arena, lift_str_get(&comment));
    out->text = lift_arena_strdup(g->arena, lift_str_get(&text));
    out->helpers = helpers.items;
    out->helper_count = helpers.count;
    free(p.user_funs.texts);
    lift_str_fini(&source);
    lift_str_fini(&comment);
    lift_str_fini(&text);
}
