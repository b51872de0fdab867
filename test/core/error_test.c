/* Errors: see core/system/error.h. */
#include "test.h"

#include "core/system/error.h"

TEST("an error keeps what it was given and returns its code")
{
    ws_error error;

    errno = EIO;
    CHECK_EQUAL(ws_error_set(&error, WS_SYSTEM, EACCES, "open", "/x/y"), WS_SYSTEM);
    CHECK_EQUAL(error.code, WS_SYSTEM);
    CHECK_EQUAL(error.error_number, EACCES);
    CHECK_STRING(error.operation, "open");
    CHECK_STRING(error.path, "/x/y");
}

TEST("an error that nobody wants is only a code")
{
    CHECK_EQUAL(ws_error_set(NULL, WS_LOCK, 0, "flock", "/x"), WS_LOCK);
}

TEST("an error without path or operation has empty ones")
{
    ws_error error;

    ws_error_set(&error, WS_MEMORY, 0, NULL, NULL);
    CHECK_STRING(error.path, "");
    CHECK_STRING(error.operation, "");
}

TEST("a path that just fits is kept whole")
{
    ws_error error;
    char path[sizeof(error.path)];

    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    ws_error_set(&error, WS_MISSING, 0, "open", path);
    CHECK_STRING(error.path, path);
}

TEST("a long path is cut at the front")
{
    ws_error error;
    char path[2000];

    memset(path, 'x', sizeof(path));
    memcpy(path + sizeof(path) - 8, "/end.rb", 8);
    ws_error_set(&error, WS_MISSING, 0, "open", path);
    CHECK_EQUAL(strlen(error.path), sizeof(error.path) - 1);
    CHECK(strncmp(error.path, "...xxx", 6) == 0);
    CHECK_STRING(error.path + sizeof(error.path) - 8, "/end.rb");
}

TEST("a long path is never cut inside a UTF-8 character")
{
    ws_error error;

    for (size_t shift = 0; shift < 3; shift++) {
        char path[1200] = "";
        memset(path, 'a', shift);
        while (strlen(path) < 1000) strcat(path, "\xE2\x82\xAC");
        ws_error_set(&error, WS_MISSING, 0, "open", path);
        CHECK(strncmp(error.path, "...\xE2\x82\xAC", 6) == 0);
    }
}

TEST("an error may be filled with its own path")
{
    ws_error error;

    ws_error_set(&error, WS_MISSING, 0, "open", "/x/y");
    ws_error_set(&error, WS_CHANGED, 0, "read", error.path);
    CHECK_STRING(error.path, "/x/y");
}

TEST("each code has a lower-case word of its own and a sentence")
{
    for (int code = WS_OK; code <= WS_ELSEWHERE; code++) {
        const char *name = ws_error_name((ws_code)code);
        ws_error error;
        char line[700];

        CHECK(strlen(name) > 1 && strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name));
        CHECK(strcmp(name, "unknown") != 0);
        for (int other = WS_OK; other < code; other++) CHECK(strcmp(name, ws_error_name((ws_code)other)) != 0);
        ws_error_set(&error, (ws_code)code, 0, "open", "/x/y");
        CHECK(strstr(ws_error_describe(&error, line, sizeof(line)), " /x/y"));
    }
    CHECK_STRING(ws_error_name((ws_code)1000), "unknown");
    CHECK_STRING(ws_error_name((ws_code)-1), "unknown");
}

TEST("only what is proven counts as damage")
{
    static const struct {
        ws_code code;
        ws_failure failure;
    } table[] = {
        { WS_OK, WS_FAILURE_NONE },
        { WS_MISSING, WS_FAILURE_MISSING },
        { WS_TRUNCATED, WS_FAILURE_DAMAGED },
        { WS_MAGIC, WS_FAILURE_DAMAGED },
        { WS_FORMAT, WS_FAILURE_DAMAGED },
        { WS_CHECKSUM, WS_FAILURE_DAMAGED },
        { WS_BOUNDS, WS_FAILURE_DAMAGED },
        { WS_NOT_REGULAR, WS_FAILURE_DAMAGED },
        { WS_INCOMPLETE, WS_FAILURE_DAMAGED },
        { WS_KEY, WS_FAILURE_FOREIGN_KEY },
        { WS_FOREIGN_OWNER, WS_FAILURE_REFUSED },
        { WS_WRITABLE, WS_FAILURE_REFUSED },
        { WS_FINGERPRINT, WS_FAILURE_REFUSED },
        { WS_SYSTEM, WS_FAILURE_PASSING },
        { WS_MEMORY, WS_FAILURE_PASSING },
        { WS_LOCK, WS_FAILURE_PASSING },
        { WS_FULL, WS_FAILURE_PASSING },
        { WS_CHANGED, WS_FAILURE_PASSING },
        { WS_UNREADABLE, WS_FAILURE_PASSING },
    };

    CHECK_EQUAL(sizeof table / sizeof *table, WS_INCOMPLETE + 1);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        CHECK_EQUAL(ws_error_failure(table[i].code), table[i].failure);
    CHECK_EQUAL(ws_error_failure((ws_code)1000), WS_FAILURE_PASSING);
    for (int failure = WS_FAILURE_NONE; failure <= WS_FAILURE_PASSING; failure++)
        CHECK(strlen(ws_failure_name((ws_failure)failure)) > 3);
}

TEST("a system error is described by operation, path and the system's words")
{
    ws_error error;
    char line[700];

    ws_error_set(&error, WS_SYSTEM, EACCES, "open", "/x/y");
    CHECK(ws_error_describe(&error, line, sizeof(line)) == line);
    CHECK_STRING(line, "cannot open /x/y: Permission denied");
    ws_error_set(&error, WS_SYSTEM, 99999, "open", "/x/y");
    CHECK(strncmp(ws_error_describe(&error, line, sizeof(line)), "cannot open /x/y: ", 18) == 0 && strlen(line) > 18);
}

TEST("a refusal is described by its reason")
{
    ws_error error;
    char line[700];

    ws_error_set(&error, WS_CHECKSUM, 0, "checksum", "/x/y");
    CHECK_STRING(ws_error_describe(&error, line, sizeof(line)), "checksum does not match in /x/y");
    ws_error_set(&error, WS_MISSING, ENOENT, "open", "/x/y");
    CHECK_STRING(ws_error_describe(&error, line, sizeof(line)), "there is no /x/y");
}

TEST("a description is cut where its buffer ends")
{
    ws_error error;
    char line[10] = "untouched";

    ws_error_set(&error, WS_CHECKSUM, 0, "checksum", "/x/y");
    CHECK_STRING(ws_error_describe(&error, line, 0), "untouched");
    CHECK_STRING(ws_error_describe(&error, line, sizeof(line)), "checksum ");
}
