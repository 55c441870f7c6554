/* Rules to text that reads back to the same rule. */
#include "base/locale.h"
#include "rules/native/native.h"
#include <string.h>

/* ---- sizes */

static int precedence(enum nat_pat_kind kind)
{
    switch (kind) {
    case NAT_ADD:
    case NAT_SUB:
        return 1;
    case NAT_MUL:
    case NAT_DIV:
    case NAT_MOD:
        return 2;
    default:
        return 3;
    }
}

static void print_infix(const struct nat_pat *p, const struct rule_names *names,
                        int parent, struct lift_str *out)
{
    static const char *const ops[] = {[NAT_ADD] = " + ",
                                      [NAT_SUB] = " - ",
                                      [NAT_MUL] = " * ",
                                      [NAT_DIV] = " / ",
                                      [NAT_MOD] = " % "};
    int own = precedence(p->kind);

    lift_str_add(out, own < parent ? "(" : "");
    rule_print_nat(p->a, names, own, out);
    lift_str_add(out, ops[p->kind]);
    rule_print_nat(p->b, names, own + 1, out);
    lift_str_add(out, own < parent ? ")" : "");
}

static void print_nat_call(const char *name, const char *between, const struct nat_pat *p,
                           const struct rule_names *names, struct lift_str *out)
{
    int level = between[0] == ',' ? 0 : 2;

    lift_str_addf(out, "%s(", name);
    rule_print_nat(p->a, names, level, out);
    lift_str_add(out, between);
    rule_print_nat(p->b, names, level ? level + 1 : 0, out);
    lift_str_addc(out, ')');
}

void rule_print_nat(const struct nat_pat *p, const struct rule_names *names, int parent,
                    struct lift_str *out)
{
    switch (p->kind) {
    case NAT_CONST:
        lift_str_addf(out, "%lld", (long long)p->value);
        break;
    case NAT_META:
        lift_str_add(out, names->nats[p->index]);
        break;
    case NAT_LEN:
        lift_str_addf(out, "len(%s", names->exprs[p->index]);
        if (p->value)
            lift_str_addf(out, ", %lld", (long long)p->value);
        lift_str_addc(out, ')');
        break;
    case NAT_CEIL_DIV:
        print_nat_call("ceil", " / ", p, names, out);
        break;
    case NAT_MIN:
        print_nat_call("min", ", ", p, names, out);
        break;
    case NAT_MAX:
        print_nat_call("max", ", ", p, names, out);
        break;
    default:
        print_infix(p, names, parent, out);
    }
}

/* ---- patterns */

struct printer {
    const struct rule_names *names;
    struct lift_str *out;
    const char *bound[RULE_MAX_BINDERS];
    int depth;
};

static void print(struct printer *pr, const struct pat *p);

static void print_list(struct printer *pr, const struct pat *const *args, int count)
{
    for (int i = 0; i < count; i++) {
        lift_str_add(pr->out, i ? ", " : "");
        print(pr, args[i]);
    }
}

static void print_lambda(struct printer *pr, const struct pat *p)
{
    lift_str_add(pr->out, "fun(");
    for (int i = 0; i < p->count; i++) {
        lift_str_addf(pr->out, "%s%s", i ? ", " : "", p->names[i]);
        pr->bound[pr->depth++] = p->names[i];
    }
    lift_str_add(pr->out, " => ");
    print(pr, p->args[0]);
    lift_str_addc(pr->out, ')');
    pr->depth -= p->count;
}

/* The fewest digits that read back to the number. */
static void print_real(struct printer *pr, const struct pat *p)
{
    char text[40];

    for (int digits = 1; digits <= 17; digits++) {
        lift_snprintf(text, sizeof text, "%.*g", digits, p->number);
        if (lift_strtod(text, NULL) == p->number)
            break;
    }
    lift_str_add(pr->out, text);
    lift_str_add(pr->out, strpbrk(text, ".e") ? "" : ".0");
    if (!p->open)
        lift_str_addc(pr->out, p->scalar == LIFT_F64 ? 'd' : 'f');
}

static void print_lit(struct printer *pr, const struct pat *p)
{
    if (p->scalar == LIFT_BOOL)
        lift_str_add(pr->out, p->integer ? "true" : "false");
    else if (p->scalar == LIFT_I32)
        lift_str_addf(pr->out, "%lld", (long long)p->integer);
    else
        print_real(pr, p);
}

static void print_attr(struct printer *pr, const struct lift_attr_info *info,
                       const struct attr_pat *a)
{
    if (a->meta >= 0)
        lift_str_add(pr->out, pr->names->attrs[a->meta]);
    else
        lift_attr_print(info, a->value, pr->out);
}

static void print_options(struct printer *pr, const struct lift_prim_info *info,
                          const struct pat *p)
{
    int count = 0;

    for (int i = 0; i < info->attr_count; i++) {
        if (!info->attrs[i].option || !p->attrs[i].named)
            continue;
        lift_str_addf(pr->out, "%s%s=", count++ ? ", " : "[", info->attrs[i].name);
        print_attr(pr, &info->attrs[i], &p->attrs[i]);
    }
    lift_str_add(pr->out, count ? "]" : "");
}

