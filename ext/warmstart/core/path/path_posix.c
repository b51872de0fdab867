/* POSIX path rules: "/" separates, and every byte except NUL may be part of a name.
 *
 * See path.h for what the functions do. They follow CRuby's load.c and file.c (search_required,
 * rb_file_expand_path_internal), including oddities that matter: "//a" keeps its two slashes, "//a/../b" loses one. */
#include "core/path/path.h"

#include <string.h>

/* On macOS File.expand_path drops the characters that HFS ignored in names (ignored_char_p). None of these rules
 * accepts such a path, so Ruby handles it. */
#ifdef __APPLE__
#define WS_PATH_HAS_IGNORABLE 1
#else
#define WS_PATH_HAS_IGNORABLE 0
#endif

/* U+200C to U+200F, U+202A to U+202E, U+206A to U+206F, U+FEFF. */
static bool
ws_posix_is_ignorable(const unsigned char *bytes)
{
    if (bytes[0] == 0xEF) return bytes[1] == 0xBB && bytes[2] == 0xBF;
    if (bytes[0] != 0xE2) return false;
    if (bytes[1] == 0x80) return (bytes[2] >= 0x8C && bytes[2] <= 0x8F) || (bytes[2] >= 0xAA && bytes[2] <= 0xAE);
    return bytes[1] == 0x81 && bytes[2] >= 0xAA && bytes[2] <= 0xAF;
}

/* Does the path have bytes that no rule here can handle? One is NUL, on which Ruby raises. */
static bool
ws_posix_is_unanswerable(const char *path, size_t size)
{
    if (size > 0 && memchr(path, '\0', size)) return true;
    if (!WS_PATH_HAS_IGNORABLE) return false;
    for (size_t offset = 0; offset + 3 <= size; offset++) {
        if (ws_posix_is_ignorable((const unsigned char *)path + offset)) return true;
    }
    return false;
}

static size_t
ws_posix_component_size(const char *path, size_t size)
{
    const char *separator = size > 0 ? memchr(path, '/', size) : NULL;

    return separator ? (size_t)(separator - path) : size;
}

static bool
ws_posix_is_dot(const char *component, size_t size)
{
    return size == 1 && component[0] == '.';
}

static bool
ws_posix_is_dot_dot(const char *component, size_t size)
{
    return size == 2 && component[0] == '.' && component[1] == '.';
}

/* True for "a/b"; false for "", "/a", "a//b", "a/", "./a" and "a/..". */
static bool
ws_posix_components_are_canonical(const char *path, size_t size)
{
    for (;;) {
        size_t component = ws_posix_component_size(path, size);

        if (component == 0 || ws_posix_is_dot(path, component) || ws_posix_is_dot_dot(path, component)) return false;
        if (component == size) return true;
        path += component + 1;
        size -= component + 1;
    }
}

static bool
ws_posix_is_absolute(const char *path, size_t size)
{
    return size > 0 && path[0] == '/';
}

static bool
ws_posix_feature_name(const char *feature, size_t size, const char *dlext, ws_feature_name *name)
{
    if (size == 0 || size > WS_FEATURE_SIZE_MAXIMUM || feature[0] == '~') return false;
    if (ws_posix_is_unanswerable(feature, size) || !ws_posix_components_are_canonical(feature, size)) return false;
    ws_path_feature_ending(feature, size, dlext, name);
    return true;
}

static bool
ws_posix_is_canonical(const char *path, size_t size)
{
    if (!ws_posix_is_absolute(path, size) || ws_posix_is_unanswerable(path, size)) return false;
    return size == 1 || ws_posix_components_are_canonical(path + 1, size - 1);
}

static size_t
ws_posix_directory_size(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') size--;
    if (size == 0) return 0;
    while (size > 1 && path[size - 1] == '/') size--;
    return size;
}

static size_t
ws_posix_join(char *buffer, size_t buffer_size, const char *directory, size_t directory_size, const char *name,
              size_t name_size)
{
    bool open = directory_size > 0 && directory[directory_size - 1] != '/';

    return ws_path_put_together(buffer, buffer_size, (ws_text){ directory, directory_size },
                                (ws_text){ name, name_size }, open);
}

