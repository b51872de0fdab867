/* What a C extension can ask of Ruby's loader, one function of the module Calls each: test/exactness/c_extension_test.rb. */
#include <ruby.h>

static VALUE
call_require(VALUE self, VALUE name)
{
    return rb_require(StringValueCStr(name));
}

static VALUE
call_require_object(VALUE self, VALUE feature)
{
    return rb_f_require(self, feature);
}

static VALUE
call_method(VALUE self, VALUE feature)
{
    return rb_funcall(rb_mKernel, rb_intern("require"), 1, feature);
}

static VALUE
call_evaluated(VALUE self, VALUE code)
{
    return rb_eval_string(StringValueCStr(code));
}

static VALUE
call_load(VALUE self, VALUE name, VALUE wrapped)
{
    rb_load(name, RTEST(wrapped));
    return Qnil;
}

/* [what the load ended with, $!] */
static VALUE
call_load_protected(VALUE self, VALUE name)
{
    int state = 0;
    rb_load_protect(name, 0, &state);
    VALUE error = rb_errinfo();
    rb_set_errinfo(Qnil);
    return rb_ary_new_from_args(2, INT2NUM(state), state == 6 ? error : Qnil);
}

static VALUE
require_it(VALUE name)
{
    return rb_require(StringValueCStr(name));
}

static VALUE
call_require_protected(VALUE self, VALUE name)
{
    int state = 0;
    VALUE answer = rb_protect(require_it, name, &state);
    VALUE error = rb_errinfo();
    rb_set_errinfo(Qnil);
    return rb_ary_new_from_args(3, state ? Qnil : answer, INT2NUM(state), state == 6 ? error : Qnil);
}

static VALUE
tell(VALUE name, VALUE error)
{
    return rb_ary_new_from_args(2, name, rb_obj_class(error));
}

static VALUE
call_require_rescued(VALUE self, VALUE name)
{
    return rb_rescue2(require_it, name, tell, name, rb_eLoadError, rb_eStandardError, (VALUE)0);
}

static VALUE
call_require_ensured(VALUE self, VALUE name)
{
    return rb_ensure(require_it, name, rb_obj_freeze, name);
}

static VALUE
call_provide(VALUE self, VALUE name)
{
    rb_provide(StringValueCStr(name));
    return Qnil;
}

static VALUE
call_provided(VALUE self, VALUE name)
{
    return rb_provided(StringValueCStr(name)) ? Qtrue : Qfalse;
}

static VALUE
call_autoload(VALUE self, VALUE owner, VALUE name)
{
    return rb_autoload_load(owner, SYM2ID(name));
}

static VALUE
call_constant(VALUE self, VALUE path)
{
    return rb_path_to_class(path);
}

static VALUE
call_defined(VALUE self, VALUE owner, VALUE name)
{
    return rb_const_defined(owner, SYM2ID(name)) ? Qtrue : Qfalse;
}

static VALUE
require_in_thread(void *name)
{
    return rb_require((const char *)name);
}

static VALUE
call_require_in_thread(VALUE self, VALUE name)
{
    VALUE thread = rb_thread_create(require_in_thread, StringValueCStr(name));
    VALUE answer = rb_funcall(thread, rb_intern("value"), 0);
    RB_GC_GUARD(name);
    return answer;
}

void
Init_calls(void)
{
    VALUE calls = rb_define_module("Calls");
    rb_define_singleton_method(calls, "require_c", call_require, 1);
    rb_define_singleton_method(calls, "require_object", call_require_object, 1);
    rb_define_singleton_method(calls, "require_method", call_method, 1);
    rb_define_singleton_method(calls, "require_protected", call_require_protected, 1);
    rb_define_singleton_method(calls, "require_rescued", call_require_rescued, 1);
    rb_define_singleton_method(calls, "require_ensured", call_require_ensured, 1);
    rb_define_singleton_method(calls, "require_in_thread", call_require_in_thread, 1);
    rb_define_singleton_method(calls, "evaluated", call_evaluated, 1);
    rb_define_singleton_method(calls, "load", call_load, 2);
    rb_define_singleton_method(calls, "load_protected", call_load_protected, 1);
    rb_define_singleton_method(calls, "provide", call_provide, 1);
    rb_define_singleton_method(calls, "provided", call_provided, 1);
    rb_define_singleton_method(calls, "autoload_constant", call_autoload, 2);
    rb_define_singleton_method(calls, "constant", call_constant, 1);
    rb_define_singleton_method(calls, "defined", call_defined, 2);
    /* An extension may ask for files of Ruby's while it is itself being loaded. */
    VALUE wanted = rb_gv_get("$wanted_by_init");
    if (RB_TYPE_P(wanted, T_STRING)) rb_gv_set("$answer_in_init", rb_require(StringValueCStr(wanted)));
}
