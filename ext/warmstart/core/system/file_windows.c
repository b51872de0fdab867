/* Files on Windows: metadata, descriptors, reading and writing. file.h documents the functions. Folders and locks are
 * in file_windows_folders.c, owners and rights in file_windows_trust.c.
 *
 * Every file is opened with all sharing modes, so that nobody is kept from replacing or removing a file that a Ruby
 * program is about to read. */
#ifdef _WIN32
#ifndef _CRT_RAND_S
#define _CRT_RAND_S
#endif
#include <stdlib.h>

#include "core/system/windows_support.h"

#include <errno.h>
#include <string.h>

/* The most that one read or write transfers. */
#define CHUNK_SIZE ((size_t)1 << 30)

NTSTATUS NTAPI NtQueryFullAttributesFile(POBJECT_ATTRIBUTES attributes, PFILE_NETWORK_OPEN_INFORMATION information);

/* ---- metadata ---- */

int
ws_windows_stat(HANDLE handle, ws_stat *stat)
{
    BY_HANDLE_FILE_INFORMATION file;
    FILE_BASIC_INFO basic;
    FILE_ATTRIBUTE_TAG_INFO tag = { 0, 0 };

    if (!GetFileInformationByHandle(handle, &file) ||
        !GetFileInformationByHandleEx(handle, FileBasicInfo, &basic, sizeof basic))
        return ws_windows_errno(GetLastError());
    if (file.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
        GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag);
    *stat = (ws_stat){
        .device = file.dwVolumeSerialNumber,
        .inode = (uint64_t)file.nFileIndexHigh << 32 | file.nFileIndexLow,
        .size = (uint64_t)file.nFileSizeHigh << 32 | file.nFileSizeLow,
        .mtime = ws_windows_time(basic.LastWriteTime),
        .ctime = ws_windows_time(basic.ChangeTime),
        .links = file.nNumberOfLinks,
    };
    ws_windows_fill_type(stat, file.dwFileAttributes, tag.ReparseTag);
    return 0;
}

int
ws_file_stat_descriptor(int descriptor, ws_stat *stat)
{
    HANDLE handle = ws_windows_handle(descriptor);

    ws_stat_count(1);
    return handle == INVALID_HANDLE_VALUE ? EBADF : ws_windows_stat(handle, stat);
}

int
ws_windows_open_path(const char *path, bool follow, DWORD access, HANDLE *handle)
{
    ws_wide_path wide;
    DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);

    *handle = INVALID_HANDLE_VALUE;
    int error_number = ws_windows_path(&wide, path);
    if (error_number != 0) return error_number;
    *handle = CreateFileW(wide.text, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                          OPEN_EXISTING, flags, NULL);
    return *handle == INVALID_HANDLE_VALUE ? ws_windows_errno(GetLastError()) : 0;
}

/* Asks for nothing but attributes, because that needs no right to read the file. */
int
ws_file_stat_path(const char *path, bool follow, ws_stat *stat)
{
    HANDLE handle;

    ws_stat_count(1);
    int error_number = ws_windows_open_path(path, follow, FILE_READ_ATTRIBUTES, &handle);
    if (error_number != 0) return error_number;
    error_number = ws_windows_stat(handle, stat);
    CloseHandle(handle);
    return error_number;
}

/* Uses the system call behind GetFileAttributesEx, because that function does not return the time of change. The call
 * opens no handle and does not follow a link. */
