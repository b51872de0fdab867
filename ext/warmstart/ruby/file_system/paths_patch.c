/* File.expand_path and File.absolute_path by our path rules. They answer if the rules are this system's and the answer
 * needs no encoding but UTF-8. In all other cases Ruby's own function answers, or raises. They are installed on
 * Windows, where Ruby asks the disk for each path (lib/warmstart/core_ext.rb). */
#include <string.h>

#include <ruby.h>
#include <ruby/encoding.h>

#include "core/path/path.h"
#include "ruby/file_system/paths.h"

#define ROOM_SIZE 1024

/* Is this a String whose bytes mean the same in UTF-8? */
static bool
is_plain(VALUE path)
{
    int range = rb_enc_str_coderange(path);
    return range == ENC_CODERANGE_7BIT ||
           (range == ENC_CODERANGE_VALID && rb_enc_get_index(path) == rb_utf8_encindex());
}

static bool
begins_with_tilde(ws_text path)
{
    return path.size > 0 && path.bytes[0] == '~';
}

/* Does the path stay as it is, whatever the base? Then the answer is a copy. Only such answers can be faster than
 * Ruby's own function if that does not ask the disk. */
static bool
is_settled(const ws_path_rules *rules, VALUE path)
{
    return RSTRING_LEN(path) < ROOM_SIZE / 2 && rules->windows && is_plain(path) &&
           rules->is_settled(RSTRING_PTR(path), (size_t)RSTRING_LEN(path));
}

/* Do the path and the base alone determine the answer? */
static bool
is_complete(const ws_path_rules *rules, ws_text path, const ws_text *base, bool tilde)
{
    if (tilde && (begins_with_tilde(path) || (base && begins_with_tilde(*base)))) return false;
    if (rules->is_absolute(path.bytes, path.size)) return true;
    if (!base || !rules->is_absolute(base->bytes, base->size)) return false;
    return !(path.size >= 2 && memchr(path.bytes, ':', path.size < 4 ? path.size : 4));
}

static bool
is_ascii(const char *bytes, size_t size)
{
    for (size_t offset = 0; offset < size; offset++) {
        if ((unsigned char)bytes[offset] >= 0x80) return false;
    }
    return true;
}

/* Would versions of Windows differ about this path? Windows 11 knows fewer devices, shares may be written in unusual
 * ways, and the rules for dots at the end of a name have changed. Such paths are left to the system. */
static bool
is_doubtful(const ws_path_rules *rules, const char *path, size_t size)
{
    if (!rules->windows || rules->is_settled(path, size)) return false;
    if (size >= 2 && path[0] == '/') return !rules->is_canonical(path, size);
    for (size_t offset = 0; offset + 1 < size; offset++) {
        if (path[offset] == '.' && path[offset + 1] == '/') return true;
    }
    return false;
}

static bool
is_7bit(VALUE path)
{
    return rb_enc_str_coderange(path) == ENC_CODERANGE_7BIT;
}

/* ascii: the bytes are known to be ASCII, so that Ruby need not check them later. */
static VALUE
new_path(const char *bytes, size_t size, rb_encoding *encoding, bool ascii)
{
    int index = rb_enc_to_index(encoding);
    if (index >= RUBY_ENCODING_INLINE_MAX) return rb_enc_str_new(bytes, (long)size, encoding);
    VALUE path = rb_str_new(bytes, (long)size);
    RB_ENCODING_SET_INLINED(path, index);
    if (ascii) RB_ENC_CODERANGE_SET(path, ENC_CODERANGE_7BIT);
    return path;
}

/* Returns the answer, or undef if Ruby must give it. */
static VALUE
answer(VALUE path, VALUE base, bool tilde)
{
    const ws_path_rules *rules = ws_path_rules_native();
    rb_encoding *encoding = NIL_P(base) ? rb_enc_get(path) : rb_enc_compatible(path, base);
    char room[ROOM_SIZE];
    size_t size = 0;
    ws_system_paths system;

    if (!encoding || !is_plain(path) || (!NIL_P(base) && !is_plain(base))) return Qundef;
    ws_text path_text = ws_text_of(path), base_text = ws_text_or_nothing(base);
    if (base_text.size > 0 && memchr(base_text.bytes, '\0', base_text.size))
        return Qundef; /* Ruby's own function raises */
    if (encoding == rb_enc_get(path) && is_settled(rules, path)) return rb_str_resurrect(path);
    bool home = tilde && (begins_with_tilde(path_text) || begins_with_tilde(base_text));

    memset(&system, 0, sizeof(system));
    /* A path in the home folder does not depend on the working directory. */
    bool needs_directory = !(tilde && begins_with_tilde(path_text));
    bool complete = is_complete(rules, path_text, NIL_P(base) ? NULL : &base_text, tilde);
    if (!complete) ws_system_paths_fill(&system, needs_directory, home);
    if (rules->full(room, sizeof(room), &size, path_text, NIL_P(base) ? NULL : &base_text, tilde,
                    &system.surroundings) != WS_PATH_ANSWERED)
        return Qundef;
    if (is_doubtful(rules, room, size)) return Qundef;
    if (home && begins_with_tilde(path_text)) encoding = rb_filesystem_encoding();
    if (encoding != rb_utf8_encoding() && !(rules->windows && is_ascii(room, size))) return Qundef;

    bool ascii = complete && is_7bit(path) && (NIL_P(base) || is_7bit(base));
    VALUE expanded = new_path(room, size, encoding, ascii);
    RB_GC_GUARD(system.directory);
    RB_GC_GUARD(system.home);
    RB_GC_GUARD(system.drive);
    RB_GC_GUARD(path);
    RB_GC_GUARD(base);
    return expanded;
}

static VALUE
expand(int argc, const VALUE *argv, bool tilde)
{
    rb_check_arity(argc, 1, 2);
    VALUE path = argv[0], base = argc > 1 ? argv[1] : Qnil;
    /* Strings are used without the frozen copies that rb_get_path makes. If rb_get_path would raise, answer() leaves
     * the call to Ruby's function. */
    if (!RB_TYPE_P(path, T_STRING) || !(NIL_P(base) || RB_TYPE_P(base, T_STRING))) {
        path = rb_get_path(path);
        if (!NIL_P(base)) base = rb_get_path(base);
    }
    VALUE expanded = answer(path, base, tilde);

    if (expanded != Qundef) return expanded;
    return tilde ? rb_file_expand_path(path, base) : rb_file_absolute_path(path, base);
}

static VALUE
file_expand_path(int argc, VALUE *argv, VALUE self)
{
    return expand(argc, argv, true);
}

static VALUE
file_absolute_path(int argc, VALUE *argv, VALUE self)
{
    return expand(argc, argv, false);
}

/* call-seq: Native.define_file_expand_path -> nil */
static VALUE
define_file_expand_path(VALUE self)
{
    rb_define_singleton_method(rb_cFile, "expand_path", file_expand_path, -1);
    return Qnil;
}

/* call-seq: Native.define_file_absolute_path -> nil */
static VALUE
define_file_absolute_path(VALUE self)
{
    rb_define_singleton_method(rb_cFile, "absolute_path", file_absolute_path, -1);
    return Qnil;
}

void
ws_init_paths_patch(VALUE native)
{
    rb_define_singleton_method(native, "define_file_expand_path", define_file_expand_path, 0);
    rb_define_singleton_method(native, "define_file_absolute_path", define_file_absolute_path, 0);
}
