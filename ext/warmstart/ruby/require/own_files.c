/* Warmstart's own files, as they were compiled when the extension was built (ext/compile_library.rb). warmstart/first
 * and warmstart/native run them, in the place of Ruby's loader. */
#include "ruby/require/require.h"

#include <stdlib.h>
#include <string.h>

#include "core/adoption/code_binary.h"
#include "core/system/file.h"
#include "ruby/private/needs.h"
#include "ruby/private/own_methods.h"

static VALUE files; /* nil, or what Native.compiled has read */

/* Not for a program that counts lines (Coverage), keeps sources (SCRIPT_LINES__) or sets WARMSTART, nor on a Ruby of
 * which the extension lacks something (Native.provide writes into Ruby's tables). */
static bool
may_be_used(void)
{
    return !ws_lacks_something() && !getenv("WARMSTART") && !rb_const_defined(rb_cObject, rb_intern("Coverage")) &&
           !rb_const_defined(rb_cObject, rb_intern("SCRIPT_LINES__"));
}

/* As in ext/compile_library.rb. */
static VALUE
identity(VALUE folder)
{
    static const char *const names[] = { "RUBY_ENGINE", "RUBY_VERSION", "RUBY_PATCHLEVEL", "RUBY_REVISION",
                                         "RUBY_PLATFORM" };
    VALUE parts = rb_ary_new();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rb_ary_push(parts, rb_const_get(rb_cObject, rb_intern(names[i])));
    VALUE description = rb_const_get(rb_cObject, rb_intern("RUBY_DESCRIPTION"));
    rb_ary_push(parts, strstr(StringValueCStr(description), "+PRISM") ? rb_str_new_cstr("+PRISM") : Qnil);
    return rb_ary_push(parts, folder);
}

/* Returns the file's bytes, or nil. */
static VALUE
content_of(const char *path)
{
    ws_stat stat;
    if (ws_file_stat(path, &stat) != 0 || stat.type != WS_TYPE_REGULAR) return Qnil;
    VALUE content = rb_str_new(NULL, (long)stat.size);
    size_t size = 0;
    int descriptor;
    if (ws_file_open(path, WS_OPEN_FILE, &descriptor) != 0) return Qnil;
    int error_number = ws_file_read(descriptor, RSTRING_PTR(content), (size_t)stat.size, &size);
    ws_file_close(descriptor);
    return error_number == 0 && size == stat.size ? content : Qnil;
}

/* Has the file the size and the time that it had when it was compiled? */
static bool
is_unchanged(VALUE file)
{
    Check_Type(file, T_ARRAY);
    VALUE path = rb_ary_entry(file, 0);
    ws_stat stat;
    return ws_file_stat(StringValueCStr(path), &stat) == 0 && stat.size == NUM2ULL(rb_ary_entry(file, 1)) &&
           stat.mtime == NUM2LL(rb_ary_entry(file, 2));
}

/* The codes stand at the end, each at a multiple of 16, which Ruby may count on. */
static VALUE
read_compiled(VALUE file, VALUE folder)
{
    VALUE content = content_of(StringValueCStr(file));
    if (NIL_P(content)) return Qnil;
    VALUE head = rb_marshal_load(content);
    Check_Type(head, T_ARRAY);
    if (!RTEST(rb_equal(rb_ary_entry(head, 0), identity(folder)))) return Qnil;
    VALUE list = rb_ary_entry(head, 1), found = rb_ary_new();
    Check_Type(list, T_ARRAY);
    unsigned long position = (unsigned long)RSTRING_LEN(content);
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        if (!is_unchanged(RARRAY_AREF(list, i))) return Qnil;
        unsigned long size = NUM2ULONG(rb_ary_entry(RARRAY_AREF(list, i), 3));
        if (size > position) return Qnil; /* (the file has been cut off) */
        position -= size;
    }
    for (long i = 0; i < RARRAY_LEN(list); i++) {
        VALUE path = rb_ary_entry(RARRAY_AREF(list, i), 0), size = rb_ary_entry(RARRAY_AREF(list, i), 3);
        VALUE code = rb_obj_hide(rb_str_subseq(content, (long)position, NUM2LONG(size)));
        /* (ibf_load_setup_bytes reserves what damaged counts say, gigabytes, before it compares the version.) */
        ws_binary_header header;
        if (!ws_binary_header_read((const uint8_t *)RSTRING_PTR(code), (size_t)RSTRING_LEN(code), &header)) return Qnil;
        rb_ary_push(found, rb_assoc_new(path, ws_own1(WS_OWN_ISEQS_LOAD_FROM_BINARY, ws_iseq_class, code)));
        position += NUM2ULONG(size);
    }
    return found;
}

/* call-seq: Native.compiled(file, folder) -> [[path, RubyVM::InstructionSequence], ...] or nil
 * Reads library.compiled, for the files of lib/warmstart in that folder. Whoever runs one takes it out of the Array,
 * which is the same at each call. nil: it cannot be used. Any exception means the same. */
static VALUE
compiled(VALUE self, VALUE file, VALUE folder)
{
    if (NIL_P(files) && may_be_used()) files = read_compiled(file, folder);
    return files;
}

void
ws_init_own_files(VALUE native)
{
    files = Qnil;
    rb_gc_register_address(&files);
    rb_define_singleton_method(native, "compiled", compiled, 2);
}
