/* A value that is local to each Ractor, and set in the main one only, tells whether this is the main Ractor. */
#include "ruby/private/ractor.h"

#include <ruby.h>
#include <ruby/ractor.h>

static rb_ractor_local_key_t main_ractor_key;
static int main_ractor_mark;

bool
ws_main_ractor(void)
{
    return rb_ractor_local_storage_ptr(main_ractor_key) == &main_ractor_mark;
}

void
ws_init_ractor(void)
{
    static const struct rb_ractor_local_storage_type nothing = { NULL, NULL };
    main_ractor_key = rb_ractor_local_storage_ptr_newkey(&nothing);
    rb_ractor_local_storage_ptr_set(main_ractor_key, &main_ractor_mark);
}
