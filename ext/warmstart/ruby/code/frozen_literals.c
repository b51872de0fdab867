/* Frozen string literals for the application's own files (Warmstart.setup(frozen_string_literals: true)): which files
 * these are, and how one is compiled when the image does not have it.
 *
 * Ruby has that option for the whole process only: RubyVM::InstructionSequence.compile_option=. If it was set around
 * the native compilation of one file, it would also reach what other threads evaluate meanwhile, because Ruby reads a
 * file without its lock. And on Ruby 3.4 it cannot be unset. So the file is compiled by
 * RubyVM::InstructionSequence.compile_file with an option of its own. This is exact in every thread, at the price of
 * the label `<main>` where a load has `<top (required)>`. Who calls: hook.c. */
#include "ruby/code/frozen_literals.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ruby/boot/boot.h"
#include "ruby/code/judgement.h"
#include "ruby/load_path/gem_folders.h"
#include "ruby/private/own_methods.h"

static struct {
    VALUE root;     /* the application's folder, a realpath; nil: off */
    VALUE excluded; /* Array of folders in it that are Ruby's own */
    ID compiler;    /* the class's method that compiles a file with Ruby's own parser */
} literals = { .root = Qnil, .excluded = Qnil };

static bool
lies_within(const char *path, size_t size, VALUE folder)
{
    return ws_path_rules_native()->is_within(path, size, RSTRING_PTR(folder), (size_t)RSTRING_LEN(folder));
}

static bool
is_not_the_applications(const char *path, size_t size)
{
    for (long i = 0; i < RARRAY_LEN(literals.excluded); i++)
        if (lies_within(path, size, RARRAY_AREF(literals.excluded, i))) return true;
    return ws_is_under_gems(path);
}

/* Is the file below the application's folder, and neither Ruby's nor in an installed gem (vendor/bundle)? */
bool
ws_frozen_literals_wanted(const char *name, size_t size)
{
    if (NIL_P(literals.root)) return false;
    if (is_not_the_applications(name, size)) return false;
    if (lies_within(name, size, literals.root)) return true;
    char real[WS_PATH_MAXIMUM]; /* the path may lead there by a symlink: /srv/shop/current/lib */
    return ws_real_path(name, real) && lies_within(real, strlen(real), literals.root) &&
           !is_not_the_applications(real, strlen(real));
}

static VALUE
compile(VALUE path)
{
    VALUE options = rb_hash_new();
    rb_hash_aset(options, ID2SYM(rb_intern("frozen_string_literal")), Qtrue);
    VALUE arguments[] = { path, options };
    return rb_funcallv_kw(ws_iseq_class, literals.compiler, 2, arguments, RB_PASS_KEYWORDS);
}

VALUE
ws_frozen_literals_compile(VALUE path)
{
    VALUE saved = rb_errinfo();
    int state = 0;
    VALUE iseq = rb_protect(compile, path, &state);
    if (!state) return iseq;
    /* If the file itself is the cause, Ruby's own loader says so, with its own class, message and backtrace. */
    if (!ws_is_file_trouble(rb_errinfo())) rb_jump_tag(state);
    rb_set_errinfo(saved);
    return Qnil;
}

/* call-seq: Native.freeze_literals(root, excluded, compiler) -> nil
 * root: the application's realpath, or nil for off. excluded: an Array of folders. compiler: a Symbol. */
static VALUE
freeze_literals(VALUE self, VALUE folder, VALUE folders, VALUE name)
{
    if (!NIL_P(folder)) {
        StringValueCStr(folder);
        Check_Type(folders, T_ARRAY);
        for (long i = 0; i < RARRAY_LEN(folders); i++) Check_Type(RARRAY_AREF(folders, i), T_STRING);
        literals.excluded = folders;
        literals.compiler = rb_sym2id(name);
    }
    literals.root = folder;
    return Qnil;
}

void
ws_init_frozen_literals(VALUE native)
{
    rb_gc_register_address(&literals.root);
    rb_gc_register_address(&literals.excluded);
    rb_define_singleton_method(native, "freeze_literals", freeze_literals, 3);
}
