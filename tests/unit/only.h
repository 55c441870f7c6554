/* For the main function of suites whose tests are also run apart. */
#ifndef LIFT_TESTS_ONLY_H
#define LIFT_TESTS_ONLY_H

/* An argument is a pattern: of the tests, those of such names are run. */
static inline void only(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
}

#endif
