/* Features of others after which there is something for Warmstart to do: with Rails' railties ours can be there, too. Asked
 * in Kernel#require, which every file passes anyway: neither a TracePoint nor a hook in anybody's class is needed. A landmark
 * is passed once. */
#include "landmarks.h"

enum { LANDMARKS_MAXIMUM = 8 };
static struct { VALUE name, callable; } landmarks[LANDMARKS_MAXIMUM];
int ws_landmark_count;

static void
mark_landmarks(void *nothing)
{
    for (int i = 0; i < ws_landmark_count; i++) {
        rb_gc_mark(landmarks[i].name);
        rb_gc_mark(landmarks[i].callable);
    }
}

static const rb_data_type_t landmarks_type = { .wrap_struct_name = "warmstart/landmarks", .function = { .dmark = mark_landmarks } };

/* By its name, or by an absolute path that ends so (require_relative). */
static bool
is_landmark(VALUE name, VALUE feature)
{
    long size = RSTRING_LEN(feature), name_size = RSTRING_LEN(name);
    const char *text = RSTRING_PTR(feature);
    bool absolute = ws_is_absolute(text, (size_t)size);
    if (absolute && size > 3 && memcmp(text + size - 3, ".rb", 3) == 0) size -= 3;
    if (size < name_size || memcmp(text + size - name_size, RSTRING_PTR(name), (size_t)name_size) != 0) return false;
    return size == name_size || (absolute && text[size - name_size - 1] == '/');
}

void
ws_landmark_passed(VALUE feature)
{
    if (!RB_TYPE_P(feature, T_STRING) || RSTRING_LEN(feature) == 0) return;
    for (int i = 0; i < ws_landmark_count; i++) {
        VALUE name = landmarks[i].name, callable = landmarks[i].callable;
        if (!is_landmark(name, feature)) continue;
        landmarks[i] = landmarks[--ws_landmark_count];
        rb_funcall(callable, rb_intern("call"), 0);
        RB_GC_GUARD(callable);
        return;
    }
}

/* call-seq: Native.landmark(feature, callable) -> nil: calls it once, when a require of that name, or of a path that ends
 * so, has loaded a file */
static VALUE
landmark(VALUE self, VALUE feature, VALUE callable)
{
    if (ws_landmark_count == LANDMARKS_MAXIMUM) rb_raise(rb_eArgError, "too many landmarks");
    landmarks[ws_landmark_count].name = rb_str_new_frozen(StringValue(feature));
    landmarks[ws_landmark_count++].callable = callable;
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
    rb_define_singleton_method(native, "landmark", landmark, 2);
    rb_define_singleton_method(native, "forget_landmarks", forget_landmarks, 0);
}