static void print_params(struct printer *pr, const struct lift_prim_info *info,
                         const struct pat *p)
{
    int nat = 0, attr = 0, arg = 0, count = 0;

    for (const char *c = info->params; *c && *c != '*'; c++) {
        if (*c == '1' || *c == '2')
            continue;
        lift_str_add(pr->out, count++ ? ", " : "");
        if (*c == 'N')
            rule_print_nat(p->nats[nat++], pr->names, 0, pr->out);
        else if (*c == 'A')
            print_attr(pr, &info->attrs[attr], &p->attrs[attr]), attr++;
        else if (*c == 'S')
            lift_str_add_quoted(pr->out, p->text), lift_str_add(pr->out, ", ");
        else
            print(pr, p->args[arg++]);
    }
    print_list(pr, p->args + arg, p->count - arg);
}

/* let y = value in body; in parentheses, since the body goes on as far as it can. */
static void print_let(struct printer *pr, const struct pat *p)
{
    const struct pat *f = p->args[1];

    lift_str_addf(pr->out, "(let %s = ", f->names[0]);
    print(pr, p->args[0]);
    lift_str_add(pr->out, " in ");
    pr->bound[pr->depth++] = f->names[0];
    print(pr, f->args[0]);
    pr->depth--;
    lift_str_addc(pr->out, ')');
}

static void print_prim(struct printer *pr, const struct pat *p)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);

    if (p->op == LIFT_LET) {
        print_let(pr, p);
        return;
    }
    lift_str_add(pr->out, info->name);
    print_options(pr, info, p);
    lift_str_addc(pr->out, '(');
    print_params(pr, info, p);
    lift_str_addc(pr->out, ')');
}

static void print(struct printer *pr, const struct pat *p)
{
    switch (p->kind) {
    case PAT_META:
        lift_str_add(pr->out, pr->names->exprs[p->index]);
        break;
    case PAT_FUN:
        lift_str_add(pr->out, pr->names->funs[p->index]);
        break;
    case PAT_APP:
        lift_str_addf(pr->out, "%s(", pr->names->funs[p->index]);
        print_list(pr, p->args, p->count);
        lift_str_addc(pr->out, ')');
        break;
    case PAT_BOUND:
        lift_str_add(pr->out, pr->bound[pr->depth - 1 - p->index]);
        break;
    case PAT_LIT:
        print_lit(pr, p);
        break;
    case PAT_LAMBDA:
        print_lambda(pr, p);
        break;
    case PAT_PRIM:
        print_prim(pr, p);
        break;
    }
}

/* ---- rules */

void rule_print_string(const char *key, const char *text, struct lift_str *out)
{
    if (!text[0])
        return;
    lift_str_addf(out, "  %s ", key);
    lift_str_add_quoted(out, text);
    lift_str_addc(out, '\n');
}

static void print_conditions(const struct rule_def *def, struct lift_str *out)
{
    static const char *const ops[] = {" <= ", " < ", " == ", " != "};

    for (int i = 0; i < def->cond_count; i++) {
        const struct rule_cond *c = &def->conds[i];
        bool divides = c->kind == COND_DIVIDES;

        lift_str_add(out, i ? ", " : "  where ");
        lift_str_add(out, divides ? "divides(" : "");
        rule_print_nat(c->a, &def->names, 0, out);
        lift_str_add(out, divides ? ", " : ops[c->kind]);
        rule_print_nat(c->b, &def->names, 0, out);
        lift_str_add(out, divides ? ")" : "");
    }
    lift_str_add(out, def->cond_count ? "\n" : "");
}

static void print_equation(const struct rule_def *def, struct lift_str *out)
{
    struct printer pr = {.names = &def->names, .out = out};

    for (int i = 0; i < def->tunable_count; i++) {
        lift_str_addf(out, "  tunable %s %sin ", def->names.nats[def->tunables[i].nat],
                      def->tunables[i].alike ? "alike " : "");
        rule_print_nat(def->tunables[i].lo, &def->names, 0, out);
        lift_str_add(out, " .. ");
        rule_print_nat(def->tunables[i].hi, &def->names, 0, out);
        lift_str_addc(out, '\n');
    }
    lift_str_add(out, "  ");
    print(&pr, def->lhs);
    lift_str_add(out, " ~> ");
    print(&pr, def->rhs);
    lift_str_addc(out, '\n');
    print_conditions(def, out);
}

static void print_head(const struct lift_rule *rule, struct lift_str *out)
{
    bool macro = rule->form == LIFT_RULE_MACRO;

    lift_str_addf(out, "%s %s %s", macro ? "macro" : "rule", rule->name,
                  lift_rule_class_name(rule->soundness));
    if (rule->soundness == LIFT_RULE_INTERIOR)
        lift_str_addf(out, "(%d)", rule->margin);
    if (macro)
        rule_print_macro(rule->def, out);
    else
        lift_str_add(out, rule->form == LIFT_RULE_NATIVE ? " native\n" : "\n");
}

void rule_print_macro(const struct rule_def *def, struct lift_str *out)
{
    lift_str_addf(out, " like %s\n  = ", def->like->name);
    rule_print_strategy(def->strategy, 4, out);
    lift_str_addc(out, '\n');
}

void lift_rule_print(const struct lift_rule *rule, struct lift_str *out)
{
    const struct rule_declared *declared = rule->def->declared;

    if (rule->option) {
        lift_option_print(rule->option, out);
        return;
    }
    if (declared)
        lift_str_add(out, declared->head);
    else
        print_head(rule, out);
    rule_print_string("doc", rule->doc, out);
    rule_print_string("source", rule->source, out);
    if (declared)
        lift_str_add(out, declared->body);
    else if (rule->form == LIFT_RULE_EQUATION)
        print_equation(rule->def, out);
}