int
ws_file_stat(const char *path, ws_stat *stat)
{
    ws_wide_path wide;
    OBJECT_ATTRIBUTES attributes;
    FILE_NETWORK_OPEN_INFORMATION file;

    ws_stat_count(1);
    int error_number = ws_windows_path(&wide, path);
    if (error_number != 0) return error_number;
    wide.text[1] = L'?';
    UNICODE_STRING name = { (USHORT)(wide.size * sizeof(WCHAR)), (USHORT)(wide.size * sizeof(WCHAR)), wide.text };
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    NTSTATUS status = NtQueryFullAttributesFile(&attributes, &file);
    if (!NT_SUCCESS(status)) return ws_windows_errno_of(status);
    if (file.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) {
        error_number = ws_file_stat_path(path, true, stat);
        stat->device = stat->inode = 0;
        stat->is_link = true; /* or another reparse point; whoever needs to know looks at the realpath */
        return error_number;
    }
    *stat = (ws_stat){
        .size = (uint64_t)file.EndOfFile.QuadPart,
        .mtime = ws_windows_time(file.LastWriteTime),
        .ctime = ws_windows_time(file.ChangeTime),
    };
    ws_windows_fill_type(stat, file.FileAttributes, 0);
    return 0;
}

int
ws_file_stat_named(const char *path, ws_stat *stat)
{
    return ws_file_stat(path, stat);
}

int
ws_file_stat_at(int directory, const char *name, bool follow, ws_stat *stat)
{
    HANDLE handle, folder = ws_windows_handle(directory);

    ws_stat_count(1);
    if (folder == INVALID_HANDLE_VALUE) return EBADF;
    NTSTATUS status = ws_windows_open_at(folder, name, FILE_READ_ATTRIBUTES, FILE_OPEN,
                                         follow ? 0 : FILE_OPEN_REPARSE_POINT, &handle);
    if (!NT_SUCCESS(status)) return ws_windows_errno_of(status);
    int error_number = ws_windows_stat(handle, stat);
    CloseHandle(handle);
    return error_number;
}

/* The metadata does not contain access rights. A program can hardly have recorded a file that it may not read: an image
 * is for one user, and at the first load Ruby's own loader opens each file. */
bool
ws_file_is_readable(const char *path, const ws_stat *stat)
{
    (void)path;
    (void)stat;
    return true;
}

bool
ws_file_has_access_list(const char *path)
{
    (void)path;
    return false;
}

bool
ws_file_may_be_read(const char *path)
{
    (void)path;
    return true;
}

bool
ws_stat_is_same_inode(uint64_t inode, uint64_t other)
{
    return inode == other || inode == 0 || other == 0;
}

/* ---- real paths ---- */

static bool
is_link(const WCHAR *path)
{
    DWORD attributes = GetFileAttributesW(path);
    WIN32_FIND_DATAW found;

    if (attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_REPARSE_POINT)) return false;
    HANDLE search = FindFirstFileW(path, &found);
    if (search == INVALID_HANDLE_VALUE) return false;
    FindClose(search);
    return ws_windows_type(found.dwFileAttributes, found.dwReserved0) == WS_TYPE_SYMLINK;
}

