/* See library.h. */
#include <ruby.h> /* first, because it defines _GNU_SOURCE, for dladdr */

#include <stdint.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif
#ifdef __linux__
#include <link.h>
#endif

#include "ruby/private/library.h"

#ifdef __linux__
typedef struct ws_holder {
    uintptr_t address;
    const void *found;
} ws_holder;

static int
holds(struct dl_phdr_info *library, size_t size, void *data)
{
    ws_holder *holder = (ws_holder *)data;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || holder->address - library->dlpi_addr - part->p_vaddr >= part->p_memsz) continue;
        holder->found = library->dlpi_phdr;
        return 1;
    }
    return 0;
}
#endif

/* (dladdr also looks for the function's name, among all that the library has: with Ruby's that takes 10 us.) */
const void *
ws_library_of(const void *address)
{
#ifdef __linux__
    ws_holder holder = { (uintptr_t)address, NULL };
    dl_iterate_phdr(holds, &holder);
    return holder.found;
#elif defined _WIN32
    const DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
    HMODULE library;
    return GetModuleHandleExW(flags, (LPCWSTR)address, &library) ? (const void *)library : NULL;
#else
    Dl_info there;
    return dladdr(address, &there) ? there.dli_fbase : NULL;
#endif
}

/* (Both are asked for each file, and dladdr searches a whole table of symbols.) */
const void *
ws_rubys_library(void)
{
    static const void *library;
    return library ? library : (library = ws_library_of((const void *)(uintptr_t)&rb_cObject));
}

const void *
ws_our_library(void)
{
    static const void *library;
    return library ? library : (library = ws_library_of((const void *)(uintptr_t)ws_our_library));
}

bool
ws_library_defines(const void *address, const char *symbol)
{
#ifdef _WIN32
    const void *library = ws_library_of(address);
    return library && GetProcAddress((HMODULE)(uintptr_t)library, symbol);
#else
    /* dlsym looks into the libraries that a library needs, too. What is part of the program itself has no library to
     * open. */
    Dl_info there;
    if (!dladdr(address, &there) || !there.dli_fname) return false;
    void *library = dlopen(there.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    const void *found = dlsym(library ? library : RTLD_DEFAULT, symbol);
    bool same = found && ws_library_of(found) == ws_library_of(address);
    if (library) dlclose(library);
    return same;
#endif
}
