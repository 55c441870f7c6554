/* Headers of .npy files: written headers read back; malformed headers are rejected with
 * the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "run/npy.h"
#include <stdlib.h>
#include <string.h>

/* Copies the file to exactly sized memory, so that a sanitizer sees reads beyond its end.
 */
static bool read_copy(const void *file, size_t size, struct npy *out,
                      struct lift_str *why)
{
    char *copy = malloc(size ? size : 1);
    bool good;

    memcpy(copy, file, size);
    good = npy_read(copy, size, out, why);
    free(copy);
    return good;
}

/* A file of version 1.0, 2.0 or 3.0 with this literal and so many bytes of elements. */
static void make(struct lift_str *out, int version, const char *literal, size_t bytes)
{
    size_t length = strlen(literal);

    lift_str_add(out, "\x93NUMPY");
    lift_str_addc(out, (char)version);
    lift_str_addc(out, '\0');
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        lift_str_addc(out, (char)(length >> (8 * i) & 0xff));
    lift_str_add(out, literal);
    for (size_t i = 0; i < bytes; i++)
        lift_str_addc(out, 'x');
}

static void written_is_read(void **state)
{
    static const struct npy cases[] = {
        {.scalar = LIFT_F32, .dims = 0, .bytes = 4},
        {.scalar = LIFT_F64, .dims = 1, .length = {3}, .bytes = 24},
        {.scalar = LIFT_I32, .dims = 2, .length = {3, 5}, .bytes = 60},
        {.scalar = LIFT_I32, .dims = 3, .length = {2, 3, 1}, .bytes = 24},
        {.scalar = LIFT_F32, .dims = 8, .length = {1, 1, 1, 1, 1, 1, 1, 7}, .bytes = 28},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lift_str file = {0}, why = {0};
        struct npy npy;

        npy_write(&cases[i], &file);
        assert_int_equal(file.len % 64, 0);
        for (size_t b = 0; b < cases[i].bytes; b++)
            lift_str_addc(&file, 'x');
        if (!read_copy(file.data, file.len, &npy, &why))
            fail_msg("case %zu: %s", i, lift_str_get(&why));
        assert_int_equal(npy.scalar, cases[i].scalar);
        assert_int_equal(npy.dims, cases[i].dims);
        assert_memory_equal(npy.length, cases[i].length, sizeof npy.length);
        assert_int_equal(npy.bytes, cases[i].bytes);
        assert_int_equal(npy.begin + npy.bytes, file.len);
        lift_str_fini(&file);
        lift_str_fini(&why);
    }
}

#define F4 "'descr': '<f4', 'fortran_order': False, "

static const struct literal {
    int version;
    const char *text;
    size_t bytes;
    const char *says; /* NULL: it is read, as f32 [2][3] */
} literals[] = {
    {1, "{" F4 "'shape': (2, 3), }\n", 24, NULL},
    {2, "{" F4 "'shape': (2, 3)}", 24, NULL},
    {3, "{\"shape\":(2,3,),\"fortran_order\":False,\"descr\":\"<f4\"}  \n", 24, NULL},
    {1, "", 0, "'{' is expected"},
    {1, "{", 0, "a text in quotes"},
    {1, "{" F4 "'shape': (2, 3)", 24, "'}' is expected"},
    {1, "{" F4 "'shape': (2, 3)} x", 24, "nothing behind '}'"},
    {1, "{" F4 "}", 24, "each of the keys"},
    {1, "{" F4 F4 "'shape': (2, 3)}", 24, "each of the keys"},
    {1, "{'descr': '<f4', 'shape': (2, 3)}", 24, "each of the keys"},
    {1, "{" F4 "'shape': (2, 3), 'more': 1}", 24, "each of the keys"},
    {1, "{'descr' '<f4'}", 24, "':' behind a key"},
    {1, "{'descr': '>f4', 'fortran_order': False, 'shape': (6,)}", 24,
     "of type '>f4': '<f4', '<f8', '<i4', '<f2' (f16) or '<u2' (bf16) is expected"},
    {1, "{'descr': '<u4', 'fortran_order': False, 'shape': (6,)}", 24, "of type '<u4'"},
    {1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,)}", 24,
     "records"},
    {1, "{'descr': '<f4xxxxxxxxxxxxxxxxxxxxx'}", 24, "a text in quotes"},
    {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24,
     "C order is expected"},
    {1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}", 24, "True or False"},
    {1, "{" F4 "'shape': 6}", 24, "a shape in parentheses"},
    {1, "{" F4 "'shape': (2, -3)}", 24, "a length is expected"},
    {1, "{" F4 "'shape': (2 3)}", 24, "')' behind a shape"},
    {1, "{" F4 "'shape': (2, 3", 24, "')' behind a shape"},
    {1, "{" F4 "'shape': (,)}", 24, "a length is expected"},
    {1, "{" F4 "'shape': (1, 1, 1, 1, 1, 1, 1, 2, 3)}", 24, "at most 8 lengths"},
    {1, "{" F4 "'shape': (99999999999999999999,)}", 24, "below 2^63"},
    {1, "{" F4 "'shape': (4611686018427387904, 4)}", 24, "fewer than 2^63 bytes"},
    {1, "{" F4 "'shape': (2305843009213693952,)}", 0, "fewer than 2^63 bytes"},
    {1, "{" F4 "'shape': (2305843009213693952, 0)}", 0, "fewer than 2^63 bytes"},
    {1, "{" F4 "'shape': (0, 2305843009213693952)}", 0, "fewer than 2^63 bytes"},
    {1, "{" F4 "'shape': (2, 3)}", 20, "20 bytes follow its header: 24 are expected"},
    {1, "{" F4 "'shape': (2, 3)}", 28, "28 bytes follow its header: 24 are expected"},
    {4, "{" F4 "'shape': (2, 3)}", 24, "version 4.0: 1.0 to 3.0 is expected"},
    {0, "{" F4 "'shape': (2, 3)}", 24, "version 0.0"},
};