/* Replaces the first `size` characters by the target of the link that they name. Returns 0 or errno. */
static int
follow_link(ws_wide_path *wide, size_t size)
{
    WCHAR target[WS_WIDE_PATH_MAXIMUM], kept = wide->text[size];

    wide->text[size] = L'\0';
    HANDLE handle =
        CreateFileW(wide->text, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    wide->text[size] = kept;
    if (handle == INVALID_HANDLE_VALUE) return ws_windows_errno(GetLastError());
    DWORD target_size =
        GetFinalPathNameByHandleW(handle, target, WS_WIDE_PATH_MAXIMUM, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    int error_number = target_size == 0 ? ws_windows_errno(GetLastError()) : 0;
    CloseHandle(handle);
    if (error_number != 0) return error_number;
    if (target_size + (wide->size - size) >= WS_WIDE_PATH_MAXIMUM) return ENAMETOOLONG;
    memmove(wide->text + target_size, wide->text + size, (wide->size - size + 1) * sizeof(WCHAR));
    memcpy(wide->text, target, target_size * sizeof(WCHAR));
    wide->size = wide->size - size + target_size;
    return 0;
}

/* Returns the path in Ruby's form: "C:/a", "//server/share/a". */
static char *
copy_path(const ws_wide_path *wide)
{
    bool remote = wide->size > 7 && memcmp(wide->text, L"\\\\?\\UNC\\", 8 * sizeof(WCHAR)) == 0;
    size_t skip = remote ? 7 : 4, room = 3 * wide->size + 2;
    char *path = malloc(room);

    if (!path) {
        errno = ENOMEM;
        return NULL;
    }
    if (remote) path[0] = '/';
    ws_windows_text(path + remote, room - remote, wide->text + skip, wide->size - skip);
    for (char *at = path; *at; at++)
        if (*at == '\\') *at = '/';
    return path;
}

size_t
ws_file_current(char *buffer, size_t buffer_size)
{
    WCHAR wide[WS_WIDE_PATH_MAXIMUM];

    DWORD wide_size = GetCurrentDirectoryW(WS_WIDE_PATH_MAXIMUM, wide);
    size_t size = wide_size < WS_WIDE_PATH_MAXIMUM ? ws_windows_text(buffer, buffer_size, wide, wide_size) : 0;
    for (size_t at = 0; at < size; at++)
        if (buffer[at] == '\\') buffer[at] = '/';
    return size;
}

/* Works like rb_check_realpath_emulate: it goes through the path component by component, replaces links, and keeps the
 * spelling of everything else. */
char *
ws_file_real_path(const char *path)
{
    enum { LINKS_MAXIMUM = 40 };
    ws_wide_path wide;
    ws_stat stat;
    int links = 0;

    int error_number = ws_windows_path(&wide, path);
    if (error_number == 0) error_number = ws_file_stat(path, &stat);
    for (size_t at = 7; error_number == 0 && at <= wide.size; at++) {
        if (at < wide.size && wide.text[at] != L'\\') continue;
        WCHAR kept = wide.text[at];
        wide.text[at] = L'\0';
        bool link = is_link(wide.text);
        wide.text[at] = kept;
        if (!link) continue;
        if (++links > LINKS_MAXIMUM) error_number = ELOOP;
        else if ((error_number = follow_link(&wide, at)) == 0) at = 6;
    }
    if (error_number != 0) {
        errno = error_number;
        return NULL;
    }
    if (wide.size > 7 && wide.text[wide.size - 1] == L'\\') wide.text[--wide.size] = L'\0';
    return copy_path(&wide);
}

/* ---- descriptors ---- */

typedef struct open_options {
    ACCESS_MASK access;
    ULONG disposition, options;
    bool follow;
} open_options;

static const open_options open_kinds[] = {
    [WS_OPEN_FILE] = { FILE_GENERIC_READ, FILE_OPEN, FILE_NON_DIRECTORY_FILE, true },
    [WS_OPEN_FILE_ITSELF] = { FILE_GENERIC_READ, FILE_OPEN, FILE_NON_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT, false },
    [WS_OPEN_DIRECTORY] = { FILE_GENERIC_READ, FILE_OPEN, FILE_DIRECTORY_FILE, true },
    [WS_OPEN_DIRECTORY_ITSELF] = { FILE_GENERIC_READ, FILE_OPEN, FILE_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT, false },
    [WS_OPEN_PARENT] = { FILE_GENERIC_READ, FILE_OPEN, FILE_DIRECTORY_FILE, true },
    [WS_OPEN_LOCK] = { FILE_GENERIC_READ | FILE_GENERIC_WRITE, FILE_OPEN_IF,
                       FILE_NON_DIRECTORY_FILE | FILE_OPEN_REPARSE_POINT, false },
    [WS_OPEN_NEW] = { FILE_GENERIC_READ | FILE_GENERIC_WRITE | DELETE | WRITE_DAC, FILE_CREATE, FILE_NON_DIRECTORY_FILE,
                      false },
};

#define STATUS_FILE_IS_A_DIRECTORY_ ((NTSTATUS)0xC00000BA)
#define STATUS_NOT_A_DIRECTORY_ ((NTSTATUS)0xC0000103)

/* Returns ELOOP, and closes the handle, if the handle is that of a link where none may be followed. */
static int
check_opened(HANDLE handle, const open_options *wanted)
{
    FILE_ATTRIBUTE_TAG_INFO tag;
    int error_number = 0;

    if (wanted->follow) return 0;
    if (!GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &tag, sizeof tag))
        error_number = ws_windows_errno(GetLastError());
    else if (ws_windows_type(tag.FileAttributes, tag.ReparseTag) == WS_TYPE_SYMLINK) error_number = ELOOP;
    if (error_number != 0) CloseHandle(handle);
    return error_number;
}

static int
opened(NTSTATUS status, HANDLE handle, const open_options *wanted)
{
    if (status == STATUS_NOT_A_DIRECTORY_) return ENOTDIR;
    if (status == STATUS_FILE_IS_A_DIRECTORY_) return ENXIO;
    if (!NT_SUCCESS(status)) return ws_windows_errno_of(status);
    return check_opened(handle, wanted);
}

int
ws_file_open_at(int directory, const char *name, ws_open_kind kind, int *descriptor)
{
    const open_options *wanted = &open_kinds[kind];
    HANDLE handle, folder = ws_windows_handle(directory);

    *descriptor = -1;
    if (folder == INVALID_HANDLE_VALUE) return EBADF;
    NTSTATUS status = ws_windows_open_at(folder, name, wanted->access, wanted->disposition, wanted->options, &handle);
    int error_number = opened(status, handle, wanted);
    if (error_number == 0) *descriptor = ws_windows_descriptor(handle);
    return error_number;
}

int
ws_file_open(const char *path, ws_open_kind kind, int *descriptor)
{
    const open_options *wanted = &open_kinds[kind];
    ws_wide_path wide;
    HANDLE handle;

    *descriptor = -1;
    int error_number = ws_windows_path(&wide, path);
    if (error_number != 0) return error_number;
    wide.text[1] = L'?';
    NTSTATUS status =
        ws_windows_open_wide(NULL, wide.text, wide.size, wanted->access, wanted->disposition, wanted->options, &handle);
    error_number = opened(status, handle, wanted);
    if (error_number == 0) *descriptor = ws_windows_descriptor(handle);
    return error_number;
}

int
ws_file_close(int descriptor)
{
    return CloseHandle(ws_windows_handle(descriptor)) ? 0 : ws_windows_errno(GetLastError());
}

int
ws_file_read(int descriptor, void *bytes, size_t size, size_t *read_size)
{
    HANDLE handle = ws_windows_handle(descriptor);
    size_t done = 0;

    if (handle == INVALID_HANDLE_VALUE) return EBADF;
    while (done < size) {
        DWORD wanted = (DWORD)(size - done < CHUNK_SIZE ? size - done : CHUNK_SIZE), count = 0;

        if (!ReadFile(handle, (char *)bytes + done, wanted, &count, NULL)) {
            if (GetLastError() == ERROR_HANDLE_EOF) break;
            return ws_windows_errno(GetLastError());
        }
        if (count == 0) break;
        done += count;
    }
    *read_size = done;
    return 0;
}

int
ws_file_write_all(int descriptor, const void *bytes, size_t size)
{
    HANDLE handle = ws_windows_handle(descriptor);
    const char *position = bytes;

    if (size > 0 && handle == INVALID_HANDLE_VALUE) return EBADF;
    while (size > 0) {
        DWORD count = 0;

        if (!WriteFile(handle, position, (DWORD)(size < CHUNK_SIZE ? size : CHUNK_SIZE), &count, NULL))
            return ws_windows_errno(GetLastError());
        if (count == 0) return EIO;
        position += count;
        size -= count;
    }
    return 0;
}

/* The system reads the pieces, and reports it when it cannot read a page. */
int
ws_file_write_pieces(int descriptor, const ws_piece *pieces, int count)
{
    int error_number = 0;

    for (int i = 0; i < count && error_number == 0; i++)
        error_number = ws_file_write_all(descriptor, pieces[i].bytes, pieces[i].size);
    return error_number;
}

int
ws_random_bytes(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned int number;
        int error_number = (int)rand_s(&number);
        if (error_number != 0) return error_number;
        bytes[i] = (uint8_t)number;
    }
    return 0;
}
#endif
