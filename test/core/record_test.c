/* Records: written and read whole, refused when anything is wrong with them. See core/image/record.h. */
#include "test.h"

#include "core/system/file.h"
#include "core/image/record.h"
#include "core/image/store_files.h"

static const char content[] = "what Bundler found out";

static ws_trust
own_trust(void)
{
    ws_trust trust = { .user = (uint32_t)geteuid(), .application_owner = (uint32_t)geteuid() };
    return trust;
}

static const char *
folder(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/image/below", test_folder());
    return path;
}

static ws_code
write_sample(uint64_t id, int64_t *mtime, ws_error *error)
{
    ws_trust trust = own_trust();
    return ws_record_write(folder(), NULL, &trust, 7, id, content, sizeof content, mtime, error);
}

static ws_code
read_sample(uint64_t id, ws_error *error)
{
    ws_trust trust = own_trust();
    void *bytes;
    size_t size;
    ws_code code = ws_record_read(folder(), &trust, 7, id, &bytes, &size, error);
    if (code == WS_OK) CHECK(size == sizeof content && memcmp(bytes, content, size) == 0);
    else CHECK(bytes == NULL);
    free(bytes);
    return code;
}

static char *
path_of(uint64_t id)
{
    static char path[8192];
    char name[64];
    ws_record_name(name, 7, id);
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    return path;
}

/* Changes one byte, or cuts the file off there. */
static void
damage(uint64_t id, off_t offset, bool cut)
{
    int descriptor = open(path_of(id), O_RDWR);
    char byte;
    CHECK(descriptor >= 0);
    if (cut) CHECK(ftruncate(descriptor, offset) == 0);
    else {
        CHECK(pread(descriptor, &byte, 1, offset) == 1);
        byte ^= 1;
        CHECK(pwrite(descriptor, &byte, 1, offset) == 1);
    }
    close(descriptor);
}

TEST("a record is written into a folder that is made for it, and read back")
{
    ws_error error;
    int64_t mtime = 0;
    ws_stat stat;

    CHECK_EQUAL(read_sample(1, &error), WS_MISSING);
    CHECK_EQUAL(write_sample(1, &mtime, &error), WS_OK);
    CHECK_EQUAL(read_sample(1, &error), WS_OK);
    CHECK_EQUAL(read_sample(2, &error), WS_MISSING);
    CHECK_EQUAL(ws_file_stat(path_of(1), &stat), 0);
#ifndef _WIN32
    CHECK_EQUAL(stat.mode & 0777, 0600);
#endif
    CHECK(mtime > 0);
    CHECK_EQUAL(write_sample(1, NULL, &error), WS_OK);
    CHECK_EQUAL(read_sample(1, &error), WS_OK);
}

TEST("each changed byte and each length is refused")
{
    ws_error error;
    const off_t size = 56 + (off_t)sizeof content;

    for (off_t offset = 0; offset < size; offset++) {
        CHECK_EQUAL(write_sample(1, NULL, &error), WS_OK);
        damage(1, offset, false);
        /* (Bytes 40 to 55 are the check by the user's secret, which counts for who has it: origin_test.c.) */
        if (offset < 40 || offset >= 56) CHECK(read_sample(1, &error) != WS_OK);
        CHECK_EQUAL(write_sample(1, NULL, &error), WS_OK);
        damage(1, offset, true);
        CHECK_EQUAL(read_sample(1, &error), WS_TRUNCATED);
    }
}

TEST("what others may write, and symlinks, are not believed")
{
    ws_error error;

    CHECK_EQUAL(write_sample(1, NULL, &error), WS_OK);
    CHECK_EQUAL(chmod(path_of(1), 0620), 0);
    CHECK_EQUAL(read_sample(1, &error), WS_WRITABLE);
    CHECK_EQUAL(unlink(path_of(1)), 0);
    CHECK_EQUAL(symlink("/etc/hostname", path_of(1)), 0);
    CHECK_EQUAL(read_sample(1, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(write_sample(1, NULL, &error), WS_OK);
    CHECK_EQUAL(read_sample(1, &error), WS_OK);
    CHECK_EQUAL(chmod(folder(), 0777), 0);
    CHECK_EQUAL(read_sample(1, &error), WS_WRITABLE);
    CHECK_EQUAL(write_sample(2, NULL, &error), WS_WRITABLE);
}

TEST("without a working lock nothing is written")
{
    ws_error error;
    char lock[4200];
    int descriptor;

    CHECK_EQUAL(write_sample(1, NULL, &error), WS_OK);
    snprintf(lock, sizeof lock, "%s/lock", folder());
    CHECK_EQUAL(ws_file_open(lock, WS_OPEN_LOCK, &descriptor), 0);
    CHECK_EQUAL(ws_file_lock(descriptor, false), 0);
    CHECK_EQUAL(write_sample(2, NULL, &error), WS_LOCK);
    CHECK_EQUAL(read_sample(2, &error), WS_MISSING);
    ws_file_close(descriptor);
    CHECK_EQUAL(write_sample(2, NULL, &error), WS_OK);

    CHECK_EQUAL(unlink(lock), 0);
    CHECK_EQUAL(symlink("elsewhere", lock), 0);
    CHECK_EQUAL(write_sample(3, NULL, &error), WS_NOT_REGULAR);
    CHECK_EQUAL(read_sample(3, &error), WS_MISSING);
}

TEST("the oldest go beyond a number, and clearing takes all")
{
    ws_error error;

    for (uint64_t id = 1; id <= WS_RECORDS_MAXIMUM + 5; id++) {
        CHECK_EQUAL(write_sample(id, NULL, &error), WS_OK);
        struct timespec times[2] = { { 1000 + (time_t)id, 0 }, { 1000 + (time_t)id, 0 } };
        CHECK_EQUAL(utimensat(AT_FDCWD, path_of(id), times, 0), 0);
    }
    for (uint64_t id = 1; id <= WS_RECORDS_MAXIMUM + 5; id++)
        CHECK_EQUAL(read_sample(id, &error), id <= 5 ? WS_MISSING : WS_OK);
    int directory;
    CHECK_EQUAL(ws_file_open(folder(), WS_OPEN_DIRECTORY, &directory), 0);
    uint64_t removed = 0;
    ws_store_remove_all(directory, &removed);
    ws_file_close(directory);
    CHECK(removed > 0);
    CHECK_EQUAL(read_sample(WS_RECORDS_MAXIMUM, &error), WS_MISSING);
}
