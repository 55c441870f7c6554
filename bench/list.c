#include "list.h"
#include "base/bug.h"
#include "base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits the text at its first colon and returns the part behind it; NULL: no colon. */
static char *cut(char *text)
{
    char *colon = text ? strchr(text, ':') : NULL;

    if (colon)
        *colon++ = '\0';
    return colon;
}

static void push(struct bench_list *list, const char *text)
{
    struct bench_item *item;

    if (list->count == list->cap) {
        list->cap = list->cap ? 2 * list->cap : 32;
        list->items = realloc(list->items, (size_t)list->cap * sizeof *list->items);
        LIFT_ASSERT(list->items);
    }
    item = &list->items[list->count++];
    *item = (struct bench_item){.program = strdup(text)};
    LIFT_ASSERT(item->program);
    item->sizes = cut(item->program);
    item->precision = cut(item->sizes);
    if (item->sizes && !*item->sizes)
        item->sizes = NULL;
}

static _Noreturn void stop(const char *path, int line, const char *why)
{
    fprintf(stderr, "%s:%d: %s\n", path, line, why);
    exit(2);
}

static void read_line(struct bench_list *list, char *line, const char *path, int number)
{
    static const char blank[] = " \t\r\n";
    const char *word, *seconds;
    char *rest = NULL, *end;

    line[strcspn(line, "#")] = '\0';
    word = strtok_r(line, blank, &rest);
    if (!word)
        return;
    push(list, word);
    seconds = strtok_r(NULL, blank, &rest);
    if (!seconds)
        return;
    if (!(strtod(seconds, &end) > 0) || *end || strtok_r(NULL, blank, &rest))
        stop(path, number, "expected FILE.lift[:SIZES[:PRECISION]] [SECONDS]");
}

static void read_file(struct bench_list *list, const char *path)
{
    struct lift_str why = {0};
    FILE *in = lift_file_open(path, LIFT_FILE_SOURCE, &why);
    char *line = NULL;
    size_t cap = 0;

    if (!in)
        stop(path, 0, lift_str_get(&why));
    for (int number = 1; getline(&line, &cap, in) >= 0; number++)
        read_line(list, line, path, number);
    free(line);
    fclose(in);
}

void bench_list_read(char *const *arguments, struct bench_list *out)
{
    *out = (struct bench_list){.items = NULL};
    for (int i = 0; arguments[i]; i++)
        if (arguments[i][0] == '@')
            read_file(out, arguments[i] + 1);
        else
            push(out, arguments[i]);
}

void bench_list_free(struct bench_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->items[i].program);
    free(list->items);
}
