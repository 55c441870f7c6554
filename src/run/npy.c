/* The header is a literal of Python:
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *
 * after a magic number, a version and the length of the literal. */
#include "run/npy.h"
#include "base/fail.h"
#include "ir/type.h"
#include <inttypes.h>
#include <string.h>

enum { PREFIX = 8, MOST_HEADER = 1 << 16, ALIGN = 64, MOST_WORD = 16 };

static const char magic[] = "\x93NUMPY";
/* Indexed by lift_scalar. NumPy has no bf16: files store its bits as integers. */
static const char *const types[LIFT_SCALARS] = {[LIFT_F32] = "<f4",
                                                [LIFT_F64] = "<f8",
                                                [LIFT_I32] = "<i4",
                                                [LIFT_F16] = "<f2",
                                                [LIFT_BF16] = "<u2"};

/* The rest of the literal, and the results so far. */
struct reader {
    const char *at, *end;
    struct npy *out;
    bool type, order, shape;
    struct lift_str *why;
};

static bool fail(struct reader *r, const char *what)
{
    if (!r->why->len)
        lift_str_addf(r->why, "its header is malformed: %s is expected", what);
    return false;
}

static void skip(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t'))
        r->at++;
}

static bool accept(struct reader *r, char c)
{
    skip(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* A short text in quotes. */
static bool read_text(struct reader *r, char out[MOST_WORD])
{
    char quote = accept(r, '\'') ? '\'' : accept(r, '"') ? '"' : 0;
    int n = 0;

    while (quote && r->at < r->end && *r->at != quote && *r->at && n < MOST_WORD - 1)
        out[n++] = *r->at++;
    out[n] = '\0';
    return (quote && accept(r, quote)) || fail(r, "a text in quotes");
}

static bool read_type(struct reader *r)
{
    char word[MOST_WORD];

    skip(r);
    if (r->at < r->end && *r->at == '[')
        return LIFT_FAIL(
            r->why, "its elements are records: '<f4', '<f8', '<i4', '<f2' or '<u2' is "
                    "expected");
    if (!read_text(r, word))
        return false;
    for (int s = 0; s < LIFT_SCALARS; s++)
        if (types[s] && !strcmp(word, types[s])) {
            r->out->scalar = (enum lift_scalar)s;
            r->type = true;
            return true;
        }
    return LIFT_FAIL(r->why,
                     "its elements are of type '%s': '<f4', '<f8', '<i4', '<f2' (f16) or "
                     "'<u2' (bf16) is expected",
                     word);
}

static bool accept_word(struct reader *r, const char *word)
{
    size_t len = strlen(word);

    skip(r);
    if ((size_t)(r->end - r->at) < len || strncmp(r->at, word, len) != 0)
        return false;
    r->at += len;
    return true;
}

static bool read_order(struct reader *r)
{
    r->order = true;
    if (accept_word(r, "False"))
        return true;
    if (!accept_word(r, "True"))
        return fail(r, "True or False for 'fortran_order'");
    return LIFT_FAIL(r->why, "it is in Fortran order: C order is expected, as "
                             "numpy.ascontiguousarray makes it");
}

static bool read_length(struct reader *r)
{
    int64_t length = 0;
    const char *begin;

    skip(r);
    begin = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(length, 10, &length) ||
            __builtin_add_overflow(length, *r->at - '0', &length))
            return fail(r, "a length below 2^63");
    if (r->at == begin)
        return fail(r, "a length");
    if (r->out->dims == NPY_DIMS)
        return fail(r, "a shape of at most 8 lengths");
    r->out->length[r->out->dims++] = length;
    return true;
}

/* Reads items up to 'close', separated by commas; a comma may follow the last item. */
static bool read_items(struct reader *r, bool (*item)(struct reader *r), char close,
                       const char *wanted)
{
    while (!accept(r, close))
        if (!item(r) ||
            (!accept(r, ',') && (skip(r), r->at == r->end || *r->at != close)))
            return fail(r, wanted);
    return true;
}

static bool read_shape(struct reader *r)
{
    r->shape = true;
    r->out->dims = 0;
    return accept(r, '(') ? read_items(r, read_length, ')', "')' behind a shape")
                          : fail(r, "a shape in parentheses");
}

static bool read_pair(struct reader *r)
{
    char key[MOST_WORD];

    if (!read_text(r, key) || !accept(r, ':'))
        return fail(r, "':' behind a key");
    if (!strcmp(key, "descr") && !r->type)
        return read_type(r);
    if (!strcmp(key, "fortran_order") && !r->order)
        return read_order(r);
    if (!strcmp(key, "shape") && !r->shape)
        return read_shape(r);
    return fail(r, "each of the keys 'descr', 'fortran_order' and 'shape' once");
}

static bool read_literal(struct reader *r)
{
    if (!accept(r, '{'))
        return fail(r, "'{'");
    if (!read_items(r, read_pair, '}', "'}'"))
        return false;
    skip(r);
    if (r->at < r->end)
        return fail(r, "nothing behind '}'");
    return (r->type && r->order && r->shape) ||
           fail(r, "each of the keys 'descr', 'fortran_order' and 'shape' once");
}

/* Finds the literal in the file. */
static bool find_literal(const unsigned char *file, size_t size, struct reader *r)
{
    size_t width, length = 0;

    if (size < PREFIX + 2 || memcmp(file, magic, sizeof magic - 1) != 0)
        return LIFT_FAIL(r->why, "it is no NumPy file: it does not begin with "
                                 "'\\x93NUMPY' (raw elements are in files of other names "
                                 "than *.npy)");
    if (file[6] < 1 || file[6] > 3) {
        return LIFT_FAIL(r->why, "it is of version %d.%d: 1.0 to 3.0 is expected",
                         file[6], file[7]);
    }
    width = file[6] == 1 ? 2 : 4;
    for (size_t i = 0; i < width && PREFIX + i < size; i++)
        length |= (size_t)file[PREFIX + i] << (8 * i);
    if (length > MOST_HEADER || PREFIX + width + length > size)
        return LIFT_FAIL(
            r->why, "its header says that it has %zu bytes: at most %zu are expected",
            length,
            size - PREFIX - 2 < MOST_HEADER ? size - PREFIX - 2 : (size_t)MOST_HEADER);
    r->at = (const char *)file + PREFIX + width;
    r->end = r->at + length;
    r->out->begin = PREFIX + width + length;
    return true;
}

/* Checks all lengths, even if one of them is 0: the order of lengths does not matter. */
static bool measure(struct reader *r, size_t size)
{
    struct npy *out = r->out;
    int64_t bytes = lift_scalar_bytes(out->scalar);
    bool empty = false;

    for (int d = 0; d < out->dims; d++)
        if (out->length[d] == 0)
            empty = true;
        else if (__builtin_mul_overflow(bytes, out->length[d], &bytes))
            return fail(r, "a shape of fewer than 2^63 bytes");
    out->bytes = empty ? 0 : (size_t)bytes;
    return size - out->begin == out->bytes ||
           LIFT_FAIL(r->why,
                     "%zu bytes follow its header: %zu are expected for its shape",
                     size - out->begin, out->bytes);
}

bool npy_read(const void *file, size_t size, struct npy *out, struct lift_str *why)
{
    struct reader r = {.out = out, .why = why};

    *out = (struct npy){.dims = 0};
    return find_literal(file, size, &r) && read_literal(&r) && measure(&r, size);
}

void npy_write(const struct npy *npy, struct lift_str *out)
{
    LIFT_SCOPED(lift_str) text = {0};
    size_t length;

    lift_str_addf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                  types[npy->scalar]);
    for (int d = 0; d < npy->dims; d++)
        lift_str_addf(&text, "%s%" PRId64 "%s", d ? " " : "", npy->length[d],
                      d < npy->dims - 1 || d == 0 ? "," : "");
    lift_str_add(&text, "), }");
    while ((PREFIX + 2 + text.len + 1) % ALIGN)
        lift_str_addc(&text, ' ');
    lift_str_addc(&text, '\n');
    length = text.len;
    lift_str_addn(out, magic, sizeof magic - 1);
    lift_str_addn(out, "\x01\x00", 2);
    lift_str_addc(out, (char)(length & 0xff));
    lift_str_addc(out, (char)(length >> 8));
    lift_str_addn(out, text.data, length);
}
