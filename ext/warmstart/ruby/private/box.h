/* The box in which the frames of files say they run (Ruby 4.0 on): see box.c. */
#ifndef WARMSTART_RUBY_BOX_H
#define WARMSTART_RUBY_BOX_H

#include <ruby.h>

/* The box for rb_iseq_eval. NULL if Ruby has no boxes. */
const void *ws_box(void);

/* Defines Native.know_box. If the box is not found, the direct way is off. */
void ws_init_box(VALUE native);

#endif
