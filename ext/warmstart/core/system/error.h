/* Errors of the core.
 *
 * An error is a value. It holds what went wrong, which operation failed on which path, and the errno of the failed
 * call. The function that fails releases what it holds, fills the error, and returns its code. Nothing in the core
 * prints, exits or raises. Every function of the core that can fail takes a `ws_error *` as its last argument. */
#ifndef WARMSTART_CORE_ERROR_H
#define WARMSTART_CORE_ERROR_H

#include <stddef.h>

/* Why something was refused. `warmstart why`, the event hook and the log print the names (ws_error_name), so the names
 * are part of the product's interface. */
typedef enum ws_code {
    WS_OK = 0,
    WS_MISSING,       /* there is no such file: nothing was recorded yet */
    WS_SYSTEM,        /* a system call failed; see error_number */
    WS_MEMORY,        /* allocation failed */
    WS_NOT_REGULAR,   /* not a regular file (a folder, a FIFO, a symlink) */
    WS_FOREIGN_OWNER, /* the owner is somebody whose code this process would not run anyway */
    WS_WRITABLE,      /* group or others may write to it */
    WS_TRUNCATED,     /* it is shorter than it says, or a page of the mapping is gone */
    WS_MAGIC,         /* it is not one of our files */
    WS_FORMAT,        /* another format version or byte order */
    WS_KEY,           /* another Ruby, other options, other encodings */
    WS_CHECKSUM,      /* a checksum does not match */
    WS_BOUNDS,        /* an offset or a size points outside */
    WS_FINGERPRINT,   /* it was sealed for another application */
    WS_LOCK,          /* locking does not work */
    WS_FULL,          /* no space left, or the size limit is reached */
    WS_CHANGED,       /* another process changed it in the meantime */
    WS_UNREADABLE, /* bytes that should be there could not be read: the file was cut short in the meantime, or its disk
                      is broken */
    WS_INCOMPLETE, /* the manifest names a segment that is not there */
    WS_ELSEWHERE   /* only images of this user on this machine are trusted, and this one comes from elsewhere */
} ws_code;

/* What a failure says about the image, and therefore what may be done about it. An image may be given up only when its
 * damage is proven: when something was read completely and is wrong, or is certainly missing. */
typedef enum ws_failure {
    WS_FAILURE_NONE,
    WS_FAILURE_MISSING,     /* nothing was recorded yet: record */
    WS_FAILURE_DAMAGED,     /* the damage is proven: the next commit replaces the image */
    WS_FAILURE_FOREIGN_KEY, /* another Ruby wrote an image under our name: the next commit replaces it */
    WS_FAILURE_REFUSED,     /* we may neither trust it nor replace it */
    WS_FAILURE_PASSING /* the image may be intact, and the next try may succeed: this process goes without it and leaves
                          it alone */
} ws_failure;

/* This function alone decides. It returns WS_FAILURE_PASSING for an unknown code. */
ws_failure ws_error_failure(ws_code code);
/* "none", "missing", "damaged", "foreign_key", "refused", "passing". */
const char *ws_failure_name(ws_failure failure);

typedef struct ws_error {
    ws_code code;
    int error_number;      /* errno, or 0 */
    const char *operation; /* static text: "open", "fstat", "read", "checksum" ... */
    char path[512];        /* the path concerned; a longer one is cut at the front */
} ws_error;

/* Fills *error, unless it is NULL, and returns code. error_number is taken from the argument, never from errno. */
ws_code ws_error_set(ws_error *error, ws_code code, int error_number, const char *operation, const char *path);

/* A lower-case word for each code: "missing", "checksum" ... */
const char *ws_error_name(ws_code code);

/* Writes one line without a newline: "cannot open /x/y: Permission denied", "checksum does not match in /x/y". Returns
 * buffer. */
char *ws_error_describe(const ws_error *error, char *buffer, size_t buffer_size);

#endif
