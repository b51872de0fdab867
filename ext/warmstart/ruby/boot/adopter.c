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
        { "entries", adopted->entries }, { "taken", adopted->taken }, { "relocated", adopted->relocated },
        { "known", adopted->known },     { "gone", adopted->gone },   { "changed", adopted->changed },
        { "young", adopted->young },     { "fixed", adopted->fixed },
    };
    VALUE hash = rb_hash_new();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        rb_hash_aset(hash, ID2SYM(rb_intern(numbers[i].name)), UINT2NUM(numbers[i].value));
    return hash;
}

/* call-seq: Native.adopt(directory, owner, secret, moved, maximum_size) -> Hash or [reason, message]
 *
 * Takes over what the image in the directory knows into the image of Native.prepare. owner, secret: as for
 * Native.prepare, of the other image. moved: [[from, to], ...], folders that lie elsewhere now. Returns the fields of
 * ws_adopted. */
static VALUE
adopt(VALUE self, VALUE directory, VALUE owner, VALUE secret, VALUE moved, VALUE maximum_size)
{
    const ws_boot *boot = &ws_the_boot;
    ws_recording_options own = {
        .store = { .directory = boot->directory,
                   .anchor = boot->anchor,
                   .key_hash = boot->key_hash,
                   .trust = boot->trust,
                   .maximum_size = NUM2ULL(maximum_size) },
        .key = boot->key,
        .key_size = boot->key_size,
        .dlext = boot->dlext,
    };
    Check_Type(moved, T_ARRAY);
    size_t count = (size_t)RARRAY_LEN(moved);
    VALUE buffer;
    ws_moved_folder *folders = ALLOCV_N(ws_moved_folder, buffer, count + 1);
    for (size_t i = 0; i < count; i++) {
        VALUE pair = rb_ary_entry(moved, (long)i), from = rb_ary_entry(pair, 0), to = rb_ary_entry(pair, 1);
        folders[i] = (ws_moved_folder){ StringValueCStr(from), StringValueCStr(to) };
    }
    ws_adoption adoption = {
        .own = &own,
        .directory = StringValueCStr(directory),
        .trust = ws_trust_of(owner, secret),
        .moved = folders,
        .moved_count = count,
        .threads = ws_processor_count(),
    };
    ws_adopted adopted;
    ws_error error;
    ws_code code = ws_adopt(&adoption, &adopted, &error);
    RB_GC_GUARD(moved);
    ALLOCV_END(buffer);
    if (code == WS_OK) return counts_of(&adopted);
    char message[1024];
    ws_error_describe(&error, message, sizeof message);
    return rb_ary_new_from_args(2, ID2SYM(rb_intern(ws_error_name(error.code))),
                                ws_text_with_paths(message, strlen(message)));
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
    rb_define_singleton_method(native, "adopt", adopt, 5);
    rb_define_singleton_method(native, "relocate", relocate, 3);
    rb_define_singleton_method(native, "may_spell?", may_spell, 2);
}
