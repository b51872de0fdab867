#include "ruby/private/ruby_require.h"

#include "ruby/private/private_api.h"

static VALUE tag;

typedef struct ws_ruby_call {
    VALUE self, feature;
} ws_ruby_call;

static VALUE
nothing(VALUE argument)
{
    return Qnil;
}

static VALUE
throw_nil(VALUE argument)
{
    rb_throw_obj(tag, Qnil);
    return Qnil; /* never reached */
}

static VALUE
set_answer(VALUE argument)
{
    int state = 0;
    rb_protect(throw_nil, Qnil, &state);
    return Qnil;
}

/* If a file is left by return, rb_vm_make_jump_tag_but_local_jump (vm.c) makes a LocalJumpError, and gives it as its
 * exit_value the retval of the tag around Ruby's require. rb_vm_exec sets it to nil, so a program always sees nil. But
 * rb_catch_obj, rb_ensure and rb_protect leave in it what lies on the C stack, and the collector crashes when it marks
 * that. rb_throw_obj sets the retval of the tag to which it throws; rb_protect then stops the throw. rb_ensure keeps $!
 * while its second function runs, whatever $! is. */
static VALUE
call(RB_BLOCK_CALL_FUNC_ARGLIST(yielded, argument))
{
    const ws_ruby_call *called = (const ws_ruby_call *)argument;
    rb_ensure(nothing, Qnil, set_answer, Qnil);
    return rb_f_require(called->self, called->feature);
}

/* rb_catch_obj pushes no frame that a backtrace shows. */
VALUE
ws_ruby_require(VALUE self, VALUE feature)
{
    ws_ruby_call called = { self, feature };
    return rb_catch_obj(tag, call, (VALUE)&called);
}

void
ws_ruby_require_answer(VALUE answer)
{
    rb_throw_obj(tag, answer);
}

void
ws_init_ruby_require(void)
{
    tag = rb_obj_alloc(rb_cObject);
    rb_gc_register_mark_object(tag);
}