static bool
ws_posix_is_within(const char *path, size_t size, const char *directory, size_t directory_size)
{
    if (directory_size == 0 || size < directory_size || memcmp(path, directory, directory_size) != 0) return false;
    return size == directory_size || directory[directory_size - 1] == '/' || path[directory_size] == '/';
}

/* A path during its expansion: bytes[0, size), without the separator that comes next. A root, which consists only of
 * separators, is kept without its last one: "/" as "", "//" as "/". */
typedef struct ws_expansion {
    char *bytes;
    size_t size, capacity;
} ws_expansion;

static bool
ws_expansion_push(ws_expansion *expansion, const char *component, size_t component_size)
{
    if (component_size >= expansion->capacity - expansion->size) return false;
    expansion->bytes[expansion->size] = '/';
    memcpy(expansion->bytes + expansion->size + 1, component, component_size);
    expansion->size += 1 + component_size;
    return true;
}

/* Removes the last name and all separators in front of it, as rb_enc_path_last_separator does. This makes "/" of
 * "//a/..". A root has no name, so it stays. */
static void
ws_expansion_pop(ws_expansion *expansion)
{
    size_t size = expansion->size;

    while (size > 0 && expansion->bytes[size - 1] == '/') size--;
    if (size == 0) return;
    while (size > 0 && expansion->bytes[size - 1] != '/') size--;
    while (size > 0 && expansion->bytes[size - 1] == '/') size--;
    expansion->size = size;
}

static bool
ws_expansion_append(ws_expansion *expansion, const char *path, size_t size)
{
    while (size > 0) {
        size_t component = ws_posix_component_size(path, size);
        size_t step = component < size ? component + 1 : component;

        if (ws_posix_is_dot_dot(path, component)) { ws_expansion_pop(expansion); }
        else if (component > 0 && !ws_posix_is_dot(path, component)) {
            if (!ws_expansion_push(expansion, path, component)) return false;
        }
        path += step;
        size -= step;
    }
    return true;
}

/* Starts again with an absolute path, and keeps all of its leading separators. */
static bool
ws_expansion_start(ws_expansion *expansion, const char *path, size_t size)
{
    size_t root_size = 0;

    while (root_size < size && path[root_size] == '/') root_size++;
    if (root_size - 1 >= expansion->capacity) return false;
    expansion->size = root_size - 1;
    memset(expansion->bytes, '/', expansion->size);
    return ws_expansion_append(expansion, path + root_size, size - root_size);
}

/* Adds the root's last separator and the NUL. */
static size_t
ws_expansion_finish(ws_expansion *expansion)
{
    size_t root_size = 0;

    while (root_size < expansion->size && expansion->bytes[root_size] == '/') root_size++;
    if (root_size == expansion->size) {
        if (expansion->size >= expansion->capacity) return 0;
        expansion->bytes[expansion->size++] = '/';
    }
    if (expansion->size >= expansion->capacity) return 0;
    expansion->bytes[expansion->size] = '\0';
    return expansion->size;
}

/* Starts again with the path if it is absolute, otherwise with the working directory. */
static ws_path_answer
ws_expansion_begin(ws_expansion *expansion, ws_text path, const ws_path_surroundings *surroundings)
{
    ws_text root = ws_posix_is_absolute(path.bytes, path.size) ? path : surroundings->directory;

    if (!ws_posix_is_absolute(root.bytes, root.size)) return WS_PATH_NO_DIRECTORY;
    if (ws_posix_is_unanswerable(root.bytes, root.size)) return WS_PATH_UNANSWERABLE;
    if (!ws_expansion_start(expansion, root.bytes, root.size)) return WS_PATH_TOO_LONG;
    if (root.bytes == path.bytes || ws_expansion_append(expansion, path.bytes, path.size)) return WS_PATH_ANSWERED;
    return WS_PATH_TOO_LONG;
}

