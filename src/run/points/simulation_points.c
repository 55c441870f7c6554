/* Points off the grid, from files: the corners and weights that 'inject' and 'sample'
 * take. */
#include "base/locale.h"
#include "lift/points.h"
#include "run/simulation_t.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The content of one --points. */
struct sim_points {
    const char *path;
    int64_t count, cap;
    int dims;
    double *at; /* [count][dims] */
    int *line;  /* line number of each point, in a text file */
};

/* ---- text files: one point a line, coordinates separated by commas */

static bool bad_line(struct sim *s, const struct sim_points *p, int line,
                     const char *what)
{
    return sim_fail(s, SIM_USAGE, "%s:%d: %s", p->path, line, what);
}

static void make_room(struct sim *s, struct sim_points *p)
{
    double *at = p->at;
    int *line = p->line;

    if (p->count < p->cap)
        return;
    p->cap = p->cap ? 2 * p->cap : 64;
    p->at = LIFT_NEW_ARRAY(s->arena, double, p->cap * p->dims);
    p->line = LIFT_NEW_ARRAY(s->arena, int, p->cap);
    for (int64_t i = 0; i < p->count * p->dims; i++)
        p->at[i] = at[i];
    for (int64_t i = 0; i < p->count; i++)
        p->line[i] = line[i];
}

/* Reads the numbers of a line and returns their count; -1: not a list of numbers. */
static int read_numbers(const char *text, double out[LIFT_LAYOUT_DIMS])
{
    int count = 0;
    char *end;

    for (;; text = end + 1) {
        double x = lift_strtod(text, &end);

        if (end == text || count == LIFT_LAYOUT_DIMS)
            return -1;
        out[count++] = x;
        while (lift_is_space(*end))
            end++;
        if (*end != ',')
            return *end ? -1 : count;
    }
}

static bool add_line(struct sim *s, struct sim_points *p, const char *text, int line)
{
    double x[LIFT_LAYOUT_DIMS];
    int count;

    while (lift_is_space(*text))
        text++;
    if (!*text || *text == '#')
        return true;
    count = read_numbers(text, x);
    if (count < 0)
        return bad_line(s, p, line, "expected coordinates, numbers with ',' between");
    if (p->count > 0 && count != p->dims)
        return bad_line(s, p, line,
                        "expected the number of coordinates of the points before");
    p->dims = count;
    make_room(s, p);
    p->line[p->count] = line;
    memcpy(p->at + p->count++ * count, x, (size_t)count * sizeof *x);
    return true;
}

static bool read_text(struct sim *s, struct sim_points *p, const struct grid_pages *file)
{
    char *copy = lift_arena_alloc(s->arena, file->bytes + 1);
    int line = 1;

    if (file->bytes)
        memcpy(copy, file->data, file->bytes);
    copy[file->bytes] = '\0';
    for (char *at = copy, *end; at; at = end, line++) {
        char *rest = copy + file->bytes;

        end = memchr(at, '\n', (size_t)(rest - at));
        if (strlen(at) < (size_t)((end ? end : rest) - at))
            return bad_line(s, p, line, "expected a text, not a byte 0");
        if (end)
            *end++ = '\0';
        if (!add_line(s, p, at, line))
            return false;
    }
    return true;
}

/* ---- NumPy files: [points][coordinates] */

static bool read_npy(struct sim *s, struct sim_points *p, const struct grid_pages *file)
{
    struct npy npy;

    if (!npy_read(file->data, file->bytes, &npy, &s->result.error.text))
        return sim_fail_as(s, SIM_USAGE, p->path);
    if ((npy.scalar != LIFT_F32 && npy.scalar != LIFT_F64 && npy.scalar != LIFT_I32) ||
        npy.dims != 2 || npy.length[1] < 1 || npy.length[1] > LIFT_LAYOUT_DIMS)
        return sim_fail(s, SIM_USAGE,
                        "%s: expected an array of points with their coordinates, [n][d]",
                        p->path);
    p->count = npy.length[0];
    p->dims = (int)npy.length[1];
    p->at = LIFT_NEW_ARRAY(s->arena, double, p->count * p->dims + 1);
    for (int64_t i = 0; i < p->count * p->dims; i++) {
        const char *from = (const char *)file->data + npy.begin +
                           (size_t)i * (size_t)lift_scalar_bytes(npy.scalar);
        float f;
        int32_t n;

        if (npy.scalar == LIFT_F64)
            memcpy(&p->at[i], from, sizeof p->at[i]);
        else if (npy.scalar == LIFT_F32)
            p->at[i] = (memcpy(&f, from, sizeof f), f);
        else
            p->at[i] = (memcpy(&n, from, sizeof n), n);
    }
    return true;
}

static bool read_file(struct sim *s, struct sim_points *p)
{
    size_t len = strlen(p->path);
    struct grid_pages file = {NULL, 0};
    bool good;

    if (!grid_map(p->path, &file, &s->result.error.text))
        return sim_fail_as(s, SIM_USAGE,
                           lift_arena_printf(s->arena, "cannot read '%s'", p->path));
    good = len > 4 && !strcmp(p->path + len - 4, ".npy") ? read_npy(s, p, &file)
                                                         : read_text(s, p, &file);
    grid_unmap(&file);
    return good && (p->count > 0 ||
                    sim_fail(s, SIM_USAGE, "%s: there are no points in it", p->path));
}

/* ---- inputs */

