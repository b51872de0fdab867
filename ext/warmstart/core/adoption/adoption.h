/* Takes over what another image knows: the image of the same application at another place, or of another application
 * with the same gems. Files are compared by their contents, once, by several threads; code whose path has changed is
 * relocated. What was taken over is written into the own image, so the next boot is an ordinary warm one.
 *
 * Who calls: ruby/boot/adopter.c. */
#ifndef WARMSTART_CORE_ADOPTION_H
#define WARMSTART_CORE_ADOPTION_H

#include <stddef.h>
#include <stdint.h>

#include "core/recording/recording.h"

typedef struct ws_adoption {
    const ws_recording_options *own; /* where the result is written */
    const char *directory;           /* the other image's folder. (It may be the own one.) */
    ws_trust trust;                  /* whose images are believed there */
    const char *const *gem_homes; /* the folders with a folder "gems" in which this process finds gems; NULL ends it */
    const char *gems; /* names of the gems' folders that are wanted, each between two newlines; NULL: all are */
    uint32_t threads;
} ws_adoption;

/* How many files: of the other image; taken over; of these, with relocated code. */
typedef struct ws_adopted {
    uint32_t entries, taken, relocated;
    /* Files left out: of gems that are not wanted; that do not exist here; whose contents differ; that are too young;
     * whose code cannot be relocated exactly. */
    uint32_t unwanted, gone, changed, young, fixed;
} ws_adopted;

/* WS_MISSING: there is no other image. */
ws_code ws_adopt(const ws_adoption *adoption, ws_adopted *adopted, ws_error *error);

#endif
