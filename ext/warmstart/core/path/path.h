/* Path rules. They are lexical: they never touch the disk. path_posix.c and path_windows.c implement the same
 * functions, and both are compiled everywhere; `ws_path_rules_native()` chooses. The Windows rules take UTF-8 (the
 * bindings convert) and return "/" as the separator. */
#ifndef WARMSTART_CORE_PATH_H
#define WARMSTART_CORE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Longer names are not indexed. No real feature comes near this length, and so readers need not expect longer names. */
#define WS_FEATURE_SIZE_MAXIMUM 1000

/* How a feature's name ends, in the view of Ruby's load.c (IS_RBEXT, IS_SOEXT, IS_DLEXT). */
typedef enum ws_extension {
    WS_EXTENSION_NONE,   /* "json", "active_support/core_ext", and also "foo.bar" */
    WS_EXTENSION_RB,     /* ".rb" */
    WS_EXTENSION_LIBRARY /* ".so", ".o", or this platform's DLEXT (".bundle" ...) */
} ws_extension;

typedef struct ws_feature_name {
    size_t stem_size; /* bytes before the extension; the whole name for WS_EXTENSION_NONE */
    ws_extension extension;
} ws_feature_name;

typedef struct ws_text {
    const char *bytes;
    size_t size;
} ws_text;

/* What a relative path is resolved against. */
typedef struct ws_path_surroundings {
    ws_text directory; /* the absolute working directory; size 0 if unknown */
    ws_text home;      /* what "~" means; size 0 if unknown */
    /* Windows: finds the working directory of another drive than that of `directory`. `drive` is as the path spells it
     * ("D:"). It returns false if the working directory is unknown; then the drive's root is used. NULL means that none
     * is known. The result must live until the next call. */
    bool (*drive_directory)(void *context, ws_text drive, ws_text *directory);
    void *context;
} ws_path_surroundings;

typedef enum ws_path_answer {
    WS_PATH_ANSWERED,
    WS_PATH_TOO_LONG,     /* too long for the buffer */
    WS_PATH_UNANSWERABLE, /* a NUL; on Windows a name of only spaces; on macOS a character that HFS ignored */
    WS_PATH_NO_DIRECTORY, /* the path is relative, and surroundings->directory is unknown */
    WS_PATH_NO_HOME,
    WS_PATH_RELATIVE_HOME,
    WS_PATH_OTHER_USER /* "~user": lexical rules do not know users */
} ws_path_answer;

typedef struct ws_path_rules {
    bool windows;
    bool (*is_absolute)(const char *path, size_t size);
    /* Is this a canonical feature name? Such a name is relative, has no empty, "." or ".." component, no leading "~",
     * no trailing separator and no NUL, and is not longer than 1,000 bytes. Only such names are indexed; Ruby handles
     * all others. On success, fills *name. `dlext` is this platform's DLEXT without its dot, "so". */
    bool (*feature_name)(const char *feature, size_t size, const char *dlext, ws_feature_name *name);
    /* Is this a canonical absolute path? Such a path is absolute and has no empty, "." or ".." component, no trailing
     * separator and no NUL. The root is canonical. */
    bool (*is_canonical)(const char *path, size_t size);
    /* Size of the directory part without its trailing separator: 2 for "/a/b.rb", and 1, the root itself, for
     * "/b.rb". */
    size_t (*directory_size)(const char *path, size_t size);
    /* Writes directory + separator + name and a NUL into buffer. Returns the size, or 0 when it does not fit. It adds
     * no separator to a directory that ends in one (the root), nor when either part is empty. */
    size_t (*join)(char *buffer, size_t buffer_size, const char *directory, size_t directory_size, const char *name,
                   size_t name_size);
    /* Is path inside directory, or the directory itself? Compares whole components. */
    bool (*is_within)(const char *path, size_t size, const char *directory, size_t directory_size);
    /* File.expand_path(path, base) for an absolute base and a path without "~". Returns the size. Returns 0 when the
     * result or a step towards it does not fit ("long/../x" needs room for "long"), and when only Ruby can answer: for
     * a leading "~", a NUL, or a base that is not absolute. */
    size_t (*expand)(char *buffer, size_t buffer_size, const char *path, size_t size, const char *base,
                     size_t base_size);
    /* File.expand_path(path, base). A base of size 0 is the empty String; NULL means no base. With tilde false it is
     * File.absolute_path, where "~" is a name. Fills *size. path, base and surroundings must not lie in the buffer. The
     * buffer must be large enough for all of them together and 16 bytes more. */
    ws_path_answer (*full)(char *buffer, size_t buffer_size, size_t *size, ws_text path, const ws_text *base,
                           bool tilde, const ws_path_surroundings *surroundings);
    /* Does File.expand_path(path) certainly return these very bytes, whatever the base is? false means that this is
     * unknown. This is faster than `full`. */
    bool (*is_settled)(const char *path, size_t size);
    /* Would the system take these two spellings for the same name? They may differ in separators and, on Windows, in
     * case. */
    bool (*is_same)(ws_text one, ws_text other);
} ws_path_rules;

extern const ws_path_rules ws_path_rules_posix, ws_path_rules_windows;
/* Those of this platform. */
static inline const ws_path_rules *
ws_path_rules_native(void)
{
#ifdef _WIN32
    return &ws_path_rules_windows;
#else
    return &ws_path_rules_posix;
#endif
}

/* Does a feature's name, or a file's path, end in ".rb"? */
static inline bool
ws_path_ends_in_rb(const char *path, size_t size)
{
    return size > 3 && memcmp(path + size - 3, ".rb", 3) == 0;
}

/* For both implementations: join, with a separator if the directory is `open` and there is a name; and what finds the
 * extension for feature_name. */
size_t ws_path_put_together(char *buffer, size_t buffer_size, ws_text directory, ws_text name, bool open);
void ws_path_feature_ending(const char *feature, size_t size, const char *dlext, ws_feature_name *name);

#endif
