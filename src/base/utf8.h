/* Text for people: UTF-8 without control characters, which a terminal would interpret.
 * Tabs and ends of lines ("\n", "\r") are text. Marks that change the direction of
 * writing (U+202A to U+202E, U+2066 to U+2069) are not text, since they can hide code. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* The number of bytes of the character at 's', which ends before 'end'; 0 if the
 * character is not text. */
int lift_utf8_char(const char *s, const char *end);
/* The offset of the first byte that begins no character of text; 'len' if there is
 * none. */
size_t lift_utf8_check(const char *text, size_t len);
/* As lift_utf8_check, for texts that are shown. A "\r" without "\n" is not text there,
 * since a terminal returns to the beginning of the line. */
size_t lift_utf8_check_shown(const char *text, size_t len);
/* Appends the text, with U+FFFD for each byte that lift_utf8_check_shown rejects. */
void lift_utf8_add(struct lift_str *out, const char *text, size_t len);

#endif
