/* Landmarks are features of other libraries at which Warmstart has something to do. It acts before the feature (as
 * long as bundler/setup runs, it looks on) or after it (when Rails' load hooks exist, ours can be added).
 * Landmarks are checked in Kernel#require, which every file passes anyway, so neither a TracePoint nor a hook in
 * another library's class is needed. Each landmark is passed once. */
#include "ruby/require/require.h"

#include <ruby/encoding.h>

#include <string.h>

#include "ruby/boot/boot.h"
#include "ruby/load_path/load_path.h"

enum { LANDMARKS_MAXIMUM = 64 };
typedef struct ws_landmark {
    VALUE name, before, after;
} ws_landmark;
static ws_landmark landmarks[LANDMARKS_MAXIMUM];
int ws_landmark_count;

static void
mark_landmarks(void *nothing)
{
    for (int i = 0; i < ws_landmark_count; i++) {
        rb_gc_mark(landmarks[i].name);
        rb_gc_mark(landmarks[i].before);
        rb_gc_mark(landmarks[i].after);
    }
}

static const rb_data_type_t landmarks_type = { .wrap_struct_name = "warmstart/landmarks",
                                               .function = { .dmark = mark_landmarks } };

typedef struct ws_name {
    const char *text;
    size_t size;
    bool absolute;
} ws_name;

static ws_name
name_of(VALUE feature)
{
    ws_name name = { RSTRING_PTR(feature), (size_t)RSTRING_LEN(feature), false };
    name.absolute = ws_is_absolute(name.text, name.size);
    if (ws_path_ends_in_rb(name.text, name.size)) name.size -= 3;
    return name;
}

static bool
ends_with(ws_name path, ws_name name)
{
    return path.size > name.size && path.text[path.size - name.size - 1] == '/' &&
           memcmp(path.text + path.size - name.size, name.text, name.size) == 0;
}

/* The path of the name's Ruby file: of an absolute one, or where the load path has it. */
static VALUE
file_of(ws_name name)
{
    VALUE path = rb_str_cat_cstr(rb_str_new(name.text, (long)name.size), ".rb");
    if (name.absolute) return path;
    VALUE found = ws_load_path_has_objects() ? Qfalse : rb_find_file(path);
    return RTEST(found) ? found : Qnil;
}

static bool
is_same_file(VALUE path, VALUE other)
{
    ws_stat stat, other_stat;
    return !NIL_P(path) && !NIL_P(other) && ws_file_stat_path(StringValueCStr(path), true, &stat) == 0 &&
           ws_file_stat_path(StringValueCStr(other), true, &other_stat) == 0 &&
           ws_stat_is_at(&stat, other_stat.device, other_stat.inode);
}

/* A landmark is a feature's name or a file's path, and so is what is required (require_relative, RUBYOPT in Bundler's
 * children). Where one is a path that ends with the other, they are the same if they mean the same file: a program may
 * have a file of its own whose path ends so. */
static bool
is_landmark(VALUE landmark, ws_name required)
{
    ws_name name = name_of(landmark);
    if (name.size == required.size) return memcmp(name.text, required.text, name.size) == 0;
    ws_name path = name.size > required.size ? name : required, end = name.size > required.size ? required : name;
    if (!path.absolute || end.absolute || !ends_with(path, end)) return false;
    bool same = is_same_file(file_of(path), file_of(end));
    RB_GC_GUARD(landmark);
    return same;
}

static ws_landmark *
find(VALUE feature)
{
    /* Names are compared as bytes. (On Windows __dir__ may have another encoding than a source's texts.) */
    if (!RB_TYPE_P(feature, T_STRING) || !rb_enc_str_asciionly_p(feature)) return NULL;
    if (memchr(RSTRING_PTR(feature), 0, (size_t)RSTRING_LEN(feature))) return NULL;
    ws_name required = name_of(feature);
    ws_landmark *found = NULL;
    for (int i = 0; i < ws_landmark_count && !found; i++)
        if (is_landmark(landmarks[i].name, required)) found = &landmarks[i];
    RB_GC_GUARD(feature);
    return found;
}

