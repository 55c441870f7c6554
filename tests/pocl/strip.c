/* Strips a library of functions, LLVM's bitcode, of those that no other one calls and
 * whose names match the extended regular expression NAMES, or MORE and not KEPT:
 *   strip LLVM FROM NAMES MORE KEPT TO
 * LLVM, a shared library, is the one that will read it; its functions are those of
 * llvm-c. */
#include <dlfcn.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTERNAL = 8 }; /* LLVMInternalLinkage */

static void *llvm;

static void fail(const char *what)
{
    fprintf(stderr, "strip: %s\n", what);
    exit(EXIT_FAILURE);
}

static void *function(const char *name)
{
    void *found = dlsym(llvm, name);

    if (!found)
        fail(name);
    return found;
}

#define LLVM(result, name, params) ((result(*) params)function(#name))

static void *read_module(const char *file)
{
    void *buffer, *module;
    char *why;
    void *context = LLVM(void *, LLVMContextCreate, (void))();

    if (LLVM(int, LLVMCreateMemoryBufferWithContentsOfFile,
             (const char *, void **, char **))(file, &buffer, &why))
        fail(why);
    if (LLVM(int, LLVMParseBitcodeInContext2, (void *, void *, void **))(context, buffer,
                                                                         &module))
        fail(file);
    return module;
}

struct unwanted {
    regex_t names, more, kept;
};

static void compile(regex_t *into, const char *text)
{
    if (regcomp(into, text, REG_EXTENDED | REG_NOSUB))
        fail("no regular expression");
}

static int matches(const regex_t *with, const char *name)
{
    return regexec(with, name, 0, NULL, 0) == 0;
}

static int is_unwanted(const struct unwanted *u, const char *name)
{
    return matches(&u->names, name) ||
           (matches(&u->more, name) && !matches(&u->kept, name));
}

/* Hides functions that only the module uses, so that unused ones are removed. */
static void hide(void *module, const struct unwanted *unwanted)
{
    void *(*next)(void *) = LLVM(void *, LLVMGetNextFunction, (void *));
    int (*declared)(void *) = LLVM(int, LLVMIsDeclaration, (void *));
    const char *(*name)(void *, size_t *) =
        LLVM(const char *, LLVMGetValueName2, (void *, size_t *));
    void (*link)(void *, int) = LLVM(void, LLVMSetLinkage, (void *, int));
    void *f = LLVM(void *, LLVMGetFirstFunction, (void *))(module);
    size_t length;

    for (; f; f = next(f))
        if (!declared(f) && is_unwanted(unwanted, name(f, &length)))
            link(f, INTERNAL);
}

int main(int argc, char **argv)
{
    struct unwanted unwanted;
    void *module;

    if (argc != 7)
        fail("usage: strip LLVM FROM NAMES MORE KEPT TO");
    llvm = dlopen(argv[1], RTLD_NOW);
    if (!llvm)
        fail(dlerror());
    compile(&unwanted.names, argv[3]);
    compile(&unwanted.more, argv[4]);
    compile(&unwanted.kept, argv[5]);
    module = read_module(argv[2]);
    hide(module, &unwanted);
    if (LLVM(void *, LLVMRunPasses, (void *, const char *, void *, void *))(
            module, "globaldce", NULL,
            LLVM(void *, LLVMCreatePassBuilderOptions, (void))()))
        fail("the pass failed");
    if (LLVM(int, LLVMWriteBitcodeToFile, (void *, const char *))(module, argv[6]))
        fail(argv[6]);
    return 0;
}
