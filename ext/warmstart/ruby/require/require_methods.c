/* Puts our require and require_relative in their places; see require_methods.h. */
#include "ruby/require/require_methods.h"

static ws_require_function *require, *require_relative;

static VALUE
define_require(VALUE self)
{
    rb_define_private_method(rb_mKernel, "require", require, 1);
    return Qnil;
}

static VALUE
define_singleton_require(VALUE self)
{
    rb_define_singleton_method(rb_mKernel, "require", require, 1);
    return Qnil;
}

static VALUE
define_require_relative(VALUE self)
{
    rb_define_private_method(rb_mKernel, "require_relative", require_relative, 1);
    return Qnil;
}

static VALUE
define_singleton_require_relative(VALUE self)
{
    rb_define_singleton_method(rb_mKernel, "require_relative", require_relative, 1);
    return Qnil;
}

void
ws_init_require_methods(VALUE native, ws_require_function *function, ws_require_function *relative_function)
{
    require = function;
    require_relative = relative_function;
    rb_define_singleton_method(native, "define_require", define_require, 0);
    rb_define_singleton_method(native, "define_singleton_require", define_singleton_require, 0);
    rb_define_singleton_method(native, "define_require_relative", define_require_relative, 0);
    rb_define_singleton_method(native, "define_singleton_require_relative", define_singleton_require_relative, 0);
}
