/* The base floor. Hashes and random numbers are pinned: they name rows of databases and
 * replay runs, so a change of one of these values is a change of format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bug.h"
#include "base/file.h"
#include "base/guess.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/table.h"
#include "base/utf8.h"
#include "lift/error.h"
#include "patience.h"
#include "scratch.h"
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_arena_alignment(void **state)
{
    struct lift_arena *arena = lift_arena_create();

    (void)state;
    for (size_t size = 0; size < 200; size++) {
        unsigned char *p = lift_arena_alloc(arena, size);

        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xff, size);
    }
    lift_arena_destroy(arena);
    lift_arena_destroy(NULL);
}

/* Blocks never overlap, however sizes are mixed: each keeps the pattern written into it.
 */
static void test_arena_blocks(void **state)
{
    enum { COUNT = 400 };
    struct lift_arena *arena = lift_arena_create();
    unsigned char *p[COUNT];
    size_t size[COUNT], asked = 0;
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 1);
    for (int i = 0; i < COUNT; i++) {
        size[i] = (size_t)lift_rng_below(&rng, i % 50 == 0 ? 3000000 : 5000);
        p[i] = lift_arena_alloc(arena, size[i]);
        memset(p[i], i & 0xff, size[i]);
        asked += size[i];
    }
    for (int i = 0; i < COUNT; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_true(p[i][k] == (i & 0xff));
    assert_in_range(lift_arena_bytes(arena), asked, asked + 16 * COUNT);
    lift_arena_clear(arena);
    assert_int_equal(lift_arena_bytes(arena), 0);
    for (int i = 0; i < COUNT; i++) {
        p[i] = lift_arena_alloc(arena, size[i]);
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(p[i][k], 0);
        memset(p[i], 0xff, size[i]);
    }
    lift_arena_destroy(arena);
    arena = lift_arena_create();
    lift_arena_clear(arena);
    lift_arena_destroy(arena);
}

static void test_arena_text(void **state)
{
    struct lift_arena *arena = lift_arena_create();
    int numbers[3] = {1, 2, 3};
    int *copy = lift_arena_copy(arena, numbers, sizeof numbers);
    char *empty;

    (void)state;
    numbers[1] = 7;
    assert_int_equal(copy[1], 2);
    assert_string_equal(lift_arena_strdup(arena, "tile"), "tile");
    assert_string_equal(lift_arena_strndup(arena, "tile", 2), "ti");
    assert_string_equal(lift_arena_printf(arena, "%s(%d)", "split", 4), "split(4)");
    empty = lift_arena_printf(arena, "%s", "");
    assert_string_equal(empty, "");
    assert_int_equal(strlen(lift_arena_printf(arena, "%9000d", 1)), 9000);
    lift_arena_destroy(arena);
}

static void test_str(void **state)
{
    struct lift_str s = {0};

    (void)state;
    assert_string_equal(lift_str_get(&s), "");
    lift_str_add(&s, "map");
    lift_str_addc(&s, '(');
    lift_str_addn(&s, "function", 1);
    lift_str_addf(&s, ", %d)", 12);
    assert_string_equal(lift_str_get(&s), "map(f, 12)");
    assert_int_equal(s.len, 10);
    lift_str_clear(&s);
    assert_string_equal(lift_str_get(&s), "");
    lift_str_addf(&s, "%s", "again");
    assert_string_equal(lift_str_get(&s), "again");
    lift_str_fini(&s);
    assert_null(s.data);
    lift_str_fini(&s);
}

static void test_str_grows(void **state)
{
    struct lift_str s = {0};

    (void)state;
    for (int i = 0; i < 10000; i++)
        lift_str_addf(&s, "%04d", i);
    assert_int_equal(s.len, 40000);
    assert_int_equal(strlen(s.data), 40000);
    assert_memory_equal(s.data + 4 * 9876, "9876", 4);
    lift_str_fini(&s);
}

