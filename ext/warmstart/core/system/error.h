/* Errors of the core.
 *
 * An error is a value: what went wrong, which operation on which path, and the errno taken where the call failed.
 * The function that fails releases what it holds, fills the error, and returns its code; nothing in the core prints,
 * exits or raises. Who calls: every function of the core that can fail takes a `ws_error *` as its last argument. */
#ifndef WARMSTART_CORE_ERROR_H
#define WARMSTART_CORE_ERROR_H

#include <stddef.h>

/* Why something was refused. The names (ws_error_name) are what `warmstart why`, the event hook and the log print, so
 * they are part of the product's surface. */
typedef enum ws_code {
    WS_OK = 0,
    WS_MISSING,       /* no such file: nothing was recorded yet */
    WS_SYSTEM,        /* a system call failed: see error_number */
    WS_MEMORY,        /* allocation failed */
    WS_NOT_REGULAR,   /* not a regular file (a folder, a FIFO, a symlink) */
    WS_FOREIGN_OWNER, /* owned by somebody whose code does not run anyway */
    WS_WRITABLE,      /* group or others may write it */
    WS_TRUNCATED,     /* shorter than it says, or a page of the mapping is gone */
    WS_MAGIC,         /* not a file of ours */
    WS_FORMAT,        /* another format version or byte order */
    WS_KEY,           /* another Ruby, other options, other encodings */
    WS_CHECKSUM,      /* a checksum does not match */
    WS_BOUNDS,        /* an offset or a size points outside */
    WS_FINGERPRINT,   /* sealed for another application */
    WS_LOCK,          /* no working lock */
    WS_FULL,          /* no space left, or the size limit is reached */
    WS_CHANGED,       /* another process changed it meanwhile */
    WS_UNREADABLE,    /* bytes that should be there could not be read: the file was cut short meanwhile, or its disk is
                         broken */
    WS_INCOMPLETE,    /* the manifest names a segment that is not there */
    WS_ELSEWHERE      /* not made by this user on this machine, where only that is believed */
} ws_code;

/* What a failure says about the image, hence what may be done about it. Only damage that is proven may cost an image:
 * something that was read whole and is wrong, or that is surely not there. */
typedef enum ws_failure {
    WS_FAILURE_NONE,
    WS_FAILURE_MISSING,     /* nothing was recorded yet: record */
    WS_FAILURE_DAMAGED,     /* proven: the next commit replaces it */
    WS_FAILURE_FOREIGN_KEY, /* another Ruby's under our name: the next commit replaces it */
    WS_FAILURE_REFUSED,     /* not ours to believe, and not ours to replace */
    WS_FAILURE_PASSING /* it may be in order, and go well the next time: this process goes without, and leaves it alone
                        */
} ws_failure;

/* The one place that decides. A code that is not known passes. */
ws_failure ws_error_failure(ws_code code);
/* "none", "missing", "damaged", "foreign_key", "refused", "passing". */
const char *ws_failure_name(ws_failure failure);

typedef struct ws_error {
    ws_code code;
    int error_number;      /* errno, or 0 */
    const char *operation; /* static text: "open", "fstat", "read", "checksum" ... */
    char path[512];        /* the path concerned, cut at the front when longer */
} ws_error;

/* Fills *error (which may be NULL) and returns code. error_number is taken from the argument, never from errno. */
ws_code ws_error_set(ws_error *error, ws_code code, int error_number, const char *operation, const char *path);

/* "missing", "checksum", ...: a lower-case word for each code. */
const char *ws_error_name(ws_code code);

/* One line without a newline: "cannot open /x/y: Permission denied", "checksum does not match in /x/y". Returns buffer.
 */
char *ws_error_describe(const ws_error *error, char *buffer, size_t buffer_size);

#endif
