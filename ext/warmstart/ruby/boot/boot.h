/* The boot of this process: which image, in which mode, and until when. All of it is used with the GVL, in the main
 * Ractor. */
#ifndef WARMSTART_RUBY_BOOT_H
#define WARMSTART_RUBY_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/image.h"
#include "core/image/secret.h"
#include "core/index/feature_index.h"
#include "core/path/path.h"
#include "core/system/file.h"

/* Longer paths are Ruby's to deal with. */
#define WS_PATH_MAXIMUM 4096

static inline bool
ws_is_absolute(const char *path, size_t size)
{
    return ws_path_rules_native()->is_absolute(path, size);
}

typedef struct ws_boot {
    bool image_open; /* image holds an opened image */
    bool sealed;     /* entries are believed as they are */
    bool portable;
    bool complete;          /* said by the application */
    bool landing;           /* just complete: the index answers until there is a pause */
    bool recording_allowed; /* not read-only, not sealed, the folder is ours */
    ws_image image;
    ws_feature_index *index; /* NULL: no index, every search is Ruby's */
    char *directory;         /* the image's folder */
    char *key;
    size_t key_size;
    uint64_t key_hash;
    char *dlext;              /* without the dot */
    int file_system_encoding; /* the key's; the number that Ruby has for it in this process */
    ws_trust trust;
} ws_boot;

extern ws_boot ws_the_boot;

/* The user's secret in the file of that path; NULL for nil. */
ws_secret *ws_secret_at(VALUE path);

/* File.realpath, as far as it fits. */
bool ws_real_path(const char *path, char real[WS_PATH_MAXIMUM]);
/* Notes that something is being required now; true while the index may answer: till the boot is complete and has
 * landed. */
bool ws_boot_running(void);
/* What was validated for a require was validated until now: on a slow file system that alone may take longer than a
 * pause. */
void ws_boot_validated(void);

/* What was validated is validated again before the next answer: after a pause, when an image has been opened, when the
 * program changes names. */
void ws_boot_forget(void);
/* Who does so (load_path.c). */
void ws_boot_on_forget(void (*function)(void));

void ws_init_boot(VALUE native);
void ws_init_records(VALUE native);
void ws_init_end_of_program(VALUE native);

#endif
