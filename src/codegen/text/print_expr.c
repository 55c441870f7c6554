/* Prints expressions as C text, with parentheses by precedence. */
#include "base/bug.h"
#include "base/half.h"
#include "base/locale.h"
#include "codegen/text/dialect.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cg_scalar_type(enum lift_scalar scalar, bool memory)
{
    static const char *const names[] = {"float", "double",         "int",
                                        "bool",  "unsigned short", "unsigned short"};

    return scalar == LIFT_BOOL && memory ? "unsigned char" : names[scalar];
}

static int vector_index(lift_type t)
{
    int log = 1;

    while (log < 6 && t->count > 1 << log)
        log++;
    return t->count == 1 << log ? (int)t->scalar * 8 + log : -1;
}

uint64_t cg_vector_bit(lift_type t)
{
    int index = vector_index(t);

    return index < 0 ? 0 : 1ull << index;
}

void cg_print_type(struct printer *p, lift_type t)
{
    if (t->kind == LIFT_TYPE_SCALAR)
        lift_str_add(p->out, cg_scalar_type(t->scalar, false));
    else if (p->d->vectors == VECTORS_OPENCL)
        lift_str_addf(p->out, "%s%d",
                      lift_scalar_is_storage(t->scalar)
                          ? "ushort"
                          : cg_scalar_type(t->scalar, false),
                      t->count);
    else {
        p->vector_types |= cg_vector_bit(t);
        lift_str_addf(p->out, "lift_%sx%d", lift_scalar_name(t->scalar), t->count);
    }
}

/* Prints a literal. Storage types are printed as their bits. */
static void print_float(struct printer *p, kx e)
{
    bool f32 = e->type->scalar == LIFT_F32;
    char text[64];

    if (lift_scalar_is_storage(e->type->scalar)) {
        float x = (float)e->number;

        lift_str_addf(
            p->out, "(unsigned short)0x%04x",
            (unsigned)(e->type->scalar == LIFT_F16 ? lift_f16_of(x) : lift_bf16_of(x)));
        return;
    }
    if (isnan(e->number) || isinf(e->number)) {
        lift_str_add(p->out, isnan(e->number) ? "NAN"
                             : e->number < 0  ? "(-INFINITY)"
                                              : "INFINITY");
        return;
    }
    lift_snprintf(text, sizeof text, f32 ? "%.9g" : "%.17g", fabs(e->number));
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    lift_str_addf(p->out, signbit(e->number) ? "(-%s%s)" : "%s%s", text, f32 ? "f" : "");
}

/* Buffers are aligned to every vector's size. */
bool cg_print_aligned(struct printer *p, const struct kbuffer *buffer, lift_nat at,
                      lift_type t, const char *qualifier)
{
    if (p->d->vectors == VECTORS_GCC || buffer->space != KSPACE_GLOBAL || t->count > 16 ||
        (t->count & (t->count - 1)) || !kx_is_aligned(at, t->count))
        return false;
    cg_put(p, "(*(%s%s%t *)&%s[%n])", p->d->global, qualifier, t, buffer->name, at);
    return true;
}

/* Prints a non-temporal load of a scalar or an aligned vector. */
static bool print_load_once(struct printer *p, kx e)
{
    const struct kbuffer *b = e->load.buffer;

    if (!p->kernel || !kernel_reads_once(p->kernel, b) ||
        (kx_is_vector(e) && !kx_is_aligned(e->load.at, e->type->count)))
        return false;
    p->uses_nontemporal = true;
    lift_str_add(p->out, p->d->nontemporal_load);
    if (kx_is_vector(e))
        cg_put(p, "(%sconst %t *)", p->d->global, e->type);
    cg_put(p, "&%s[%n])", b->name, e->load.at);
    return true;
}

static void print_load(struct printer *p, kx e)
{
    const char *buffer = e->load.buffer->name;
    lift_nat at = e->load.at;

    if (print_load_once(p, e))
        return;
    if (!kx_is_vector(e))
        cg_put(p, "%s[%n]", buffer, at);
    else if (cg_print_aligned(p, e->load.buffer, at, e->type, "const "))
        return;
    else if (p->d->vectors == VECTORS_OPENCL)
        cg_put(p, "vload%d(0, &%s[%n])", e->type->count, buffer, at);
    else if (p->d->vectors == VECTORS_CUDA)
        cg_put(p, "lift_load<%t>(&%s[%n])", e->type, buffer, at);
    else
        cg_put(p, "(*(const %t *)&%s[%n])", e->type, buffer, at);
}

static void print_args(struct printer *p, kx e)
{
    for (int i = 0; i < e->arg_count; i++)
        cg_put(p, "%s%x", i ? ", " : "", e->args[i]);
}

