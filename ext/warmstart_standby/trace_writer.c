/* Writes a trace. It is part of the interposer, so it runs in the middle of the program's calls, in any thread and in
 * signal handlers: it takes no lock, allocates nothing, and leaves errno as it was. Its own questions go to the kernel
 * directly, because the library's functions are the interposer's. */
#include "trace.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "standby.h"

/* The trace's path and the interposer's own, for a program that execs another one (env, sh): that goes on with it. */
static struct {
    char path_variable[PATH_MAX + sizeof WS_STANDBY_VARIABLE + 1], preload_variable[2 * PATH_MAX];
    ws_trace_header *header;
} trace;

bool ws_tracing;

/* ---- entries ---- */

bool
ws_is_warmstart(const void *caller)
{
    Dl_info info;
    if (!caller || !dladdr(caller, &info) || !info.dli_fname) return false;
    const char *name = strrchr(info.dli_fname, '/');
    return strncmp(name ? name + 1 : info.dli_fname, "warmstart.", strlen("warmstart.")) == 0;
}

/* (An empty path leads nowhere, whatever is there.) */
static bool
leads_somewhere(const char *path, int error)
{
    return path && (*path || error != ENOENT);
}

/* Where a path cannot be told whole, the trace is of no use, but for calls that fail whatever is there. */
static bool
is_whole(int folder, const char *path, int error, char whole[PATH_MAX])
{
    if (ws_path_whole(folder, path, whole)) return true;
    if (error != EBADF && error != ENAMETOOLONG) trace.header->overflow = 1;
    return false;
}

/* Warmstart's own library believes what it knows of a folder while the folder's times are the same. So for its calls
 * the times count, as if it had listed the folder. */
static void
append(ws_asked asked, int folder, const char *path, const void *caller)
{
    int before = errno;
    char whole[PATH_MAX];
    asked.own = ws_is_warmstart(caller);
    if (asked.own && asked.what == WS_ASKED_STAT && S_ISDIR(asked.mode)) asked.what = WS_ASKED_LIST;
    if (leads_somewhere(path, asked.error) && is_whole(folder, path, asked.error, whole)) {
        bool names = asked.what == WS_ASKED_LIST && !asked.error && !ws_folder_times_tell(whole);
        uint64_t digest = names ? ws_digest_names(whole) : 0;
        ws_asked_append(trace.header, asked, whole, names ? (const char *)&digest : "", names ? sizeof digest : 0);
    }
    errno = before;
}

void
ws_trace_path(unsigned what, int folder, const char *path, int error, const void *caller)
{
    ws_asked asked = { .what = (uint16_t)what, .error = (uint16_t)error };
    int flags = what == WS_ASKED_LSTAT ? AT_SYMLINK_NOFOLLOW : 0;
    if (!error && path) ws_asked_fill(&asked, folder, path, flags | (*path ? 0 : AT_EMPTY_PATH));
    append(asked, folder, path, caller);
}

/* An open that fails may fail because of how the file was to be opened: as a folder, or not through a link. Then what
 * it is counts. Whether it may be read at all is asked again. */
static void
record_failed_open(int error, int folder, const char *path, const void *caller)
{
    if (error == EACCES) ws_trace_path(WS_ASKED_OPEN, folder, path, error, caller);
    else {
        ws_trace_path(WS_ASKED_LSTAT, folder, path, 0, caller);
        ws_trace_path(WS_ASKED_STAT, folder, path, 0, caller);
    }
}

/* Of a file that is opened for writing only it counts which one it is, and not what it holds. (Whether opening it is an
 * effect, effects.c decides.) */
