/* Path rules: lexical, never touching the disk. Two flavours with one contract, path_posix.c and path_windows.c, both
 * compiled everywhere; `ws_path_rules_native()` picks. Windows rules take UTF-8 (the bindings convert) and say "/". */
#ifndef WARMSTART_CORE_PATH_H
#define WARMSTART_CORE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names are not indexed: no real feature is near it, and readers need not be ready for it. */
#define WS_FEATURE_SIZE_MAXIMUM 1000

/* How a feature's name ends, as Ruby's load.c sees it (IS_RBEXT, IS_SOEXT, IS_DLEXT). */
typedef enum ws_extension {
    WS_EXTENSION_NONE,   /* "json", "active_support/core_ext", also "foo.bar" */
    WS_EXTENSION_RB,     /* ".rb" */
    WS_EXTENSION_LIBRARY /* ".so", ".o", or this platform's DLEXT (".bundle" ...) */
} ws_extension;

typedef struct ws_feature_name {
    size_t stem_size; /* bytes before the extension, the whole name for WS_EXTENSION_NONE */
    ws_extension extension;
} ws_feature_name;

typedef struct ws_text {
    const char *bytes;
    size_t size;
} ws_text;

/* What a path that is not absolute goes by. */
typedef struct ws_path_surroundings {
    ws_text directory; /* the working directory, absolute; size 0: not known */
    ws_text home;      /* what "~" means; size 0: not known */
    /* Windows: the working directory of a drive ("D:", as it is written) that is not that of `directory`. false: not
     * known, its root then. NULL: none is known. What it gives must live until the next call. */
    bool (*drive_directory)(void *context, ws_text drive, ws_text *directory);
    void *context;
} ws_path_surroundings;

typedef enum ws_path_answer {
    WS_PATH_ANSWERED,
    WS_PATH_TOO_LONG,     /* for the buffer */
    WS_PATH_UNANSWERABLE, /* NUL; on Windows a name of spaces only; on macOS what HFS ignored */
    WS_PATH_NO_DIRECTORY, /* it is relative, and surroundings->directory is not known */
    WS_PATH_NO_HOME,
    WS_PATH_RELATIVE_HOME,
    WS_PATH_OTHER_USER /* "~user": lexical rules know no users */
} ws_path_answer;

typedef struct ws_path_rules {
    bool windows; /* which flavour: path_names.c */
    bool (*is_absolute)(const char *path, size_t size);
    /* Canonical feature name: relative, no empty, "." or ".." component, no leading "~", no trailing separator, no NUL,
     * not longer than 1,000 bytes. Only such names are indexed; everything else is Ruby's. On success fills *name.
     * `dlext` is this platform's DLEXT without its dot, "so". */
    bool (*feature_name)(const char *feature, size_t size, const char *dlext, ws_feature_name *name);
    /* Canonical absolute path: absolute, no empty, "." or ".." component, no trailing separator, no NUL. The root is
     * one. */
    bool (*is_canonical)(const char *path, size_t size);
    /* Size of the directory part without its trailing separator ("/a/b.rb" -> 2; "/b.rb" -> 1, the root itself). */
    size_t (*directory_size)(const char *path, size_t size);
    /* directory + separator + name into buffer, NUL-terminated; the size, or 0 when it does not fit. No separator is
     * added to a directory that ends in one (the root), nor when either part is empty. */
    size_t (*join)(char *buffer, size_t buffer_size, const char *directory, size_t directory_size, const char *name,
                   size_t name_size);
    /* Is path inside directory (or the directory itself), component-wise? */
    bool (*is_within)(const char *path, size_t size, const char *directory, size_t directory_size);
    /* File.expand_path(path, base) for an absolute base and a path without "~": the size, or 0 when it does not fit (on
     * the way either: "long/../x" needs room for "long") or when only Ruby can answer: a leading "~", a NUL, a base
     * that is not absolute. */
    size_t (*expand)(char *buffer, size_t buffer_size, const char *path, size_t size, const char *base,
                     size_t base_size);
    /* File.expand_path(path, base); base->size 0 is the empty String, NULL none. tilde false: File.absolute_path, where
     * "~" is a name. Fills *size. path, base, surroundings must not lie in the buffer, which must hold all of them and
     * 16 bytes. */
    ws_path_answer (*full)(char *buffer, size_t buffer_size, size_t *size, ws_text path, const ws_text *base,
                           bool tilde, const ws_path_surroundings *surroundings);
    /* Is File.expand_path(path), whatever the base, certainly these very bytes? (False says nothing.) Quicker than
     * `full`. */
    bool (*is_settled)(const char *path, size_t size);
    /* Would the system take the two, as they are written, for one name? (Separators and, on Windows, case.) */
    bool (*is_same)(ws_text one, ws_text other);
} ws_path_rules;

extern const ws_path_rules ws_path_rules_posix, ws_path_rules_windows;
const ws_path_rules *ws_path_rules_native(void);

/* For the flavours: feature_name's ending. */
void ws_path_feature_ending(const char *feature, size_t size, const char *dlext, ws_feature_name *name);

#endif
