/* The boot of this process: which image it uses, in which mode, and whether it is complete. All of this is used with
 * the GVL, in the main Ractor. */
#ifndef WARMSTART_RUBY_BOOT_H
#define WARMSTART_RUBY_BOOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/image.h"
#include "core/image/origin.h"
#include "core/image/store_directory.h"
#include "core/index/feature_index.h"
#include "core/path/path.h"
#include "core/system/file.h"

/* Longer paths are left to Ruby. */
#define WS_PATH_MAXIMUM 4096

static inline bool
ws_is_absolute(const char *path, size_t size)
{
    return ws_path_rules_native()->is_absolute(path, size);
}

typedef struct ws_boot {
    bool image_open; /* image holds an opened image */
    bool sealed;     /* entries are used without checking the files */
    bool portable;
    bool complete; /* the application has said so */
    bool landing;  /* complete, but the index answers until there is a pause (the governor lands by itself) */
    /* How many pieces of code are being loaded from the image just now. (Ruby may run a method of the program's
     * meanwhile: Warning.warn, for a regular expression.) */
    unsigned uses;
    ws_image image;
    ws_feature_index *index; /* NULL: there is no index, so Ruby searches */
    char *directory;         /* the image's folder */
    ws_anchor anchor;        /* where its path led when the boot began */
    char *key;
    size_t key_size;
    uint64_t key_hash;
    char *dlext;              /* without the dot */
    int file_system_encoding; /* the file system's encoding, which is part of the key: its number in this process */
    ws_trust trust;
    int64_t last_require; /* by the coarse clock; 0: nothing has been required yet */
    struct {
        char *root; /* may be NULL */
        bool copy, checked;
    } opening; /* how the program wants its image to be opened: see Native.open */
    void (*on_forget)(void), (*on_end)(void);
} ws_boot;

extern ws_boot ws_the_boot;

/* owner, secret: as for Native.prepare. */
ws_trust ws_trust_of(VALUE owner, VALUE secret);

/* A text that has paths in it, in the encoding of FileNames.text. */
VALUE ws_text_with_paths(const char *bytes, size_t size);
/* [reason, message, failure, path, errno] */
VALUE ws_describe_error(const ws_error *error);
/* File.realpath. Returns false if there is none or it is too long. */
bool ws_real_path(const char *path, char real[WS_PATH_MAXIMUM]);
/* Something is being required now. After a pause this forgets what was validated, or ends the landing. */
void ws_boot_note_require(void);
/* May what was validated in this boot be relied on? It may until the boot is complete and has landed. To be asked after
 * ws_boot_note_require. */
static inline bool
ws_boot_answers(void)
{
    return !ws_the_boot.complete || ws_the_boot.landing;
}
/* Restarts the clock that measures pauses, after a require's validations. On a slow file system these alone may take
 * longer than a pause. */
void ws_boot_validated(void);
/* Opens the image that this process has written, where there was no index when the boot began. false: it cannot be
 * opened, or the boot is over. */
bool ws_boot_open_again(void);
/* In the child of a standby the boot goes on, after a pause of any length. */
void ws_boot_resume(void);

/* Makes the index validate everything anew before its next answer: after a pause, when an image has been opened, and
 * when the program changes names. */
void ws_boot_forget(void);
/* Sets the function that does so (load_path.c). */
void ws_boot_on_forget(void (*function)(void));

/* Sets the function that is called when the boot is over and has landed (judgement.c). */
void ws_boot_on_end(void (*function)(void));

/* Offers the paths that this boot is going to check for validation in advance (core/validation/validation_ahead.h).
 * Nothing is offered for a sealed image, which is not checked. */
void ws_offer_ahead(void);

void ws_init_ahead(VALUE native);
void ws_init_boot(VALUE native);
void ws_init_records(VALUE native);
void ws_init_adopter(VALUE native);
void ws_init_standby_waiting(VALUE native);

#endif