static void test_str_take(void **state)
{
    struct lift_str s = {0};
    char *text = lift_str_take(&s);

    (void)state;
    assert_string_equal(text, "");
    free(text);
    lift_str_add(&s, "owned");
    text = lift_str_take(&s);
    assert_string_equal(text, "owned");
    assert_null(s.data);
    assert_int_equal(s.len, 0);
    free(text);
}

static void assert_hash(struct lift_hash h, const char *hex)
{
    char out[LIFT_HASH_HEX];

    assert_string_equal(lift_hash_hex(h, out), hex);
}

static void test_hash_pinned(void **state)
{
    struct lift_hash a = lift_hash_text("a"), b = lift_hash_text("b");

    (void)state;
    assert_hash(lift_hash_text(""), "99aa06d3014798d86001c324468d497f");
    assert_hash(lift_hash_text("lift"), "fb03b48e688050365baa193acbd55e6f");
    assert_hash(lift_hash_text("map(f) . slide(3, 1)"),
                "33a37c37b9d9da8d3e4798e5ec9f8acb");
    assert_hash(lift_hash_bytes("lift", 4, 7), "eca442b157428ad4d65db49bfe81e955");
    assert_hash(lift_hash_combine(a, b), "7d94d7f4b3ae6c74e8b92a25443bf040");
    assert_hash(lift_hash_combine(b, a), "28e3d8605351a2dae38ba400874e650b");
    assert_hash(lift_hash_add_int(a, -1), "f65a9a610ce1266f6ad3ca7e82217149");
    assert_hash(lift_hash_add_int(a, 0), "69b112f3f19a0165aecf9d14c16d9c89");
}

static void test_hash_parse(void **state)
{
    const char *good = "fb03b48e688050365baa193acbd55e6f";
    struct lift_hash h;

    (void)state;
    assert_true(lift_hash_parse(good, &h));
    assert_true(lift_hash_equal(h, lift_hash_text("lift")));
    assert_false(lift_hash_equal(h, lift_hash_text("left")));
    assert_false(lift_hash_parse("", &h));
    assert_false(lift_hash_parse("fb03b48e688050365baa193acbd55e6", &h));
    assert_false(lift_hash_parse("fb03b48e688050365baa193acbd55e6f0", &h));
    assert_false(lift_hash_parse("FB03b48e688050365baa193acbd55e6f", &h));
    assert_false(lift_hash_parse("gb03b48e688050365baa193acbd55e6f", &h));
}

static void check_found(const char *digits, const char *said)
{
    static const struct lift_hash all[] = {{1, 0xabcd012300000000},
                                           {2, 0xabcd012300000000},
                                           {3, 0xabcd999900000000},
                                           {3, 0xabcd999900000000}};
    struct lift_hash_search s = {.digits = digits};
    struct lift_str why = {0};
    struct lift_hash h = {0};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lift_hash_consider(&s, all[i]);
    assert_int_equal(lift_hash_found(&s, "kernel", &h, &why), said == NULL);
    if (said)
        assert_string_equal(lift_str_get(&why), said);
    else
        assert_int_equal(h.lo, 3);
    lift_str_fini(&why);
}

static void test_hash_short(void **state)
{
    (void)state;
    check_found("abcd9", NULL);
    check_found("abcd9999000000000000000000000003", NULL);
    check_found("abcd", "more than one kernel begins with 'abcd': "
                        "abcd0123000000000000000000000001, "
                        "abcd0123000000000000000000000002, "
                        "abcd9999000000000000000000000003");
    check_found("abce", "no kernel begins with 'abce'");
    check_found("abc",
                "'abc' is no hash: expected at least 4 of its digits, 0 to 9 and a to f");
    check_found("abcx",
                "'abcx' is no hash: expected at least 4 of its digits, 0 to 9 and "
                "a to f");
}

static void check_guess(const char *word, const char *name)
{
    static const char *const names[] = {"tile2", "tile3", "tiling2", "explore", "-o"};
    struct lift_guess guess = {.word = word};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        lift_guess_add(&guess, names[i]);
    if (name)
        assert_string_equal(guess.name, name);
    else
        assert_null(guess.name);
}

