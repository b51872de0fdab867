/* What the harness (test.h) needs of the system, on Windows. */
#ifndef WARMSTART_TEST_WINDOWS_H
#define WARMSTART_TEST_WINDOWS_H

#include <direct.h>
#include <io.h>
#include <time.h>
#include <windows.h>

#ifndef O_CLOEXEC
#define O_CLOEXEC (_O_NOINHERIT | _O_BINARY)
#endif

/* ---- POSIX functions that fixtures and tests call, as far as they need them ---- */

#define mkdir(path, mode) _mkdir(path)
#define TEST_WINDOWS __attribute__((unused)) static
#define AT_FDCWD (-100)
#define UTIME_OMIT ((long)0x3ffffffe)

#define posix_memalign test_memalign

TEST_WINDOWS int
test_memalign(void **bytes, size_t alignment, size_t size)
{
    (void)alignment; /* (malloc's is 16, and what a fixture makes is freed by free) */
    *bytes = malloc(size);
    return *bytes ? 0 : ENOMEM;
}

TEST_WINDOWS long long
pread(int descriptor, void *bytes, size_t size, long long offset)
{
    return _lseeki64(descriptor, offset, SEEK_SET) < 0 ? -1 : _read(descriptor, bytes, (unsigned)size);
}

TEST_WINDOWS long long
pwrite(int descriptor, const void *bytes, size_t size, long long offset)
{
    return _lseeki64(descriptor, offset, SEEK_SET) < 0 ? -1 : _write(descriptor, bytes, (unsigned)size);
}

TEST_WINDOWS FILETIME
test_filetime(const struct timespec *time)
{
    uint64_t ticks = (uint64_t)(time->tv_sec * 10000000LL + time->tv_nsec / 100) + UINT64_C(116444736000000000);
    return (FILETIME){ (DWORD)ticks, (DWORD)(ticks >> 32) };
}

TEST_WINDOWS int
utimensat(int directory, const char *path, const struct timespec times[2], int flags)
{
    HANDLE handle = CreateFileA(path, FILE_WRITE_ATTRIBUTES, 7, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    FILETIME changed = test_filetime(&times[1]);
    bool done = handle != INVALID_HANDLE_VALUE && SetFileTime(handle, NULL, NULL, &changed);

    (void)directory, (void)flags;
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    return done ? 0 : -1;
}

TEST_WINDOWS int
test_refuse(const char *reason)
{
    test_skip(reason);
}

/* Tests that need these are POSIX's. */
#define symlink(target, path) test_refuse("symlinks take a privilege on Windows")
#define link(target, path) test_refuse("a hard link takes another call on Windows")
#define AT_SYMLINK_NOFOLLOW 0x100
#define mkfifo(path, mode) test_refuse("Windows has no FIFOs in folders")
#define chmod(path, mode) test_refuse("Windows has access lists, which windows_files_test.c tries")
#define fork() test_refuse("nothing forks on Windows")
#define geteuid() 0u
#define chown(path, user, group) test_refuse("Windows has no numbers of users")
#define waitpid(child, status, options) test_refuse("nothing forks on Windows")
#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) != 0)
#define WTERMSIG(status) (status)
#define rmdir(path) test_refuse("a folder in use stays on Windows")
#define truncate(path, size) test_refuse("a file that is mapped cannot be cut short on Windows")
#define umask(mask) ((void)(mask), test_refuse("Windows has access lists, which windows_files_test.c tries"))
#define O_DIRECTORY 0
#define O_NONBLOCK 0
#define pipe(ends) _pipe(ends, 65536, _O_BINARY)

TEST_WINDOWS char *
realpath(const char *path, char *buffer)
{
    char *full = _fullpath(buffer, path, 4096);

    for (char *at = full; at && *at; at++)
        if (*at == '\\') *at = '/';
    return full;
}

/* Bytes are bytes. */
__attribute__((constructor)) static void
test_binary(void)
{
    _fmode = _O_BINARY;
}

/* ---- the harness ---- */

static int
test_make_directory(const char *path)
{
    return _mkdir(path);
}

/* How many handles are open, of which the core's descriptors are some: a test that compares before and after finds the
 * ones that leak. */
TEST_UNUSED static int
test_descriptor_count(void)
{
    DWORD count = 0;

    return GetProcessHandleCount(GetCurrentProcess(), &count) ? (int)count : -1;
}

/* A test that hangs is ended by whoever started the program. */
static unsigned
alarm(unsigned seconds)
{
    return seconds;
}

/* Where "/" is the separator: a path of Ruby's. */
static bool
test_make_unique(char *path, size_t size)
{
    char parent[MAX_PATH];
    static unsigned number;

    if (GetTempPathA(sizeof parent, parent) == 0) return false;
    for (int tries = 0; tries < 100000; tries++) {
        snprintf(path, size, "%swarmstart-%lu-%u", parent, (unsigned long)GetCurrentProcessId(), number++);
        for (char *at = path; *at; at++)
            if (*at == '\\') *at = '/';
        if (_mkdir(path) == 0) return true;
        if (errno != EEXIST) break;
    }
    return false;
}

/* Calls for a folder and all below. */
TEST_WINDOWS void
test_each_folder(const char *path, void (*callback)(const char *path))
{
    char name[2048];
    WIN32_FIND_DATAA found;

    callback(path);
    snprintf(name, sizeof name, "%s/*", path);
    HANDLE search = FindFirstFileA(name, &found);
    for (BOOL more = search != INVALID_HANDLE_VALUE; more; more = FindNextFileA(search, &found)) {
        if (!(found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) || strcmp(found.cFileName, ".") == 0 ||
            strcmp(found.cFileName, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", path, found.cFileName);
        test_each_folder(name, callback);
    }
    if (search != INVALID_HANDLE_VALUE) FindClose(search);
}

static void
test_remove_tree(const char *path)
{
    char name[2048];
    WIN32_FIND_DATAA found;

    snprintf(name, sizeof name, "%s/*", path);
    HANDLE search = FindFirstFileA(name, &found);
    for (BOOL more = search != INVALID_HANDLE_VALUE; more; more = FindNextFileA(search, &found)) {
        if (strcmp(found.cFileName, ".") == 0 || strcmp(found.cFileName, "..") == 0) continue;
        snprintf(name, sizeof name, "%s/%s", path, found.cFileName);
        if (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) test_remove_tree(name);
        else DeleteFileA(name);
    }
    if (search != INVALID_HANDLE_VALUE) FindClose(search);
    RemoveDirectoryA(path);
}

#endif
