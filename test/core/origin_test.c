/* Images and records that carry a check by the user's secret: see core/image/origin.h. also as an
 * unprivileged user */
#include "test.h"

#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "image_fixture.h"
#include "store_fixture.h"

#include "core/image/origin.h"
#include "core/image/record.h"
#include "core/image/store_files.h"

static char secret_path[512], other_path[512];

/* A process that has not read it yet. */
static ws_secret *
fresh_secret(const char *name)
{
    static ws_secret secrets[64];
    static int used;
    char *path = name[0] == 'o' ? other_path : secret_path;
    ws_secret *secret = &secrets[used++ % 64];

    snprintf(path, sizeof secret_path, "%s", test_path(name));
    *secret = (ws_secret){ .path = path };
    return secret;
}

static ws_store_options
own_options(const char *directory)
{
    ws_store_options options = fixture_store_options(directory);
    options.trust.secret = fresh_secret("home/secret");
    options.wait = true;
    return options;
}

static ws_code
publish(const char *directory, ws_error *error)
{
    ws_store_options options = own_options(directory);
    return fixture_publish_with(&options, fixture_sample(0), NULL, error);
}

static ws_code
open_with(const char *directory, ws_secret *secret, ws_error *error)
{
    ws_image image;
    ws_image_options options = { .directory = directory, .key_hash = fixture_key_hash(), .trust = fixture_trust() };
    options.trust.secret = secret;
    ws_code code = ws_image_open(&image, &options, error);
    if (code == WS_OK) ws_image_close(&image);
    return code;
}

static ws_code
open_own(const char *directory)
{
    ws_error error;
    return open_with(directory, fresh_secret("home/secret"), &error);
}

static char *
folder(void)
{
    static char path[512];
    snprintf(path, sizeof path, "%s", test_path("image"));
    return path;
}

/* Replaces a file by a copy of the same bytes and times: another inode. */
static void
copy_in_place(const char *path)
{
    char copy[600];

    snprintf(copy, sizeof copy, "%s.copy", path);
#ifdef _WIN32
    CHECK(CopyFileA(path, copy, TRUE)); /* (which keeps the time) */
    CHECK(MoveFileExA(copy, path, MOVEFILE_REPLACE_EXISTING));
#else
    char command[2600];

    snprintf(command, sizeof command, "cp -p '%s' '%s' && mv '%s' '%s'", path, copy, copy, path);
    CHECK_EQUAL(system(command), 0);
#endif
}

TEST("what is published with a secret is found with it, and without one, too")
{
    ws_error error;

    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    CHECK_EQUAL(open_own(folder()), WS_OK);
    CHECK_EQUAL(open_with(folder(), NULL, &error), WS_OK);
#ifndef _WIN32 /* (where modes are not rights; check_owner reads the access list) */
    struct stat stat;

    CHECK_EQUAL(lstat(test_path("home/secret"), &stat), 0);
    CHECK_EQUAL(stat.st_mode & 0777, 0600);
    CHECK_EQUAL(stat.st_size, 32);
    CHECK_EQUAL(lstat(test_path("home"), &stat), 0);
    CHECK_EQUAL(stat.st_mode & 0777, 0700);
#endif
}

TEST("an image without the check, or with another user's, was made elsewhere")
{
    ws_store_options options = fixture_store_options(folder());
    ws_error error;

    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    CHECK_EQUAL(open_own(folder()), WS_ELSEWHERE);
    options.trust.secret = fresh_secret("other/secret");
    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(1), NULL, &error), WS_OK);
    CHECK_EQUAL(open_with(folder(), fresh_secret("other/secret"), &error), WS_OK);
    CHECK_EQUAL(open_own(folder()), WS_ELSEWHERE);    /* (there is no secret at all) */
    CHECK_EQUAL(access(test_path("home"), F_OK), -1); /* and reading makes none */
}

TEST("a copy of a segment is not what was made here, whatever its times")
{
    ws_error error;

    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    const char *segment = fixture_segment_name(folder());
    char path[512];
    snprintf(path, sizeof path, "%s", segment);
    copy_in_place(path);
    CHECK_EQUAL(open_own(folder()), WS_ELSEWHERE);
    CHECK_EQUAL(open_with(folder(), NULL, &error), WS_OK);
}

TEST("a segment that was touched is not what was made here")
{
    ws_error error;
    struct timespec times[2] = { { 1000, 1 }, { 1000, 1 } };

    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    CHECK_EQUAL(utimensat(AT_FDCWD, fixture_segment_name(folder()), times, 0), 0);
    CHECK_EQUAL(open_own(folder()), WS_ELSEWHERE);
}

/* What a clone brings must not come into an image that then says "made here". */
TEST("a writer does not add to an image that was made elsewhere: it begins anew")
{
    ws_store_options options = fixture_store_options(folder());
    ws_error error;
    ws_image image;
    ws_image_options reading = { .directory = folder(), .key_hash = fixture_key_hash(), .trust = fixture_trust() };

    CHECK_EQUAL(fixture_publish_with(&options, fixture_sample(0), NULL, &error), WS_OK);
    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    CHECK_EQUAL(open_own(folder()), WS_OK);
    CHECK_EQUAL(ws_image_open(&image, &reading, &error), WS_OK);
    CHECK_EQUAL(image.manifest.generation, 1);
    ws_image_close(&image);
    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    CHECK_EQUAL(ws_image_open(&image, &reading, &error), WS_OK);
    CHECK(image.manifest.generation > 1); /* to one of its own it adds */
    ws_image_close(&image);
    CHECK_EQUAL(open_own(folder()), WS_OK);
}

