/* Broken invariants. lift reports a bug in lift itself with file and line, and aborts.
 * lift/error.h describes errors of the user. */
#ifndef BASE_BUG_H
#define BASE_BUG_H

/* Prints "file:line: bug: message" on stderr and aborts. */
_Noreturn void lift_bug_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define LIFT_BUG(...) lift_bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define LIFT_ASSERT(cond)                                                                \
    ((cond) ? (void)0 : lift_bug_at(__FILE__, __LINE__, "'%s' does not hold", #cond))

#endif
