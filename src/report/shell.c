#include "report/shell.h"
#include <string.h>

void report_quote(struct lift_str *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+=:,./@%";

    if (*word && strspn(word, plain) == strlen(word)) {
        lift_str_add(out, word);
        return;
    }
    lift_str_addc(out, '\'');
    for (; *word; word++)
        if (*word == '\'')
            lift_str_add(out, "'\\''");
        else
            lift_str_addc(out, *word);
    lift_str_addc(out, '\'');
}
