/* Run by the build: writes the texts of files as a C table. HEADER declares it and the
 * struct of the same name: a file's name and its text.
 *
 *     embed OUTPUT HEADER TABLE FILE... */
#include <stdio.h>
#include <string.h>

static void write_char(FILE *out, int c)
{
    if (c == '\n')
        fputs("\\n\"\n    \"", out);
    else if (c == '"' || c == '\\')
        fprintf(out, "\\%c", c);
    else
        fputc(c, out);
}

static int write_text(FILE *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    FILE *in = fopen(path, "r");
    int c;

    if (!in) {
        perror(path);
        return 1;
    }
    fprintf(out, "    {\"%s\",\n    \"", slash ? slash + 1 : path);
    while ((c = fgetc(in)) != EOF)
        write_char(out, c);
    fputs("\"},\n", out);
    return fclose(in) != 0;
}

int main(int argc, char **argv)
{
    FILE *out = argc > 3 ? fopen(argv[1], "w") : NULL;

    if (!out) {
        perror("embed");
        return 1;
    }
    fprintf(out, "#include \"%s\"\n\n#include <stddef.h>\n\nconst struct %s %s[] = {\n",
            argv[2], argv[3], argv[3]);
    for (int i = 4; i < argc; i++)
        if (write_text(out, argv[i]))
            return 1;
    fputs("    {NULL, NULL},\n};\n", out);
    return fclose(out) != 0;
}