void
ws_trace_open(int folder, const char *path, int flags, int fd, const void *caller)
{
    bool writes = (flags & O_ACCMODE) == O_WRONLY;
    int error = fd < 0 ? errno : 0;
    ws_asked asked = { .what = writes ? WS_ASKED_SAME : WS_ASKED_OPEN, .error = (uint16_t)error };
    if (!error) ws_asked_fill(&asked, fd, "", AT_EMPTY_PATH);
    if (!writes && S_ISDIR(asked.mode)) asked.what = WS_ASKED_LIST;
    if (writes && (error == EACCES || error == ENOENT || error == EROFS))
        ws_trace_access(folder, path, error != ENOENT ? W_OK : F_OK, error);
    else if (error && error != ENOENT) record_failed_open(error, folder, path, caller);
    else append(asked, folder, path, caller);
}

void
ws_trace_list(const char *path, int fd, int error, const void *caller)
{
    ws_asked asked = { .what = WS_ASKED_LIST, .error = (uint16_t)error };
    int folder = path ? AT_FDCWD : fd;
    if (!error) ws_asked_fill(&asked, fd < 0 ? AT_FDCWD : fd, fd < 0 ? path : "", fd < 0 ? 0 : AT_EMPTY_PATH);
    if (error && error != ENOENT) record_failed_open(error, folder, path ? path : "", caller);
    else append(asked, folder, path ? path : "", caller);
}

void
ws_trace_access(int folder, const char *path, int mode, int error)
{
    append((ws_asked){ .what = WS_ASKED_ACCESS, .error = (uint16_t)error, .mode = (uint32_t)mode }, folder, path, NULL);
}

void
ws_trace_answer(unsigned what, int folder, const char *path, const char *answer, size_t size, int error)
{
    int before = errno;
    char whole[PATH_MAX];
    ws_asked asked = { .what = (uint16_t)what, .error = (uint16_t)error };
    if (leads_somewhere(path, error) && is_whole(folder, path, error, whole))
        ws_asked_append(trace.header, asked, whole, error ? "" : answer, error ? 0 : size);
    errno = before;
}

/* ---- what the dynamic linker opens: it does not pass through the interposer ---- */

/* (Ruby itself opens an extension before it loads it; the libraries that an extension needs are seen only here.) */
static int
record_library(struct dl_phdr_info *info, size_t size, void *nothing)
{
    if (*info->dlpi_name == '/') ws_trace_path(WS_ASKED_OPEN, AT_FDCWD, info->dlpi_name, 0, NULL);
    return 0;
}

void
ws_trace_libraries(void)
{
    int before = errno;
    dl_iterate_phdr(record_library, NULL);
    errno = before;
}

/* A library that comes earlier in one of the folders would be loaded in place of the one that is, or of none. */
void
ws_trace_wanted_library(const char *name)
{
    int before = errno;
    Dl_serinfo size, *list = NULL;
    if (name && strchr(name, '/')) ws_trace_path(WS_ASKED_STAT, AT_FDCWD, name, 0, NULL);
    else if (name) {
        void *self = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
        if (self && dlinfo(self, RTLD_DI_SERINFOSIZE, &size) == 0 && (list = malloc(size.dls_size))) {
            list->dls_size = size.dls_size;
            list->dls_cnt = size.dls_cnt;
            for (unsigned i = 0; dlinfo(self, RTLD_DI_SERINFO, list) == 0 && i < list->dls_cnt; i++) {
                char path[PATH_MAX];
                int length = snprintf(path, sizeof path, "%s/%s", list->dls_serpath[i].dls_name, name);
                if (length < (int)sizeof path) ws_trace_path(WS_ASKED_STAT, AT_FDCWD, path, 0, NULL);
            }
        }
        free(list);
        if (self) dlclose(self);
    }
    errno = before;
}

/* ---- the beginning and the end ---- */

/* Files that the C library reads by calls of its own, at moments of its own choice. */
static void
record_library_files(void)
{
    static const char *const FILES[] = { "/etc/localtime",
                                         "/etc/passwd",
                                         "/etc/group",
                                         "/etc/hosts",
                                         "/etc/nsswitch.conf",
                                         "/etc/resolv.conf",
                                         "/etc/ld.so.cache",
                                         "/etc/ld.so.preload",
                                         "/etc/host.conf",
                                         "/etc/gai.conf",
                                         "/usr/lib/locale/locale-archive",
                                         "/usr/share/locale/locale.alias" };
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) ws_trace_path(WS_ASKED_STAT, AT_FDCWD, FILES[i], 0, NULL);
}