static void print_lanes(struct printer *p, kx e, int count)
{
    static const char *const before[] = {"(", "(", ""}, *const after[] = {"){", ")(",
                                                                          "{"};

    cg_put(p, "%s%t%s", before[p->d->vectors], e->type, after[p->d->vectors]);
    for (int i = 0; i < count; i++)
        cg_put(p, "%s%x", i ? ", " : "", e->args[e->arg_count == 1 ? 0 : i]);
    lift_str_addc(p->out, p->d->vectors == VECTORS_OPENCL ? ')' : '}');
}

/* Prints a row of lanes from two vectors; for CPUs only. */
static void print_row(struct printer *p, kx e)
{
    lift_type t = e->type;

    p->rows[vector_index(t)] |= 1ull << e->lane;
    lift_str_addf(p->out, "lift_row%d_%sx%d(", e->lane, lift_scalar_name(t->scalar),
                  t->count);
    print_args(p, e);
    lift_str_addc(p->out, ')');
}

static const struct {
    enum lift_op op;
    const char *text;
    int level;
} infix[] = {
    {LIFT_ADD, " + ", P_SUM},     {LIFT_SUB, " - ", P_SUM}, {LIFT_MUL, " * ", P_PRODUCT},
    {LIFT_DIV, " / ", P_PRODUCT}, {LIFT_LT, " < ", P_LESS}, {LIFT_LE, " <= ", P_LESS},
    {LIFT_EQ, " == ", P_EQ},      {LIFT_NE, " != ", P_EQ},  {LIFT_AND, " && ", P_AND},
    {LIFT_OR, " || ", P_OR},
};

/* Prints an infix operator. The right operand needs a higher precedence, so that a - (b -
 * c) and a * (b * c) keep their parentheses. */
static bool print_infix(struct printer *p, kx e, int parent)
{
    for (size_t i = 0; i < sizeof infix / sizeof *infix; i++) {
        if (infix[i].op != e->op.op)
            continue;
        cg_open_paren(p, parent > infix[i].level);
        cg_print_kx(p, e->args[0], infix[i].level);
        lift_str_add(p->out, infix[i].text);
        cg_print_kx(p, e->args[1], infix[i].level + 1);
        cg_close_paren(p, parent > infix[i].level);
        return true;
    }
    return false;
}

/* Names of functions in C. On floats, a name gets the suffix of its type if the dialect
 * has suffixes. */
static const struct {
    enum lift_op op;
    const char *floats, *ints;
} functions[] = {
    {LIFT_MIN, "fmin", "LIFT_MIN"}, {LIFT_MAX, "fmax", "LIFT_MAX"},
    {LIFT_ABS, "fabs", "abs"},      {LIFT_SQRT, "sqrt", NULL},
    {LIFT_EXP, "exp", NULL},        {LIFT_LOG, "log", NULL},
    {LIFT_SIN, "sin", NULL},        {LIFT_COS, "cos", NULL},
    {LIFT_POW, "pow", NULL},        {LIFT_FLOOR, "floor", NULL},
    {LIFT_DIV, NULL, "lift_div"},   {LIFT_MOD, NULL, "lift_mod"},
};

/* Prints min and max of floats for bitwise exact results. */
static bool print_least(struct printer *p, kx e)
{
    if (!p->exact || (e->op.op != LIFT_MIN && e->op.op != LIFT_MAX) ||
        e->type->kind != LIFT_TYPE_SCALAR || !lift_type_is_float(e->type))
        return false;
    p->leasts |= 1u << e->type->scalar;
    lift_str_addf(p->out, "lift_%s_%s(", e->op.op == LIFT_MIN ? "min" : "max",
                  lift_scalar_name(e->type->scalar));
    print_args(p, e);
    lift_str_addc(p->out, ')');
    return true;
}

/* Prints abs of integers for OpenCL, whose abs is unsigned and would make enclosing
 * expressions unsigned. */
static bool print_signed_abs(struct printer *p, kx e)
{
    if (p->d->vectors != VECTORS_OPENCL || e->op.op != LIFT_ABS ||
        lift_type_is_float(e->type))
        return false;
    cg_put(p, "convert_%t(abs(%x))", e->type, e->args[0]);
    return true;
}

/* True if the function has vector forms. Vector forms may differ in the last bit, so
 * exact kernels do not use them. */
static bool has_lanes(struct printer *p, enum lift_op op, enum lift_scalar scalar)
{
    int i = p->d->lane_functions && !p->exact ? kx_lane_function(op) : -1;

    if (i >= 0)
        p->lane_functions |= cg_lane_bit(i, scalar);
    return i >= 0;
}