static void test_guess(void **state)
{
    struct lift_str text = {0};

    (void)state;
    assert_int_equal(lift_edit_distance("", "abc"), 3);
    assert_int_equal(lift_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(lift_edit_distance("form", "from"), 1);
    assert_int_equal(lift_edit_distance("ca", "abc"), 3);
    assert_int_equal(lift_edit_distance("Host", "host"), 0);
    check_guess("tile2x", "tile2");
    check_guess("exlpore", "explore");
    check_guess("tile", "tile2");
    check_guess("elephant", NULL);
    check_guess("x", NULL);
    check_guess("", NULL);
    lift_guess_print(&(struct lift_guess){.word = "a"}, &text);
    lift_guess_print(&(struct lift_guess){.word = "a", .name = "b"}, &text);
    assert_string_equal(lift_str_get(&text), "; did you mean 'b'?");
    lift_str_fini(&text);
}

static void test_rng_pinned(void **state)
{
    static const uint64_t of_state[] = {11520, 0, 1509978240, 1215971899390074240};
    static const uint64_t of_seed[] = {0x15780b2e0c2ec716, 0x6104d9866d113a7e,
                                       0xae17533239e499a1, 0xecb8ad4703b360a1};
    static const int64_t of_range[] = {-5, 2, -3, 0, 0, 0};
    struct lift_rng rng = {{1, 2, 3, 4}};

    (void)state;
    for (int i = 0; i < 4; i++)
        assert_true(lift_rng_next(&rng) == of_state[i]);
    lift_rng_seed(&rng, 42);
    for (int i = 0; i < 4; i++)
        assert_true(lift_rng_next(&rng) == of_seed[i]);
    lift_rng_seed(&rng, 42);
    for (int i = 0; i < 6; i++)
        assert_true(lift_rng_range(&rng, -5, 5) == of_range[i]);
    lift_rng_seed(&rng, 42);
    assert_true(lift_rng_unit(&rng) == 0.083862971059882163);
    assert_true(lift_rng_unit(&rng) == 0.37898025066266861);
}

static void test_rng_bounds(void **state)
{
    struct lift_rng rng;
    int seen[7] = {0};

    (void)state;
    lift_rng_seed(&rng, 9);
    for (int i = 0; i < 7000; i++) {
        double unit = lift_rng_unit(&rng);

        seen[lift_rng_below(&rng, 7)]++;
        assert_true(unit >= 0 && unit < 1);
        assert_int_equal(lift_rng_below(&rng, 1), 0);
        assert_true(lift_rng_range(&rng, 3, 3) == 3);
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(seen[i], 850, 1150); /* five standard deviations of 1000 */
}

static void test_position(void **state)
{
    const struct lift_source src = {"p", "ab\n\ncd", 6};
    static const int expected[][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 1},
                                      {3, 1}, {3, 2}, {3, 3}, {3, 3}};

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        int line, column;

        lift_source_position(&src, i, &line, &column);
        assert_int_equal(line, expected[i][0]);
        assert_int_equal(column, expected[i][1]);
    }
}

struct excerpt {
    const char *text;
    struct lift_span span;
    const char *expected;
};

static void check_excerpt(const struct excerpt *e)
{
    struct lift_source src = {"a.lift", e->text, strlen(e->text)};
    struct lift_error errors = {0};
    struct lift_str out = {0};

    lift_fail_at(&errors, &src, e->span, "'%s' is not known", "x");
    lift_error_format(&errors, &out);
    assert_string_equal(lift_str_get(&out), e->expected);
    lift_str_fini(&out);
    lift_error_fini(&errors);
}

