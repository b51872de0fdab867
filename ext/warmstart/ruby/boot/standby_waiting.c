/* The part of a standby that runs in Ruby's process and speaks with the interposer (ext/warmstart_standby/standby.h).
 * In any other process there is no interposer, and attach_standby is all that is ever called. */
#include <ruby.h> /* first, because it defines _GNU_SOURCE, for dladdr */

#include "ruby/boot/boot.h"

#ifdef __linux__
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ruby/debug.h>
#include <ruby/thread.h>

#include "../warmstart_standby/standby.h"
#include "core/validation/folder_watch.h"

static ws_standby *standby;

/* The folder in which this library lies, or one above. Returns false if it has none. */
static bool
find_folder(char folder[PATH_MAX], int above)
{
    Dl_info info;
    bool found = dladdr(&standby, &info) && info.dli_fname && strlen(info.dli_fname) < PATH_MAX;
    snprintf(folder, PATH_MAX, "%s", found ? info.dli_fname : "");
    for (int i = 0; found && i <= above; i++) {
        char *end = strrchr(folder, '/');
        found = end;
        if (end) *end = 0;
    }
    return found;
}

/* Warmstart's own files: this library lies in lib/warmstart/native/BUILD. */
static const char *
own_folder(void)
{
    static char folder[PATH_MAX];
    if (!*folder && !find_folder(folder, 2)) *folder = 0;
    return folder;
}

static bool
lies_in(const char *path, size_t size, const char *folder)
{
    size_t length = strlen(folder);
    return length > 0 && size > length && strncmp(path, folder, length) == 0 && path[length] == '/';
}

static bool
ends_with(const char *path, size_t size, const char *end)
{
    return size >= strlen(end) && strncmp(path + size - strlen(end), end, strlen(end)) == 0;
}

/* The newest frame that is of the program, and neither Ruby's own (<internal:...>, as that of warn) nor Warmstart's;
 * none where the standby itself acts (lib/warmstart/boot/standby.rb), as when it writes what the program has left in
 * buffers. (rb_profile_frames makes no objects; of a method in C there is no path.) */
static const char *
place(void)
{
    enum { FRAMES_MAXIMUM = 64 };
    static char text[4096];
    VALUE frames[FRAMES_MAXIMUM];
    int lines[FRAMES_MAXIMUM], count = rb_profile_frames(0, FRAMES_MAXIMUM, frames, lines);
    const char *own = own_folder();
    for (int i = 0; i < count; i++) {
        VALUE path = rb_profile_frame_path(frames[i]);
        if (NIL_P(path)) continue;
        const char *file = RSTRING_PTR(path);
        size_t size = (size_t)RSTRING_LEN(path);
        if (size >= strlen("<internal:") && strncmp(file, "<internal:", strlen("<internal:")) == 0) continue;
        if (lies_in(file, size, own)) {
            if (ends_with(file, size, "/boot/standby.rb")) return NULL;
            continue;
        }
        snprintf(text, sizeof text, "%.*s:%d", (int)size, file, lines[i]);
        return text;
    }
    return NULL;
}

static bool
execs(void)
{
    return rb_frame_this_func() == rb_intern("exec");
}

/* call-seq: Native.attach_standby -> bool
 * Makes the interposer's standby known here. Returns whether this process is one, which waits for clients when its boot
 * is complete. One of another version ends the process. */
static VALUE
attach_standby(VALUE self)
{
    ws_standby *(*find)(void);
    *(void **)&find = dlsym(RTLD_DEFAULT, "warmstart_standby");
    if (getenv(WS_STANDBY_VARIABLE)) _exit(0);
    standby = find ? find() : NULL;
    if (standby && standby->version != WS_STANDBY_INTERFACE)
        standby->give_up("its Warmstart is of another version", -1);
    if (standby) standby->place = place, standby->execs = execs;
    return standby ? Qtrue : Qfalse;
}

/* call-seq: Native.standby_pass(point) -> bool
 * Whether the process is to wait here. */
static VALUE
standby_pass(VALUE self, VALUE point)
{
    return standby->pass(StringValueCStr(point)) ? Qtrue : Qfalse;
}

/* call-seq: Native.standby_give_up(why, descriptor)
 * Ends the process. descriptor: what the reason is about, or nil; where it was made is told, too. */
static VALUE
standby_give_up(VALUE self, VALUE why, VALUE descriptor)
{
    standby->place = NULL;
    standby->give_up(StringValueCStr(why), NIL_P(descriptor) ? -1 : NUM2INT(descriptor));
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

/* call-seq: Native.standby_become -> nil
 * In the child: it becomes the client's command. Its boot goes on where the standby's has stopped. */
static VALUE
standby_become(VALUE self)
{
    standby->become();
    ws_boot_resume();
    /* rb_objspace_call_finalizer (gc.c) calls finalizers when all exit handlers have run and all threads have ended.
     * Then it frees what objects hold. */
    VALUE last = rb_obj_alloc(rb_cObject);
    rb_gc_register_mark_object(last);
    rb_define_finalizer(last, rb_proc_new(leave, Qnil));
    return Qnil;
}

/* call-seq: Native.note_client(directory) -> true or false
 * Writes where the standby's client lies into the image's folder: into a new file, which takes the old one's place. */
static VALUE
note_client(VALUE self, VALUE directory)
{
    char client[PATH_MAX], beside[PATH_MAX + 32], note[PATH_MAX + 16];
    int descriptor;
    bool found = find_folder(client, 0) && strlen(client) + sizeof "/standby\n" < sizeof client;
    if (found) strcat(client, "/standby");
    if (!found || access(client, X_OK) != 0) return Qfalse;
    strcat(client, "\n");
    snprintf(note, sizeof note, "%s/" WS_CLIENT_NAME, StringValueCStr(directory));
    snprintf(beside, sizeof beside, "%s.%d", note, (int)getpid());
    if (ws_file_open(beside, WS_OPEN_NEW, &descriptor) != 0) return Qfalse;
    bool written = ws_file_write_all(descriptor, client, strlen(client)) == 0;
    ws_file_close(descriptor);
    written = written && ws_file_rename_at(AT_FDCWD, beside, note) == 0;
    if (!written) ws_file_remove_at(AT_FDCWD, beside);
    return written ? Qtrue : Qfalse;
}
#else
static VALUE
attach_standby(VALUE self)
{
    return Qfalse;
}

static VALUE
note_client(VALUE self, VALUE directory)
{
    return Qfalse;
}
#endif

void
ws_init_standby_waiting(VALUE native)
{
    rb_define_singleton_method(native, "attach_standby", attach_standby, 0);
    rb_define_singleton_method(native, "note_client", note_client, 1);
#ifdef __linux__
    rb_define_singleton_method(native, "standby_pass", standby_pass, 1);
    rb_define_singleton_method(native, "standby_give_up", standby_give_up, 2);
    rb_define_singleton_method(native, "standby_seal", standby_seal, 1);
    rb_define_singleton_method(native, "standby_wait", standby_wait, 1);
    rb_define_singleton_method(native, "standby_become", standby_become, 0);
#endif
}
