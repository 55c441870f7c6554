/* Broken invariants. A bug in lift itself is reported with file and line, and aborts: it
 * is never turned into a result. Errors of the user are described by lift/error.h. */
#ifndef BASE_BUG_H
#define BASE_BUG_H

/* Prints "file:line: bug: message" on stderr and aborts. */
_Noreturn void lift_bug_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define LIFT_BUG(...) lift_bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define LIFT_ASSERT(cond)                                                                \
    ((cond) ? (void)0 : lift_bug_at(__FILE__, __LINE__, "'%s' does not hold", #cond))

#endif