/* Prints a function of a whole vector as a function of the prelude. */
static bool print_lanes_function(struct printer *p, kx e, const char *name)
{
    int i =
        p->d->vectors == VECTORS_GCC && kx_is_vector(e) ? kx_lane_function(e->op.op) : -1;

    if (i < 0)
        return false;
    has_lanes(p, e->op.op, e->type->scalar);
    p->vector_functions[i] |= cg_vector_bit(e->type);
    p->vector_types |= cg_vector_bit(e->type);
    lift_str_addf(p->out, "lift_%s_%sx%d(", name, lift_scalar_name(e->type->scalar),
                  e->type->count);
    print_args(p, e);
    lift_str_addc(p->out, ')');
    return true;
}

static bool print_function(struct printer *p, kx e)
{
    bool floats = lift_type_is_float(e->type);

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *name = floats ? functions[i].floats : functions[i].ints;

        if (functions[i].op != e->op.op || !name)
            continue;
        if (floats && print_lanes_function(p, e, name))
            return true;
        p->uses_minmax |= !floats && (e->op.op == LIFT_MIN || e->op.op == LIFT_MAX);
        p->uses_div |= !floats && (e->op.op == LIFT_DIV || e->op.op == LIFT_MOD);
        lift_str_addf(
            p->out, "%s%s%s(",
            floats && has_lanes(p, e->op.op, e->type->scalar) ? "lift_" : "", name,
            floats && p->d->suffix_f32 && e->type->scalar == LIFT_F32 ? "f" : "");
        print_args(p, e);
        lift_str_addc(p->out, ')');
        return true;
    }
    return false;
}

static bool is_choice(kx e)
{
    return kx_is_op(e, LIFT_SELECT) && !kx_is_vector(e->args[0]);
}

/* Prints an alternative of a select. In gcc, sums and products of vectors have another
 * type than their operands, and both alternatives need one type. */
static void print_chosen(struct printer *p, kx e, int parent)
{
    bool cast = kx_is_vector(e) && p->d->vectors == VECTORS_GCC && e->kind == KX_OP &&
                !is_choice(e);

    if (cast)
        cg_put(p, "(%t)", e->type);
    cg_print_kx(p, e, cast ? P_PRIMARY : parent);
}

static void print_select(struct printer *p, kx e, int parent)
{
    cg_open_paren(p, parent > P_SELECT);
    cg_print_kx(p, e->args[0], P_SELECT + 1);
    lift_str_add(p->out, " ? ");
    print_chosen(p, e->args[1], P_SELECT + 1);
    lift_str_add(p->out, " : ");
    print_chosen(p, e->args[2], P_SELECT);
    cg_close_paren(p, parent > P_SELECT);
}

static void print_vector_convert(struct printer *p, kx e)
{
    if (p->d->vectors == VECTORS_GCC)
        cg_put(p, "__builtin_convertvector(%x, %t)", e->args[0], e->type);
    else if (p->d->vectors == VECTORS_CUDA)
        cg_put(p, "lift_convert<%t>(%x)", e->type, e->args[0]);
    else
        cg_put(p, "convert_%t(%x)", e->type, e->args[0]);
}

static void print_convert(struct printer *p, kx e, int parent)
{
    if (lift_scalar_is_storage(e->type->scalar) ||
        lift_scalar_is_storage(e->args[0]->type->scalar)) {
        cg_print_storage(p, e);
        return;
    }
    if (kx_is_vector(e)) {
        print_vector_convert(p, e);
        return;
    }
    cg_open_paren(p, parent > P_UNARY);
    cg_put(p, "(%t)", e->type);
    cg_print_kx(p, e->args[0], P_PRIMARY);
    cg_close_paren(p, parent > P_UNARY);
}

static void print_prefix(struct printer *p, kx e, const char *sign, int parent)
{
    cg_open_paren(p, parent > P_UNARY);
    lift_str_add(p->out, sign);
    cg_print_kx(p, e->args[0], P_PRIMARY);
    cg_close_paren(p, parent > P_UNARY);
}

/* Prints a test of vectors as a mask of i32. */
static void print_mask(struct printer *p, kx e)
{
    bool logic = e->op.op == LIFT_AND || e->op.op == LIFT_OR;
    kx a = e->args[0];
    bool convert = !logic && lift_scalar_bytes(a->type->scalar) != 4;

    lift_str_add(p->out, convert ? "__builtin_convertvector(" : "(");
    if (logic) {
        cg_print_kx(p, a, P_PRIMARY);
        lift_str_add(p->out, e->op.op == LIFT_AND ? " & " : " | ");
        cg_print_kx(p, e->args[1], P_PRIMARY);
    } else
        print_infix(p, e, 0);
    if (convert)
        cg_put(p, ", %t", e->type);
    lift_str_addc(p->out, ')');
}