static void test_excerpt(void **state)
{
    static const struct excerpt cases[] = {
        {"map(f)", {4, 5}, "a.lift:1:5: error: 'x' is not known\nmap(f)\n    ^\n"},
        {"map(f)", {0, 3}, "a.lift:1:1: error: 'x' is not known\nmap(f)\n^~~\n"},
        {"a\n\tb cd\ne", {5, 7}, "a.lift:2:4: error: 'x' is not known\n\tb cd\n\t  ^~\n"},
        {"one\ntwo", {4, 7}, "a.lift:2:1: error: 'x' is not known\ntwo\n^~~\n"},
        /* a span over two lines is marked to the end of the first */
        {"one\ntwo", {1, 6}, "a.lift:1:2: error: 'x' is not known\none\n ^~\n"},
        /* at the end of the text, and beyond it */
        {"one\n", {4, 4}, "a.lift:2:1: error: 'x' is not known\n\n^\n"},
        {"one", {3, 3}, "a.lift:1:4: error: 'x' is not known\none\n   ^\n"},
        {"one", {90, 95}, "a.lift:1:4: error: 'x' is not known\none\n   ^\n"},
        {"", {0, 0}, "a.lift:1:1: error: 'x' is not known\n\n^\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_excerpt(&cases[i]);
}

static void test_errors_collect(void **state)
{
    const struct lift_source src = {"a.lift", "map f", 5};
    struct lift_error errors = {0};
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    assert_non_null(out);
    lift_fail_at(&errors, NULL, (struct lift_span){0, 0}, "cannot open '%s'", "b.lift");
    for (int i = 0; i < 2; i++)
        lift_fail_at(&errors, &src, (struct lift_span){4, 5}, "number %d", i);
    assert_int_equal(lift_error_count(&errors), 3);
    lift_error_print(&errors, out);
    fclose(out);
    assert_string_equal(printed, "lift: error: cannot open 'b.lift'\n"
                                 "a.lift:1:5: error: number 0\nmap f\n    ^\n"
                                 "a.lift:1:5: error: number 1\nmap f\n    ^\n");
    free(printed);
    lift_error_fini(&errors);
    assert_int_equal(lift_error_count(&errors), 0);
}

/* A failure replaces another one, also one that its text quotes; words are added before
 * and behind; the error may be NULL. */
static void test_failure(void **state)
{
    const struct lift_source src = {"a.lift", "map f", 5};
    struct lift_error error = {0};

    (void)state;
    assert_string_equal(lift_error_text(&error), "");
    assert_false(lift_fail(&error, LIFT_ERROR_RUN, "copy %d", 1));
    assert_false(
        lift_fail(&error, LIFT_ERROR_DEVICE, "lost: %s", lift_error_text(&error)));
    assert_false(lift_fail_more(&error, " (%d)", 3));
    assert_false(lift_fail_in(&error, "on '%s'", "host"));
    assert_int_equal(error.code, LIFT_ERROR_DEVICE);
    assert_false(lift_recode(&error, LIFT_ERROR_KERNEL));
    assert_int_equal(error.code, LIFT_ERROR_KERNEL);
    assert_string_equal(lift_error_text(&error), "on 'host': lost: copy 1 (3)");
    lift_error_fini(&error);
    lift_fail_at(&error, &src, (struct lift_span){4, 5}, "no '%s'", "f");
    lift_fail_in(&error, "part %d", 2);
    assert_string_equal(lift_error_text(&error),
                        "part 2: a.lift:1:5: error: no 'f'\nmap f\n    ^");
    assert_int_equal(error.code, LIFT_ERROR_PROGRAM);
    lift_error_fini(&error);
    assert_false(lift_fail(NULL, LIFT_ERROR_RUN, "%d", 1) ||
                 lift_fail_more(NULL, "%d", 1) || lift_fail_in(NULL, "%d", 1) ||
                 lift_recode(NULL, LIFT_ERROR_RUN));
}

static void test_source_load(void **state)
{
    char path[] = "/tmp/lift-base-XXXXXX";
    int fd = mkstemp(path);
    struct lift_error errors = {0};
    struct lift_source src;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a\0b\n", 4), 4);
    close(fd);
    assert_true(lift_source_load(path, &src, &errors));
    assert_string_equal(src.name, path);
    assert_int_equal(src.len, 4);
    assert_memory_equal(src.text, "a\0b\n", 5);
    lift_source_free(&src);
    unlink(path);
    assert_int_equal(lift_error_count(&errors), 0);
    assert_false(lift_source_load(path, &src, &errors));
    assert_false(lift_source_load("/", &src, &errors));
    assert_int_equal(lift_error_count(&errors), 2);
    assert_non_null(strstr(lift_str_get(&errors.text), "No such file"));
    assert_string_equal(lift_str_get(&errors.next->text),
                        "cannot read '/': it is a folder, not a file");
    lift_error_fini(&errors);
}

/* Whether the file is refused, with a reason that holds 'text'. */
static void assert_refused(const char *path, int64_t most, const char *text)
{
    struct lift_str out = {0}, why = {0};

    assert_false(lift_file_read(path, most, &out, &why));
    if (!strstr(lift_str_get(&why), text))
        fail_msg("'%s' is refused with: %s", path, lift_str_get(&why));
    lift_str_fini(&out);
    lift_str_fini(&why);
}

/* None of these may wait: an alarm ends the test. */
static void test_files_without_end(void **state)
{
    char dir[] = "/tmp/lift-base-XXXXXX", path[64];
    struct lift_str why = {0};
    int fd;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/x", dir);
    alarm((unsigned)patient(20));
    assert_true(lift_file_ends(path, &why));
    assert_refused(path, 10, "No such file");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, 10, "it is a pipe");
    assert_false(lift_file_ends(path, &why));
    assert_string_equal(lift_str_get(&why), "it is a pipe, not a file");
    unlink(path);
    put_socket(path);
    assert_refused(path, 10, "it is a socket");
    unlink(path);
    fd = creat(path, 0600);
    assert_int_equal(write(fd, "0123456789", 10), 10);
    assert_refused(path, 9, "more than 9 bytes");
    assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
    assert_refused(path, (int64_t)1 << 30, "more than 1073741824 bytes");
    close(fd);
    assert_refused("/dev/zero", INT64_MAX, "it is a device");
    assert_refused(dir, INT64_MAX, "it is a folder");
    alarm(0);
    unlink(path);
    rmdir(dir);
    lift_str_fini(&why);
}

static void assert_content(const char *path, const char *text)
{
    struct lift_str out = {0}, why = {0};

    assert_true(lift_file_read(path, 1000, &out, &why));
    assert_string_equal(lift_str_get(&out), text);
    lift_str_fini(&out);
}

static void test_files_are_replaced_whole(void **state)
{
    char dir[] = "/tmp/lift-base-XXXXXX", path[64], link[64];
    static const char more[1000] = "more";
    struct rlimit limit, small;
    struct lift_str why = {0};
    struct lift_file_out out;
    struct stat st, again;
    int fd;

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/x", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    assert_true(lift_file_write(path, "first", 5, true, &why));
    assert_content(path, "first");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("x", link), 0);
    assert_true(lift_file_write(link, "second", 6, false, &why));
    assert_content(path, "second");
    assert_true(!lstat(link, &st) && S_ISLNK(st.st_mode));
    assert_true(!stat(path, &st) && (st.st_mode & 07777) == 0640);

    assert_true(lift_file_create(path, &out, &why));
    fputs("half", out.file);
    lift_file_drop(&out);
    assert_content(path, "second");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = (struct rlimit){100, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(lift_file_write(path, more, sizeof more, false, &why));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_string_equal(lift_str_get(&why), "File too large");
    assert_content(path, "second");

    fd = open(path, O_WRONLY); /* as /dev/stdout may be */
    assert_true(lift_file_write(path, "third", 5, false, &why));
    close(fd);
    assert_true(!stat(path, &again) && again.st_ino == st.st_ino);
    assert_content(path, "thirdd");
    unlink(path);
    unlink(link);
    assert_int_equal(rmdir(dir), 0); /* no part is left */
    lift_str_fini(&why);
}

static void test_utf8(void **state)
{
    static const struct {
        const char *text;
        size_t len, good; /* bytes, and those before the first that is no text */
        const char *shown;
    } cases[] = {
        {"", 0, 0, ""},
        {"a\tb\r\n", 5, 5, "a\tb\r\n"},
        {"a\rb", 3, 3, "a\ufffdb"}, /* text that a terminal obeys */
        {"a\r", 2, 2, "a\ufffd"},
        {"\r\r\n\r", 4, 4, "\ufffd\r\n\ufffd"},
        {"\u00e9\u20ac\U0001f600", 9, 9, "\u00e9\u20ac\U0001f600"},
        {"a\0b", 3, 1, "a\ufffdb"},
        {"\033[2J", 4, 0, "\ufffd[2J"},
        {"x\x7f", 2, 1, "x\ufffd"},
        {"\xc2\x9b", 2, 0, "\ufffd\ufffd"},           /* a control character of C1 */
        {"\xe9t\xe9", 3, 0, "\ufffdt\ufffd"},         /* Latin-1 */
        {"\xc0\xaf", 2, 0, "\ufffd\ufffd"},           /* longer than needed */
        {"\xed\xa0\x80", 3, 0, "\ufffd\ufffd\ufffd"}, /* half a surrogate pair */
        {"\xf4\x90\x80\x80", 4, 0, "\ufffd\ufffd\ufffd\ufffd"},
        {"ab\xe2\x82", 4, 2, "ab\ufffd\ufffd"}, /* cut off */
        {"\u202e", 3, 0, "\ufffd\ufffd\ufffd"}, /* from right to left */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct lift_str shown = {0};

        assert_int_equal(lift_utf8_check(cases[i].text, cases[i].len), cases[i].good);
        lift_utf8_add(&shown, cases[i].text, cases[i].len);
        assert_string_equal(lift_str_get(&shown), cases[i].shown);
        assert_int_equal(lift_utf8_check(shown.data, shown.len), shown.len);
        lift_str_fini(&shown);
    }
}

static bool same_text(const void *entry, const void *key)
{
    return strcmp(entry, key) == 0;
}

/* All hashes fall into three classes, so that probing is exercised as well as growth. */
static void test_table(void **state)
{
    enum { COUNT = 500 };
    static char names[COUNT][8];
    struct lift_table table = {0};

    (void)state;
    assert_null(lift_table_find(&table, 0, "n0", same_text));
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "n%u", i);
        lift_table_insert(&table, i % 3, names[i]);
    }
    assert_int_equal(table.count, COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        char key[8];

        snprintf(key, sizeof key, "n%u", i);
        assert_ptr_equal(lift_table_find(&table, i % 3, key, same_text), names[i]);
        assert_null(lift_table_find(&table, i % 3 + 1000, key, same_text));
    }
    assert_null(lift_table_find(&table, 0, "n500", same_text));
    lift_table_fini(&table);
    assert_int_equal(table.count, 0);
}

