/* Ruby's own methods that we call, as they were when Warmstart began. A program may replace any of them, and in plain
 * Ruby that changes nothing about require: what a method of the program's returns must not reach us, and it must not be
 * seen to be called. So C functions are called without a frame, as if the caller did their work (c_function.h). */
#ifndef WARMSTART_RUBY_OWN_METHODS_H
#define WARMSTART_RUBY_OWN_METHODS_H

#include <stdbool.h>

#include <ruby.h>

/* Receivers: METHOD_* take a Method or an UnboundMethod, ISEQ_* and LOCATION_* instances of RubyVM::InstructionSequence
 * and Thread::Backtrace::Location, ISEQS_*, TRACEPOINTS_* and WARNINGS_* the class or module itself, LOAD_PATH_*
 * $LOAD_PATH. */
typedef enum ws_own_method {
    WS_OWN_METHOD_OWNER,
    WS_OWN_METHOD_SUPER_METHOD,
    WS_OWN_METHOD_ARITY,
    WS_OWN_METHOD_SOURCE_LOCATION,
    WS_OWN_METHOD_ORIGINAL_NAME,
    WS_OWN_METHOD_BIND,   /* UnboundMethod alone */
    WS_OWN_METHOD_UNBIND, /* Method alone */
    WS_OWN_MODULE_INSTANCE_METHOD,
    WS_OWN_MODULE_METHOD_DEFINED,
    WS_OWN_MODULE_PRIVATE_METHOD_DEFINED,
    WS_OWN_MODULE_DEFINE_METHOD,
    WS_OWN_MODULE_PRIVATE,
    WS_OWN_ISEQ_TRACE_POINTS,
    WS_OWN_ISEQ_TO_A,
    WS_OWN_ISEQ_TO_BINARY,
    WS_OWN_ISEQ_ABSOLUTE_PATH,
    WS_OWN_ISEQ_PATH,
    WS_OWN_ISEQS_LOAD_FROM_BINARY,
    WS_OWN_ISEQS_COMPILE_OPTION,
    WS_OWN_ISEQS_COMPILE,
    WS_OWN_ISEQS_COMPILE_FILE,
    WS_OWN_LOAD_PATH_RESOLVE_FEATURE_PATH,
    WS_OWN_LOCATION_ABSOLUTE_PATH,
    WS_OWN_LOCATION_BASE_LABEL,
    WS_OWN_LOCATION_LABEL,
    WS_OWN_LOCATION_PATH,
    WS_OWN_LOCATION_LINENO,
    WS_OWN_TRACEPOINT_EVAL_SCRIPT,
    WS_OWN_TRACEPOINT_INSTRUCTION_SEQUENCE,
    WS_OWN_TRACEPOINTS_STAT,
    WS_OWN_VM_KEEP_SCRIPT_LINES,
    WS_OWN_VM_SET_KEEP_SCRIPT_LINES,
    WS_OWN_WARNINGS_CATEGORIES,
    WS_OWN_WARNINGS_AT,
    WS_OWN_METHOD_COUNT
} ws_own_method;

/* Calls it. Returns nil if this Ruby has no such method, or if it was replaced before Warmstart began: then Warmstart
 * stays out (Native.replaced_methods). */
VALUE ws_own(ws_own_method method, VALUE self, int argc, VALUE *argv);
#define ws_own0(method, self) ws_own(method, self, 0, NULL)
#define ws_own1(method, self, argument) ws_own(method, self, 1, (VALUE[]){ argument })

/* Calls an UnboundMethod of Ruby's on this object. */
VALUE ws_call_unbound(VALUE method, VALUE self, int argc, VALUE *argv);

/* Is it a C function, or one of Ruby's own methods that are written in Ruby (<internal:gc>)? RubyGems' decorators are
 * <internal:/a/path>. */
bool ws_is_rubys_own(VALUE method);

/* Ruby's own RubyVM and RubyVM::InstructionSequence, whatever constants the program removes. */
extern VALUE ws_vm, ws_iseq_class;

void ws_init_own_methods(VALUE native);

#endif
