/* The box that the frames of files say they run in (Ruby 4.0 on): see box.c. */
#ifndef WARMSTART_RUBY_BOX_H
#define WARMSTART_RUBY_BOX_H

#include <ruby.h>

/* For rb_iseq_eval. NULL where Ruby has no boxes. */
const void *ws_box(void);

/* Native.know_box. Where the box is not found, the direct way is off. */
void ws_init_box(VALUE native);

#endif
