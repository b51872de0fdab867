/* Files on Windows: metadata, replacing and removing what is open, locks, access lists, mappings. See
 * core/system/file.h; file_test.c and mapping_test.c try the same contracts on POSIX systems. */
#include "test.h"

#ifdef _WIN32
#include <aclapi.h>
#include <sddl.h>

#include "core/system/file.h"
#include "core/system/mapping.h"
#include "core/image/store_files.h"
#include "core/system/windows_support.h"

static ws_trust
own_trust(void)
{
    return (ws_trust){ .user = ws_file_user(), .application_owner = ws_file_user() };
}

static int
open_folder(void)
{
    int folder;

    CHECK_EQUAL(ws_file_open(test_folder(), WS_OPEN_DIRECTORY_ITSELF, &folder), 0);
    return folder;
}

/* Puts a protected access list on a file or folder: "D:P(A;;FA;;;WD)". */
static void
set_list(const char *path, const char *text)
{
    PSECURITY_DESCRIPTOR security;
    PACL list;
    BOOL present, defaulted;

    CHECK(ConvertStringSecurityDescriptorToSecurityDescriptorA(text, SDDL_REVISION_1, &security, NULL));
    CHECK(GetSecurityDescriptorDacl(security, &present, &list, &defaulted));
    DWORD error =
        SetNamedSecurityInfoA((char *)path, SE_FILE_OBJECT,
                              DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION, NULL, NULL, list, NULL);
    LocalFree(security);
    CHECK_EQUAL(error, 0);
}

TEST("all ways to a file's metadata tell the same, but for what only a handle knows")
{
    ws_stat quick, whole, link, at, opened;
    int folder = open_folder(), descriptor;

    test_write("file.rb", "12345", 5);
    CHECK_EQUAL(ws_file_stat(test_path("file.rb"), &quick), 0);
    CHECK_EQUAL(ws_file_stat_path(test_path("file.rb"), true, &whole), 0);
    CHECK_EQUAL(ws_file_stat_path(test_path("file.rb"), false, &link), 0);
    CHECK_EQUAL(ws_file_stat_at(folder, "file.rb", true, &at), 0);
    CHECK_EQUAL(ws_file_open_at(folder, "file.rb", WS_OPEN_FILE_ITSELF, &descriptor), 0);
    CHECK_EQUAL(ws_file_stat_descriptor(descriptor, &opened), 0);
    const ws_stat *all[] = { &whole, &link, &at, &opened };
    for (size_t i = 0; i < 4; i++) {
        CHECK(all[i]->size == 5 && all[i]->mtime == quick.mtime && all[i]->ctime == quick.ctime);
        CHECK(all[i]->type == WS_TYPE_REGULAR && all[i]->mode == quick.mode);
        CHECK(all[i]->inode == whole.inode && all[i]->inode != 0 && all[i]->device == whole.device);
        CHECK(ws_stat_is_same_inode(all[i]->inode, quick.inode));
    }
    CHECK(quick.size == 5 && quick.type == WS_TYPE_REGULAR && quick.inode == 0);
    CHECK(!ws_stat_is_same_inode(1, 2));
    ws_file_close(descriptor);
    ws_file_close(folder);
}

TEST("folders, missing files, and files in the place of folders are told apart")
{
    ws_stat stat;
    int descriptor, folder = open_folder();

    test_mkdir("a");
    test_write("f", "", 0);
    CHECK_EQUAL(ws_file_stat(test_path("a"), &stat), 0);
    CHECK(stat.type == WS_TYPE_DIRECTORY && stat.size == 0);
    CHECK_EQUAL(ws_file_stat(test_path("b"), &stat), ENOENT);
    CHECK_EQUAL(ws_file_stat(test_path("b/c"), &stat), ENOENT);
    CHECK_EQUAL(ws_file_stat_path(test_path("b"), true, &stat), ENOENT);
    CHECK_EQUAL(ws_file_open(test_path("f"), WS_OPEN_DIRECTORY, &descriptor), ENOTDIR);
    CHECK_EQUAL(ws_file_open(test_path("a"), WS_OPEN_FILE, &descriptor), ENXIO);
    CHECK_EQUAL(descriptor, -1);
    CHECK_EQUAL(ws_file_open_at(folder, "f", WS_OPEN_NEW, &descriptor), EEXIST);
    ws_file_close(folder);
}