static void test_ptrmap(void **state)
{
    enum { COUNT = 1000 };
    static int keys[COUNT], values[COUNT];
    struct lift_ptrmap map = {0};

    (void)state;
    assert_null(lift_ptrmap_get(&map, &keys[0]));
    for (int i = 0; i < COUNT; i++)
        lift_ptrmap_put(&map, &keys[i], &values[i]);
    assert_int_equal(map.count, COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_ptr_equal(lift_ptrmap_get(&map, &keys[i]), &values[i]);
    lift_ptrmap_put(&map, &keys[5], &values[6]);
    assert_ptr_equal(lift_ptrmap_get(&map, &keys[5]), &values[6]);
    assert_int_equal(map.count, COUNT);
    assert_null(lift_ptrmap_get(&map, &values[0]));
    lift_ptrmap_clear(&map);
    assert_int_equal(map.count, 0);
    assert_null(lift_ptrmap_get(&map, &keys[5]));
    lift_ptrmap_put(&map, &keys[5], &values[5]);
    assert_ptr_equal(lift_ptrmap_get(&map, &keys[5]), &values[5]);
    lift_ptrmap_fini(&map);
}

static void broken_assertion(void)
{
    LIFT_ASSERT(1 + 1 == 3);
}

static void below_nothing(void)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, 1);
    lift_rng_below(&rng, 0);
}

