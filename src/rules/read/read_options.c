/* Options of primitives in rules. A left-hand side matches any value of an option that it
 * does not name. The right-hand side keeps this value. */
#include "rules/read/read.h"
#include "rules/read/read_instance.h"

void read_attr(struct rule_reader *r, const struct lift_attr_info *info,
               const struct syntax_node *node, struct attr_pat *out)
{
    int word = node->kind == NODE_NAME ? lift_attr_value(info, node->text) : -1;
    int64_t number;

    if (word >= 0)
        out->value = word;
    else if (!info->words && read_constant(node, &number) && number >= 0 && number < 1000)
        out->value = (int)number;
    else if (node->kind == NODE_NAME)
        out->meta = read_attr_meta(r, node->text, node->span);
    else
        syntax_error(r->p, node->span, "expected a value of '%s'", info->name);
}

/* Counts the occurrences of 'op' in 'p', and sets 'one' to one of the occurrences. */
static int occurrences(const struct pat *p, enum lift_op op, const struct pat **one)
{
    int args = p->kind == PAT_LAMBDA ? 1 : p->count, found = 0;

    if (p->kind == PAT_PRIM && p->op == op) {
        *one = p;
        found = 1;
    }
    for (int i = 0; i < args; i++)
        found += occurrences(p->args[i], op, one);
    return found;
}

/* Returns the value of an option that the call does not name. */
static struct attr_pat unnamed(struct rule_reader *r, const struct syntax_node *node,
                               const struct pat *p, int slot)
{
    const struct pat *left = NULL;
    struct attr_pat a = {.meta = -1};

    if (!r->rhs)
        a.meta = read_unnamed_attr(r, node->span);
    else if (occurrences(r->def->lhs, p->op, &left) == 1)
        a = left->attrs[slot];
    else if (left)
        read_mistake(r, node->span,
                     "'%s' occurs more than once on the left-hand side: name its option "
                     "'%s' on the right",
                     lift_prim_info(p->op)->name,
                     lift_prim_info(p->op)->attrs[slot].name);
    a.named = false;
    return a;
}

void read_options(struct rule_reader *r, const struct syntax_node *node, struct pat *p)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);

    for (int i = 0; i < node->option_count; i++) {
        const struct syntax_option *o = &node->options[i];
        int slot = lift_prim_option(info, o->name);

        if (slot < 0)
            syntax_error(r->p, o->span, "'%s' has no option '%s'", info->name, o->name);
        if (p->attrs[slot].named)
            syntax_error(r->p, o->span, "the option '%s' is given twice", o->name);
        p->attrs[slot].named = true;
        read_attr(r, &info->attrs[slot], o->value, &p->attrs[slot]);
    }
    for (int slot = 0; slot < info->attr_count; slot++)
        if (info->attrs[slot].option && !p->attrs[slot].named)
            p->attrs[slot] = unnamed(r, node, p, slot);
}

/* Returns the first option that 'p' does not name; NULL if 'p' names all options. */
static const char *first_unnamed(const struct pat *p)
{
    const struct lift_prim_info *info = lift_prim_info(p->op);

    for (int i = 0; i < info->attr_count; i++)
        if (info->attrs[i].option && !p->attrs[i].named)
            return info->attrs[i].name;
    return NULL;
}

static void check_kept(struct rule_reader *r, const struct pat *p)
{
    int args = p->kind == PAT_LAMBDA ? 1 : p->count;
    const char *option = p->kind == PAT_PRIM ? first_unnamed(p) : NULL;
    const char *name = option ? lift_prim_info(p->op)->name : NULL;
    const struct pat *one;

    if (option && occurrences(r->def->rhs, p->op, &one) == 0)
        read_mistake(r, p->span,
                     "the right-hand side has no '%s' that keeps its option '%s': name "
                     "all options that the rule drops",
                     name, option);
    else if (option && occurrences(r->def->lhs, p->op, &one) > 1)
        read_mistake(r, p->span,
                     "'%s' occurs more than once on the left-hand side: name its option "
                     "'%s' there",
                     name, option);
    for (int i = 0; i < args; i++)
        check_kept(r, p->args[i]);
}

void read_check_options(struct rule_reader *r)
{
    check_kept(r, r->def->lhs);
}
