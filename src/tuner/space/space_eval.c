#include "tuner/space/space_eval.h"
#include "base/bug.h"
#include <string.h>

enum { STACK = 64 };

struct compiler {
    struct lift_arena *arena;
    const struct lift_param *params;
    int param_count;
    struct tuner_code code;
    int cap;
    int depth; /* current depth of the stack */
};

static void emit(struct compiler *c, enum tuner_op op, int64_t value)
{
    LIFT_ARENA_ROOM(c->arena, c->code.insns, c->code.count, c->cap);
    c->code.insns[c->code.count++] = (struct tuner_insn){op, value};
    c->depth += op == TUNER_OP_CONST || op == TUNER_OP_PARAM ? 1 : -1;
    LIFT_ASSERT(c->depth <= STACK);
}

static void compile_var(struct compiler *c, const char *name)
{
    for (int i = 0; i < c->param_count; i++)
        if (!strcmp(c->params[i].name, name)) {
            c->code.params |= UINT32_C(1) << i;
            emit(c, TUNER_OP_PARAM, i);
            return;
        }
    LIFT_BUG("a constraint names '%s', which is no parameter of its space", name);
}

static void compile_nat(struct compiler *c, lift_nat n);

static void compile_atom(struct compiler *c, struct lift_atom atom)
{
    if (atom.kind == LIFT_ATOM_VAR) {
        compile_var(c, atom.name);
        return;
    }
    compile_nat(c, atom.a);
    compile_nat(c, atom.b);
    emit(c,
         atom.kind == LIFT_ATOM_DIV   ? TUNER_OP_DIV
         : atom.kind == LIFT_ATOM_MIN ? TUNER_OP_MIN
                                      : TUNER_OP_MAX,
         0);
}

static void compile_nat(struct compiler *c, lift_nat n)
{
    int terms = lift_nat_term_count(n);

    if (!terms)
        emit(c, TUNER_OP_CONST, 0);
    for (int t = 0; t < terms; t++) {
        int factors;

        emit(c, TUNER_OP_CONST, lift_nat_term(n, t, &factors));
        for (int f = 0; f < factors; f++) {
            compile_atom(c, lift_nat_factor(n, t, f));
            emit(c, TUNER_OP_MUL, 0);
        }
        if (t)
            emit(c, TUNER_OP_ADD, 0);
    }
}

struct tuner_code tuner_compile(struct lift_arena *arena, lift_nat n,
                                const struct lift_param *params, int param_count)
{
    struct compiler c = {arena, params, param_count, {0}, 0, 0};

    compile_nat(&c, n);
    return c.code;
}

static bool apply(enum tuner_op op, int64_t a, int64_t b, int64_t *result)
{
    switch (op) {
    case TUNER_OP_ADD:
        return !__builtin_add_overflow(a, b, result);
    case TUNER_OP_MUL:
        return !__builtin_mul_overflow(a, b, result);
    case TUNER_OP_DIV:
        if (b < 1)
            return false;
        *result = a / b - (a % b < 0);
        return true;
    case TUNER_OP_MIN:
        *result = a < b ? a : b;
        return true;
    case TUNER_OP_MAX:
        *result = a > b ? a : b;
        return true;
    case TUNER_OP_CONST:
    case TUNER_OP_PARAM:
        break;
    }
    LIFT_BUG("operation %d takes no operands", (int)op);
}

bool tuner_eval(const struct tuner_code *code, const int64_t *values, int64_t *result)
{
    int64_t stack[STACK];
    int top = 0;

    for (int i = 0; i < code->count; i++) {
        struct tuner_insn insn = code->insns[i];

        if (insn.op == TUNER_OP_CONST) {
            stack[top++] = insn.value;
        } else if (insn.op == TUNER_OP_PARAM) {
            stack[top++] = values[insn.value];
        } else {
            top--;
            if (!apply(insn.op, stack[top - 1], stack[top], &stack[top - 1]))
                return false;
        }
    }
    *result = stack[0];
    return true;
}

/* Every operation is monotone or bilinear: its extremes are at corners. */
static bool apply_range(enum tuner_op op, struct tuner_range a, struct tuner_range b,
                        struct tuner_range *result)
{
    int64_t corner[4];

    if (!apply(op, a.lo, b.lo, &corner[0]) || !apply(op, a.lo, b.hi, &corner[1]) ||
        !apply(op, a.hi, b.lo, &corner[2]) || !apply(op, a.hi, b.hi, &corner[3]))
        return false;
    result->lo = result->hi = corner[0];
    for (int i = 1; i < 4; i++) {
        result->lo = corner[i] < result->lo ? corner[i] : result->lo;
        result->hi = corner[i] > result->hi ? corner[i] : result->hi;
    }
    return true;
}

bool tuner_bounds(const struct tuner_code *code, const struct tuner_range *params,
                  struct tuner_range *result)
{
    struct tuner_range stack[STACK];
    int top = 0;

    for (int i = 0; i < code->count; i++) {
        struct tuner_insn insn = code->insns[i];

        if (insn.op == TUNER_OP_CONST) {
            stack[top++] = (struct tuner_range){insn.value, insn.value};
        } else if (insn.op == TUNER_OP_PARAM) {
            stack[top++] = params[insn.value];
        } else {
            top--;
            if (!apply_range(insn.op, stack[top - 1], stack[top], &stack[top - 1]))
                return false;
        }
    }
    *result = stack[0];
    return true;
}