static void huge_allocation(void)
{
    lift_arena_alloc(lift_arena_create(), SIZE_MAX);
}

/* Runs 'f' in a child and returns what it printed; the child must abort. */
static void assert_bug(void (*f)(void), const char *message)
{
    char text[512] = "";
    int pipe_fd[2], status;
    size_t len = 0;
    pid_t pid;
    ssize_t n;

    assert_int_equal(pipe(pipe_fd), 0);
    pid = fork();
    if (pid == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipe_fd[1], STDERR_FILENO);
        f();
        _exit(0);
    }
    close(pipe_fd[1]);
    while ((n = read(pipe_fd[0], text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)n;
    close(pipe_fd[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, message));
}

static void test_bugs_abort(void **state)
{
    (void)state;
    assert_bug(broken_assertion, "bug: '1 + 1 == 3' does not hold");
    assert_bug(below_nothing, "bug: 'n > 0' does not hold");
    assert_bug(huge_allocation, "bug: allocation of 18446744073709551615 bytes");
}

/* ---- parallel */

static void add_range(void *user, int64_t from, int64_t to)
{
    unsigned char *seen = user;

    for (int64_t i = from; i < to; i++)
        seen[i]++;
}

static void test_parallel(void **state)
{
    enum { COUNT = 3 * 1024 * 1024 + 5 };
    unsigned char *seen = calloc(COUNT, 1), *copy = calloc(COUNT, 1);

    (void)state;
    assert_non_null(seen);
    assert_non_null(copy);
    assert_true(lift_cores() >= 1);
    lift_parallel(COUNT, 1000, add_range, seen); /* each once */
    lift_parallel(7, 1, add_range, seen);
    lift_parallel(0, 1, add_range, seen);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], i < 7 ? 2 : 1);
    lift_parallel_copy(copy, seen, COUNT - 1);
    assert_memory_equal(copy, seen, COUNT - 1);
    assert_int_equal(copy[COUNT - 1], 0);
    lift_parallel_set(copy, 0xff, COUNT - 1);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(copy[i], i < COUNT - 1 ? 0xff : 0);
    free(seen);
    free(copy);
}

