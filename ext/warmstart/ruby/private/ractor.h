/* Which Ractor is this? rb_ractor_main_p is not public. */
#ifndef WARMSTART_RUBY_RACTOR_H
#define WARMSTART_RUBY_RACTOR_H

#include <stdbool.h>

/* Is the calling thread one of the main Ractor's? */
bool ws_main_ractor(void);

/* To be called in the main Ractor. */
void ws_init_ractor(void);

#endif
