/* Reading MessagePack, as far as it is needed: numbers, texts, lists and maps. The bytes
 * may be anything: nothing is read beyond their end. */
#ifndef DEVICE_MSGPACK_H
#define DEVICE_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct msgpack {
    const unsigned char *at, *end;
};

enum msgpack_kind {
    MSGPACK_NUMBER, /* an integer */
    MSGPACK_TEXT,
    MSGPACK_LIST, /* its elements follow */
    MSGPACK_MAP,  /* its keys and values follow, alternately */
    MSGPACK_OTHER,
};

struct msgpack_value {
    enum msgpack_kind kind;
    int64_t number;
    const char *text; /* 'count' bytes, without a NUL */
    size_t count;     /* number of bytes, elements or pairs */
};

/* The next value, of a list or map its head alone; false at the end, or if it is cut. */
bool msgpack_next(struct msgpack *m, struct msgpack_value *out);
bool msgpack_is(const struct msgpack_value *v, const char *text);
/* Steps over the next value, elements included. */
bool msgpack_skip(struct msgpack *m);
/* The value of a key, in the map that is next. */
bool msgpack_find(struct msgpack m, const char *key, struct msgpack *value);

#endif
