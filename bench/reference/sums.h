/* SUM(f, a, ...): f(a, ..., -R) + ... + f(a, ..., R), written out, since compilers unroll
 * no loop within a loop that they vectorise. */
#define PASTE_NOW(a, b) a##b
#define PASTE(a, b) PASTE_NOW(a, b)
#define SUM_1(f, ...) (f(__VA_ARGS__, -1) + f(__VA_ARGS__, 0) + f(__VA_ARGS__, 1))
#define SUM_2(f, ...) (f(__VA_ARGS__, -2) + SUM_1(f, __VA_ARGS__) + f(__VA_ARGS__, 2))
#define SUM_3(f, ...) (f(__VA_ARGS__, -3) + SUM_2(f, __VA_ARGS__) + f(__VA_ARGS__, 3))
#define SUM_4(f, ...) (f(__VA_ARGS__, -4) + SUM_3(f, __VA_ARGS__) + f(__VA_ARGS__, 4))
#define SUM PASTE(SUM_, R)

#define INLINE static inline __attribute__((always_inline))