/* Prints an operator on vectors. Returns false for operators that are printed lane by
 * lane. */
static bool print_vector_op(struct printer *p, kx e, int parent)
{
    if (!kx_is_vector(e))
        return false;
    switch (e->op.op) {
    case LIFT_SELECT:
        if (!kx_is_vector(e->args[0]))
            return false;
        lift_str_addf(p->out, "lift_select_%sx%d(", lift_scalar_name(e->type->scalar),
                      e->type->count);
        p->vector_types |= cg_vector_bit(e->args[0]->type) | cg_vector_bit(e->type);
        p->selects |= cg_vector_bit(e->type);
        print_args(p, e);
        lift_str_addc(p->out, ')');
        return true;
    case LIFT_NOT:
        print_prefix(p, e, "~", parent);
        return true;
    case LIFT_LT:
    case LIFT_LE:
    case LIFT_EQ:
    case LIFT_NE:
    case LIFT_AND:
    case LIFT_OR:
        print_mask(p, e);
        return true;
    default:
        return false;
    }
}

static void print_op(struct printer *p, kx e, int parent);

/* True if gcc assumes that the value is never -0, and folds 0 - x to -x, which has the
 * wrong sign at 0. */
static bool hides_sign(const struct printer *p, kx e)
{
    if (!p->exact || !p->d->folds_zero || kx_is_vector(e) || !lift_type_is_float(e->type))
        return false;
    if (kx_is_op(e, LIFT_SELECT))
        return e->args[1]->kind == KX_FLOAT && e->args[2]->kind == KX_FLOAT;
    return kx_is_op(e, LIFT_ABS) ||
           ((kx_is_op(e, LIFT_TO_F32) || kx_is_op(e, LIFT_TO_F64)) &&
            e->args[0]->type->scalar == LIFT_I32);
}

static void print_op(struct printer *p, kx e, int parent)
{
    if (print_vector_op(p, e, parent))
        return;
    switch (e->op.op) {
    case LIFT_SELECT:
        print_select(p, e, parent);
        return;
    case LIFT_NEG:
        print_prefix(p, e, "-", parent);
        return;
    case LIFT_NOT:
        print_prefix(p, e, "!", parent);
        return;
    case LIFT_TO_F32:
    case LIFT_TO_F64:
    case LIFT_TO_I32:
    case LIFT_TO_F16:
    case LIFT_TO_BF16:
        print_convert(p, e, parent);
        return;
    case LIFT_SPLAT:
        print_lanes(p, e, p->d->vectors == VECTORS_OPENCL ? 1 : e->type->count);
        return;
    case LIFT_USER_FUN:
        cg_print_user_name(p, e->op.text);
        lift_str_addc(p->out, '(');
        print_args(p, e);
        lift_str_addc(p->out, ')');
        return;
    default:
        if (!print_least(p, e) && !print_signed_abs(p, e) && !print_function(p, e) &&
            !print_infix(p, e, parent))
            LIFT_BUG("'%s' has no text", lift_prim_info(e->op.op)->name);
    }
}

/* Prints an expression. A call hides its sign from gcc, which folds expressions before it
 * inlines calls. */
void cg_print_kx(struct printer *p, kx e, int parent)
{
    switch (e->kind) {
    case KX_NAT:
        cg_print_nat(p, e->nat, parent);
        break;
    case KX_FLOAT:
        print_float(p, e);
        break;
    case KX_BOOL:
        lift_str_add(p->out, e->truth ? "true" : "false");
        break;
    case KX_VAR:
        lift_str_add(p->out, e->name);
        break;
    case KX_LOAD:
        print_load(p, e);
        break;
    case KX_LANES:
        print_lanes(p, e, e->arg_count);
        break;
    case KX_LANE:
        cg_print_kx(p, e->args[0], P_PRIMARY);
        lift_str_addf(p->out, p->d->vectors == VECTORS_OPENCL ? ".s%x" : "[%d]", e->lane);
        break;
    case KX_ROW:
        print_row(p, e);
        break;
    case KX_SHUFFLE:
        p->uses_beside = true;
        cg_put(p, "%s%x, %d%s", p->d->beside[e->lane < 0], e->args[0], abs(e->lane),
               p->d->beside[2]);
        break;
    case KX_OP:
        if (hides_sign(p, e)) {
            p->hidden |= 1u << e->type->scalar;
            lift_str_addf(p->out, "lift_signed_%s(", lift_scalar_name(e->type->scalar));
            print_op(p, e, 0);
            lift_str_addc(p->out, ')');
        } else {
            print_op(p, e, parent);
        }
        break;
    }
}
