/* See aliases.h. */
#include "aliases.h"

#include "core/feature_names.h"
#include "core/real_folders.h"
#include "direct.h"
#include "features.h"

#include <stdlib.h>

/* Realpaths of what was natively loaded under another name: few or none in most programs. */
static ws_feature_names *loaded;
static bool any_loaded;

bool
ws_is_alias(ws_found found)
{
    const ws_entry *entry = found.entry;
    if (entry->path_size != entry->realpath_size) return true;
    if (entry->path_offset == entry->realpath_offset) return false;
    const char *path = ws_segment_string(found.segment, entry->path_offset, entry->path_size);
    const char *real = ws_segment_string(found.segment, entry->realpath_offset, entry->realpath_size);
    return !path || !real || strcmp(path, real) != 0;
}

static void
remember(const char *real)
{
    if (!loaded) loaded = ws_feature_names_new();
    if (loaded) any_loaded |= ws_feature_names_add(loaded, real, strlen(real), 0);
}

bool
ws_alias_was_loaded(const char *path, size_t size)
{
    return any_loaded && ws_feature_names_may_mean(loaded, path, size);
}

bool
ws_alias_of_direct(const char *path)
{
    char real[WS_PATH_MAXIMUM];
    if (!ws_is_absolute(path, strlen(path)) || !ws_real_path(path, real) || strcmp(real, path) == 0) return false;
    ws_found found = { NULL, NULL };
    if (ws_the_boot.image_open) found = ws_image_find(&ws_the_boot.image, real, strlen(real));
    bool loading;
    if (ws_was_loaded_directly(found) && ws_is_provided(real, &loading)) return true;
    remember(real);
    return false;
}

/* ---- what was loaded before us ---- */

static void
note_feature(const char *path)
{
    const char *base = strrchr(path, '/');
    char real[WS_PATH_MAXIMUM];
    ws_stat stat;
    size_t size = (size_t)(base - path);
    if (ws_path_rules_native()->is_canonical(path, strlen(path)) && ws_is_real_folder(path, size > 0 ? size : 1) &&
        (ws_file_stat_link(path, &stat) != 0 || stat.type != WS_TYPE_SYMLINK)) return;
    if (ws_real_path(path, real) && strcmp(real, path) != 0) remember(real);
}

/* call-seq: Native.note_features -> nil: reads $LOADED_FEATURES as it is before the first direct load */
static VALUE
note_features(VALUE self)
{
    VALUE features = rb_gv_get("$LOADED_FEATURES");
    for (long i = 0; i < RARRAY_LEN(features); i++) {
        VALUE feature = RARRAY_AREF(features, i);
        if (!RB_TYPE_P(feature, T_STRING) || !ws_is_absolute(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature))) continue;
        if (memchr(RSTRING_PTR(feature), 0, (size_t)RSTRING_LEN(feature))) continue;
        note_feature(StringValueCStr(feature));
    }
    RB_GC_GUARD(features);
    return Qnil;
}

void
ws_init_aliases(VALUE native)
{
    rb_define_singleton_method(native, "note_features", note_features, 0);
}