/* The file of a time zone, and those that are read where it is empty, or tells no rules of its own (tzset_internal and
 * __tzfile_default in the C library). */
void
ws_trace_zone(void)
{
    char zone[PATH_MAX];
    const char *wanted = getenv("TZ"), *folder = getenv("TZDIR");
    if (wanted && *wanted == ':') wanted++;
    if (!folder || !*folder) folder = "/usr/share/zoneinfo";
    const char *const names[] = { wanted ? wanted : "", "Universal", "posixrules" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(zone, sizeof zone, "%s%s%s", *names[i] == '/' ? "" : folder, *names[i] == '/' ? "" : "/", names[i]);
        ws_trace_path(WS_ASKED_STAT, AT_FDCWD, zone, 0, NULL);
    }
}

/* A folder, what is in it, and in its folders. (opendir is the interposer's, so it records each of them. It is tried
 * for links, too, and where the file system does not tell what an entry is: of what is no folder it records what it
 * is.) */
static void
record_folder(const char *path, int depth)
{
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        char below[PATH_MAX];
        if (*entry->d_name == '.' || snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >= (int)sizeof below)
            continue;
        if (entry->d_type != DT_REG && depth > 0) record_folder(below, depth - 1);
        else ws_trace_path(WS_ASKED_STAT, AT_FDCWD, below, 0, NULL);
    }
    if (list) closedir(list);
}

/* What the dynamic linker prefers for some processors, if it is there: glibc-hwcaps, and up to 2.36 the others
 * (elf/dl-hwcaps.c). */
static const char *const PREFERRED[] = { "glibc-hwcaps", "tls", "x86_64", "haswell", "avx512_1" };

static void
record_library_folder(const char *folder)
{
    /* (Most libraries have the same folders. One that does not fit in here is recorded again.) */
    enum { KNOWN_MAXIMUM = 64 };
    static struct {
        char *folders[KNOWN_MAXIMUM];
        int count;
    } known;
    char below[PATH_MAX];
    for (int i = 0; i < known.count; i++)
        if (strcmp(known.folders[i], folder) == 0) return;
    if (known.count < KNOWN_MAXIMUM && (known.folders[known.count] = strdup(folder))) known.count++;
    ws_trace_list(folder, -1, access(folder, F_OK) ? errno : 0, NULL);
    for (size_t i = 0; i < sizeof PREFERRED / sizeof *PREFERRED; i++)
        if (snprintf(below, sizeof below, "%s/%s", folder, PREFERRED[i]) < (int)sizeof below &&
            access(below, F_OK) == 0)
            record_folder(below, 4);
}

/* The folders that a library itself names ("one:$ORIGIN/two"). $ORIGIN is the library's own. Of a folder with another
 * variable ($LIB, $PLATFORM) what is above it counts. */
static void
record_named_folders(const char *names, const char *library)
{
    static const char *const ORIGINS[] = { "$ORIGIN", "${ORIGIN}" };
    const char *slash = strrchr(library, '/');
    while (*names) {
        size_t size = strcspn(names, ":");
        char folder[PATH_MAX];
        const char *name = names;
        int length = 0, left = (int)size;
        for (int i = 0; i < 2 && slash; i++) {
            int word = (int)strlen(ORIGINS[i]);
            if (length > 0 || left < word || memcmp(name, ORIGINS[i], (size_t)word) != 0) continue;
            length = snprintf(folder, sizeof folder, "%.*s", (int)(slash - library), library);
            name += word;
            left -= word;
        }
        if (length + left < (int)sizeof folder) {
            snprintf(folder + length, sizeof folder - (size_t)length, "%.*s", left, name);
            char *variable = strchr(folder, '$');
            if (variable) *variable = '\0';
            if (*folder) record_library_folder(folder);
        }
        names += size + (names[size] == ':');
    }
}

