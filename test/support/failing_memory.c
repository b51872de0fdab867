/* Preloaded into a program: the FAILING_MEMORY-th request for memory that warmstart.so itself makes is refused (-1:
 * none), and the number of its requests is added to the file that FAILING_MEMORY_COUNT names when the program ends. For
 * glibc. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long requests;
static long refused = -2;

static int
refuse(const void *caller)
{
    Dl_info info;
    if (refused == -2) refused = getenv("FAILING_MEMORY") ? atol(getenv("FAILING_MEMORY")) : -1;
    if (!dladdr(caller, &info) || !info.dli_fname || !strstr(info.dli_fname, "/warmstart.so")) return 0;
    if (atomic_fetch_add(&requests, 1) != refused) return 0;
    errno = ENOMEM;
    return 1;
}

void *
malloc(size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}
void *
calloc(size_t count, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *
realloc(void *memory, size_t size)
{
    return refuse(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (refuse(__builtin_return_address(0))) return ENOMEM;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

__attribute__((destructor)) static void
tell(void)
{
    const char *path = getenv("FAILING_MEMORY_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld", atomic_load(&requests));
    fclose(file);
}
