/* The part of a standby that runs in Ruby's process and speaks with the interposer (ext/warmstart_standby/standby.h).
 * In any other process there is no interposer, and standby? is all that is ever called. */
#include "ruby/boot/boot.h"

#ifdef __linux__
#include <dlfcn.h>
#include <stdio.h>

#include <ruby/thread.h>

#include "../warmstart_standby/standby.h"
#include "core/validation/folder_watch.h"

static ws_standby *standby;

static const char *
place(void)
{
    static char text[4096];
    const char *file = rb_sourcefile();
    if (!file) return NULL;
    snprintf(text, sizeof text, "%s:%d", file, rb_sourceline());
    return text;
}

/* call-seq: Native.standby? -> bool
 * Whether this process is to wait for clients when its boot is complete. */
static VALUE
is_standby(VALUE self)
{
    ws_standby *(*find)(void);
    *(void **)&find = dlsym(RTLD_DEFAULT, "warmstart_standby");
    standby = find ? find() : NULL;
    if (standby && standby->version != WS_STANDBY_INTERFACE) standby->give_up("its Warmstart is of another version");
    if (standby) standby->place = place;
    return standby ? Qtrue : Qfalse;
}

/* call-seq: Native.standby_pass(point) -> bool
 * Whether the process is to wait here. */
static VALUE
standby_pass(VALUE self, VALUE point)
{
    return standby->pass(StringValueCStr(point)) ? Qtrue : Qfalse;
}

/* call-seq: Native.standby_give_up(why)
 * Ends the process. */
static VALUE
standby_give_up(VALUE self, VALUE why)
{
    standby->place = NULL;
    standby->give_up(StringValueCStr(why));
    return Qnil;
}

/* call-seq: Native.standby_seal(cache) -> nil
 * The boot is complete. cache: the folder of Warmstart's own files. What waits for long keeps no queue of events. */
static VALUE
standby_seal(VALUE self, VALUE cache)
{
    ws_watch_end();
    standby->seal(StringValueCStr(cache));
    return Qnil;
}

static void *
wait_without_lock(void *child)
{
    standby->wait(*(pid_t *)child);
    return NULL;
}

/* call-seq: Native.standby_wait(child) -> nil
 * Returns when a client waits for a child. child: the last one; 0 if there was none, -1 if it could not be made
 * Without Ruby's lock: while another thread waits for that, Ruby wakes up a hundred times a second. */
static VALUE
standby_wait(VALUE self, VALUE last_child)
{
    pid_t child = NUM2PIDT(last_child);
    rb_thread_call_without_gvl(wait_without_lock, &child, RUBY_UBF_IO, NULL);
    return Qnil;
}

static VALUE
leave(RB_BLOCK_CALL_FUNC_ARGLIST(id, data))
{
    standby->leave();
    return Qnil;
}

/* rb_objspace_call_finalizer (gc.c) calls finalizers when all exit handlers have run and all threads have ended. Then
 * it frees what objects hold. */
static void
expect_end(void)
{
    VALUE last = rb_obj_alloc(rb_cObject);
    rb_gc_register_mark_object(last);
    rb_define_finalizer(last, rb_proc_new(leave, Qnil));
}

/* call-seq: Native.standby_become -> nil
 * In the child: it becomes the client's command. Its boot goes on where the standby's has stopped. */
static VALUE
standby_become(VALUE self)
{
    standby->become();
    ws_boot_resume();
    expect_end();
    return Qnil;
}
#else
static VALUE
is_standby(VALUE self)
{
    return Qfalse;
}
#endif

void
ws_init_standby_waiting(VALUE native)
{
    rb_define_singleton_method(native, "standby?", is_standby, 0);
#ifdef __linux__
    rb_define_singleton_method(native, "standby_pass", standby_pass, 1);
    rb_define_singleton_method(native, "standby_give_up", standby_give_up, 1);
    rb_define_singleton_method(native, "standby_seal", standby_seal, 1);
    rb_define_singleton_method(native, "standby_wait", standby_wait, 1);
    rb_define_singleton_method(native, "standby_become", standby_become, 0);
#endif
}
