/* An extension for CRuby for Windows, for tests of paths by themselves: Warmstart::Native's part for paths, and Ruby's
 * own expand_path without its last step, the question to the disk (which is what a lexical answer is to be compared
 * with). test/paths/build_probe builds it. */
#include <ruby.h>

#include "ruby/file_system/paths.h"

/* In CRuby, exported and undeclared. */
VALUE rb_file_expand_path_internal(VALUE path, VALUE base, int absolute, int long_name, VALUE result);

void Init_probe(void);

/* call-seq: PathProbe.expand(path, base, tilde) -> String */
static VALUE
probe_expand(VALUE self, VALUE path, VALUE base, VALUE tilde)
{
    path = rb_get_path(path);
    if (!NIL_P(base)) base = rb_get_path(base);
    return rb_file_expand_path_internal(path, base, !RTEST(tilde), 0, rb_usascii_str_new(NULL, 1));
}

void
Init_probe(void)
{
    ws_init_paths(rb_define_module_under(rb_define_module("Warmstart"), "Native"));
    rb_define_singleton_method(rb_define_module("PathProbe"), "expand", probe_expand, 3);
}