/* The dynamic linker forgets a library's folders where none of them exists (elf/dl-load.c: open_path), so dlinfo does
 * not tell them. */
static void
record_own_folders(const struct link_map *map)
{
    const char *strings = NULL;
    for (const ElfW(Dyn) *row = map->l_ld; row && row->d_tag != DT_NULL; row++)
        if (row->d_tag == DT_STRTAB) {
            /* (Some systems leave the address as it is in the file.) */
            uintptr_t address = (uintptr_t)row->d_un.d_ptr;
            strings = (const char *)(address < map->l_addr ? address + map->l_addr : address);
        }
    for (const ElfW(Dyn) *row = map->l_ld; strings && row->d_tag != DT_NULL; row++)
        if (row->d_tag == DT_RPATH || row->d_tag == DT_RUNPATH)
            record_named_folders(strings + row->d_un.d_val, map->l_name);
}

/* Libraries that others need are looked for in folders, one after the other (RPATH, LD_LIBRARY_PATH, RUNPATH, the
 * system's). Where one comes into an earlier folder, it would be loaded in the place of the one that is. So each folder
 * counts, with the names in it. */
static void
record_library_folders(void)
{
    struct link_map *map = NULL;
    void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
    if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0) map = NULL;
    for (; map; map = map->l_next) {
        Dl_serinfo size, *list = NULL;
        void *library =
            dlopen(*map->l_name ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD); /* (not that of the kernel) */
        if (library && dlinfo(library, RTLD_DI_SERINFOSIZE, &size) == 0 && (list = malloc(size.dls_size))) {
            list->dls_size = size.dls_size;
            list->dls_cnt = size.dls_cnt;
            if (dlinfo(library, RTLD_DI_SERINFO, list) != 0) list->dls_cnt = 0;
            for (unsigned i = 0; i < list->dls_cnt; i++) record_library_folder(list->dls_serpath[i].dls_name);
        }
        if (library) record_own_folders(map);
        free(list);
        if (library) dlclose(library);
    }
    if (program) dlclose(program);
}

/* A locale is a folder with a file for each category, or lies in the archive; that of messages is a folder below it
 * (_nl_find_locale in the C library). LOCPATH has other folders of locales. */
static void
record_locales(void)
{
    enum { DEPTH = 2 };
    const char *more = getenv("LOCPATH");
    char *rest = NULL, *folders = more ? strdup(more) : NULL;
    record_folder("/usr/lib/locale", DEPTH);
    for (char *at = folders ? strtok_r(folders, ":", &rest) : NULL; at; at = strtok_r(NULL, ":", &rest))
        record_folder(at, DEPTH);
    free(folders);
    ws_trace_list("/usr/share/locale", -1, access("/usr/share/locale", F_OK) ? errno : 0, NULL);
}

/* What conversions there are: a list in a folder beside the C library, and in those of GCONV_PATH (__gconv_load_cache,
 * __gconv_read_conf). The libraries that convert are recorded as libraries. */
static void
record_conversions(void)
{
    Dl_info library;
    char path[PATH_MAX];
    const char *more = getenv("GCONV_PATH"), *end = NULL;
    char *rest = NULL, *folders = more ? strdup(more) : NULL;
    /* (strdup is no function of the interposer's) */
    if (dladdr((const void *)(uintptr_t)strdup, &library) && (end = strrchr(library.dli_fname, '/'))) {
        int size = (int)(end - library.dli_fname);
        snprintf(path, sizeof path, "%.*s/gconv/gconv-modules.cache", size, library.dli_fname);
        ws_trace_path(WS_ASKED_STAT, AT_FDCWD, path, 0, NULL);
        snprintf(path, sizeof path, "%.*s/gconv", size, library.dli_fname);
        ws_trace_list(path, -1, access(path, F_OK) ? errno : 0, NULL);
    }
    for (char *at = folders ? strtok_r(folders, ":", &rest) : NULL; at; at = strtok_r(NULL, ":", &rest))
        record_folder(at, 0);
    free(folders);
}

