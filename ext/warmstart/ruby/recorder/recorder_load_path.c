/* The present $LOAD_PATH as the index wants it: absolute entries, and for each whether its folders stay as they are while a
 * program boots; see recorder_load_path.h. */
#include "ruby/recorder/recorder_load_path.h"

#include <limits.h>
#include <stdlib.h>

/* Is there a specifications folder beside? Then the folder is a GEM_HOME. The last answer is remembered: neighbours ask the
 * same. */
static bool
is_gem_home(const char *path, size_t size)
{
    static char last_home[WS_PATH_MAXIMUM];
    static bool last_answer;
    if (size + 16 >= sizeof last_home) return false;
    if (strlen(last_home) == size && memcmp(last_home, path, size) == 0) return last_answer;

    char specifications[WS_PATH_MAXIMUM];
    memcpy(specifications, path, size);
    memcpy(specifications + size, "/specifications", 16);
    ws_stat stat;
    memcpy(last_home, path, size);
    last_home[size] = 0;
    return last_answer = ws_file_stat(specifications, &stat) == 0 && stat.type == WS_TYPE_DIRECTORY;
}

/* GEM_HOME/gems/name-version, GEM_HOME/bundler/gems/name-revision, GEM_HOME/extensions/platform/abi/name-version. */
bool
ws_is_under_gems(const char *path)
{
    static const char *const folders[] = { "/gems/", "/bundler/gems/", "/extensions/" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *found = path;
        while ((found = strstr(found, folders[i])) != NULL) {
            if (is_gem_home(path, (size_t)(found - path))) return true;
            found++;
        }
    }
    return false;
}

/* Where RubyGems puts the extensions of a gem: ".../extensions/PLATFORM/ABI/GEM". A path gem's is on the load path whether it
 * has any or not, and lies outside of every gem home. */
static bool
is_extension_folder(const char *path)
{
    static const char folder[] = "/extensions/";
    int below = 0;
    const char *at = strstr(path, folder);
    if (!at) return false;
    for (at += sizeof folder - 1; *at; at++) below += *at == '/';
    return below == 2;
}

static bool
is_stable(VALUE stable_roots, const char *path, size_t size)
{
    const ws_path_rules *rules = ws_path_rules_native();
    for (long i = 0; RB_TYPE_P(stable_roots, T_ARRAY) && i < RARRAY_LEN(stable_roots); i++) {
        VALUE root = RARRAY_AREF(stable_roots, i);
        if (rules->is_within(path, size, RSTRING_PTR(root), (size_t)RSTRING_LEN(root))) return true;
    }
    return ws_is_under_gems(path) || is_extension_folder(path);
}

void
ws_recorder_tell_load_path(ws_recording *recording, VALUE stable_roots)
{
    VALUE load_path = rb_gv_get("$LOAD_PATH");
    long count = RARRAY_LEN(load_path), kept = 0;
    ws_index_source *sources = malloc((size_t)(count + 1) * sizeof *sources);
    if (!sources) return;
    for (long i = 0; i < count; i++) {
        VALUE element = RARRAY_AREF(load_path, i);
        if (!RB_TYPE_P(element, T_STRING) || !ws_is_absolute(RSTRING_PTR(element), (size_t)RSTRING_LEN(element))) continue;
        if (memchr(RSTRING_PTR(element), 0, (size_t)RSTRING_LEN(element)) || RSTRING_LEN(element) >= WS_PATH_MAXIMUM) continue;
        const char *given = StringValueCStr(element);
        size_t size = (size_t)RSTRING_LEN(element);
        sources[kept++] = (ws_index_source){ given, size, is_stable(stable_roots, given, size) };
    }
    ws_recording_load_path(recording, sources, (size_t)kept);
    free(sources);
    RB_GC_GUARD(load_path);
}
