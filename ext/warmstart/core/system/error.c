/* Errors as values: this file fills an error, names its code, and writes the one line that people read.
 *
 * Every function of the core that can fail fills an error here. The bindings, the command line and the log describe it.
 * Nothing here allocates, prints or touches errno. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "core/system/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Scripts compare `name`. People read "<sentence> <path>". `failure` is explained in error.h. WS_NOT_REGULAR counts as
 * damage because fstat, or the open that refuses the file, has proven it, and because a rename can replace such a
 * file. */
typedef struct ws_code_text {
    const char *name;
    const char *sentence;
    ws_failure failure;
} ws_code_text;

static const ws_code_text code_texts[] = {
    [WS_OK] = { "ok", "nothing is wrong with", WS_FAILURE_NONE },
    [WS_MISSING] = { "missing", "there is no", WS_FAILURE_MISSING },
    [WS_SYSTEM] = { "system", "a system call failed on", WS_FAILURE_PASSING },
    [WS_MEMORY] = { "memory", "out of memory for", WS_FAILURE_PASSING },
    [WS_NOT_REGULAR] = { "not_regular", "wrong type of file at", WS_FAILURE_DAMAGED },
    [WS_FOREIGN_OWNER] = { "foreign_owner", "another user owns", WS_FAILURE_REFUSED },
    [WS_WRITABLE] = { "writable", "group or others may write", WS_FAILURE_REFUSED },
    [WS_TRUNCATED] = { "truncated", "unexpected end of", WS_FAILURE_DAMAGED },
    [WS_MAGIC] = { "magic", "not a Warmstart file:", WS_FAILURE_DAMAGED },
    [WS_FORMAT] = { "format", "another format version or byte order in", WS_FAILURE_DAMAGED },
    [WS_KEY] = { "key", "another Ruby or other options wrote", WS_FAILURE_FOREIGN_KEY },
    [WS_CHECKSUM] = { "checksum", "checksum does not match in", WS_FAILURE_DAMAGED },
    [WS_BOUNDS] = { "bounds", "an offset or size is out of range in", WS_FAILURE_DAMAGED },
    [WS_FINGERPRINT] = { "fingerprint", "sealed for another application:", WS_FAILURE_REFUSED },
    [WS_LOCK] = { "lock", "cannot lock", WS_FAILURE_PASSING },
    [WS_FULL] = { "full", "no room left for", WS_FAILURE_PASSING },
    [WS_CHANGED] = { "changed", "another process changed", WS_FAILURE_PASSING },
    [WS_UNREADABLE] = { "unreadable", "cannot read all of", WS_FAILURE_PASSING },
    [WS_INCOMPLETE] = { "incomplete", "the boot image lacks", WS_FAILURE_DAMAGED },
    [WS_ELSEWHERE] = { "elsewhere", "made on another machine or by another user:", WS_FAILURE_DAMAGED },
};

static const ws_code_text *
ws_code_text_find(ws_code code)
{
    static const ws_code_text unknown = { "unknown", "unknown error on", WS_FAILURE_PASSING };
    size_t index = (size_t)code;

    return index < sizeof(code_texts) / sizeof(code_texts[0]) ? &code_texts[index] : &unknown;
}

/* The end of a path says more than its beginning, so a long path is cut at the front, but never inside a UTF-8
 * character. */
static void
ws_error_copy_path(char *buffer, size_t buffer_size, const char *path)
{
    static const char ellipsis[] = "...";
    size_t path_size = path ? strlen(path) : 0;

    if (path_size < buffer_size) {
        if (path_size > 0) memmove(buffer, path, path_size);
        buffer[path_size] = '\0';
        return;
    }
    const char *tail = path + path_size - (buffer_size - sizeof(ellipsis));
    while (((unsigned char)*tail & 0xC0) == 0x80) tail++;
    memcpy(buffer, ellipsis, sizeof(ellipsis) - 1);
    memcpy(buffer + sizeof(ellipsis) - 1, tail, strlen(tail) + 1);
}

ws_code
ws_error_set(ws_error *error, ws_code code, int error_number, const char *operation, const char *path)
{
    if (error) {
        error->code = code;
        error->error_number = error_number;
        error->operation = operation ? operation : "";
        ws_error_copy_path(error->path, sizeof(error->path), path);
    }
    return code;
}

const char *
ws_error_name(ws_code code)
{
    return ws_code_text_find(code)->name;
}

ws_failure
ws_error_failure(ws_code code)
{
    return ws_code_text_find(code)->failure;
}

const char *
ws_failure_name(ws_failure failure)
{
    static const char *const names[] = { "none", "missing", "damaged", "foreign_key", "refused", "passing" };
    return names[failure];
}

/* strerror is not thread-safe, and strerror_r exists in three variants. */
static const char *
ws_error_system_text(int error_number, char *buffer, size_t buffer_size)
{
    buffer[0] = '\0';
#if defined(_WIN32)
    if (strerror_s(buffer, buffer_size, error_number) != 0) buffer[0] = '\0';
#elif defined(__GLIBC__)
    return strerror_r(error_number, buffer, buffer_size);
#else
    if (strerror_r(error_number, buffer, buffer_size) != 0) buffer[0] = '\0';
#endif
    if (buffer[0] == '\0') snprintf(buffer, buffer_size, "error %d", error_number);
    return buffer;
}

char *
ws_error_describe(const ws_error *error, char *buffer, size_t buffer_size)
{
    char system_text[128];

    if (buffer_size == 0) return buffer;
    /* errno says more than the code only where the code merely says that a system call failed. */
    if (error->error_number != 0 && (error->code == WS_SYSTEM || error->code == WS_LOCK || error->code == WS_FULL)) {
        snprintf(buffer, buffer_size, "cannot %s %s: %s", error->operation, error->path,
                 ws_error_system_text(error->error_number, system_text, sizeof(system_text)));
    }
    else {
        snprintf(buffer, buffer_size, "%s %s", ws_code_text_find(error->code)->sentence, error->path);
    }
    return buffer;
}
