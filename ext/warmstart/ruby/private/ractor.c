/* A value that is local to each Ractor, and set in the main one only, tells whether this is the main Ractor. */
#include "ruby/private/ractor.h"

#include <ruby.h>
#include <ruby/ractor.h>

static struct {
    rb_ractor_local_key_t key;
    int value; /* its address is what the main Ractor has */
} local;

bool
ws_main_ractor(void)
{
    return rb_ractor_local_storage_ptr(local.key) == &local.value;
}

void
ws_init_ractor(void)
{
    static const struct rb_ractor_local_storage_type nothing = { NULL, NULL };
    local.key = rb_ractor_local_storage_ptr_newkey(&nothing);
    rb_ractor_local_storage_ptr_set(local.key, &local.value);
}
