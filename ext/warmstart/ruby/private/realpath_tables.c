/* Files under two names. Ruby does not load a file again under another name (load.c, require_internal). For this it
 * keeps a table of the realpaths of the files that it has loaded. From Ruby 3.2 or 3.3 on it also keeps a table of the
 * realpath that each path had when Ruby first asked for it. The direct way reads and writes these same tables, so each
 * way of loading knows about the other's files what Ruby would know. */
#include "ruby/private/realpath_tables.h"

#include <stdlib.h>

#include <ruby/encoding.h>

#include "core/path/path.h"
#include "core/system/file.h"
#include "ruby/private/needs.h"
#include "ruby/private/private_api.h"

#define UNKNOWN "known tables of realpaths"

static struct {
    VALUE loaded; /* {realpath of a loaded file => true}: vm->loaded_features_realpaths */
    VALUE asked;  /* {path => its realpath}: vm->loaded_features_realpath_map; Qundef: this Ruby has none */
} tables = { Qundef, Qundef };

/* Returns the String as require_internal puts it into both tables: interned (rb_fstring). */
static VALUE
path_string(const char *path)
{
    return rb_enc_interned_str(path, (long)strlen(path), rb_filesystem_encoding());
}

bool
ws_realpath_is_known_otherwise(const char *path)
{
    VALUE string = path_string(path);
    if (RTEST(rb_hash_lookup(tables.loaded, string))) return true;
    VALUE real = tables.asked == Qundef ? Qnil : rb_hash_lookup(tables.asked, string);
    return RTEST(real) && !ws_is_path(real, path, strlen(path));
}

/* Does what realpath_internal_cached does. */
void
ws_realpath_note_asked(const char *path)
{
    if (tables.asked == Qundef) return;
    VALUE string = path_string(path);
    if (!RTEST(rb_hash_lookup(tables.asked, string))) rb_hash_aset(tables.asked, string, string);
}

/* Does what the end of require_internal does. */
void
ws_realpath_note_loaded(const char *path)
{
    rb_hash_aset(tables.loaded, path_string(path), Qtrue);
}

/* ---- where the tables are ---- */

#ifdef WS_HAVE_REACHABLE_OBJECTS
enum { CANDIDATES_MAXIMUM = 256 };

typedef struct ws_candidates {
    VALUE hashes[CANDIDATES_MAXIMUM];
    size_t count;
} ws_candidates;

/* Called while Ruby's collector lists its roots, so nothing may be allocated here. */
static void
keep_hidden_hash(const char *category, VALUE object, void *argument)
{
    ws_candidates *candidates = (ws_candidates *)argument;
    if (SPECIAL_CONST_P(object) || RB_BUILTIN_TYPE(object) != T_HASH || RBASIC_CLASS(object)) return;
    for (size_t i = 0; i < candidates->count; i++)
        if (candidates->hashes[i] == object) return;
    if (candidates->count < CANDIDATES_MAXIMUM) candidates->hashes[candidates->count++] = object;
}

/* Returns the one hash in which the key has this value. Returns Qundef if there is none, or if there are several,
 * because nobody can tell which one it is. */
static VALUE
only_one_with(const ws_candidates *candidates, VALUE key, VALUE value)
{
    VALUE one = Qundef;
    for (size_t i = 0; i < candidates->count; i++) {
        VALUE found = rb_hash_lookup2(candidates->hashes[i], key, Qundef);
        if (found != value && !(RB_TYPE_P(value, T_STRING) && found != Qundef &&
                                ws_is_path(found, RSTRING_PTR(value), (size_t)RSTRING_LEN(value))))
            continue;
        if (one != Qundef) return Qundef;
        one = candidates->hashes[i];
    }
    return one;
}

/* Both tables contain the files of Warmstart that Ruby loaded before the extension. Any such file tells which hashes
 * the tables are. */
static void
find_by(const ws_candidates *candidates, VALUE feature)
{
    if (!RB_TYPE_P(feature, T_STRING) || memchr(RSTRING_PTR(feature), 0, (size_t)RSTRING_LEN(feature)) ||
        !ws_path_rules_native()->is_absolute(RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature)))
        return;
    char *real = ws_file_real_path(StringValueCStr(feature));
    if (!real) return;
    VALUE realpath = path_string(real);
    free(real);
    tables.loaded = only_one_with(candidates, realpath, Qtrue);
    if (tables.loaded != Qundef) tables.asked = only_one_with(candidates, feature, realpath);
}

void
ws_init_realpath_tables(void)
{
    ws_candidates candidates = { .count = 0 };
    VALUE features = rb_gv_get("$LOADED_FEATURES");
    rb_objspace_reachable_objects_from_root(keep_hidden_hash, &candidates);
    for (long i = RARRAY_LEN(features) - 1; i >= 0 && tables.loaded == Qundef; i--)
        find_by(&candidates, RARRAY_AREF(features, i));
    if (tables.loaded == Qundef) {
        ws_lack("direct", UNKNOWN);
        return;
    }
    rb_gc_register_mark_object(tables.loaded);
    if (tables.asked != Qundef) rb_gc_register_mark_object(tables.asked);
}
#else
void
ws_init_realpath_tables(void)
{
    ws_lack("direct", UNKNOWN);
}
#endif