/* For "~" and "~/a": takes the home folder as it is written, even with dots, and appends the rest. */
static ws_path_answer
ws_expansion_begin_home(ws_expansion *expansion, ws_text path, const ws_path_surroundings *surroundings)
{
    ws_text home = surroundings->home;

    if (path.size > 1 && path.bytes[1] != '/') return WS_PATH_OTHER_USER;
    if (home.size == 0) return WS_PATH_NO_HOME;
    if (!ws_posix_is_absolute(home.bytes, home.size)) return WS_PATH_RELATIVE_HOME;
    if (ws_posix_is_unanswerable(home.bytes, home.size)) return WS_PATH_UNANSWERABLE;
    if (home.bytes[home.size - 1] == '/') home.size--;
    if (home.size >= expansion->capacity) return WS_PATH_TOO_LONG;
    if (home.size > 0) memcpy(expansion->bytes, home.bytes, home.size);
    expansion->size = home.size;
    return ws_expansion_append(expansion, path.bytes + 1, path.size - 1) ? WS_PATH_ANSWERED : WS_PATH_TOO_LONG;
}

static ws_path_answer
ws_posix_full(char *buffer, size_t buffer_size, size_t *size, ws_text path, const ws_text *base, bool tilde,
              const ws_path_surroundings *surroundings)
{
    ws_expansion expansion = { buffer, 0, buffer_size };
    ws_path_answer answer;
    bool absolute = ws_posix_is_absolute(path.bytes, path.size);

    if (ws_posix_is_unanswerable(path.bytes, path.size)) return WS_PATH_UNANSWERABLE;
    if (tilde && path.size > 0 && path.bytes[0] == '~') {
        answer = ws_expansion_begin_home(&expansion, path, surroundings);
    }
    else if (absolute || !base) {
        answer = ws_expansion_begin(&expansion, path, surroundings);
    }
    else {
        answer = ws_posix_is_unanswerable(base->bytes, base->size) ? WS_PATH_UNANSWERABLE
                 : tilde && base->size > 0 && base->bytes[0] == '~'
                     ? ws_expansion_begin_home(&expansion, *base, surroundings)
                     : ws_expansion_begin(&expansion, *base, surroundings);
        if (answer == WS_PATH_ANSWERED && !ws_expansion_append(&expansion, path.bytes, path.size))
            return WS_PATH_TOO_LONG;
    }
    if (answer != WS_PATH_ANSWERED) return answer;
    *size = ws_expansion_finish(&expansion);
    return *size > 0 ? WS_PATH_ANSWERED : WS_PATH_TOO_LONG;
}

static size_t
ws_posix_expand(char *buffer, size_t buffer_size, const char *path, size_t size, const char *base, size_t base_size)
{
    static const ws_path_surroundings nothing = { { NULL, 0 }, { NULL, 0 }, NULL, NULL };
    ws_text base_text = { base, base_size };
    size_t expanded;

    ws_path_answer answer =
        ws_posix_full(buffer, buffer_size, &expanded, (ws_text){ path, size }, &base_text, true, &nothing);
    return answer == WS_PATH_ANSWERED ? expanded : 0;
}

static bool
ws_posix_is_settled(const char *path, size_t size)
{
    return ws_posix_is_canonical(path, size) && !ws_posix_is_unanswerable(path, size);
}

static bool
ws_posix_is_same(ws_text one, ws_text other)
{
    return one.size == other.size && (one.size == 0 || memcmp(one.bytes, other.bytes, one.size) == 0);
}

const ws_path_rules ws_path_rules_posix = {
    .windows = false,
    .is_absolute = ws_posix_is_absolute,
    .feature_name = ws_posix_feature_name,
    .is_canonical = ws_posix_is_canonical,
    .directory_size = ws_posix_directory_size,
    .join = ws_posix_join,
    .is_within = ws_posix_is_within,
    .expand = ws_posix_expand,
    .full = ws_posix_full,
    .is_settled = ws_posix_is_settled,
    .is_same = ws_posix_is_same,
};
