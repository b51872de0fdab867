/* What a C extension can ask of Ruby's loader, one function of the module Calls each:
 * test/exactness/c_extension_test.rb. And how it can fork: test/forks_test.rb. */
#include <ruby.h>

#ifndef _WIN32
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

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
call_load_plainly(VALUE self, VALUE name)
{
    rb_load(name, 0);
    return Qnil;
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

/* An error that nobody took, as C code leaves behind that asks rb_protect and does not look. */
static VALUE
call_leave_error(VALUE self, VALUE name)
{
    int state = 0;
    rb_protect(require_it, name, &state);
    return INT2NUM(state);
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

static VALUE
say_mine(int argc, VALUE *argv, VALUE self)
{
    return rb_str_new_cstr("mine");
}

static VALUE
load_by_require(int argc, VALUE *argv, VALUE self)
{
    return rb_require(StringValueCStr(argv[0]));
}

static VALUE
require_by_load(VALUE self, VALUE name)
{
    rb_load(name, 0);
    return Qnil;
}

static VALUE
require_counted(VALUE self, VALUE name)
{
    rb_gv_set("$required", rb_funcall(rb_gv_get("$required"), '+', 1, INT2FIX(1)));
    return rb_f_require(self, name);
}

/* Defines Kernel#require anew, so that $required counts its calls. */
static VALUE
call_count_requires(VALUE self)
{
    rb_gv_set("$required", INT2FIX(0));
    rb_define_global_function("require", require_counted, 1);
    return Qnil;
}

/* Defines Kernel#load anew, which requires, or Kernel#require, which loads. */
static VALUE
call_define_load(VALUE self, VALUE name)
{
    if (strcmp(StringValueCStr(name), "load") == 0) rb_define_global_function("load", load_by_require, -1);
    else rb_define_global_function(StringValueCStr(name), require_by_load, 1);
    return Qnil;
}

/* Defines a method, as an extension does that has another one in the place of Ruby's or a gem's. */
static VALUE
call_define(VALUE self, VALUE owner, VALUE name)
{
    rb_define_method(owner, StringValueCStr(name), say_mine, -1);
    return Qnil;
}

#ifndef _WIN32
/* ---- forks ---- */

static void *
fork_here(void *status)
{
    pid_t pid = fork();
    if (pid == 0) _exit(42);
    waitpid(pid, status, 0);
    return NULL;
}

static void *
run_command(void *status)
{
    *(int *)status = system("exit 42");
    return NULL;
}

static void *
read_command(void *status)
{
    FILE *pipe = popen("exit 42", "r");
    *(int *)status = pipe ? pclose(pipe) : -1;
    return NULL;
}

/* In a thread that Ruby knows nothing of, while Ruby's own thread goes on when the block is there. The child's status.
 */
static VALUE
in_native_thread(void *(*function)(void *))
{
    pthread_t thread;
    int status = -1;
    if (pthread_create(&thread, NULL, function, &status) != 0) rb_sys_fail("pthread_create");
    if (rb_block_given_p()) rb_yield(Qnil);
    pthread_join(thread, NULL);
    return WIFEXITED(status) ? rb_sprintf("exit %d", WEXITSTATUS(status)) : rb_sprintf("signal %d", WTERMSIG(status));
}

static VALUE
call_fork_in_native_thread(VALUE self)
{
    return in_native_thread(fork_here);
}

static VALUE
call_system_in_native_thread(VALUE self)
{
    return in_native_thread(run_command);
}

static VALUE
call_popen_in_native_thread(VALUE self)
{
    return in_native_thread(read_command);
}

/* As daemon(3) does: Ruby goes on in the child and has not been told. */
static VALUE
call_fork_behind_ruby(VALUE self)
{
    return INT2NUM((int)fork());
}
#endif

void
Init_calls(void)
{
    VALUE calls = rb_define_module("Calls");
    rb_define_singleton_method(calls, "require_c", call_require, 1);
    rb_define_singleton_method(calls, "require_object", call_require_object, 1);
    rb_define_singleton_method(calls, "require_method", call_method, 1);
    rb_define_singleton_method(calls, "require_protected", call_require_protected, 1);
    rb_define_singleton_method(calls, "leave_error", call_leave_error, 1);
    rb_define_singleton_method(calls, "require_rescued", call_require_rescued, 1);
    rb_define_singleton_method(calls, "require_ensured", call_require_ensured, 1);
    rb_define_singleton_method(calls, "require_in_thread", call_require_in_thread, 1);
    rb_define_singleton_method(calls, "evaluated", call_evaluated, 1);
    rb_define_singleton_method(calls, "load", call_load, 2);
    rb_define_singleton_method(calls, "load_protected", call_load_protected, 1);
    rb_define_singleton_method(calls, "provide", call_provide, 1);
    rb_define_singleton_method(calls, "define", call_define, 2);
    rb_define_singleton_method(calls, "count_requires", call_count_requires, 0);
    rb_define_singleton_method(calls, "define_load", call_define_load, 1);
    /* What is called as Ruby's methods are that do something else. */
    VALUE misnamed = rb_define_module("Misnamed");
    rb_define_singleton_method(misnamed, "load", call_require, 1);
    rb_define_singleton_method(misnamed, "require", call_load_plainly, 1);
    rb_define_singleton_method(misnamed, "load_iseq", call_load_plainly, 1);
    rb_define_singleton_method(calls, "provide", call_provide, 1);
    rb_define_singleton_method(calls, "provided", call_provided, 1);
    rb_define_singleton_method(calls, "autoload_constant", call_autoload, 2);
    rb_define_singleton_method(calls, "constant", call_constant, 1);
    rb_define_singleton_method(calls, "defined", call_defined, 2);
#ifndef _WIN32
    rb_define_singleton_method(calls, "fork_in_native_thread", call_fork_in_native_thread, 0);
    rb_define_singleton_method(calls, "system_in_native_thread", call_system_in_native_thread, 0);
    rb_define_singleton_method(calls, "popen_in_native_thread", call_popen_in_native_thread, 0);
    rb_define_singleton_method(calls, "fork_behind_ruby", call_fork_behind_ruby, 0);
#endif
    /* An extension may ask for files of Ruby's while it is itself being loaded. */
    VALUE wanted = rb_gv_get("$wanted_by_init");
    if (RB_TYPE_P(wanted, T_STRING)) rb_gv_set("$answer_in_init", rb_require(StringValueCStr(wanted)));
}