static VALUE
call(VALUE callable)
{
    return rb_funcall(callable, rb_intern("call"), 0);
}

typedef struct ws_marked_call {
    ws_require_function *function;
    VALUE self, feature, failed;
} ws_marked_call;

static VALUE
go_on(VALUE argument)
{
    const ws_marked_call *marked = (const ws_marked_call *)argument;
    return marked->function(marked->self, marked->feature);
}

/* If the file raises, `failed` is asked whether it is to be loaded once more. (rb_jump_tag goes on with the same
 * exception. To raise it again would be another event for a TracePoint, and with -d another message.) */
static VALUE
go_on_or_again(VALUE argument)
{
    const ws_marked_call *marked = (const ws_marked_call *)argument;
    int state;
    VALUE result = rb_protect(go_on, argument, &state), error = rb_errinfo();
    if (!state) return result;
    /* (It may also be what a throw or Thread#kill leaves there.) */
    bool is_exception = !SPECIAL_CONST_P(error) && BUILTIN_TYPE(error) != T_IMEMO;
    if (!NIL_P(marked->failed) && is_exception) {
        bool again = RTEST(rb_funcall(marked->failed, rb_intern("call"), 1, error));
        rb_set_errinfo(again ? Qnil : error);
        if (again) return go_on(argument);
    }
    rb_jump_tag(state);
}

/* The landmark is removed first, so what the file itself requires goes the usual way. */
static VALUE
require_between(ws_landmark *landmark, ws_require_function *function, VALUE self, VALUE feature)
{
    VALUE before = landmark->before, after = landmark->after;
    *landmark = landmarks[--ws_landmark_count];
    ws_marked_call marked = { function, self, feature, rb_funcall(before, rb_intern("call"), 1, feature) };
    VALUE result = rb_ensure(go_on_or_again, (VALUE)&marked, call, after);
    RB_GC_GUARD(before);
    RB_GC_GUARD(after);
    RB_GC_GUARD(marked.failed);
    return result;
}

VALUE
ws_landmark_require(ws_require_function *function, VALUE self, VALUE feature)
{
    ws_landmark *landmark = find(feature);
    if (landmark && !NIL_P(landmark->before)) return require_between(landmark, function, self, feature);
    VALUE result = function(self, feature);
    if (!landmark || !RTEST(result)) return result; /* a file that failed may be tried again */
    /* Looks once more: other landmarks may have gone meanwhile, or this one, because a file can be required by its name
     * and by its path. */
    landmark = find(feature);
    if (!landmark) return result;
    VALUE after = landmark->after;
    *landmark = landmarks[--ws_landmark_count];
    call(after);
    RB_GC_GUARD(after);
    return result;
}

/* call-seq: Native.landmark(feature, after, before = nil) -> nil
 * Registers what is to be called, once, at a require of that name, or of the path of the file that the name means
 * (feature may be such a path, too). Without a before, after is called when the require has loaded a file. With a
 * before, that is called first, with what is required, and after is called however the file ends. before may return a
 * callable: it gets the exception that the file raises, and answers whether the file is to be loaded once more. */
static VALUE
landmark(int argc, VALUE *argv, VALUE self)
{
    VALUE feature, after, before;
    rb_scan_args(argc, argv, "21", &feature, &after, &before);
    if (ws_landmark_count == LANDMARKS_MAXIMUM) rb_raise(rb_eArgError, "too many landmarks");
    landmarks[ws_landmark_count] = (ws_landmark){ rb_str_new_frozen(StringValue(feature)), before, after };
    ws_landmark_count++;
    return Qnil;
}

/* call-seq: Native.forget_landmarks -> nil */
static VALUE
forget_landmarks(VALUE self)
{
    ws_landmark_count = 0;
    return Qnil;
}

void
ws_init_landmarks(VALUE native)
{
    rb_gc_register_mark_object(TypedData_Wrap_Struct(rb_cObject, &landmarks_type, landmarks));
    rb_define_singleton_method(native, "landmark", landmark, -1);
    rb_define_singleton_method(native, "forget_landmarks", forget_landmarks, 0);
}
