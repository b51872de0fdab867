/* Watches $LOAD_PATH for the feature index. The index is asked in require/way.c.
 *
 * No method is defined on the Array. Instead, before each look-up its length and its elements' identities are compared
 * with a pinned copy. That is enough, because Ruby freezes the Strings when it expands them
 * (rb_construct_expanded_load_path), and rb_provided has made it do so just before. */
#include "ruby/load_path/load_path.h"

#include <stdlib.h>
#include <string.h>

#include <ruby/encoding.h>

#include "core/bytes/vector.h"
#include "core/index/feature_index.h"
#include "core/index/real_folders.h"
#include "core/validation/validation_ahead.h"

static struct {
    VALUE load_path; /* $LOAD_PATH: always the same Array */
    VALUE *seen;     /* its elements as the index knows them; marked, so that no address is used again */
    long seen_count;
    size_t seen_capacity;
    bool usable;                  /* the index has accepted the load path */
    char folder[WS_PATH_MAXIMUM]; /* the current one, if an element is relative; else "" */
} known = { .seen_count = -1 };

static void
mark_seen(void *nothing)
{
    for (long i = 0; i < known.seen_count; i++) rb_gc_mark(known.seen[i]);
}

static const rb_data_type_t seen_type = { .wrap_struct_name = "warmstart/load_path",
                                          .function = { .dmark = mark_seen } };

static bool
is_unchanged(void)
{
    char current[WS_PATH_MAXIMUM];
    long count = RARRAY_LEN(known.load_path);
    if (count != known.seen_count ||
        memcmp(RARRAY_CONST_PTR(known.load_path), known.seen, (size_t)count * sizeof(VALUE)) != 0)
        return false;
    /* In another folder Ruby expands relative elements anew (rb_get_expanded_load_path). */
    return *known.folder == '\0' ||
           (ws_file_current(current, sizeof current) > 0 && strcmp(current, known.folder) == 0);
}

static bool
remember(void)
{
    long count = RARRAY_LEN(known.load_path);
    if (!WS_RESERVE(known.seen, known.seen_capacity, (size_t)count)) return false;
    memcpy(known.seen, RARRAY_CONST_PTR(known.load_path), (size_t)count * sizeof(VALUE));
    known.seen_count = count;
    return true;
}

/* Has folders validated again before the next answer. */
static void
forget(void)
{
    ws_ahead_forget();
    ws_real_folders_forget();
    if (!ws_the_boot.index) return;
    ws_feature_index_forget(ws_the_boot.index);
    known.seen_count = -1;
}

static ws_load_path_item
describe(VALUE element)
{
    ws_load_path_item item = { NULL, 0, WS_LOAD_PATH_OPAQUE };
    if (!RB_TYPE_P(element, T_STRING) || !OBJ_FROZEN(element)) return item;
    /* In another encoding our paths' bytes might not mean the same. */
    if (!rb_enc_str_asciionly_p(element) && rb_enc_get(element) != rb_filesystem_encoding()) return item;
    item.bytes = RSTRING_PTR(element);
    item.size = (size_t)RSTRING_LEN(element);
    if (item.size == 0 || item.bytes[0] == '~' || memchr(item.bytes, 0, item.size)) return item;
    item.kind = ws_is_absolute(item.bytes, item.size) ? WS_LOAD_PATH_ABSOLUTE : WS_LOAD_PATH_RELATIVE;
    return item;
}

static bool
tell_index(void)
{
    ws_load_path_item *items = malloc((size_t)(known.seen_count + 1) * sizeof *items);
    if (!items) return false;
    *known.folder = '\0';
    for (long i = 0; i < known.seen_count; i++) {
        items[i] = describe(known.seen[i]);
        if (items[i].kind == WS_LOAD_PATH_RELATIVE && !*known.folder)
            ws_file_current(known.folder, sizeof known.folder);
    }
    bool told = ws_feature_index_set_load_path(ws_the_boot.index, items, (size_t)known.seen_count);
    free(items);
    return told;
}

bool
ws_load_path_tell_index(void)
{
    if (!is_unchanged()) known.usable = remember() && tell_index();
    return known.usable;
}

/* The feature must be of class String, because copy_path_class gives the path that is found the class of the given
 * String. It must be an ASCII name, in an encoding for which that path is in the file system's encoding. */
bool
ws_is_plain_feature(VALUE feature)
{
    if (rb_obj_class(feature) != rb_cString) return false;
    size_t size = (size_t)RSTRING_LEN(feature);
    if (size == 0 || memchr(RSTRING_PTR(feature), 0, size)) return false;
    rb_encoding *encoding = rb_enc_get(feature);
    if (encoding != rb_filesystem_encoding() && encoding != rb_usascii_encoding() &&
        encoding != rb_ascii8bit_encoding())
        return false;
    return rb_enc_str_asciionly_p(feature);
}

/* Ruby calls an object's to_path whenever it looks whether a name is provided (rb_feature_p). A program that counts the
 * calls would see one more if we asked. */
bool
ws_load_path_has_objects(void)
{
    if (is_unchanged()) return false;
    for (long i = 0; i < RARRAY_LEN(known.load_path); i++)
        if (!RB_TYPE_P(RARRAY_AREF(known.load_path, i), T_STRING)) return true;
    return false;
}

bool
ws_load_path_knows_missing(VALUE feature)
{
    return ws_the_boot.index &&
           ws_feature_index_knows_missing(ws_the_boot.index, RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature));
}

/* call-seq: Native.resolve(feature) -> [:rb or :library, path] or a reason (Symbol)
 * What the index answers, for `warmstart why` and the tests. */
static VALUE
resolve(VALUE self, VALUE feature)
{
    char path[4096];
    StringValueCStr(feature);
    if (!ws_the_boot.index) return ID2SYM(rb_intern("no_index"));
    rb_provided(RSTRING_PTR(feature)); /* makes Ruby freeze the load path */
    ws_load_path_tell_index();
    ws_feature_answer answer =
        ws_feature_index_find(ws_the_boot.index, RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature), path, sizeof path);
    if (answer.answer == WS_ANSWER_SEARCH) return ID2SYM(rb_intern(answer.reason));
    return rb_ary_new_from_args(2, ID2SYM(rb_intern(answer.answer == WS_ANSWER_RB ? "rb" : "library")),
                                rb_enc_str_new(path, (long)answer.path_size, rb_filesystem_encoding()));
}

static VALUE
is_index_outdated(VALUE self)
{
    return !ws_the_boot.index || ws_feature_index_outdated(ws_the_boot.index) ? Qtrue : Qfalse;
}

void
ws_init_load_path(VALUE native)
{
    ws_boot_on_forget(forget);
    known.load_path = rb_gv_get("$LOAD_PATH");
    rb_gc_register_mark_object(known.load_path);
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &seen_type, &known.seen));
    rb_define_singleton_method(native, "resolve", resolve, 1);
    rb_define_singleton_method(native, "index_outdated?", is_index_outdated, 0);
}