static void literals_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        const struct literal *l = &literals[i];
        struct lift_str file = {0}, why = {0};
        struct npy npy;
        bool good;

        make(&file, l->version, l->text, l->bytes);
        good = read_copy(file.data, file.len, &npy, &why);
        if (good != !l->says || (l->says && !strstr(lift_str_get(&why), l->says)))
            fail_msg("%s: %s", l->text, lift_str_get(&why));
        if (good) {
            assert_int_equal(npy.scalar, LIFT_F32);
            assert_int_equal(npy.dims, 2);
            assert_int_equal(npy.length[0], 2);
            assert_int_equal(npy.length[1], 3);
        }
        lift_str_fini(&file);
        lift_str_fini(&why);
    }
}

/* A header length beyond the end of the file, or unreasonably large. */
static void lengths_of_headers(void **state)
{
    static const unsigned char huge[] = "\x93NUMPY\x02\x00\xff\xff\xff\xff{}";
    static const unsigned char beyond[] = "\x93NUMPY\x01\x00\x80\x00{}";
    static const unsigned char half[] = "\x93NUMPY\x02\x00\x02\x00";
    struct lift_str why = {0};
    struct npy npy;

    (void)state;
    assert_false(read_copy(huge, sizeof huge - 1, &npy, &why));
    assert_non_null(strstr(lift_str_get(&why), "says that it has 4294967295 bytes"));
    lift_str_clear(&why);
    assert_false(read_copy(beyond, sizeof beyond - 1, &npy, &why));
    assert_non_null(strstr(lift_str_get(&why), "says that it has 128 bytes"));
    lift_str_clear(&why);
    assert_false(read_copy(half, sizeof half - 1, &npy, &why));
    assert_true(why.len > 0);
    lift_str_clear(&why);
    assert_false(read_copy("raw", 3, &npy, &why));
    assert_non_null(strstr(lift_str_get(&why), "no NumPy file"));
    lift_str_fini(&why);
}

/* Each prefix of a file, and files with some bytes changed, are read or rejected with a
 * reason, without reads beyond the end. */
static void damage(void **state)
{
    struct lift_rng rng;
    struct lift_str file = {0}, why = {0};
    struct npy npy;

    (void)state;
    lift_rng_seed(&rng, 1);
    make(&file, 1, "{" F4 "'shape': (2, 3), }\n", 24);
    for (size_t size = 0; size < file.len; size++) {
        lift_str_clear(&why);
        assert_false(read_copy(file.data, size, &npy, &why));
        assert_true(why.len > 0);
    }
    for (int i = 0; i < 20000; i++) {
        char *copy = malloc(file.len);

        memcpy(copy, file.data, file.len);
        for (int k = 0; k < 1 + i % 3; k++)
            copy[lift_rng_below(&rng, file.len)] = (char)lift_rng_below(&rng, 256);
        lift_str_clear(&why);
        if (npy_read(copy, file.len, &npy, &why))
            assert_int_equal(npy.begin + npy.bytes, file.len);
        else
            assert_true(why.len > 0);
        free(copy);
    }
    lift_str_fini(&file);
    lift_str_fini(&why);
}

/* A byte 0 does not end a text of the header. */
static void test_byte_zero(void **state)
{
    struct lift_str file = {0}, why = {0};
    struct npy npy;

    (void)state;
    make(&file, 1, "{'descr': '<f4@', 'fortran_order': False, 'shape': (2, 3)}", 24);
    *(char *)memchr(file.data, '@', file.len) = '\0';
    assert_false(read_copy(file.data, file.len, &npy, &why));
    assert_non_null(strstr(lift_str_get(&why), "a text in quotes is expected"));
    lift_str_fini(&file);
    lift_str_fini(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_zero),
        cmocka_unit_test(written_is_read),
        cmocka_unit_test(literals_are_read),
        cmocka_unit_test(lengths_of_headers),
        cmocka_unit_test(damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
