/* All the private API that we use: functions and variables that libruby exports and no header declares. extconf.rb looks
 * for each; where one is missing, what needs it is off. */
#ifndef WARMSTART_RUBY_PRIVATE_API_H
#define WARMSTART_RUBY_PRIVATE_API_H

#include <ruby.h>
#include <ruby/debug.h>
#include <ruby/version.h>

#ifdef HAVE_RB_GET_COVERAGES
VALUE rb_get_coverages(void);        /* thread.c: what Coverage.setup made, else false or nil */
#endif

/* The direct way (loading.c), where extconf.rb saw it work. */
#ifdef WS_HAVE_DIRECT_WAY
typedef struct rb_iseq_struct rb_iseq_t;
/* vm.c: evaluates a file's iseq, with no frame but the file's. Ruby 4 wants the box, too, and looks at it only where boxes are enabled
 * (box.c: rb_current_box), where Warmstart stays off. A Ruby without boxes does not read the second argument. */
VALUE rb_iseq_eval(const rb_iseq_t *iseq, const void *box);
const rb_iseq_t *rb_iseqw_to_iseq(VALUE iseq);        /* iseq.c: what a RubyVM::InstructionSequence holds */
#endif

#ifdef HAVE_RUBY_VM_EVENT_FLAGS
extern rb_event_flag_t ruby_vm_event_flags;           /* vm.c: the events that some hook wants; exported up to 3.1 or 3.2 */
#endif

#endif