TEST("a folder that is renamed keeps its image")
{
    ws_error error;

    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    CHECK_EQUAL(rename(folder(), test_path("moved")), 0);
    CHECK_EQUAL(open_own(test_path("moved")), WS_OK);
}

TEST(
    "a secret that others may read, that is a link, or that is none, is replaced by the next writer and never believed")
{
    ws_error error;

    for (int way = 0; way < 4; way++) {
        CHECK_EQUAL(publish(folder(), &error), WS_OK);
        CHECK_EQUAL(open_own(folder()), WS_OK);
        if (way == 0) CHECK_EQUAL(chmod(test_path("home/secret"), 0640), 0);
        if (way == 1) CHECK_EQUAL(truncate(test_path("home/secret"), 31), 0);
        if (way == 2) test_write("home/secret", "warmstart key 2\0aaaaaaaaaaaaaaaa", 32);
        if (way == 3) {
            CHECK_EQUAL(rename(test_path("home/secret"), test_path("home/real")), 0);
            CHECK_EQUAL(symlink("real", test_path("home/secret")), 0);
        }
        CHECK_EQUAL(open_own(folder()), WS_ELSEWHERE);
        CHECK_EQUAL(publish(folder(), &error), WS_OK);
        CHECK_EQUAL(open_own(folder()), WS_OK);
    }
}

TEST("another user's secret is not ours")
{
    ws_error error;

    if (geteuid() != 0) SKIP("needs root to give a file away");
    CHECK_EQUAL(publish(folder(), &error), WS_OK);
    CHECK_EQUAL(chown(test_path("home/secret"), 12345, 12345), 0);
    CHECK_EQUAL(open_own(folder()), WS_ELSEWHERE);
    /* As under sudo that keeps HOME. */
    CHECK_EQUAL(chown(test_path("home"), 12345, 12345), 0);
    CHECK_EQUAL(publish(folder(), &error), WS_FOREIGN_OWNER);
}

TEST("a home that cannot be written to: nothing is written anywhere")
{
    ws_error error;

    test_write("home", "", 0);
    CHECK(publish(folder(), &error) != WS_OK);
    CHECK_EQUAL(access(folder(), F_OK), 0);
    CHECK_EQUAL(open_with(folder(), NULL, &error), WS_MISSING);
}

TEST("processes that make the secret at the same time agree")
{
    enum { COUNT = 8 };
    pid_t children[COUNT];
    char name[COUNT][24];

    for (int i = 0; i < COUNT; i++) {
        snprintf(name[i], sizeof name[i], "image%d", i);
        children[i] = fork();
        if (children[i] == 0) {
            ws_error error;
            _exit(publish(test_path(name[i]), &error) == WS_OK ? 0 : 1);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        int status;
        waitpid(children[i], &status, 0);
        CHECK_EQUAL(status, 0);
    }
    for (int i = 0; i < COUNT; i++) CHECK_EQUAL(open_own(test_path(name[i])), WS_OK);
}

TEST("a record is believed by its check, under its own name only")
{
    ws_trust trust = fixture_trust(), plain = fixture_trust();
    ws_error error;
    void *bytes;
    size_t size;
    char from[128], to[128], path[512];

    trust.secret = fresh_secret("home/secret");
    CHECK_EQUAL(ws_record_write(folder(), NULL, &trust, 7, 1, "text", 4, NULL, &error), WS_OK);
    trust.secret = fresh_secret("home/secret");
    CHECK_EQUAL(ws_record_read(folder(), &trust, 7, 1, &bytes, &size, &error), WS_OK);
    CHECK_EQUAL(size, 4);
    free(bytes);
    CHECK_EQUAL(ws_record_read(folder(), &plain, 7, 1, &bytes, &size, &error), WS_OK);
    free(bytes);

    ws_record_name(from, 7, 1);
    ws_record_name(to, 7, 2);
    snprintf(path, sizeof path, "%s/%s", folder(), from);
    char target[512];
    snprintf(target, sizeof target, "%s/%s", folder(), to);
    CHECK_EQUAL(link(path, target), 0);
    CHECK_EQUAL(ws_record_read(folder(), &trust, 7, 2, &bytes, &size, &error), WS_ELSEWHERE);
    CHECK_EQUAL(ws_record_write(folder(), NULL, &plain, 7, 3, "text", 4, NULL, &error), WS_OK);
    CHECK_EQUAL(ws_record_read(folder(), &trust, 7, 3, &bytes, &size, &error), WS_ELSEWHERE);
    CHECK(bytes == NULL);
    trust.secret = fresh_secret("other/secret");
    CHECK_EQUAL(ws_record_read(folder(), &trust, 7, 1, &bytes, &size, &error), WS_ELSEWHERE);
}
