/* Takes over what another image knows: the image of the same application at another place, or of another application
 * with the same gems. Files are compared by their contents, once, by several threads; code whose path has changed is
 * relocated. What was taken over is written into the own image, so the next boot is an ordinary warm one.
 *
 * Who calls: ruby/command_line/adopter.c. */
#ifndef WARMSTART_CORE_ADOPTION_H
#define WARMSTART_CORE_ADOPTION_H

#include <stddef.h>
#include <stdint.h>

#include "core/recording/recording.h"

/* A folder that lies elsewhere now. Without a slash at the end. */
typedef struct ws_moved_folder {
    const char *from, *to;
} ws_moved_folder;

typedef struct ws_adoption {
    const ws_recording_options *own; /* where the result is written */
    const char *directory;           /* the other image's folder. It may be the own one: then files whose metadata
                                        differ are compared */
    ws_trust trust;                  /* the other image's */
    const ws_moved_folder *moved;    /* the first one that a path lies in is its own */
    size_t moved_count;
    uint32_t threads;
} ws_adoption;

/* How many files: of the other image; taken over; of these, with relocated code; in the own image already. */
typedef struct ws_adopted {
    uint32_t entries, taken, relocated, known;
    /* Files left out: they do not exist here; their contents differ; they are too young; or their code cannot be
     * relocated exactly. */
    uint32_t gone, changed, young, fixed;
} ws_adopted;

/* WS_MISSING: there is no other image. */
ws_code ws_adopt(const ws_adoption *adoption, ws_adopted *adopted, ws_error *error);

#endif
