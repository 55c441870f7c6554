/* The build runs this program, which writes the texts of files as a C table that HEADER
 * declares.
 *
 *     embed OUTPUT HEADER TABLE FILE...
 *
 * writes the name and text of each file, in a struct named after the table. With a
 * leading '--with FILE', definitions of that file, as below, are replaced in the texts.
 *
 *     embed --parts OUTPUT HEADER TABLE FILE...
 *
 * writes the parts of files as strings. The name of a part is its index. Two characters
 * and an '@' begin a line that belongs to no part ('--@' in SQL, '//@' in C):
 *
 *     --@NAME            the following lines, except blank lines at the end, are the
 *                        text of [NAME]
 *     --@define NAME     the following lines replace $NAME in later texts
 *     --@ words          a comment */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEFINITIONS = 32, MOST_FILES = 64 };

struct text {
    const char *at;
    size_t len;
};

struct embed {
    FILE *out;
    char *files[MOST_FILES]; /* texts of the files; definitions point into them */
    int file_count;
    struct definition {
        struct text name, text;
    } definitions[MOST_DEFINITIONS];
    int count;
};

static void write_char(FILE *out, int c)
{
    if (c == '\n')
        fputs("\\n\"\n    \"", out);
    else if (c == '"' || c == '\\')
        fprintf(out, "\\%c", c);
    else
        fputc(c, out);
}

/* Reads a whole file. */
static const char *read_file(struct embed *e, const char *path)
{
    FILE *in = fopen(path, "r");
    size_t room = 1 << 20, len = 0;
    char *text = malloc(room);

    if (!in || !text || e->file_count == MOST_FILES ||
        (len = fread(text, 1, room - 1, in)) == room - 1) {
        perror(path);
        exit(1);
    }
    text[len] = '\0';
    fclose(in);
    return e->files[e->file_count++] = text;
}

/* ---- parts of files */

static const char *after_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

static int is_mark(const char *line)
{
    return !strncmp(line, "--@", 3) || !strncmp(line, "//@", 3);
}

static struct text word_at(const char *at)
{
    const char *end = at;

    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    return (struct text){at, (size_t)(end - at)};
}

static const struct text *definition_of(const struct embed *e, struct text name)
{
    for (int i = 0; i < e->count; i++)
        if (e->definitions[i].name.len == name.len &&
            !memcmp(e->definitions[i].name.at, name.at, name.len))
            return &e->definitions[i].text;
    return NULL;
}

static void write_text(const struct embed *e, struct text text)
{
    for (const char *c = text.at; c < text.at + text.len; c++) {
        struct text name = *c == '$' ? word_at(c + 1) : (struct text){c, 0};
        const struct text *meant = name.len ? definition_of(e, name) : NULL;

        if (meant) {
            write_text(e, *meant);
            c += name.len;
        } else {
            write_char(e->out, *c);
        }
    }
}

/* Finds the text between two marks, without blank lines at the end. Returns the next
 * mark. */
static const char *find_part(const char *at, struct text *out)
{
    *out = (struct text){at, 0};
    for (; *at && !is_mark(at); at = after_line(at))
        if (*at != '\n')
            out->len = (size_t)(after_line(at) - out->at);
    return at;
}

static void take_definition(struct embed *e, struct text name, struct text text)
{
    if (e->count == MOST_DEFINITIONS) {
        fputs("embed: too many definitions\n", stderr);
        exit(1);
    }
    text.len -= text.len > 0; /* drops the last newline */
    e->definitions[e->count++] = (struct definition){name, text};
}

static void write_parts(struct embed *e, const char *path)
{
    const char *at = read_file(e, path);

    while (*at) {
        struct text name = is_mark(at) ? word_at(at + 3) : (struct text){at, 0}, text;
        int defines = name.len == strlen("define") &&
                      !strncmp(name.at, "define ", strlen("define "));

        at = find_part(is_mark(at) ? after_line(at) : at, &text);
        if (defines)
            take_definition(e, word_at(name.at + strlen("define ")), text);
        else if (name.len) {
            fprintf(e->out, "    [%.*s] =\n    \"", (int)name.len, name.at);
            write_text(e, text);
            fputs("\",\n", e->out);
        }
    }
}

/* ---- whole files */

static void write_file(struct embed *e, const char *path)
{
    const char *slash = strrchr(path, '/'), *text;

    fprintf(e->out, "    {\"%s\",\n    \"", slash ? slash + 1 : path);
    text = read_file(e, path);
    write_text(e, (struct text){text, strlen(text)});
    fputs("\"},\n", e->out);
}

int main(int argc, char **argv)
{
    int parts = argc > 1 && !strcmp(argv[1], "--parts");
    int with = argc > 2 && !strcmp(argv[1], "--with") ? 2 : 0;
    char **args = argv + 1 + parts + with;
    struct embed e = {.out = argc > 4 + parts + with ? fopen(args[0], "w") : NULL};

    if (!e.out) {
        perror("embed");
        return 1;
    }
    fprintf(e.out, "#include \"%s\"\n\n#include <stddef.h>\n\nconst ", args[1]);
    fprintf(e.out, parts ? "char *const " : "struct %s ", args[2]);
    fprintf(e.out, "%s[] = {\n", args[2]);
    if (with)
        write_parts(&e, argv[2]);
    for (char **file = args + 3; *file; file++)
        if (parts)
            write_parts(&e, *file);
        else
            write_file(&e, *file);
    fputs(parts ? "    NULL,\n};\n" : "    {NULL, NULL},\n};\n", e.out);
    while (e.file_count > 0)
        free(e.files[--e.file_count]);
    return fclose(e.out) != 0;
}