TEST("names are the same in capitals, and may have spaces and any letters")
{
    ws_stat one, other;

    test_write("with space.rb", "", 0);
    CHECK_EQUAL(ws_file_stat_path(test_path("with space.rb"), true, &one), 0);
    CHECK_EQUAL(ws_file_stat_path(test_path("WITH SPACE.RB"), true, &other), 0);
    CHECK(one.inode == other.inode);

    WCHAR name[1024];
    int size = MultiByteToWideChar(CP_UTF8, 0, test_path("gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2.rb"), -1, name, 1024);
    CHECK(size > 0);
    HANDLE file = CreateFileW(name, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL);
    CHECK(file != INVALID_HANDLE_VALUE);
    CloseHandle(file);
    CHECK_EQUAL(ws_file_stat(test_path("gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2.rb"), &one), 0);
    CHECK_EQUAL(one.type, WS_TYPE_REGULAR);
    CHECK_EQUAL(DeleteFileW(name), TRUE);
}

TEST("what the system would read as another name goes by its rules")
{
    ws_stat stat;
    ws_wide_path wide;

    test_write("f.rb", "", 0);
    CHECK_EQUAL(ws_file_stat(test_path("./x/../f.rb"), &stat), 0);
    CHECK_EQUAL(ws_file_stat(test_path("f.rb."), &stat), 0);
    CHECK_EQUAL(ws_windows_path(&wide, "C:/a/lib/json.rb"), 0);
    CHECK_EQUAL(wide.size, strlen("\\\\?\\C:\\a\\lib\\json.rb"));
    CHECK_EQUAL(ws_windows_path(&wide, "//server/share/a"), 0);
    CHECK(wcscmp(wide.text, L"\\\\?\\UNC\\server\\share\\a") == 0);
    CHECK_EQUAL(ws_windows_path(&wide, "C:/a/nul"), EINVAL);
    CHECK_EQUAL(ws_windows_path(&wide, "C:/a\xff/b"), EINVAL);
    CHECK_EQUAL(ws_windows_path(&wide, ""), ENOENT);
}

TEST("a path longer than 260 characters is a path")
{
    char path[2048], part[64];
    ws_stat stat;

    memset(part, 'd', 50);
    part[50] = '\0';
    snprintf(path, sizeof path, "%s", test_folder());
    for (int i = 0; i < 8; i++) {
        strcat(strcat(path, "/"), part);
        CHECK_EQUAL(ws_file_make_directory(-1, path, false), 0);
    }
    CHECK(strlen(path) > 400);
    CHECK_EQUAL(ws_file_stat(path, &stat), 0);
    CHECK_EQUAL(stat.type, WS_TYPE_DIRECTORY);
    int descriptor;
    CHECK_EQUAL(ws_file_open(path, WS_OPEN_DIRECTORY_ITSELF, &descriptor), 0);
    ws_file_close(descriptor);
    for (int i = 0; i < 8; i++) {
        ws_wide_path wide;
        CHECK_EQUAL(ws_windows_path(&wide, path), 0);
        CHECK(RemoveDirectoryW(wide.text));
        path[strlen(path) - 51] = '\0';
    }
}

TEST("a file is replaced and removed while somebody has it open")
{
    int folder = open_folder(), reader;
    char text[8] = "";
    size_t size;

    test_write("old", "old", 3);
    test_write("new", "newer", 5);
    CHECK_EQUAL(ws_file_open_at(folder, "old", WS_OPEN_FILE_ITSELF, &reader), 0);
    CHECK_EQUAL(ws_file_rename_at(folder, "new", "old"), 0);
    CHECK_EQUAL(ws_file_read(reader, text, sizeof text, &size), 0);
    CHECK_EQUAL(size, 3);
    ws_stat stat;
    CHECK_EQUAL(ws_file_stat_at(folder, "old", false, &stat), 0);
    CHECK_EQUAL(stat.size, 5);
    CHECK_EQUAL(ws_file_stat_at(folder, "new", false, &stat), ENOENT);
    CHECK_EQUAL(ws_file_remove_at(folder, "old"), 0);
    CHECK_EQUAL(ws_file_remove_at(folder, "old"), ENOENT);
    ws_file_close(reader);
    ws_file_close(folder);
}

