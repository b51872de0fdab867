/* Counts class_eval, module_eval and instance_eval of a String, with their bytes and time. C functions replace Ruby's
 * methods and call Ruby's own C functions. Kernel#eval and Binding#eval are not counted, because Ruby exports no C
 * functions for them. */
#include "hooks.h"
#include "tree.h"

#include "ruby/private/patch.h"

static ws_patch class_eval, module_eval, instance_eval;

typedef VALUE eval_function(int argc, const VALUE *argv, VALUE self);
typedef struct ws_eval_call {
    eval_function *function;
    int argc;
    const VALUE *argv;
    VALUE self;
} ws_eval_call;

static VALUE
run(VALUE argument)
{
    ws_eval_call *call = (ws_eval_call *)argument;
    return call->function(call->argc, call->argv, call->self);
}

static VALUE
end(VALUE argument)
{
    ws_eval_end(*(ws_eval *)argument);
    return Qnil;
}

static VALUE
counted(eval_function *function, int argc, const VALUE *argv, VALUE self)
{
    if (argc == 0 || !RB_TYPE_P(argv[0], T_STRING) || !ws_tree_active()) return function(argc, argv, self);
    ws_eval eval = ws_eval_begin((size_t)RSTRING_LEN(argv[0]));
    ws_eval_call call = { function, argc, argv, self };
    return rb_ensure(run, (VALUE)&call, end, (VALUE)&eval);
}

static VALUE
module_eval_function(int argc, VALUE *argv, VALUE self)
{
    return counted(rb_mod_module_eval, argc, argv, self);
}

static VALUE
instance_eval_function(int argc, VALUE *argv, VALUE self)
{
    return counted(rb_obj_instance_eval, argc, argv, self);
}

static VALUE
define_evals(VALUE native)
{
    ws_patch_install(&class_eval, rb_cModule, "class_eval", (ws_method_function *)module_eval_function, -1);
    ws_patch_install(&module_eval, rb_cModule, "module_eval", (ws_method_function *)module_eval_function, -1);
    ws_patch_install(&instance_eval, rb_cBasicObject, "instance_eval", (ws_method_function *)instance_eval_function,
                     -1);
    return Qnil;
}

static VALUE
undefine_evals(VALUE native)
{
    ws_patch_remove(&class_eval);
    ws_patch_remove(&module_eval);
    ws_patch_remove(&instance_eval);
    return Qnil;
}

void
ws_init_evals(VALUE native)
{
    rb_define_singleton_method(native, "define_evals", define_evals, 0);
    rb_define_singleton_method(native, "undefine_evals", undefine_evals, 0);
}
