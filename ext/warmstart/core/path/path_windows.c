/* Windows path rules: "/" and "\" separate, names begin with a drive or a share, and case does not matter.
 *
 * See path.h for what the functions do. A path is canonical here if it has the form that Ruby gives its own paths
 * ("C:/a/b.rb", "//host/share/b.rb"), and no part that the system would interpret differently. */
#include "core/path/path.h"

#include <string.h>

#include "core/path/path_case.h"
#include "core/path/path_windows.h"

static size_t
ws_windows_part_size(const char *path, size_t size)
{
    size_t part = 0;

    while (part < size && path[part] != '/') part++;
    return part;
}

/* Is the name stored exactly as it is written? It must be no device and no stream, have no trailing dot or space, and
 * contain no character that is forbidden in names. */
static bool
ws_windows_is_plain(const char *part, size_t size)
{
    if (size == 0 || part[size - 1] == '.' || part[size - 1] == ' ') return false;
    for (size_t offset = 0; offset < size; offset++) {
        if ((unsigned char)part[offset] < 0x20 || strchr("\\:*?\"<>|", part[offset])) return false;
    }
    return ws_windows_device((ws_text){ part, size }).size == 0;
}

static bool
ws_windows_parts_are_plain(const char *path, size_t size)
{
    for (;;) {
        size_t part = ws_windows_part_size(path, size);

        if (!ws_windows_is_plain(path, part)) return false;
        if (part == size) return true;
        path += part + 1;
        size -= part + 1;
    }
}

static bool
ws_windows_feature_name(const char *feature, size_t size, const char *dlext, ws_feature_name *name)
{
    /* A name with a tilde may be the short name of another file. */
    if (size == 0 || size > WS_FEATURE_SIZE_MAXIMUM || memchr(feature, '~', size)) return false;
    if (!ws_windows_parts_are_plain(feature, size)) return false;
    ws_path_feature_ending(feature, size, dlext, name);
    return true;
}

/* Size of the root that a canonical path begins with: "C:/", or "//host/share" without the separator after it. 0 if it
 * begins with neither. */
static size_t
ws_windows_canonical_root(const char *path, size_t size)
{
    if (size >= 3 && ws_windows_is_letter(path[0]) && path[1] == ':' && path[2] == '/') return 3;
    if (size < 5 || path[0] != '/' || path[1] != '/' || path[2] == '.' || path[2] == '?') return 0;
    size_t host = ws_windows_part_size(path + 2, size - 2);
    if (host == 0 || 2 + host + 1 >= size) return 0;
    size_t share = ws_windows_part_size(path + 2 + host + 1, size - 2 - host - 1);
    return ws_windows_parts_are_plain(path + 2, host + 1 + share) ? 2 + host + 1 + share : 0;
}

static bool
ws_windows_is_canonical(const char *path, size_t size)
{
    size_t root = ws_windows_canonical_root(path, size);

    if (root == 0 || root == size) return root > 0;
    if (path[root - 1] != '/') root++;
    return root < size && ws_windows_parts_are_plain(path + root, size - root);
}

static size_t
ws_windows_directory_size(const char *path, size_t size)
{
    size_t drive = ws_windows_drive_size((ws_text){ path, size });
    size_t least = drive > 0 && size > drive && ws_windows_is_separator(path[drive]) ? drive + 1
                   : drive > 0                                                       ? drive
                                                                                     : 1;

    while (size > 0 && !ws_windows_is_separator(path[size - 1])) {
        if (size == drive) return size;
        size--;
    }
    while (size > least && ws_windows_is_separator(path[size - 1])) size--;
    return size;
}

static size_t
ws_windows_join(char *buffer, size_t buffer_size, const char *directory, size_t directory_size, const char *name,
                size_t name_size)
{
    char last = directory_size > 0 ? directory[directory_size - 1] : '/';

    return ws_path_put_together(buffer, buffer_size, (ws_text){ directory, directory_size },
                                (ws_text){ name, name_size }, !ws_windows_is_separator(last) && last != ':');
}

static bool
ws_windows_is_within(const char *path, size_t size, const char *directory, size_t directory_size)
{
    ws_text inner = { path, size }, outer = { directory, directory_size };
    uint32_t last = 0;

    if (directory_size == 0) return false;
    while (outer.size > 0) {
        if (inner.size == 0) return false;
        last = ws_path_next_folded(&outer);
        if (ws_path_next_folded(&inner) != last) return false;
    }
    return inner.size == 0 || last == '/' || ws_windows_is_separator(inner.bytes[0]);
}

static size_t
ws_windows_expand(char *buffer, size_t buffer_size, const char *path, size_t size, const char *base, size_t base_size)
{
    static const ws_path_surroundings nothing = { { NULL, 0 }, { NULL, 0 }, NULL, NULL };
    ws_text path_text = { path, size }, base_text = { base, base_size };
    bool complete = ws_windows_is_absolute(path, size);
    size_t answer_size = 0;

    if ((size > 0 && path[0] == '~') || (!complete && !ws_windows_is_absolute(base, base_size))) return 0;
    /* The working directory of a drive other than the base's is unknown here. */
    size_t drive = ws_windows_drive_size(path_text), base_drive = ws_windows_drive_size(base_text);
    ws_text path_drive = { path, drive }, other_drive = { base, base_drive };
    if (!complete && drive > 0 && !ws_windows_is_same(path_drive, other_drive)) return 0;
    if (ws_windows_full(buffer, buffer_size, &answer_size, path_text, complete ? NULL : &base_text, true, &nothing) !=
        WS_PATH_ANSWERED)
        return 0;
    return answer_size;
}

const ws_path_rules ws_path_rules_windows = {
    .windows = true,
    .is_absolute = ws_windows_is_absolute,
    .feature_name = ws_windows_feature_name,
    .is_canonical = ws_windows_is_canonical,
    .directory_size = ws_windows_directory_size,
    .join = ws_windows_join,
    .is_within = ws_windows_is_within,
    .expand = ws_windows_expand,
    .full = ws_windows_full,
    .is_settled = ws_windows_is_settled,
    .is_same = ws_windows_is_same,
};
