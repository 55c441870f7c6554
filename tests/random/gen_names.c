/* Names. Behind the end of each is the plain one in its place. */
#include "base/str.h"
#include "gen.h"
#include "print.h"
#include <ctype.h>
#include <string.h>

static bool is_reserved(const char *word)
{
    static const char *const reserved[] = {
        "fun", "let", "in", "val", "return", "if", "then", "else", "true", "false", NULL};

    for (int i = 0; reserved[i]; i++)
        if (strcmp(reserved[i], word) == 0)
            return true;
    return false;
}

static const char *named(struct gen *g, const char *word, const char *plain)
{
    size_t first = strlen(word) + 1, second = strlen(plain) + 1;
    char *name = lift_arena_alloc(g->p->arena, first + second);

    memcpy(name, word, first);
    memcpy(name + first, plain, second);
    return name;
}

static const char *plain_of(const char *name)
{
    return name + strlen(name) + 1;
}

const char *rg_name(struct gen *g, const char *stem)
{
    const char *plain = lift_arena_printf(g->p->arena, "%sq%d", stem, ++g->named);

    for (int i = 0; g->names->count > 0 && i < 4 && rg_chance(g, 80); i++) {
        int k = rg_below(g, g->names->count);

        if (k < (int)(sizeof g->used / sizeof *g->used) && !g->used[k] &&
            !is_reserved(g->names->word[k])) {
            g->used[k] = true;
            return named(g, g->names->word[k], plain);
        }
    }
    return named(g, plain, plain);
}

/* ---- names must not hide the words of a program's own text */

typedef void change(void *user, const char **name);

static void each_name(struct rp_program *p, change *f, void *user)
{
    f(user, &p->name);
    for (int i = 0; i < p->size_count; i++)
        f(user, &p->sizes[i].name);
    for (int i = 0; i < p->param_count; i++)
        f(user, &p->params[i].name);
    for (int i = 0; i < p->const_count; i++)
        f(user, &p->consts[i].name);
    for (int i = 0; i < p->fun_count; i++)
        f(user, &p->funs[i].name);
    for (int i = 0; i < p->input_count; i++)
        f(user, &p->inputs[i].name);
    for (int i = 0; i < p->output_count; i++)
        f(user, &p->outputs[i]);
    for (int i = 0; i < p->var_count; i++) {
        f(user, &p->vars[i].name);
        for (int k = 0; p->vars[i].type->form == RP_TUPLE && k < p->vars[i].type->count;
             k++)
            if (p->vars[i].parts[k])
                f(user, &p->vars[i].parts[k]);
    }
}

static void make_plain(void *user, const char **name)
{
    (void)user;
    *name = plain_of(*name);
}

static bool says(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
            !isalnum((unsigned char)at[n]) && at[n] != '_')
            return true;
    return false;
}

static void settle(void *user, const char **name)
{
    if (says(user, *name))
        *name = plain_of(*name);
}

void rg_settle_names(struct rp_program *p)
{
    struct rp_program plain = *p;
    struct lift_str text = {0};

    each_name(&plain, make_plain, NULL);
    rp_print(&plain, &text);
    each_name(p, settle, (void *)lift_str_get(&text));
    lift_str_fini(&text);
}
