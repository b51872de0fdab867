/* Lists the metadata calls that may be made in advance. */
#ifndef WARMSTART_RUBY_AHEAD_H
#define WARMSTART_RUBY_AHEAD_H

#include <ruby.h>

/* Offers the paths that this boot is going to check for validation in advance (core/validation/validation_ahead.h).
 * Nothing is offered for a sealed image, which is not checked. */
void ws_offer_ahead(void);
void ws_init_ahead(VALUE native);

#endif
