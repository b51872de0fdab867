/* $LOADED_FEATURES, for the direct way: does what Ruby's rb_provide_feature and rb_feature_p do for Ruby's own
 * loads. */
#include "ruby/require/require.h"

#include <string.h>

#include <ruby/encoding.h>
#include <ruby/util.h>

#include "ruby/private/features_copies.h"

static struct {
    VALUE list;    /* $LOADED_FEATURES */
    VALUE strings; /* those that ws_provide puts in there */
} features;

bool
ws_is_provided(const char *feature, bool *loading)
{
    const char *path = NULL;
    bool provided = rb_feature_provided(feature, &path);
    *loading = provided && path;
    return provided && !path;
}

bool
ws_is_last_feature(const char *path)
{
    long count = RARRAY_LEN(features.list);
    return count > 0 && ws_is_path(RARRAY_AREF(features.list, count - 1), path, strlen(path));
}

void
ws_remove_feature(const char *path)
{
    for (long i = RARRAY_LEN(features.list) - 1; i >= 0; i--) {
        if (!ws_is_path(RARRAY_AREF(features.list, i), path, strlen(path))) continue;
        rb_ary_delete_at(features.list, i);
        return;
    }
}

/* rb_provide makes a US-ASCII String without a copy of the text, because rb_fstring_cstr is meant for literals. When
 * the String is garbage, Ruby looks it up by that text in its table of interned Strings. So the text has to live for
 * ever, as it does in the image, which stays mapped.
 *
 * Ruby's own String would be in the file system's encoding. We put such a String in the other's place: the text is the
 * same, and Ruby's index holds positions. This String lives for ever, because the Array may share its elements with
 * Ruby's snapshot of them, and no write barrier would tell the snapshot about it. */
void
ws_provide(const char *path)
{
    VALUE string = rb_enc_interned_str(path, (long)strlen(path), rb_filesystem_encoding());
    rb_ary_push(features.strings, string);
    rb_provide(path);
    if (ws_is_last_feature(path)) RARRAY_ASET(features.list, RARRAY_LEN(features.list) - 1, string);
    ws_free_features_copy();
}

/* Warmstart::Native.provide(path) -> nil: provides a file of lib/, by its realpath, that was run without require. */
static VALUE
provide(VALUE self, VALUE path)
{
    (void)self;
    const char *name = ruby_strdup(StringValueCStr(path)); /* never freed: see ws_provide */
    ws_realpath_note_asked(name);
    ws_provide(name);
    ws_realpath_note_loaded(name);
    return Qnil;
}

void
ws_init_features(VALUE native)
{
    features.list = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(features.list);
    features.strings = rb_ary_new();
    rb_gc_register_mark_object(features.strings);
    rb_define_singleton_method(native, "provide", provide, 1);
}