TEST("a mapped file is removed or left alone, and its bytes stay")
{
    ws_mapping mapping;
    ws_error error;
    uint64_t hash;
    char bytes[8192];
    int folder = open_folder(), descriptor;

    memset(bytes, 7, sizeof bytes);
    test_write("segment", bytes, sizeof bytes);
    CHECK_EQUAL(ws_file_open_at(folder, "segment", WS_OPEN_FILE_ITSELF, &descriptor), 0);
    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, sizeof bytes, false, "segment", &error), WS_OK);
    ws_file_close(descriptor);
    int error_number = ws_file_remove_at(folder, "segment");
    CHECK(error_number == 0 || error_number == EACCES);
    CHECK_EQUAL(ws_mapping_hash(mapping.bytes, mapping.size, 1, &hash), WS_OK);
    CHECK(hash == ws_hash64(bytes, sizeof bytes, 1));
    ws_mapping_forget(&mapping, mapping.bytes, mapping.bytes + mapping.size);
    CHECK(memcmp(mapping.bytes, bytes, sizeof bytes) == 0);
    ws_mapping_close(&mapping);
    ws_file_close(folder);
}

TEST("a page that cannot be read makes a hash say so, and other exceptions are not touched")
{
    uint64_t hash = 42;
    char copy[4096];
    uint8_t *bytes = VirtualAlloc(NULL, 3 * 4096, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    DWORD before;

    CHECK(bytes != NULL);
    memset(bytes, 1, 3 * 4096);
    CHECK(VirtualProtect(bytes + 4096, 4096, PAGE_NOACCESS, &before));
    CHECK_EQUAL(ws_mapping_hash(bytes, 4096, 1, &hash), WS_OK);
    uint64_t good = hash;
    CHECK_EQUAL(ws_mapping_hash(bytes, 3 * 4096, 1, &hash), WS_UNREADABLE);
    CHECK(hash == good);
    CHECK_EQUAL(ws_mapping_read_out(copy, bytes + 4096, 4096), WS_UNREADABLE);
    CHECK_EQUAL(ws_mapping_read_out(copy, bytes + 8192, 4096), WS_OK);
    for (int i = 0; i < 1000; i++) CHECK_EQUAL(ws_mapping_hash(bytes + 4000, 200, 1, &hash), WS_UNREADABLE);
    CHECK_EQUAL(ws_mapping_hash(bytes + 8192, 4096, 1, &hash), WS_OK);
    VirtualFree(bytes, 0, MEM_RELEASE);
}

TEST("a copy is one, and a file that is too short for it is refused")
{
    ws_mapping mapping;
    ws_error error;
    int folder = open_folder(), descriptor;

    test_write("segment", "0123456789", 10);
    CHECK_EQUAL(ws_file_open_at(folder, "segment", WS_OPEN_FILE_ITSELF, &descriptor), 0);
    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, 10, true, "segment", &error), WS_OK);
    CHECK(mapping.copied && memcmp(mapping.bytes, "0123456789", 10) == 0);
    ws_mapping_close(&mapping);
    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, 11, true, "segment", &error), WS_UNREADABLE);
    CHECK_EQUAL(ws_mapping_open(&mapping, descriptor, 0, false, "segment", &error), WS_TRUNCATED);
    ws_file_close(descriptor);
    ws_file_close(folder);
}

