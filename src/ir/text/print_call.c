/* Calls: a name, options and arguments. */
#include "ir/text/print_t.h"

void print_options(struct printer *p, lift_expr e, const struct lift_prim_info *info)
{
    int count = 0;

    for (int i = 0; i < info->attr_count; i++) {
        if (!info->attrs[i].option || !e->u.prim.attrs.at[i])
            continue;
        lift_str_addf(p->out, "%s%s=", count++ ? ", " : "[", info->attrs[i].name);
        lift_attr_print(&info->attrs[i], e->u.prim.attrs.at[i], p->out);
    }
    lift_str_add(p->out, count ? "]" : "");
}

/* True for an integer that needs the suffix 'i': otherwise the parser would read a
 * float, or fold the literal. */
static bool needs_suffix(lift_expr parent, int slot)
{
    lift_expr e = parent->u.prim.args[slot];
    lift_type xs;

    if (e->kind != LIFT_EXPR_LIT || e->type->scalar != LIFT_I32)
        return false;
    if (parent->op == LIFT_NEG)
        return true;
    xs = lift_op_is_reduce(parent->op) && slot == 1 ? parent->u.prim.args[2]->type : NULL;
    return xs && lift_type_is_value(xs->elem) && lift_scalar_is_real(xs->elem->scalar);
}

struct arg_list {
    int nat, attr, expr, printed;
    bool on_line;
};

/* Prints the separator before an argument. Sizes, attributes, and the function of a call
 * without data stay on the line. */
static void separate(struct printer *p, struct arg_list *at, bool own_line, int indent)
{
    if (at->printed)
        lift_str_addc(p->out, ',');
    if (own_line && !p->flat && !at->on_line)
        print_newline(p, indent);
    else if (at->printed)
        lift_str_addc(p->out, ' ');
    at->printed++;
}

static void print_letter(struct printer *p, lift_expr e, char letter, struct arg_list *at,
                         int indent)
{
    const struct lift_prim_info *info = lift_prim_info(e->op);

    switch (letter) {
    case 'N':
        separate(p, at, false, indent);
        lift_nat_print(e->u.prim.nats[at->nat++], 0, p->out);
        break;
    case 'A':
        separate(p, at, false, indent);
        lift_attr_print(&info->attrs[at->attr], e->u.prim.attrs.at[at->attr], p->out);
        at->attr++;
        break;
    case 'S':
        separate(p, at, false, indent);
        lift_str_add_quoted(p->out, e->u.prim.text);
        break;
    default:
        separate(p, at, true, indent);
        print_expr(p, e->u.prim.args[at->expr], LOOSE, indent);
        if (needs_suffix(e, at->expr))
            lift_str_addc(p->out, 'i');
        at->expr++;
    }
}

/* Prints name[options](arguments), without the last argument if 'partial'. */
void print_call(struct printer *p, lift_expr e, bool partial, int indent)
{
    const struct lift_prim_info *info = lift_prim_info(e->op);
    int exprs = e->arg_count - partial;
    struct arg_list at = {.on_line = partial && exprs == 1};

    if (at.on_line)
        indent -= PRINT_STEP;
    print_own(p, info->name);
    print_options(p, e, info);
    lift_str_addc(p->out, '(');
    for (const char *c = info->params; *c && !print_is_over(p); c++) {
        bool expr = *c == 'E' || *c == 'F' || *c == '*';

        if (*c == '1' || *c == '2')
            continue;
        do {
            if (!expr || at.expr < exprs)
                print_letter(p, e, *c, &at, indent + PRINT_STEP);
        } while (*c == '*' && at.expr < exprs);
    }
    lift_str_addc(p->out, ')');
}