static void
record_program(void)
{
    char path[PATH_MAX];
    long size = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    ws_trace_path(WS_ASKED_OPEN, AT_FDCWD, path, 0, NULL);
}

/* A child of the recorded process is another process: what it asks is not what the parent asked. */
static void
stop_in_child(void)
{
    ws_tracing = false;
}

/* Takes our own library out of LD_PRELOAD, so that the program sees the variable as it was. */
static void
restore_preload(void)
{
    const char *value = getenv("LD_PRELOAD");
    if (!value) return;
    snprintf(trace.preload_variable, sizeof trace.preload_variable, "LD_PRELOAD=%s", value);
    const char *rest = strchr(value, ':');
    if (rest) setenv("LD_PRELOAD", rest + 1, 1);
    else unsetenv("LD_PRELOAD");
}

const char *
ws_trace_begin(void)
{
    const char *path = getenv(WS_STANDBY_VARIABLE);
    if (!path) return NULL;
    int before = errno, fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    void *place = fd < 0 ? MAP_FAILED : mmap(NULL, WS_TRACE_ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) syscall(SYS_close, fd);
    trace.header = place == MAP_FAILED ? NULL : place;
    uint32_t pid = (uint32_t)getpid();
    if (trace.header && trace.header->magic == WS_TRACE_MAGIC && trace.header->version == WS_TRACE_VERSION &&
        trace.header->state == WS_TRACE_BOOTING && (trace.header->pid == 0 || trace.header->pid == pid)) {
        ws_trace_sign(trace.header);
        snprintf(trace.path_variable, sizeof trace.path_variable, "%s=%s", WS_STANDBY_VARIABLE, path);
        unsetenv(WS_STANDBY_VARIABLE);
        restore_preload();
        pthread_atfork(NULL, NULL, stop_in_child);
        ws_tracing = true;
        record_library_files();
        ws_trace_zone();
        record_locales();
        record_conversions();
        record_program();
    }
    else _exit(0); /* (the trace has gone, or nobody waits for it any more: it would be the command once more) */
    errno = before;
    return trace.path_variable + sizeof WS_STANDBY_VARIABLE;
}

ws_trace_header *
ws_trace(void)
{
    return trace.header;
}

void
ws_trace_appended(uint64_t device, uint64_t inode)
{
    for (ws_asked *entry = NULL; (entry = ws_asked_next(trace.header, entry));)
        if ((entry->what == WS_ASKED_STAT || entry->what == WS_ASKED_LSTAT) && !entry->error &&
            entry->device == device && entry->inode == inode) {
            entry->what = WS_ASKED_SAME;
        }
}

bool
ws_trace_end(const char *own_folder)
{
    if (ws_tracing) {
        ws_trace_libraries();
        record_library_folders();
        ws_trace_zone();
    }
    ws_tracing = false;
    bool whole = !trace.header->overflow && ws_trace_condense(trace.header, own_folder);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (trace.header->used + page - 1) & ~(page - 1);
    madvise((char *)trace.header + used, WS_TRACE_ROOM - used, MADV_REMOVE); /* gives the rest back to the disk */
    return whole;
}

char **
ws_trace_environment(char *const *environment)
{
    size_t count = 0, used = 0;
    while (environment[count]) count++;
    char **list = malloc((count + 3) * sizeof *list);
    if (!list) return (char **)(uintptr_t)environment; /* then the trace never ends, and is of no use */
    for (size_t i = 0; i < count; i++)
        if (strncmp(environment[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) list[used++] = environment[i];
    list[used++] = trace.preload_variable;
    list[used++] = trace.path_variable;
    list[used] = NULL;
    return list;
}
