/* Which metadata calls may be made before their turn. */
#ifndef WARMSTART_RUBY_AHEAD_H
#define WARMSTART_RUBY_AHEAD_H

#include <ruby.h>

/* Offers what this boot is going to look at for validation ahead of use (core/validation/validation_ahead.h); not for a
 * sealed image. */
void ws_offer_ahead(void);
void ws_init_ahead(VALUE native);

#endif
