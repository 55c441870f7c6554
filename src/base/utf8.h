/* Text that people read: UTF-8 without control characters, which a terminal would obey.
 * Tabs and the ends of lines ("\n", "\r") are text. So are no marks that turn the
 * direction of writing (U+202A to U+202E, U+2066 to U+2069), behind which code can hide.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

/* The bytes of the character at 's', which ends before 'end'; 0 if it is none of text. */
int lift_utf8_char(const char *s, const char *end);
/* The offset of the first byte that begins no character of text; 'len' if all do. */
size_t lift_utf8_check(const char *text, size_t len);
/* The same for texts that are shown: a "\r" that no "\n" follows takes a terminal back to
 * the beginning of the line, and is no text. */
size_t lift_utf8_check_shown(const char *text, size_t len);
/* Appends the text with U+FFFD in the place of each byte that lift_utf8_check_shown does
 * not take. */
void lift_utf8_add(struct lift_str *out, const char *text, size_t len);

#endif
