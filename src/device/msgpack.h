/* A partial reader of MessagePack: numbers, texts, lists and maps. The bytes may be
 * arbitrary: the reader never reads beyond their end. */
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

/* Reads the next value; of a list or map only its head. Returns false at the end, or if
 * the value is incomplete. */
bool msgpack_next(struct msgpack *m, struct msgpack_value *out);
bool msgpack_is(const struct msgpack_value *v, const char *text);
/* Skips the next value, elements included. */
bool msgpack_skip(struct msgpack *m);
/* Finds the value of a key in the map at the current position. */
bool msgpack_find(struct msgpack m, const char *key, struct msgpack *value);

#endif
