/* Path rules: lexical, never touching the disk. Two flavours with one contract, path_posix.c and path_windows.c, both
 * compiled everywhere; `ws_path_rules_native()` picks. */
#ifndef WARMSTART_CORE_PATH_H
#define WARMSTART_CORE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* How a feature's name ends, as Ruby's load.c sees it (IS_RBEXT, IS_SOEXT, IS_DLEXT). */
typedef enum ws_extension {
    WS_EXTENSION_NONE,      /* "json", "active_support/core_ext", also "foo.bar" */
    WS_EXTENSION_RB,        /* ".rb" */
    WS_EXTENSION_LIBRARY    /* ".so", ".o", or this platform's DLEXT (".bundle" ...) */
} ws_extension;

typedef struct ws_feature_name {
    size_t stem_size;        /* bytes before the extension, the whole name for WS_EXTENSION_NONE */
    ws_extension extension;
} ws_feature_name;

typedef struct ws_path_rules {
    bool (*is_absolute)(const char *path, size_t size);
    /* Canonical feature name: relative, no empty, "." or ".." component, no leading "~", no trailing separator, no NUL,
     * not longer than 1,000 bytes. Only such names are indexed; everything else is Ruby's. On success fills *name. `dlext` is
     * this platform's DLEXT without its dot, "so". */
    bool (*feature_name)(const char *feature, size_t size, const char *dlext, ws_feature_name *name);
    /* Canonical absolute path: absolute, no empty, "." or ".." component, no trailing separator, no NUL. The root is one. */
    bool (*is_canonical)(const char *path, size_t size);
    /* Size of the directory part without its trailing separator ("/a/b.rb" -> 2; "/b.rb" -> 1, the root itself). */
    size_t (*directory_size)(const char *path, size_t size);
    /* directory + separator + name into buffer, NUL-terminated; the size, or 0 when it does not fit. No separator is added
     * to a directory that ends in one (the root), nor when either part is empty. */
    size_t (*join)(char *buffer, size_t buffer_size, const char *directory, size_t directory_size, const char *name, size_t name_size);
    /* Is path inside directory (or the directory itself), component-wise? */
    bool (*is_within)(const char *path, size_t size, const char *directory, size_t directory_size);
    /* File.expand_path(path, base) for an absolute base and a path without "~": the size, or 0 when it does not fit (on the
     * way either: "long/../x" needs room for "long") or when only Ruby can answer: a leading "~", a NUL, a base that is
     * not absolute. */
    size_t (*expand)(char *buffer, size_t buffer_size, const char *path, size_t size, const char *base, size_t base_size);
} ws_path_rules;

extern const ws_path_rules ws_path_rules_posix;
const ws_path_rules *ws_path_rules_native(void);

#endif