static void test_growing(void **state)
{
    struct lift_arena *arena = lift_arena_create();
    int *heap = NULL, *kept = NULL, count = 0, heap_cap = 0, kept_cap = 0;

    (void)state;
    for (; count < 1000; count++) {
        LIFT_ROOM(heap, count, heap_cap);
        LIFT_ARENA_ROOM(arena, kept, count, kept_cap);
        heap[count] = kept[count] = count;
    }
    for (int i = 0; i < count; i++)
        assert_true(heap[i] == i && kept[i] == i);
    assert_true(heap_cap >= count && heap_cap < 2 * count + 16);
    free(heap);
    lift_arena_destroy(arena);
    heap = lift_alloc(0, sizeof *heap);
    assert_non_null(heap);
    free(heap);
}

static void test_quoted(void **state)
{
    struct lift_str text = {0};

    (void)state;
    lift_str_add_quoted(&text, "a \"b\" \\ c\n\td");
    assert_string_equal(lift_str_get(&text), "\"a \\\"b\\\" \\\\ c\\n\\td\"");
    lift_str_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),
        cmocka_unit_test(test_quoted),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_arena_alignment),
        cmocka_unit_test(test_arena_blocks),
        cmocka_unit_test(test_arena_text),
        cmocka_unit_test(test_str),
        cmocka_unit_test(test_str_grows),
        cmocka_unit_test(test_str_take),
        cmocka_unit_test(test_hash_pinned),
        cmocka_unit_test(test_hash_parse),
        cmocka_unit_test(test_rng_pinned),
        cmocka_unit_test(test_rng_bounds),
        cmocka_unit_test(test_position),
        cmocka_unit_test(test_excerpt),
        cmocka_unit_test(test_errors_collect),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_source_load),
        cmocka_unit_test(test_files_without_end),
        cmocka_unit_test(test_files_are_replaced_whole),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_ptrmap),
        cmocka_unit_test(test_bugs_abort),
        cmocka_unit_test(test_hash_short),
        cmocka_unit_test(test_guess),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
