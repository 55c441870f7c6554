/* Strips a library of functions, LLVM's bitcode, of those whose names match an extended
 * regular expression and that no other one calls: strip LLVM FROM NAMES TO. LLVM, a
 * shared library, is the one that will read it; its functions are those of llvm-c. */
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

/* What only the module sees goes once nobody calls it. */
static void hide(void *module, const regex_t *names)
{
    void *(*next)(void *) = LLVM(void *, LLVMGetNextFunction, (void *));
    int (*declared)(void *) = LLVM(int, LLVMIsDeclaration, (void *));
    const char *(*name)(void *, size_t *) =
        LLVM(const char *, LLVMGetValueName2, (void *, size_t *));
    void (*link)(void *, int) = LLVM(void, LLVMSetLinkage, (void *, int));
    void *f = LLVM(void *, LLVMGetFirstFunction, (void *))(module);
    size_t length;

    for (; f; f = next(f))
        if (!declared(f) && regexec(names, name(f, &length), 0, NULL, 0) == 0)
            link(f, INTERNAL);
}

int main(int argc, char **argv)
{
    regex_t names;
    void *module;

    if (argc != 5)
        fail("usage: strip LLVM FROM NAMES TO");
    llvm = dlopen(argv[1], RTLD_NOW);
    if (!llvm)
        fail(dlerror());
    if (regcomp(&names, argv[3], REG_EXTENDED | REG_NOSUB))
        fail("no regular expression");
    module = read_module(argv[2]);
    hide(module, &names);
    if (LLVM(void *, LLVMRunPasses, (void *, const char *, void *, void *))(
            module, "globaldce", NULL,
            LLVM(void *, LLVMCreatePassBuilderOptions, (void))()))
        fail("the pass failed");
    if (LLVM(int, LLVMWriteBitcodeToFile, (void *, const char *))(module, argv[4]))
        fail(argv[4]);
    return 0;
}
