/* Converts the present $LOAD_PATH for the index: absolute entries, and for each of them whether its folders stay
 * unchanged while a program boots; see recorder_load_path.h. */
#include "ruby/recorder/recorder_load_path.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/index/feature_index_builder.h"
#include "core/path/path.h"
#include "core/recording/recording.h"
#include "ruby/boot/boot.h"
#include "ruby/load_path/gem_folders.h"

/* Is this the folder where RubyGems puts a gem's extensions: ".../extensions/PLATFORM/ABI/GEM"? The one of a path gem
 * is on the load path even if the gem has no extensions, and lies outside of every gem home. */
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
        if (!RB_TYPE_P(element, T_STRING) || !ws_is_absolute(RSTRING_PTR(element), (size_t)RSTRING_LEN(element)))
            continue;
        if (memchr(RSTRING_PTR(element), 0, (size_t)RSTRING_LEN(element)) || RSTRING_LEN(element) >= WS_PATH_MAXIMUM)
            continue;
        const char *given = StringValueCStr(element);
        size_t size = (size_t)RSTRING_LEN(element);
        sources[kept++] = (ws_index_source){ given, size, is_stable(stable_roots, given, size) };
    }
    ws_recording_load_path(recording, sources, (size_t)kept);
    free(sources);
    RB_GC_GUARD(load_path);
}