bool sim_read_points(struct sim *s, const struct sim_word *word, struct sim_value out[2])
{
    struct sim_points *p = LIFT_NEW(s->arena, struct sim_points);
    char *names = lift_arena_strdup(s->arena, word->name);
    char *comma = strchr(names, ',');

    if (!comma)
        return sim_fail(s, SIM_USAGE,
                        "--points '%s': expected two inputs, CORNERS,WEIGHTS=FILE",
                        word->name);
    *comma = '\0';
    *p = (struct sim_points){.path = word->value};
    for (int i = 0; i < 2; i++) {
        struct sim_word *own = LIFT_NEW(s->arena, struct sim_word);

        *own = (struct sim_word){i ? comma + 1 : names, word->value};
        out[i] = (struct sim_value){.word = own, .kind = SIM_POINTS, .points = p};
        out[i].npy = (struct npy){.dims = 1}; /* its length is the number of points */
    }
    if (!read_file(s, p))
        return false;
    out[0].npy.length[0] = out[1].npy.length[0] = p->count;
    return true;
}

static const struct sim_array *partner(const struct sim *s, const struct sim_array *a)
{
    for (int i = 0; i < s->in_count; i++)
        if (&s->in[i] != a && s->in[i].value && s->in[i].value->kind == SIM_POINTS &&
            s->in[i].value->points == a->value->points)
            return &s->in[i];
    return NULL;
}

/* Returns the grid of the points: the first float input with this number of dimensions.
 */
static const struct sim_array *grid_of(const struct sim *s, int dims)
{
    for (int i = 0; i < s->in_count; i++) {
        const struct sim_array *a = &s->in[i];
        bool points = a->value && a->value->kind == SIM_POINTS;

        if (!points && a->shape.dims == dims && a->shape.scalar != LIFT_I32)
            return a;
    }
    return NULL;
}

static bool are_corners(const struct sim_points *p, const struct explore_shape *c)
{
    return c->scalar == LIFT_I32 && c->dims == 2 && c->length[0] == p->count &&
           c->length[1] == p->dims;
}

static bool are_weights(const struct sim_points *p, const struct explore_shape *w)
{
    return (w->scalar == LIFT_F32 || w->scalar == LIFT_F64) && w->dims == 3 &&
           w->length[0] == p->count && w->length[1] == p->dims && w->length[2] % 2 == 0 &&
           w->length[2] <= LIFT_POINT_WEIGHTS;
}

static bool outside(struct sim *s, const struct sim_points *p, int64_t i, int d,
                    const struct sim_array *grid)
{
    LIFT_SCOPED(lift_str) where = {0};

    if (p->line)
        lift_str_addf(&where, "%s:%d", p->path, p->line[i]);
    else
        lift_str_addf(&where, "%s: point %lld", p->path, (long long)i);
    sim_fail(s, SIM_USAGE,
             "%s: coordinate %d is %g: '%s' has elements 0 to %lld along that dimension",
             lift_str_get(&where), d + 1, p->at[i * p->dims + d], grid->shape.name,
             (long long)grid->shape.length[d] - 1);
    return false;
}

bool sim_check_points(struct sim *s, const struct sim_array *a)
{
    const struct sim_points *p = a->value->points;
    const struct sim_array *other = partner(s, a), *grid = grid_of(s, p->dims);
    const struct sim_array *corners = a->shape.scalar == LIFT_I32 ? a : other;
    const struct sim_array *of = corners == a ? other : a;
    double weights[LIFT_POINT_WEIGHTS];
    int32_t corner;

    if (!other || a > other)
        return true;
    if (!are_corners(p, &corners->shape) || !are_weights(p, &of->shape))
        return sim_fail(s, SIM_USAGE,
                        "'%s' has %lld points of %d coordinates: of '%s' and '%s' one "
                        "should be i32 [%lld][%d], and the other floats [%lld][%d][q] "
                        "with q 2, 4, ... or %d",
                        p->path, (long long)p->count, p->dims, a->shape.name,
                        other->shape.name, (long long)p->count, p->dims,
                        (long long)p->count, p->dims, LIFT_POINT_WEIGHTS);
    if (!grid)
        return sim_fail(s, SIM_USAGE,
                        "'%s' has points of %d coordinates: no input is such a grid",
                        p->path, p->dims);
    for (int64_t i = 0; i < p->count; i++)
        for (int d = 0; d < p->dims; d++)
            if (!lift_point_weights(p->at[i * p->dims + d], grid->shape.length[d], 2,
                                    &corner, weights))
                return outside(s, p, i, d, grid);
    return true;
}

/* Fills one of the two arrays: corners or weights. */
void sim_fill_points(const struct sim *s, const struct sim_array *a)
{
    const struct sim_points *p = a->value->points;
    bool corners = a->shape.scalar == LIFT_I32;
    const struct sim_array *w = corners ? partner(s, a) : a;
    int width = w ? (int)w->shape.length[2] : 2;
    const struct sim_array *grid = grid_of(s, p->dims);
    double weights[LIFT_POINT_WEIGHTS];
    int32_t corner;

    for (int64_t i = 0; i < p->count * p->dims; i++) {
        lift_point_weights(p->at[i], grid->shape.length[i % p->dims], width, &corner,
                           weights);
        if (corners)
            ((int32_t *)a->data)[i] = corner;
        for (int k = 0; !corners && k < width; k++)
            if (a->shape.scalar == LIFT_F64)
                ((double *)a->data)[i * width + k] = weights[k];
            else
                ((float *)a->data)[i * width + k] = (float)weights[k];
    }
}
