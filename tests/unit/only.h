/* The main function of suites that can run some of their tests only. */
#ifndef LIFT_TESTS_ONLY_H
#define LIFT_TESTS_ONLY_H

/* Each argument is a pattern: only tests with matching names run. */
static inline void only(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
}

#endif
