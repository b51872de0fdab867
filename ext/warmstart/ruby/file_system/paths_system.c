/* What paths.c needs of the system: this process's working directories and home, and the canonical name of a file on
 * Windows. On Windows the former need no file system call, because the process has them in its memory. */
#include <stdlib.h>
#include <string.h>

#include "core/path/path.h"
#include "ruby/file_system/paths.h"

#ifdef _WIN32
#include <windows.h>

/* Returns the text in UTF-8, as Ruby does. */
static VALUE
string_of(const WCHAR *units, int count)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, units, count, NULL, 0, NULL, NULL);
    VALUE string = rb_utf8_str_new(NULL, size);
    if (size > 0) WideCharToMultiByte(CP_UTF8, 0, units, count, RSTRING_PTR(string), size, NULL, NULL);
    return string;
}

/* Returns what function(argument) writes, or nil. Like the system's own functions, it returns the size, or the size
 * that it needs including the NUL. */
static VALUE
ask(DWORD (*function)(const void *argument, WCHAR *buffer, DWORD capacity), const void *argument)
{
    WCHAR small[MAX_PATH + 1], *large;
    DWORD size = function(argument, small, MAX_PATH + 1);
    VALUE holder, string;

    if (size == 0) return Qnil;
    if (size <= MAX_PATH) return string_of(small, (int)size);
    large = ALLOCV_N(WCHAR, holder, size + 1);
    DWORD again = function(argument, large, size + 1);
    string = again > 0 && again <= size ? string_of(large, (int)again) : Qnil;
    ALLOCV_END(holder);
    return string;
}

static DWORD
ask_directory(const void *argument, WCHAR *buffer, DWORD capacity)
{
    return GetCurrentDirectoryW(capacity, buffer);
}

static DWORD
ask_environment(const void *name, WCHAR *buffer, DWORD capacity)
{
    return GetEnvironmentVariableW(name, buffer, capacity);
}

static VALUE
home(void)
{
    VALUE home = ask(ask_environment, L"HOME");
    if (NIL_P(home)) home = ask(ask_environment, L"USERPROFILE");
    if (!NIL_P(home)) return home;
    home = ask(ask_environment, L"HOMEDRIVE");
    VALUE path = NIL_P(home) ? Qnil : ask(ask_environment, L"HOMEPATH");
    return NIL_P(path) ? Qnil : rb_str_append(home, path);
}

/* A drive's own working directory is in a hidden environment variable: "=D:". */
static bool
drive_directory(void *context, ws_text drive, ws_text *directory)
{
    ws_system_paths *paths = context;
    WCHAR name[4] = L"=";
    if (MultiByteToWideChar(CP_UTF8, 0, drive.bytes, (int)drive.size, name + 1, 2) != 2) return false;
    name[3] = L'\0';
    paths->drive = ask(ask_environment, name);
    *directory = ws_text_or_nothing(paths->drive);
    return !NIL_P(paths->drive);
}

static VALUE
working_directory(void)
{
    return ask(ask_directory, NULL);
}
#else
static VALUE
home(void)
{
    const char *home = getenv("HOME");
    return home ? rb_str_new_cstr(home) : Qnil;
}

static VALUE
working_directory(void)
{
    return rb_dir_getwd();
}
#endif

void
ws_system_paths_fill(ws_system_paths *paths, bool with_directory, bool with_home)
{
    memset(paths, 0, sizeof(*paths));
    paths->drive = Qnil;
    paths->directory = with_directory ? working_directory() : Qnil;
    paths->home = with_home ? home() : Qnil;
    paths->surroundings.directory = ws_text_or_nothing(paths->directory);
    paths->surroundings.home = ws_text_or_nothing(paths->home);
#ifdef _WIN32
    paths->surroundings.drive_directory = drive_directory;
    paths->surroundings.context = paths;
#endif
}

#ifdef _WIN32
/* Removes the prefix that marks a complete path from "\\?\C:\a" and "\\?\UNC\host\share\a", and writes "/" for "\". */
static VALUE
plain_name(VALUE name)
{
    const char *bytes = RSTRING_PTR(name);
    long size = RSTRING_LEN(name);
    VALUE plain;

    if (size >= 8 && memcmp(bytes, "\\\\?\\UNC\\", 8) == 0) {
        plain = rb_utf8_str_new("\\\\", 2);
        rb_str_cat(plain, bytes + 8, size - 8);
    }
    else if (size >= 4 && memcmp(bytes, "\\\\?\\", 4) == 0) {
        plain = rb_utf8_str_new(bytes + 4, size - 4);
    }
    else {
        plain = rb_str_dup(name);
    }
    for (char *at = RSTRING_PTR(plain), *end = RSTRING_END(plain); at < end; at++) {
        if (*at == '\\') *at = '/';
    }
    return plain;
}

static DWORD
ask_long_path(const void *name, WCHAR *buffer, DWORD capacity)
{
    return GetLongPathNameW(name, buffer, capacity);
}

/* call-seq: Native.final_path(path) -> String or nil
 *
 * Returns the file's name as the system knows it: links followed, long names, the case as stored. path: absolute,
 * UTF-8. For a file that may not be opened, long names are found (GetLongPathNameW) but links are not followed. nil:
 * there is no such file, or its name cannot be found out. */
static VALUE
final_path(VALUE self, VALUE path)
{
    enum { ROOM = 32768 }; /* no path is longer */
    const char *bytes = StringValueCStr(path);
    int count = MultiByteToWideChar(CP_UTF8, 0, bytes, -1, NULL, 0);
    VALUE holder, room, name = Qnil;
    WCHAR *units = ALLOCV_N(WCHAR, holder, count + 1), *found = ALLOCV_N(WCHAR, room, ROOM);

    MultiByteToWideChar(CP_UTF8, 0, bytes, -1, units, count);
    HANDLE handle = CreateFileW(units, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS, NULL);
    DWORD error = handle == INVALID_HANDLE_VALUE ? GetLastError() : 0;
    if (handle != INVALID_HANDLE_VALUE) {
        DWORD size = GetFinalPathNameByHandleW(handle, found, ROOM, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
        CloseHandle(handle); /* before anything that may raise */
        if (size > 0 && size < ROOM) name = string_of(found, (int)size);
    }
    else if (error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION) {
        name = ask(ask_long_path, units);
    }
    ALLOCV_END(room);
    ALLOCV_END(holder);
    return NIL_P(name) ? Qnil : plain_name(name);
}
#endif

void
ws_init_paths_system(VALUE native)
{
#ifdef _WIN32
    rb_define_singleton_method(native, "final_path", final_path, 1);
#endif
}