TEST("a lock is one at a time")
{
    int folder = open_folder(), first, second;

    CHECK_EQUAL(ws_file_open_at(folder, "lock", WS_OPEN_LOCK, &first), 0);
    CHECK_EQUAL(ws_file_open_at(folder, "lock", WS_OPEN_LOCK, &second), 0);
    CHECK_EQUAL(ws_file_lock(first, false), 0);
    CHECK_EQUAL(ws_file_lock(second, false), EWOULDBLOCK);
    ws_file_unlock(first);
    CHECK_EQUAL(ws_file_lock(second, true), 0);
    CHECK_EQUAL(ws_file_lock(first, false), EWOULDBLOCK);
    ws_file_close(second);
    CHECK_EQUAL(ws_file_lock(first, false), 0);
    ws_file_close(first);
    ws_file_close(folder);
}

TEST("a folder of ours, and what is made in it, is trusted")
{
    ws_trust trust = own_trust();
    ws_error error;
    ws_temporary temporary;
    int folder, descriptor;

    CHECK_EQUAL(ws_file_make_directory(-1, test_path("image"), false), 0);
    folder = ws_trust_open_directory(test_path("image"), &trust, NULL, &error);
    CHECK(folder >= 0);
    CHECK_EQUAL(ws_temporary_create(&temporary, folder, 1, false, "image", &error), WS_OK);
    CHECK_EQUAL(ws_file_write_all(temporary.descriptor, "text", 4), 0);
    CHECK_EQUAL(ws_temporary_rename(&temporary, folder, "file", NULL, "image", &error), WS_OK);
    descriptor = ws_trust_open_file(folder, "image", "file", &trust, NULL, &error);
    CHECK(descriptor >= 0);
    ws_file_close(descriptor);
    ws_file_close(folder);
}

TEST("what everybody may write is not trusted, neither a file nor a folder")
{
    ws_trust trust = own_trust();
    ws_error error;
    int folder;

    CHECK_EQUAL(ws_file_make_directory(-1, test_path("image"), false), 0);
    test_write("image/file", "text", 4);
    set_list(test_path("image/file"), "D:P(A;;FA;;;WD)");
    folder = ws_trust_open_directory(test_path("image"), &trust, NULL, &error);
    CHECK(folder >= 0);
    CHECK_EQUAL(ws_trust_open_file(folder, "image", "file", &trust, NULL, &error), -1);
    CHECK_EQUAL(error.code, WS_WRITABLE);
    ws_file_close(folder);

    set_list(test_path("image"), "D:P(A;OICI;FA;;;WD)");
    CHECK_EQUAL(ws_trust_open_directory(test_path("image"), &trust, NULL, &error), -1);
    CHECK_EQUAL(error.code, WS_WRITABLE);
    CHECK_EQUAL(ws_file_make_directory(-1, test_path("sealed"), true), 0);
    folder = ws_trust_open_directory(test_path("sealed"), &trust, NULL, &error);
    CHECK(folder >= 0);
    ws_file_close(folder);
}

TEST("names lead into no other folder")
{
    static const char *const names[] = { "", ".", "..", "a/b", "a\\b", "C:x", "file:stream" };
    ws_trust trust = own_trust();
    ws_error error;
    int folder = open_folder();

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK_EQUAL(ws_trust_open_file(folder, test_folder(), names[i], &trust, NULL, &error), -1);
        CHECK_EQUAL(error.code, WS_NOT_REGULAR);
    }
    ws_file_close(folder);
}

TEST("a real path keeps its spelling")
{
    test_mkdir("Folder");
    char *real = ws_file_real_path(test_path("folder"));
    CHECK_STRING(real, test_path("folder"));
    free(real);
    CHECK(ws_file_real_path(test_path("nothing")) == NULL);
    CHECK_EQUAL(errno, ENOENT);
}

TEST("nothing is left open")
{
    ws_hash128 hash;
    ws_stat stat;
    ws_error error;

    test_write("f", "text", 4);
    int before = test_descriptor_count();
    CHECK_EQUAL(ws_file_hash(test_path("f"), &hash, &stat, &error), WS_OK);
    CHECK_EQUAL(ws_file_hash(test_folder(), &hash, &stat, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(ws_file_hash(test_path("g"), &hash, &stat, &error), WS_MISSING);
    CHECK(ws_random_id() != ws_random_id());
    CHECK_EQUAL(test_descriptor_count(), before);
}

#else
TEST("files on Windows")
{
    SKIP("this is no Windows");
}
#endif
