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

void
ws_landmark_passed(VALUE feature)
{
    if (!RB_TYPE_P(feature, T_STRING)) return;
    for (int i = 0; i < ws_landmark_count; i++) {
        VALUE name = landmarks[i].name, callable = landmarks[i].callable;
        if (RSTRING_LEN(name) != RSTRING_LEN(feature) || memcmp(RSTRING_PTR(name), RSTRING_PTR(feature), (size_t)RSTRING_LEN(name)) != 0) continue;
        landmarks[i] = landmarks[--ws_landmark_count];
        rb_funcall(callable, rb_intern("call"), 0);
        RB_GC_GUARD(callable);
        return;
    }
}

/* call-seq: Native.landmark(feature, callable) -> nil: calls it once, when a require of that very name has loaded a file */
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
