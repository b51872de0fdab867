/* Which way a require goes: see way.c. Who calls: require.c. */
#ifndef WARMSTART_RUBY_WAY_H
#define WARMSTART_RUBY_WAY_H

#include <stdbool.h>

#include <ruby.h>

#include "core/image/image.h"
#include "ruby/code/judgement.h"
#include "ruby/require/loading.h"

typedef enum ws_way {
    WS_WAY_SEARCH,   /* Ruby's own require, with the name as given */
    WS_WAY_PATH,     /* Ruby's own require, with the path that was found: nothing is searched */
    WS_WAY_PROVIDED, /* there is nothing to do: answers false */
    WS_WAY_CIRCULAR, /* this very fiber is loading it: false, and a warning under -w */
    WS_WAY_WAIT,     /* another thread or fiber is loading it directly */
    WS_WAY_DIRECT,
    WS_WAY_MISSING, /* LoadError: Ruby's search would find nothing */
    WS_WAY_COUNT
} ws_way;

typedef struct ws_choice {
    ws_way way;
    const char *reason;  /* static; for WS_WAY_DIRECT what differs although the content is the same, or NULL */
    VALUE path;          /* WS_WAY_PATH */
    ws_found found;      /* WS_WAY_DIRECT */
    ws_verdict verdict;  /* WS_WAY_DIRECT: a hit, or revalidated */
    ws_loading *loading; /* WS_WAY_CIRCULAR, WS_WAY_WAIT */
} ws_choice;

ws_choice ws_choose_way(VALUE feature);
/* The entry could not be used after all: changes the choice to WS_WAY_PATH. */
void ws_choose_path_instead(ws_choice *choice);

void ws_init_way(VALUE native);

#endif
