/* Whether a program can be a standby at all: the dynamic linker has to load the interposer into it. A program that is
 * linked statically, or has more rights than its user, would run unseen, and as the command itself. */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr elf_header;
typedef Elf64_Phdr elf_part;
#define ELF_CLASS ELFCLASS64
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Phdr elf_part;
#define ELF_CLASS ELFCLASS32
#endif

/* The kernel's limit for interpreters of interpreters. */
enum { INTERPRETERS_MAXIMUM = 5 };

bool
ws_program_find(const char *name, const char *folders, char path[PATH_MAX], void (*passed)(const char *path))
{
    if (strchr(name, '/')) return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    for (const char *at = folders ? folders : "/bin:/usr/bin"; at;) {
        size_t size = strcspn(at, ":");
        struct stat data;
        int length = snprintf(path, PATH_MAX, "%.*s%s%s", (int)size, at, size ? "/" : "", name);
        if (length < PATH_MAX && access(path, X_OK) == 0 && stat(path, &data) == 0 && S_ISREG(data.st_mode))
            return true;
        at = at[size] ? at + size + 1 : NULL;
    }
    return false;
}

static bool
is_dynamic(int fd, const unsigned char *text, size_t size)
{
    elf_header header;
    if (size < sizeof header) return false;
    memcpy(&header, text, sizeof header);
    if (header.e_ident[EI_CLASS] != ELF_CLASS || header.e_phentsize != sizeof(elf_part)) return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        elf_part part;
        if (pread(fd, &part, sizeof part, (off_t)(header.e_phoff + i * sizeof part)) != (ssize_t)sizeof part)
            return false;
        if (part.p_type == PT_INTERP) return true;
    }
    return false;
}

static bool is_seen(const char *path, const char *folders, int depth, void (*found)(const char *path));

/* "#!INTERPRETER", or "#!.../env INTERPRETER" */
static bool
is_script_seen(char *line, const char *folders, int depth, void (*found)(const char *path))
{
    char *rest = NULL, *interpreter = strtok_r(line, " \t\r\n", &rest), *argument = strtok_r(NULL, " \t\r\n", &rest);
    if (!interpreter || !is_seen(interpreter, folders, depth + 1, found)) return false;
    const char *name = strrchr(interpreter, '/');
    if (strcmp(name ? name + 1 : interpreter, "env") != 0) return true;
    char path[PATH_MAX];
    return argument && ws_program_find(argument, folders, path, NULL) && is_seen(path, folders, depth + 1, found);
}

static bool
is_seen(const char *path, const char *folders, int depth, void (*found)(const char *path))
{
    unsigned char text[PATH_MAX];
    struct stat data;
    if (depth > INTERPRETERS_MAXIMUM) return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    if (found) found(path);
    ssize_t size = pread(fd, text, sizeof text - 1, 0);
    bool more_rights = fstat(fd, &data) != 0 || data.st_mode & (S_ISUID | S_ISGID) ||
                       fgetxattr(fd, "security.capability", NULL, 0) > 0;
    bool seen = false;
    if (more_rights || size < 4) seen = false;
    else if (memcmp(text, ELFMAG, SELFMAG) == 0) seen = is_dynamic(fd, text, (size_t)size);
    else if (memcmp(text, "#!", 2) == 0) {
        text[size] = 0;
        text[strcspn((char *)text, "\n")] = 0;
        seen = is_script_seen((char *)text + 2, folders, depth, found);
    }
    close(fd);
    return seen;
}

bool
ws_program_is_seen(const char *name, const char *folders, void (*found)(const char *path))
{
    char path[PATH_MAX];
    return ws_program_find(name, folders, path, NULL) && is_seen(path, folders, 0, found);
}
