/* All the private API that we use: functions and variables that libruby exports and no header declares. extconf.rb
 * looks for each. If one is missing, what needs it is off. */
#ifndef WARMSTART_RUBY_PRIVATE_API_H
#define WARMSTART_RUBY_PRIVATE_API_H

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/version.h>

#ifdef HAVE_RB_GET_COVERAGES
VALUE rb_get_coverages(void); /* thread.c: what Coverage.setup made, otherwise false or nil */
#endif

/* For the direct way (require.c, way.c), where extconf.rb saw it work. */
#ifdef WS_HAVE_DIRECT_WAY
typedef struct rb_iseq_struct rb_iseq_t;
/* vm.c: evaluates a file's iseq, with no frame but the file's. Ruby 4 wants the box, too (private/box.h). A Ruby
 * without boxes does not read the second argument. */
VALUE rb_iseq_eval(const rb_iseq_t *iseq, const void *box);
const rb_iseq_t *rb_iseqw_to_iseq(VALUE iseq); /* iseq.c: what a RubyVM::InstructionSequence holds */
#endif

#if defined HAVE_RB_OBJSPACE_REACHABLE_OBJECTS_FROM && defined HAVE_RB_OBJSPACE_REACHABLE_OBJECTS_FROM_ROOT
#define WS_HAVE_REACHABLE_OBJECTS 1
/* gc.c, for Ruby's own objspace: lists the objects that the collector would mark next, and those with which it
 * begins. */
void rb_objspace_reachable_objects_from(VALUE object, void (*function)(VALUE, void *), void *argument);
void rb_objspace_reachable_objects_from_root(void (*function)(const char *category, VALUE, void *), void *argument);
#endif

#ifdef HAVE_RB_OBJSPACE_EACH_OBJECTS
/* gc.c, for Ruby's own objspace: hands out the heap in pieces, from `start` to `end`, an object every `stride` bytes.
 */
void rb_objspace_each_objects(int (*function)(void *start, void *end, size_t stride, void *), void *argument);
#endif

#ifdef HAVE_RUBY_SINGLE_MAIN_RACTOR
extern struct rb_ractor_struct *ruby_single_main_ractor; /* ractor.c: NULL from the second Ractor on */
#endif

#ifdef HAVE_RUBY_VM_EVENT_FLAGS
extern rb_event_flag_t ruby_vm_event_flags; /* vm.c: the events that some hook wants; exported up to 3.1 or 3.2 */
#endif

#endif
