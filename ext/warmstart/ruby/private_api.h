/* All the private API that we use: functions that libruby exports and no header declares. extconf.rb looks for each; where
 * one is missing, what needs it is off. */
#ifndef WARMSTART_RUBY_PRIVATE_API_H
#define WARMSTART_RUBY_PRIVATE_API_H

#include <ruby.h>

#ifdef HAVE_RB_GET_COVERAGES
VALUE rb_get_coverages(void);        /* thread.c: what Coverage.setup made, else false or nil */
#endif

#endif
