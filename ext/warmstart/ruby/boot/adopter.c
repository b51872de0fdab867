/* Native.adopt: what another image knows becomes known to ours, before anything is loaded. See core/adoption/. */
#include <stdlib.h>
#include <string.h>

#include "core/adoption/adoption.h"
#include "core/adoption/relocation.h"
#include "core/adoption/spelling.h"
#include "core/file_system/file_system.h"
#include "core/recording/recording.h"
#include "core/system/error.h"
#include "ruby/boot/boot.h"

static VALUE
counts_of(const ws_adopted *adopted)
{
    const struct {
        const char *name;
        uint32_t value;
    } numbers[] = {
        { "entries", adopted->entries },   { "taken", adopted->taken }, { "relocated", adopted->relocated },
        { "unwanted", adopted->unwanted }, { "gone", adopted->gone },   { "changed", adopted->changed },
        { "young", adopted->young },       { "fixed", adopted->fixed },
    };
    VALUE hash = rb_hash_new();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        rb_hash_aset(hash, ID2SYM(rb_intern(numbers[i].name)), UINT2NUM(numbers[i].value));
    return hash;
}

/* Returns a NULL-terminated list of the C strings in the Array's Strings. The caller frees it. */
static const char **
list_of(VALUE array)
{
    Check_Type(array, T_ARRAY);
    size_t count = (size_t)RARRAY_LEN(array);
    const char **list = xcalloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        VALUE text = rb_ary_entry(array, (long)i);
        list[i] = RB_TYPE_P(text, T_STRING) ? RSTRING_PTR(text) : "";
    }
    return list;
}

/* call-seq: Native.adopt(directory, secret, root, gem_homes, gems, maximum_size) -> Hash or [reason, message]
 *
 * Takes over what the image in the directory knows into the image of Native.prepare, for the application in root. The
 * other image is trusted as the own one is, but for the secret: see Native.prepare. gem_homes: folders with a folder
 * `gems`. gems: "\nrack-3.1.8\n", names of the gems' folders that are wanted, or nil for all. Returns the fields of
 * ws_adopted. */
static VALUE
adopt(VALUE self, VALUE directory, VALUE secret, VALUE root, VALUE gem_homes, VALUE gems, VALUE maximum_size)
{
    const ws_boot *boot = &ws_the_boot;
    StringValueCStr(directory);
    if (!NIL_P(gems)) StringValueCStr(gems);
    ws_recording_options own = {
        .store = { .directory = boot->directory,
                   .anchor = boot->anchor,
                   .key_hash = boot->key_hash,
                   .trust = boot->trust,
                   .maximum_size = NUM2ULL(maximum_size),
                   .root = StringValueCStr(root) },
        .key = boot->key,
        .key_size = boot->key_size,
        .dlext = boot->dlext,
    };
    const char **homes = list_of(gem_homes);
    ws_adoption adoption = {
        .own = &own,
        .directory = RSTRING_PTR(directory),
        .trust = boot->trust,
        .gem_homes = homes,
        .gems = NIL_P(gems) ? NULL : RSTRING_PTR(gems),
        .threads = ws_processor_count(),
    };
    adoption.trust.secret = ws_trust_of(Qnil, secret).secret;
    ws_adopted adopted;
    ws_error error;
    ws_code code = ws_adopt(&adoption, &adopted, &error);
    RB_GC_GUARD(gem_homes);
    RB_GC_GUARD(root);
    xfree(homes);
    if (code == WS_OK) return counts_of(&adopted);
    char message[1024];
    ws_error_describe(&error, message, sizeof message);
    return rb_ary_new_from_args(2, ID2SYM(rb_intern(ws_error_name(error.code))),
                                ws_text_with_paths(message, strlen(message)));
}

/* call-seq: Native.image_root -> String or nil
 * The application whose process was the last one to write into the open image, if the image is not sealed. */
static VALUE
image_root(VALUE self)
{
    const ws_boot *boot = &ws_the_boot;
    const char *root = boot->image.manifest.root;
    bool known = boot->image_open && root[0] && !(boot->image.manifest.flags & WS_IMAGE_SEALED);
    return known ? ws_text_with_paths(root, strlen(root)) : Qnil;
}

/* call-seq: Native.write_new(path, text) -> true or false
 * Writes a file of this user's alone, unless there is one. (Ruby's own methods ask objects to convert themselves, which
 * a program can see.) */
static VALUE
write_new(VALUE self, VALUE path, VALUE text)
{
    int descriptor;
    if (ws_file_open(StringValueCStr(path), WS_OPEN_NEW, &descriptor) != 0) return Qfalse;
    StringValue(text);
    bool written = ws_file_write_all(descriptor, RSTRING_PTR(text), (size_t)RSTRING_LEN(text)) == 0;
    ws_file_close(descriptor);
    return written ? Qtrue : Qfalse;
}

static ws_place
place_of(VALUE pair)
{
    Check_Type(pair, T_ARRAY);
    VALUE path = rb_ary_entry(pair, 0), realpath = rb_ary_entry(pair, 1);
    return (ws_place){ StringValueCStr(path), StringValueCStr(realpath) };
}

/* call-seq: Native.relocate(binary, [path, realpath], [path, realpath]) -> String or Symbol
 * For the tests: the binary of a file's code at the second place, or why it cannot be made from that at the first. */
static VALUE
relocate(VALUE self, VALUE binary, VALUE from, VALUE to)
{
    size_t size;
    const char *reason;
    StringValue(binary);
    uint8_t *bytes = ws_relocate((const uint8_t *)RSTRING_PTR(binary), (size_t)RSTRING_LEN(binary), place_of(from),
                                 place_of(to), &size, &reason);
    if (!bytes) return ID2SYM(rb_intern(reason));
    VALUE result = rb_str_new((const char *)bytes, (long)size);
    free(bytes);
    return result;
}

/* call-seq: Native.may_spell?(source, path) -> true or false
 * For the tests. */
static VALUE
may_spell(VALUE self, VALUE source, VALUE path)
{
    StringValue(source);
    const char *spelt = StringValueCStr(path);
    return ws_may_spell((const uint8_t *)RSTRING_PTR(source), (size_t)RSTRING_LEN(source), spelt) ? Qtrue : Qfalse;
}

void
ws_init_adopter(VALUE native)
{
    rb_define_singleton_method(native, "adopt", adopt, 6);
    rb_define_singleton_method(native, "image_root", image_root, 0);
    rb_define_singleton_method(native, "write_new", write_new, 2);
    rb_define_singleton_method(native, "relocate", relocate, 3);
    rb_define_singleton_method(native, "may_spell?", may_spell, 2);
}
