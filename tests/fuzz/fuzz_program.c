/* A text as a program, as a term and as input of the formatter: each is rejected with one
 * message, or its printed form reads back to the same. */
#include "base/bug.h"
#include "lift/parse.h"
#include "lift/program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct lift_source source_of(const struct lift_str *text)
{
    return (struct lift_source){"printed", lift_str_get(text), text->len};
}

static void check_count(const struct lift_error *errors, bool ok)
{
    LIFT_ASSERT(lift_error_count(errors) == (ok ? 0 : 1));
}

static void reread_program(struct lift_ir *ir, const struct lift_program *p,
                           bool symbolic)
{
    struct lift_program_options options = {.symbolic = symbolic};
    struct lift_error errors = {0};
    struct lift_str text = {0};
    struct lift_source printed;
    const struct lift_program *q;

    lift_program_print(p, &text);
    printed = source_of(&text);
    q = lift_program_load(ir, &printed, &options, &errors);
    if (!q) {
        lift_error_print(&errors, stderr);
        LIFT_BUG("not read back:\n%s", lift_str_get(&text));
    }
    if (q && q->body != p->body)
        LIFT_BUG("read back as another program:\n%s", lift_str_get(&text));
    lift_error_fini(&errors);
    lift_str_fini(&text);
}

static void try_program(const struct lift_source *source, bool symbolic)
{
    struct lift_program_options options = {.symbolic = symbolic};
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    const struct lift_program *p = lift_program_load(ir, source, &options, &errors);

    check_count(&errors, p);
    if (p)
        reread_program(ir, p, symbolic);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
}

static void try_term(const struct lift_source *source)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str text = {0};
    lift_expr e = lift_term_parse(ir, source, &errors), again;
    struct lift_source printed;

    check_count(&errors, e);
    if (e) {
        lift_term_print(e, &text);
        printed = source_of(&text);
        again = lift_term_parse(ir, &printed, &errors);
        if (again != e) {
            lift_error_print(&errors, stderr);
            LIFT_BUG("not read back:\n%s", lift_str_get(&text));
        }
    }
    lift_str_fini(&text);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
}

static void try_format(const struct lift_source *source)
{
    struct lift_str once = {0}, twice = {0};
    struct lift_error errors = {0};
    struct lift_source formatted;
    bool ok = lift_format(source, &errors, &once);

    check_count(&errors, ok);
    if (ok) {
        formatted = source_of(&once);
        LIFT_ASSERT(lift_format(&formatted, &errors, &twice));
        if (strcmp(lift_str_get(&once), lift_str_get(&twice)) != 0)
            LIFT_BUG("formatted twice:\n%s\n---\n%s", lift_str_get(&once),
                     lift_str_get(&twice));
    }
    lift_str_fini(&once);
    lift_str_fini(&twice);
    lift_error_fini(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct lift_source source = {"fuzz", text, size};

    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    try_program(&source, false);
    try_program(&source, true);
    try_term(&source);
    try_format(&source);
    free(text);
    return 0;
}
