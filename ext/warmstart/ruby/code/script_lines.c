/* With RubyVM.keep_script_lines Ruby keeps the source's lines beside the code that it compiles. The debug gem turns
 * this on, so it is on in every development and test boot of many applications. Ruby 3.3 keeps the lines of evaluated
 * strings only (extconf.rb asks), so there is nothing to do. Before 3.3, files have lines, too, but code from an image
 * has none. There InstructionSequence#script_lines is a method of ours. When somebody asks, it finds the lines in the
 * file, as long as the file is what was compiled. */
#include "ruby/code/script_lines.h"

#include "core/bytes/hash.h"
#include "core/image/image.h"
#include "core/image/image_format.h"
#include "core/image/segment.h"
#include "core/system/error.h"
#include "core/system/file.h"
#include "ruby/code/judgement.h"
#include "ruby/private/own_methods.h"
#include "ruby/private/ractor.h"

static struct {
    VALUE original; /* Ruby's own script_lines, an UnboundMethod */
    VALUE files; /* for each file from the image that was loaded with lines wanted: {realpath => hash of its content, or
                    its lines} */
    bool has_keep;
} lines_wanted;

bool
ws_script_lines_wanted(void)
{
#ifdef WS_FILES_KEEP_LINES
    return lines_wanted.has_keep && RTEST(ws_own0(WS_OWN_VM_KEEP_SCRIPT_LINES, ws_vm));
#else
    return false;
#endif
}

bool
ws_script_lines_replaced(void)
{
    return !NIL_P(lines_wanted.original);
}

static VALUE
hash_string(uint64_t low, uint64_t high)
{
    uint64_t both[2] = { low, high };
    return rb_str_new((const char *)both, sizeof both);
}

void
ws_script_lines_note(ws_found found)
{
    const ws_entry *entry = found.entry;
    const char *path = ws_segment_string(found.segment, entry->realpath_offset, entry->realpath_size);
    if (!path) return;
    rb_hash_aset(lines_wanted.files, rb_str_new(path, entry->realpath_size),
                 hash_string(entry->content_low, entry->content_high));
}

static VALUE
lines_of(VALUE iseq)
{
    return ws_call_unbound(lines_wanted.original, iseq, 0, NULL);
}

/* Compiles the file, so that Ruby itself says which lines it would have kept. */
static VALUE
compile(VALUE path)
{
    return lines_of(ws_own1(WS_OWN_ISEQS_COMPILE_FILE, ws_iseq_class, path));
}

static VALUE
read_lines(VALUE path)
{
    VALUE keep = ws_own0(WS_OWN_VM_KEEP_SCRIPT_LINES, ws_vm), verbose = ruby_verbose, saved = rb_errinfo();
    int state = 0;
    ruby_verbose = Qnil; /* the parser's warnings were given before */
    ws_own1(WS_OWN_VM_SET_KEEP_SCRIPT_LINES, ws_vm, Qtrue);
    VALUE lines = rb_protect(compile, path, &state);
    ws_own1(WS_OWN_VM_SET_KEEP_SCRIPT_LINES, ws_vm, keep);
    ruby_verbose = verbose;
    if (!state) return lines;
    if (!ws_is_file_trouble(rb_errinfo()))
        rb_jump_tag(state); /* it is not that the file is gone or another one by now */
    rb_set_errinfo(saved);
    return Qnil;
}

/* RubyVM::InstructionSequence#script_lines */
static VALUE
script_lines(VALUE self)
{
    VALUE lines = lines_of(self);
    if (!NIL_P(lines) || !ws_main_ractor()) return lines;
    VALUE path = ws_own0(WS_OWN_ISEQ_ABSOLUTE_PATH, self);
    VALUE known = NIL_P(path) ? Qnil : rb_hash_aref(lines_wanted.files, path);
    if (!RB_TYPE_P(known, T_STRING)) return known;
    ws_hash128 hash;
    if (ws_file_hash(StringValueCStr(path), &hash, NULL, NULL) != WS_OK) return Qnil;
    if (!RTEST(rb_str_equal(known, hash_string(hash.low, hash.high)))) return Qnil;
    lines = read_lines(path);
    if (!NIL_P(lines)) rb_hash_aset(lines_wanted.files, path, lines);
    return lines;
}

/* call-seq: Native.files_keep_lines? -> true or false */
static VALUE
files_keep_lines(VALUE self)
{
#ifdef WS_FILES_KEEP_LINES
    return Qtrue;
#else
    return Qfalse;
#endif
}

/* call-seq: Native.define_script_lines -> nil */
static VALUE
define_script_lines(VALUE self)
{
    VALUE name = ID2SYM(rb_intern("script_lines"));
    lines_wanted.original = rb_funcall(ws_iseq_class, rb_intern("instance_method"), 1, name);
    rb_define_method(ws_iseq_class, "script_lines", script_lines, 0);
    return Qnil;
}

void
ws_init_script_lines(VALUE native)
{
    lines_wanted.has_keep = rb_method_boundp(CLASS_OF(ws_vm), rb_intern("keep_script_lines"), 0) != 0;
    lines_wanted.original = Qnil;
    lines_wanted.files = rb_hash_new();
    rb_gc_register_mark_object(lines_wanted.files);
    rb_gc_register_address(&lines_wanted.original);
    rb_define_singleton_method(native, "files_keep_lines?", files_keep_lines, 0);
    rb_define_singleton_method(native, "define_script_lines", define_script_lines, 0);
}
