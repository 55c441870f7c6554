/* Reads the heads of hand-written kernels and makes modules of them, like those of code
 * generation, so that the same code checks and times both. */
#include "reference.h"
#include "base/bug.h"
#include "explore/program_arrays.h"
#include "lift/parse.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 64,
    MOST_NAMES = 64,
    MOST_KERNELS = 4,
    MOST_ARGS = 48,
    MOST_BOXES = 8,
    MOST_TEMPORARIES = 4,
    DIMS = 3
};

/* ---- the head of a file */

struct head_line {
    const char *key, *rest;
    int number;
};

struct head {
    const char *path;
    const char *text; /* the file */
    struct lift_arena *arena;
    struct head_line lines[MOST_LINES];
    int count;
};

static _Noreturn void malformed(const struct head *h, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static _Noreturn void malformed(const struct head *h, int line, const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: ", h->path, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

static const char *const keys[] = {"program",  "variant", "with",  "types",   "arch",
                                   "multiple", "halo",    "rows",  "stored",  "temporary",
                                   "kernel",   "groups",  "group", "dynamic", "args",
                                   "box",      "plain",   NULL};

static void add_line(struct head *h, const char *text, int number)
{
    size_t len = strcspn(text, " ");
    int known = 0;

    if (h->count == MOST_LINES)
        malformed(h, number, "at most %d lines", MOST_LINES);
    h->lines[h->count] = (struct head_line){
        lift_arena_strndup(h->arena, text, len),
        lift_arena_strdup(h->arena, text + len + strspn(text + len, " ")), number};
    while (keys[known] && strcmp(keys[known], h->lines[h->count].key) != 0)
        known++;
    if (!keys[known])
        malformed(h, number, "unknown key '%s'", h->lines[h->count].key);
    h->count++;
}

/* The text of a comment line, without its comment marks. */
static char *undecorated(struct head *h, const char *line)
{
    size_t skip = strspn(line, " \t*/"), len;
    char *text;

    len = strcspn(line + skip, "\n");
    text = lift_arena_strndup(h->arena, line + skip, len);
    while (len && isspace((unsigned char)text[len - 1]))
        text[--len] = '\0';
    return text;
}

/* From the line 'reference' to the end of the comment. */
static void read_head(struct head *h)
{
    bool within = false;
    int number = 1;

    for (const char *at = h->text; *at; number++) {
        size_t len = strcspn(at, "\n");
        const char *text = undecorated(h, at), *end = strstr(at, "*/");

        if (within && *text && !(end && end < at + len))
            add_line(h, text, number);
        within = within || strcmp(text, "reference") == 0;
        if (end && end < at + len)
            break;
        at += len + (at[len] == '\n');
    }
    if (!within)
        malformed(h, 1, "the first comment has no line 'reference'");
}

static const struct head_line *find_line(const struct head *h, const char *key)
{
    for (int i = 0; i < h->count; i++)
        if (strcmp(h->lines[i].key, key) == 0)
            return &h->lines[i];
    return NULL;
}

/* ---- one variant at the sizes of a problem */

struct making {
    const struct head *head;
    const struct explore_problem *problem;
    struct lift_ir *ir;
    struct lift_arena *arena; /* of 'ir' */
    const struct lift_device_info *device;
    struct bench_reference *out;
    struct lift_str defines;
    lift_nat names[MOST_NAMES]; /* numbers, each a variable of one value */
    int name_count;
    struct explore_shape shapes[2 * EXPLORE_MAX_LEAVES]; /* inputs, then outputs */
    int input_count, shape_count;
    struct lift_bind *binds;
    int bind_count, temporary_count;
    struct lift_kernel kernels[MOST_KERNELS];
    int kernel_count;
};

static bool value_of(void *user, const char *name, int64_t *value)
{
    const struct making *m = user;

    for (int i = 0; i < m->name_count; i++)
        if (strcmp(lift_nat_is_var(m->names[i], NULL), name) == 0) {
            *value = lift_nat_lo(m->names[i]);
            return true;
        }
    return false;
}

static int64_t evaluate(const struct making *m, const struct head_line *line,
                        const char *text)
{
    const struct lift_source source = {m->head->path, text, strlen(text)};
    const struct lift_scope scope = {.nats = m->names, .nat_count = m->name_count};
    struct lift_error errors = {0};
    lift_nat n = lift_nat_parse(m->ir, &scope, &source, &errors);
    int64_t value;

    if (!n)
        malformed(m->head, line->number, "'%s': %s", text, lift_str_get(&errors.text));
    if (!lift_nat_eval(n, value_of, (void *)m, &value))
        malformed(m->head, line->number, "'%s' has no value", text);
    return value;
}

/* Numbers between commas outside parentheses; how many. */
static int evaluate_list(const struct making *m, const struct head_line *line,
                         int64_t out[DIMS])
{
    char *text = lift_arena_strdup(m->arena, line->rest), *from = text;
    int depth = 0, count = 0;

    for (char *at = text;; at++) {
        char c = *at;

        depth += (c == '(') - (c == ')');
        if (c && (c != ',' || depth > 0))
            continue;
        *at = '\0';
        if (count == DIMS)
            malformed(m->head, line->number, "at most %d numbers", DIMS);
        out[count++] = evaluate(m, line, from);
        from = at + 1;
        if (!c)
            return count;
    }
}

static void name_number(struct making *m, const char *name, int64_t value)
{
    LIFT_ASSERT(m->name_count < MOST_NAMES);
    m->names[m->name_count++] =
        lift_nat_var(lift_ir_nats(m->ir), name, LIFT_VAR_SIZE, value, value);
}

/* Visible to the source and, if it is a whole number, to the lines of the head. */
static void define(struct making *m, const char *name, const char *value)
{
    char *end;
    long long number = strtoll(value, &end, 10);

    lift_str_addf(&m->defines, "#define %s %s\n", name, value);
    if (*value && !*end)
        name_number(m, name, number);
}

static void define_number(struct making *m, const char *name, int64_t value)
{
    define(m, name, lift_arena_printf(m->arena, "%lld", (long long)value));
}

static void define_sizes(struct making *m)
{
    for (int i = 0; i < m->problem->sizes.count; i++) {
        char *name = lift_arena_strdup(m->arena, m->problem->sizes.names[i]);

        for (char *c = name; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        define_number(m, name, m->problem->sizes.values[i]);
    }
}

static void define_type(struct making *m)
{
    bool wide = m->shapes[0].scalar == LIFT_F64;

    define(m, "REAL", wide ? "double" : "float");
    define_number(m, "REAL_BYTES", lift_scalar_bytes(m->shapes[0].scalar));
}

/* "NAME A=1 B=2": the name, and its macro definitions. */
static const char *define_settings(struct making *m, const struct head_line *line)
{
    char *rest = NULL, *text = lift_arena_strdup(m->arena, line->rest), *word;
    const char *name = strtok_r(text, " ", &rest);

    while ((word = strtok_r(NULL, " ", &rest))) {
        char *equals = strchr(word, '=');

        if (!equals)
            malformed(m->head, line->number, "'%s': expected NAME=VALUE", word);
        *equals = '\0';
        define(m, word, equals + 1);
    }
    return name ? name : "";
}

static bool refuse(struct making *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(struct making *m, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(m->out->refused, sizeof m->out->refused, format, args);
    va_end(args);
    return false;
}

/* "types f32 f64": of all arrays of reals; f32 by default. */
static bool check_types(struct making *m)
{
    const struct head_line *line = find_line(m->head, "types");
    const char *type = lift_scalar_name(m->shapes[0].scalar);
    char *rest = NULL, *text = lift_arena_strdup(m->arena, line ? line->rest : "f32");

    for (int i = 1; i < m->shape_count; i++)
        if (m->shapes[i].scalar != m->shapes[0].scalar && m->shapes[i].scalar != LIFT_I32)
            return refuse(m, "its reals are of one type, those of '%s' are not",
                          m->problem->name);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (strcmp(word, type) == 0)
            return true;
    return refuse(m, "it is not for arrays of %s", type);
}

/* "arch 90": the least compute capability, times ten. */
static bool check_arch(struct making *m)
{
    const struct head_line *line = find_line(m->head, "arch");
    int least, has = 0;

    if (!line)
        return true;
    least = (int)evaluate(m, line, line->rest);
    return (sscanf(m->device->arch, "sm_%d", &has) == 1 && has >= least) ||
           refuse(m, "it needs sm_%d", least);
}

static bool check_sizes(struct making *m)
{
    for (int i = 0; i < m->head->count; i++) {
        const struct head_line *line = &m->head->lines[i];
        int64_t n[DIMS];

        if (strcmp(line->key, "multiple") != 0)
            continue;
        if (evaluate_list(m, line, n) != 2 || n[1] < 1)
            malformed(m->head, line->number, "expected two numbers");
        if (n[0] % n[1] != 0)
            return refuse(m, "its sizes are none that it is for: multiple %s",
                          line->rest);
    }
    return true;
}

/* ---- buffers */

/* Values of 'halo' and 'rows'. */
struct margins {
    int64_t halo, rows;
    lift_expr fill; /* NULL: no kernel reads the halo */
};

static struct margins read_margins(struct making *m)
{
    const struct head_line *halo = find_line(m->head, "halo");
    const struct head_line *rows = find_line(m->head, "rows");
    struct margins out = {.rows = 1};
    char *text, *fill, *end;

    if (rows)
        out.rows = evaluate(m, rows, rows->rest);
    if (!halo)
        return out;
    text = lift_arena_strdup(m->arena, halo->rest);
    fill = strstr(text, " fill ");
    if (fill) {
        *fill = '\0';
        fill += strlen(" fill ");
        out.fill = lift_expr_float(m->ir, m->shapes[0].scalar, strtod(fill, &end));
        if (*end)
            malformed(m->head, halo->number, "'%s' is no number", fill);
    }
    out.halo = evaluate(m, halo, text);
    return out;
}

/* Rows begin at multiples of 'rows', with the halo before them. 'count' gets the elements
 * of the buffer. */
static const struct lift_layout *lay_out(struct making *m, const struct margins *margins,
                                         const struct explore_shape *shape,
                                         int64_t *count)
{
    struct lift_layout *l = LIFT_NEW(m->arena, struct lift_layout);
    int64_t lead = (margins->halo + margins->rows - 1) / margins->rows * margins->rows;
    int64_t size = 1;

    *l = (struct lift_layout){.dims = shape->dims, .fill = margins->fill};
    for (int d = shape->dims - 1; d >= 0; d--) {
        bool row = d == shape->dims - 1;

        l->length[d] = shape->length[d];
        l->stride[d] = size;
        l->before[d] = l->after[d] = margins->halo;
        l->offset += (row ? lead : margins->halo) * size;
        size *= shape->length[d] + margins->halo + (row ? lead : margins->halo);
        if (row)
            size = (size + margins->rows - 1) / margins->rows * margins->rows;
    }
    if (margins->rows > 1)
        l->multiple = margins->rows;
    *count = size;
    return l;
}

static void define_layout(struct making *m, const struct lift_layout *l)
{
    if (l->dims > 1)
        define_number(m, "PITCH", l->stride[l->dims - 2]);
    if (l->dims > 2)
        define_number(m, "PLANE", l->stride[l->dims - 3]);
    define_number(m, "ORIGIN", l->offset);
}

static int find_bind(const struct making *m, const struct head_line *line,
                     const char *name)
{
    for (int i = 0; i < m->bind_count; i++)
        if (strcmp(m->binds[i].name, name) == 0)
            return i;
    malformed(m->head, line->number, "the program has no '%s'", name);
}

/* "stored OUTPUT INPUT" */
static void store_in_place(struct making *m)
{
    for (int i = 0; i < m->head->count; i++) {
        const struct head_line *line = &m->head->lines[i];
        char *rest = NULL, *text = lift_arena_strdup(m->arena, line->rest);
        const char *output, *input;
        int at;

        if (strcmp(line->key, "stored") != 0)
            continue;
        output = strtok_r(text, " ", &rest);
        input = strtok_r(NULL, " ", &rest);
        if (!output || !input)
            malformed(m->head, line->number, "expected an output and an input");
        at = find_bind(m, line, output);
        if (m->binds[at].kind != LIFT_BIND_OUTPUT ||
            m->binds[find_bind(m, line, input)].kind != LIFT_BIND_INPUT)
            malformed(m->head, line->number, "expected an output and an input");
        m->binds[at].in_place = find_bind(m, line, input);
    }
}

/* "temporary NAME ARRAY": memory between the kernels, with the layout of an array. */
static void add_temporaries(struct making *m)
{
    for (int i = 0; i < m->head->count; i++) {
        const struct head_line *line = &m->head->lines[i];
        size_t len = strcspn(line->rest, " ");
        const char *like = line->rest + len + strspn(line->rest + len, " ");
        struct lift_bind *b;

        if (strcmp(line->key, "temporary") != 0)
            continue;
        if (m->temporary_count == MOST_TEMPORARIES)
            malformed(m->head, line->number, "at most %d temporaries", MOST_TEMPORARIES);
        b = &m->binds[m->bind_count];
        *b = m->binds[find_bind(m, line, like)];
        if (b->kind == LIFT_BIND_PARAM)
            malformed(m->head, line->number, "expected a name and an array");
        b->kind = LIFT_BIND_TEMP;
        b->index = m->temporary_count++;
        b->name = lift_arena_strndup(m->arena, line->rest, len);
        b->in_place = -1;
        m->bind_count++;
    }
}

/* Lists such as receivers and their weights have no layout. */
static bool is_grid(const struct making *m, const struct explore_shape *shape)
{
    bool same = shape->dims == m->shapes[0].dims;

    for (int d = 0; d < shape->dims && same; d++)
        same = shape->length[d] == m->shapes[0].length[d];
    return same;
}

static void make_binds(struct making *m)
{
    const struct explore_problem *p = m->problem;
    struct margins margins = read_margins(m), none = {.rows = 1};
    bool plain = margins.halo == 0 && margins.rows == 1;
    const struct lift_layout *layout;

    m->binds = LIFT_NEW_ARRAY(m->arena, struct lift_bind,
                              m->shape_count + p->param_count + MOST_TEMPORARIES);
    for (int i = 0; i < m->shape_count; i++) {
        const struct explore_shape *s = &m->shapes[i];
        bool input = i < m->input_count;
        struct lift_bind *b = &m->binds[m->bind_count++];

        *b = (struct lift_bind){.kind = input ? LIFT_BIND_INPUT : LIFT_BIND_OUTPUT,
                                .index = input ? i : i - m->input_count,
                                .name = s->name,
                                .scalar = s->scalar,
                                .in_place = -1};
        layout = lay_out(m, is_grid(m, s) ? &margins : &none, s, &b->count);
        b->layout = plain || !is_grid(m, s) ? NULL : layout;
        if (i == 0)
            define_layout(m, layout);
    }
    for (int i = 0; i < p->param_count; i++)
        m->binds[m->bind_count++] =
            (struct lift_bind){.kind = LIFT_BIND_PARAM,
                               .index = i,
                               .name = p->params[i]->u.name,
                               .scalar = p->program->params[i].scalar,
                               .count = 1,
                               .in_place = -1};
    add_temporaries(m);
    store_in_place(m);
}

/* ---- kernels */

/* Another 'args' line appends to the list. */
static void read_args(struct making *m, const struct head_line *line,
                      struct lift_kernel *k)
{
    char *rest = NULL, *text = lift_arena_strdup(m->arena, line->rest);
    int *args = LIFT_NEW_ARRAY(m->arena, int, MOST_ARGS);

    for (int i = 0; i < k->arg_count; i++)
        args[i] = k->args[i];
    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        if (k->arg_count == MOST_ARGS)
            malformed(m->head, line->number, "at most %d arguments", MOST_ARGS);
        args[k->arg_count++] = find_bind(m, line, word);
    }
    k->args = args;
}

/* "box ARRAY X, Y, Z": the array without its halo, as a tensor map. */
static void read_box(struct making *m, const struct head_line *line,
                     struct lift_kernel *k)
{
    size_t len = strcspn(line->rest, " ");
    struct head_line numbers = {line->key, line->rest + len, line->number};
    int bind = find_bind(m, line, lift_arena_strndup(m->arena, line->rest, len));
    const struct lift_layout *l = m->binds[bind].layout;
    struct lift_tensor *all = LIFT_NEW_ARRAY(m->arena, struct lift_tensor, MOST_BOXES),
                       *tensor = &all[k->tensor_count];
    int64_t box[DIMS];

    if (k->tensor_count == MOST_BOXES)
        malformed(m->head, line->number, "at most %d boxes", MOST_BOXES);
    if (!l || evaluate_list(m, &numbers, box) != l->dims)
        malformed(m->head, line->number,
                  "expected an array with 'rows', and a number a dimension");
    for (int i = 0; i < k->tensor_count; i++)
        all[i] = k->tensors[i];
    *tensor = (struct lift_tensor){.bind = bind, .dims = l->dims, .offset = l->offset};
    for (int d = 0; d < l->dims; d++) {
        tensor->length[d] = l->length[d];
        tensor->stride[d] = l->stride[d];
        tensor->box[d] = (int)box[l->dims - 1 - d];
    }
    k->tensors = all;
    k->tensor_count++;
}

/* 'groups' counts groups: it comes after 'group'. */
static void read_groups(struct making *m, const struct head_line *line,
                        struct lift_launch *launch)
{
    int64_t n[DIMS] = {1, 1, 1};
    bool local = strcmp(line->key, "group") == 0;
    int count = evaluate_list(m, line, n);

    if (!local && launch->dims == 0)
        malformed(m->head, line->number, "'groups' comes before 'group'");
    launch->dims = count > launch->dims ? count : launch->dims;
    for (int d = 0; d < DIMS; d++) {
        if (n[d] < 1)
            malformed(m->head, line->number, "expected positive numbers");
        if (local)
            launch->local[d] = launch->global[d] = (size_t)n[d];
        else
            launch->global[d] = launch->local[d] * (size_t)n[d];
    }
}

static void read_kernel_line(struct making *m, const struct head_line *line)
{
    static const char *const of_kernels[] = {"group", "groups", "dynamic",
                                             "args",  "box",    NULL};
    struct lift_kernel *k;
    bool its = false;

    if (strcmp(line->key, "kernel") == 0) {
        if (m->kernel_count == MOST_KERNELS)
            malformed(m->head, line->number, "at most %d kernels", MOST_KERNELS);
        m->kernels[m->kernel_count++] = (struct lift_kernel){.name = line->rest};
        return;
    }
    for (int i = 0; !its && of_kernels[i]; i++)
        its = strcmp(line->key, of_kernels[i]) == 0;
    if (!its)
        return;
    if (m->kernel_count == 0)
        malformed(m->head, line->number, "'%s' comes before 'kernel'", line->key);
    k = &m->kernels[m->kernel_count - 1];
    if (strcmp(line->key, "args") == 0)
        read_args(m, line, k);
    else if (strcmp(line->key, "box") == 0)
        read_box(m, line, k);
    else if (strcmp(line->key, "dynamic") == 0)
        k->launch.dynamic_bytes = (size_t)evaluate(m, line, line->rest);
    else
        read_groups(m, line, &k->launch);
}

static void read_kernels(struct making *m)
{
    for (int i = 0; i < m->head->count; i++)
        read_kernel_line(m, &m->head->lines[i]);
    for (int k = 0; k < m->kernel_count; k++)
        if (m->kernels[k].arg_count == 0 ||
            (lift_dialect_has_groups(m->device->dialect) &&
             m->kernels[k].launch.dims == 0))
            malformed(m->head, 1, "kernel '%s' needs 'group', 'groups' and 'args'",
                      m->kernels[k].name);
    if (m->kernel_count == 0)
        malformed(m->head, 1, "expected a line 'kernel'");
}

/* ---- a module */

/* Text of a file, after a line that tells the compiler its name. */
static void add_text(struct lift_str *out, const char *path, const char *text)
{
    lift_str_addf(out, "#line 1 \"%s\"\n%s", path, text);
}

/* "with FILE ...": files of the same folder go before it. */
static void add_files(const struct making *m, struct lift_str *out)
{
    const struct head_line *line = find_line(m->head, "with");
    const char *base = strrchr(m->head->path, '/');
    char *rest = NULL, *text = lift_arena_strdup(m->arena, line ? line->rest : "");
    struct lift_error errors = {0};
    struct lift_source source;

    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        const char *path = lift_arena_printf(m->arena, "%.*s%s",
                                             base ? (int)(base + 1 - m->head->path) : 0,
                                             m->head->path, word);

        if (!lift_source_load(path, &source, &errors))
            malformed(m->head, line->number, "%s", lift_str_get(&errors.text));
        add_text(out, path, source.text);
        lift_source_free(&source);
    }
}

static const char *make_source(const struct making *m)
{
    struct lift_str text = {0};
    const char *source;

    lift_str_add(&text, lift_str_get(&m->defines));
    add_files(m, &text);
    add_text(&text, m->head->path, m->head->text);
    source = lift_arena_strdup(m->arena, lift_str_get(&text));
    lift_str_fini(&text);
    return source;
}

static void make_module(struct making *m)
{
    struct lift_module *module = LIFT_NEW(m->arena, struct lift_module);
    struct lift_kernel *kernels =
        LIFT_NEW_ARRAY(m->arena, struct lift_kernel, m->kernel_count);

    memcpy(kernels, m->kernels, sizeof *kernels * (size_t)m->kernel_count);
    for (int k = 0; k < m->kernel_count; k++) /* the head goes before the module */
        kernels[k].name = lift_arena_strdup(m->arena, kernels[k].name);
    *module = (struct lift_module){.dialect = m->device->dialect,
                                   .source = make_source(m),
                                   .binds = m->binds,
                                   .bind_count = m->bind_count,
                                   .kernels = kernels,
                                   .kernel_count = m->kernel_count};
    m->out->module.module = module;
}

static void find_shapes(struct making *m)
{
    m->input_count = explore_input_shapes(m->problem, m->shapes);
    m->shape_count =
        m->input_count + explore_output_shapes(m->problem, m->shapes + m->input_count);
}

/* 'variant' may be NULL. */
static void make(const struct head *h, const struct head_line *program,
                 const struct head_line *variant, struct making *m)
{
    const char *name = "", *base = strrchr(h->path, '/');

    m->head = h;
    m->ir = m->out->module.ir = lift_ir_create();
    m->arena = lift_ir_arena(m->ir);
    find_shapes(m);
    define_sizes(m);
    define_type(m);
    define_settings(m, program);
    if (variant)
        name = define_settings(m, variant);
    m->out->plain = find_line(h, "plain") != NULL;
    snprintf(m->out->name, sizeof m->out->name, "%s%s%s", base ? base + 1 : h->path,
             *name ? " " : "", name);
    if (check_types(m) && check_arch(m) && check_sizes(m)) {
        make_binds(m);
        read_kernels(m);
        make_module(m);
    }
    lift_str_fini(&m->defines);
}

/* ---- all of a folder */

struct gathering {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    struct bench_reference *out;
    int count;
};

static void gather(struct gathering *g, const struct head *h,
                   const struct head_line *program, const struct head_line *variant)
{
    struct making m = {.problem = g->problem, .device = g->device};

    if (g->count == REFERENCE_MOST)
        malformed(h, program->number, "program '%s' has more than %d references",
                  g->problem->name, REFERENCE_MOST);
    m.out = &g->out[g->count++];
    *m.out = (struct bench_reference){.name = ""};
    make(h, program, variant, &m);
}

static bool is_for(const struct head_line *line, const struct explore_problem *p)
{
    size_t len = strlen(p->name);

    return strcmp(line->key, "program") == 0 && strncmp(line->rest, p->name, len) == 0 &&
           (line->rest[len] == ' ' || line->rest[len] == '\0');
}

static void gather_head(struct gathering *g, const struct head *h)
{
    for (int i = 0; i < h->count; i++) {
        if (!is_for(&h->lines[i], g->problem))
            continue;
        for (int v = 0; v < h->count; v++)
            if (strcmp(h->lines[v].key, "variant") == 0)
                gather(g, h, &h->lines[i], &h->lines[v]);
        if (!find_line(h, "variant"))
            gather(g, h, &h->lines[i], NULL);
    }
}

static void gather_file(struct gathering *g, const char *path)
{
    struct head h = {.path = path, .arena = lift_arena_create()};
    struct lift_error errors = {0};
    struct lift_source source;

    if (!lift_source_load(path, &source, &errors)) {
        lift_error_print(&errors, stderr);
        exit(2);
    }
    h.text = source.text;
    read_head(&h);
    gather_head(g, &h);
    lift_source_free(&source);
    lift_arena_destroy(h.arena);
}

static const char *ending(enum lift_dialect dialect)
{
    return dialect == LIFT_DIALECT_OPENMP   ? ".c"
           : dialect == LIFT_DIALECT_OPENCL ? ".cl"
                                            : ".cu";
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), n = strlen(end);

    return len > n && strcmp(text + len - n, end) == 0;
}

int bench_references(const struct bench_shelf *shelf, const struct explore_problem *p,
                     const struct lift_device_info *device,
                     struct bench_reference out[REFERENCE_MOST])
{
    struct gathering g = {.problem = p, .device = device, .out = out};
    struct dirent **entries;
    int count = scandir(shelf->folder, &entries, NULL, alphasort);

    if (count < 0) {
        fprintf(stderr, "%s: %s\n", shelf->folder, strerror(errno));
        exit(2);
    }
    for (int i = 0; i < count; i++) {
        if (ends_with(entries[i]->d_name, ending(device->dialect)) &&
            (!shelf->only || strstr(entries[i]->d_name, shelf->only))) {
            struct lift_str path = {0};

            lift_str_addf(&path, "%s/%s", shelf->folder, entries[i]->d_name);
            gather_file(&g, lift_str_get(&path));
            lift_str_fini(&path);
        }
        free(entries[i]);
    }
    free(entries);
    return g.count;
}
