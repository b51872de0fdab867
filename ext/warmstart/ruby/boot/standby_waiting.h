#ifndef WARMSTART_RUBY_STANDBY_WAITING_H
#define WARMSTART_RUBY_STANDBY_WAITING_H

#include <ruby.h>

void ws_init_standby_waiting(VALUE native);

#endif
