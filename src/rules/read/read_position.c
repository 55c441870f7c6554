/* Reads the positions of strategies: "0.1", slide, nth(2, slide), loop(1). */
#include "rules/read/read.h"
#include "rules/read/read_instance.h"
#include "rules/strategy/strategy.h"
#include <string.h>

static const struct {
    const char *word;
    enum lift_position_kind kind;
    enum lift_role role;
} loops[] = {{"loop", LIFT_POSITION_LOOP, LIFT_ROLES},
             {"border", LIFT_POSITION_BORDER, LIFT_ROLES},
             {"copy", LIFT_POSITION_COPY, LIFT_ROLES},
             {"outer", LIFT_POSITION_OUTER, LIFT_ROLES},
             {"point", LIFT_POSITION_ROLE, LIFT_ROLE_POINT},
             {"plane", LIFT_POSITION_ROLE, LIFT_ROLE_PLANE},
             {"tile", LIFT_POSITION_ROLE, LIFT_ROLE_TILE},
             {"block", LIFT_POSITION_ROLE, LIFT_ROLE_BLOCK},
             {"face", LIFT_POSITION_ROLE, LIFT_ROLE_FACE}};

/* Reads loop or loop(2). */
static void read_loop(struct strategy_reader *x, struct lift_position *out)
{
    syntax_next(x->p);
    if (!syntax_accept(x->p, TOKEN_LPAREN))
        return;
    out->below = read_count(x->p, "how many loops are nested in it", 0, LIFT_MAX_PATH);
    syntax_expect(x->p, TOKEN_RPAREN, "')'");
}

static void __attribute__((noreturn))
no_place(struct strategy_reader *x, const struct syntax_token *token)
{
    struct lift_guess guess = {.word = token->text};

    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        lift_guess_add(&guess, loops[i].word);
    lift_guess_add(&guess, "interior");
    for (int i = 0; i < LIFT_OP_COUNT; i++)
        lift_guess_add(&guess, lift_prim_info((enum lift_op)i)->name);
    syntax_error(
        x->p, token->span,
        "there is no primitive '%s'; other positions are loop, outer, point, plane, "
        "tile, block, face, border, copy, interior and a path in quotes%s",
        token->text, lift_guess_text(&guess, x->arena));
}

static void read_thing(struct strategy_reader *x, struct lift_position *out)
{
    const struct syntax_token *token = syntax_peek(x->p);

    if (token->kind != TOKEN_NAME)
        syntax_expected(x->p,
                        "a position: a primitive, loop, border, copy, interior or a "
                        "path in quotes");
    if (syntax_accept_word(x->p, "interior")) {
        out->kind = LIFT_POSITION_INTERIOR;
        return;
    }
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strcmp(token->text, loops[i].word) == 0) {
            out->kind = loops[i].kind;
            out->role = loops[i].role;
            read_loop(x, out);
            return;
        }
    out->kind = LIFT_POSITION_PRIM;
    out->op = lift_prim_find(token->text);
    if (out->op == LIFT_OP_COUNT)
        no_place(x, token);
    syntax_next(x->p);
}

void strategy_read_position(struct strategy_reader *x, struct lift_position *out)
{
    *out = (struct lift_position){.nth = 1, .below = -1};
    if (syntax_peek(x->p)->kind == TOKEN_STRING) {
        const struct syntax_token *token = syntax_next(x->p);

        out->kind = LIFT_POSITION_PATH;
        if (!lift_path_parse(token->text, &out->path))
            syntax_error(x->p, token->span, "expected a path such as \"0.1.0\"");
        return;
    }
    if (!syntax_accept_word(x->p, "nth")) {
        read_thing(x, out);
        return;
    }
    syntax_expect(x->p, TOKEN_LPAREN, "'('");
    out->nth = read_count(x->p, "a number from 1 to 100000", 1, 100000);
    syntax_expect(x->p, TOKEN_COMMA, "','");
    read_thing(x, out);
    syntax_expect(x->p, TOKEN_RPAREN, "')'");
}
