/* Ruby 3.1 copies $LOADED_FEATURES with each require, and leaves the previous copy to the collector: 300 MB in a boot
 * of 7,000 files.
 *
 * Ruby compares $LOADED_FEATURES with a snapshot, an Array that shares its elements (load.c:
 * reset_loaded_features_snapshot). The elements belong to a hidden Array, the root, which counts who shares them
 * (array.c: ary_make_shared). The next file is pushed to shared elements, so rb_ary_modify copies them. Then Ruby sets
 * the snapshot anew, and the snapshot releases the old root. Nobody refers to that root any more, and its elements are
 * as large as the list. Later Rubies clear the snapshot first, in their rb_provide_feature.
 *
 * So we keep a reference to the current root and count ourselves among those who share it. When $LOADED_FEATURES has
 * another root and the count says that the only share left is ours, we free the elements: the old root becomes an empty
 * Array of the kind that has its elements inside. Whoever has made a copy (`$LOADED_FEATURES.dup`) is counted, and
 * keeps it as long as he likes. Ruby never counts too few: rb_ary_decrement_share does not go below one, which is why
 * our own share must be counted. */
#include "ruby/private/features_copies.h"

#include <ruby/version.h>

#include "ruby/private/needs.h"

#if RUBY_API_VERSION_CODE >= 30100 && RUBY_API_VERSION_CODE < 30200 && SIZEOF_VALUE == 8

/* array.c: RARRAY_SHARED_ROOT_FLAG; internal/array.h: ELTS_SHARED */
enum { SHARED_ROOT = RUBY_FL_USER5, SHARES = RUBY_FL_USER2 };

static struct {
    VALUE features; /* $LOADED_FEATURES. Qfalse: off, because this Ruby's Arrays are not as we know them */
    VALUE root;     /* one share of it is ours */
    uint64_t freed_count;
} copies = { Qfalse, Qfalse, 0 };

static long *
shares(VALUE array)
{
    return &RARRAY(array)->as.heap.aux.capa;
}

/* Returns the root that owns the Array's elements, or Qfalse if the Array owns them itself or has them inside. */
static VALUE
root_of(VALUE array)
{
    if (FL_TEST_RAW(array, RARRAY_EMBED_FLAG) || !FL_TEST_RAW(array, SHARES)) return Qfalse;
    VALUE owner = RARRAY(array)->as.heap.aux.shared_root;
    bool hidden = !RBASIC_CLASS(owner) && FL_TEST_RAW(owner, SHARED_ROOT) &&
                  !FL_TEST_RAW(owner, RARRAY_EMBED_FLAG | SHARES | RARRAY_TRANSIENT_FLAG);
    return hidden ? owner : Qfalse;
}

static void
free_elements(VALUE array)
{
    void *elements = (void *)RARRAY(array)->as.heap.ptr;
    FL_UNSET_RAW(array, SHARED_ROOT | RARRAY_EMBED_LEN_MASK);
    FL_SET_RAW(array, RARRAY_EMBED_FLAG);
    xfree(elements);
    copies.freed_count++;
}

void
ws_free_features_copy(void)
{
    VALUE now = copies.features ? root_of(copies.features) : Qfalse;
    if (now == copies.root) return;
    if (copies.root && *shares(copies.root) == 1) free_elements(copies.root);
    else if (copies.root) --*shares(copies.root);
    copies.root = now;
    if (copies.root) ++*shares(copies.root);
}

/* call-seq: Native.freed_features_copies -> Integer
 * For the tests. */
static VALUE
get_freed_count(VALUE self)
{
    return ULL2NUM(copies.freed_count);
}

static void
mark_root(void *nothing)
{
    rb_gc_mark_movable(copies.root);
}

/* `root` may change after the collector has marked and before Ruby compacts, so Ruby may move a root that it did not
 * see there. */
static void
follow_root(void *nothing)
{
    copies.root = rb_gc_location(copies.root);
}

static const rb_data_type_t root_type = { .wrap_struct_name = "warmstart/features_root",
                                          .function = { .dmark = mark_root, .dcompact = follow_root } };

/* ---- the probe ---- */

enum { PROBED_SIZE = 40 }; /* too many elements to lie inside of an Array */

/* Are these two Arrays, which share their elements, as we know such Arrays? The word in which we expect the root is the
 * capacity of an Array that shares nothing, so it is taken for an address only if it is the same in both, and too large
 * for a capacity. */
static bool
share_as_known(VALUE one, VALUE other)
{
    VALUE word = RARRAY(one)->as.heap.aux.shared_root;
    if (word < 4096 || SPECIAL_CONST_P(word) || word != RARRAY(other)->as.heap.aux.shared_root) return false;
    VALUE owner = root_of(one);
    return owner && root_of(other) == owner && RB_BUILTIN_TYPE(owner) == T_ARRAY && *shares(owner) == 2 &&
           RARRAY(owner)->as.heap.ptr == RARRAY(one)->as.heap.ptr;
}

/* Lets two Arrays of our own share their elements and part again. */
static bool
is_sharing_known(void)
{
    VALUE one = rb_ary_new_capa(PROBED_SIZE), other = rb_ary_new();
    for (int i = 0; i < PROBED_SIZE; i++) rb_ary_push(one, INT2FIX(i));
    if (FL_TEST_RAW(one, RARRAY_EMBED_FLAG | SHARES)) return false;
    rb_ary_replace(other, one);
    if (!share_as_known(one, other)) return false;
    VALUE owner = root_of(other);
    rb_ary_push(one, Qnil); /* copies the elements */
    bool known = !FL_TEST_RAW(one, SHARES) && root_of(other) == owner && *shares(owner) == 1;
    RB_GC_GUARD(one);
    RB_GC_GUARD(other);
    return known;
}

void
ws_init_features_copies(VALUE native)
{
    rb_define_singleton_method(native, "freed_features_copies", get_freed_count, 0);
    if (!is_sharing_known()) {
        ws_lack("features_copies", "known place of what Arrays share");
        return;
    }
    copies.features = rb_gv_get("$LOADED_FEATURES");
    rb_gc_register_mark_object(copies.features);
    rb_gc_register_mark_object(rb_data_typed_object_wrap(0, &copies.root, &root_type));
}

#else

void
ws_free_features_copy(void)
{
}

void
ws_init_features_copies(VALUE native)
{
}

#endif
