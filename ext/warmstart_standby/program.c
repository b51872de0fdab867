/* Whether a program can be a standby at all: the dynamic linker has to load the interposer into it, and what it does
 * has to pass through the C library. A program that is linked statically, or has more rights than its user, would run
 * unseen, and as the command itself; so would one that makes its system calls itself, as Go's do, however it is linked.
 */
#include "program.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel's limit for interpreters of interpreters. */
enum { INTERPRETERS_MAXIMUM = 5 };

/* The header of the file that this code is in (the linker defines the name). What the kernel has an emulator run is for
 * another machine. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

bool
ws_program_find(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
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
is_dynamic(int fd)
{
    ElfW(Ehdr) header;
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        header.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
        header.e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] || header.e_machine != __ehdr_start.e_machine ||
        header.e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) part;
        if (pread(fd, &part, sizeof part, (off_t)(header.e_phoff + i * sizeof part)) != (ssize_t)sizeof part)
            return false;
        if (part.p_type == PT_INTERP) return true;
    }
    return false;
}

/* Of a program that is no script, nothing tells whether its calls pass through the C library. Ruby's do (ruby, ruby3.1,
 * ruby.ruby3.1), and those of the programs that begin scripts. What a link leads to counts: the links of version
 * managers have Ruby's name, and lead to a program of theirs. rubyfmt and rubymine are others' programs. */
static bool
is_known(const char *path)
{
    static const char *const NAMES[] = { "env", "sh", "dash", "bash", NULL };
    char real[PATH_MAX];
    const char *end = realpath(path, real) ? strrchr(real, '/') : NULL;
    if (!end) return false;
    if (strncmp(end + 1, "ruby", strlen("ruby")) == 0) {
        char next = end[1 + strlen("ruby")] | 0x20; /* (in lower case) */
        return next < 'a' || next > 'z';
    }
    for (const char *const *name = NAMES; *name; name++)
        if (strcmp(end + 1, *name) == 0) return true;
    return false;
}

static bool is_seen(const char *path, int depth, void (*found)(const char *path));

/* "#!INTERPRETER", or "#!.../env INTERPRETER" */
static bool
is_script_seen(char *line, int depth, void (*found)(const char *path))
{
    char *rest = NULL, *interpreter = strtok_r(line, " \t\r\n", &rest), *argument = strtok_r(NULL, " \t\r\n", &rest);
    if (!interpreter || !is_seen(interpreter, depth + 1, found)) return false;
    const char *name = strrchr(interpreter, '/');
    if (strcmp(name ? name + 1 : interpreter, "env") != 0) return true;
    char path[PATH_MAX];
    return argument && ws_program_find(argument, path) && is_seen(path, depth + 1, found);
}

static bool
is_seen(const char *path, int depth, void (*found)(const char *path))
{
    char text[PATH_MAX] = "";
    struct stat data;
    int fd = depth <= INTERPRETERS_MAXIMUM ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return false;
    if (found) found(path);
    bool more_rights = fstat(fd, &data) != 0 || data.st_mode & (S_ISUID | S_ISGID) ||
                       fgetxattr(fd, "security.capability", NULL, 0) > 0;
    bool seen = false;
    if (more_rights || pread(fd, text, sizeof text - 1, 0) < 4) seen = false;
    else if (memcmp(text, ELFMAG, SELFMAG) == 0) seen = is_known(path) && is_dynamic(fd);
    else if (memcmp(text, "#!", 2) == 0) {
        text[strcspn(text, "\n")] = 0;
        seen = is_script_seen(text + 2, depth, found);
    }
    close(fd);
    return seen;
}

bool
ws_program_is_seen(const char *name, void (*found)(const char *path))
{
    char path[PATH_MAX];
    return ws_program_find(name, path) && is_seen(path, 0, found);
}
