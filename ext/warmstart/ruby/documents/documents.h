/* Documents: what YAML files were parsed to, kept in the image.
 *
 *   documents.c        File.open: answers from the image, or records what Psych makes of the file
 *   document_call.c    which call of Psych's it is, and whether Psych is as it was made
 *   document_psych.c   the methods that make a document; is each of them Psych's own?
 *   document_tags.c    has a file tags?
 *   document_writer.c  objects -> bytes
 *   document_reader.c  bytes -> objects */
#ifndef WARMSTART_RUBY_DOCUMENTS_H
#define WARMSTART_RUBY_DOCUMENTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ruby.h>

#include "core/image/document.h"
#include "ruby/boot/boot.h"

/* ---- document_call.c ---- */

/* A call of Psych.load_file, unsafe_load_file or safe_load_file, seen from the File.open in it. */
typedef struct ws_document_call {
    const char *reason; /* why nothing is answered nor recorded (static), or NULL */
    size_t path_size, key_size;
    VALUE fallback; /* Qundef: none was given */
    char key[WS_PATH_MAXIMUM +
             512]; /* the path (absolute), a NUL, which call: "yaml 5.1.2 0.2.5 unsafe_load_file freeze" */
} ws_document_call;

/* Is this File.open Psych's? Called in the frame of a C method that Ruby code calls. false: it is some other. */
bool ws_document_call_read(ws_document_call *call, VALUE filename);

void ws_init_document_call(void);

/* ---- document_psych.c ---- */

/* What a method has a part in. */
typedef enum ws_psych_use { PSYCH_SAFE = 1, PSYCH_UNSAFE = 2, PSYCH_ANY = 3 } ws_psych_use;

typedef enum ws_psych_method {
    PSYCH_LOAD_FILE,
    PSYCH_UNSAFE_LOAD_FILE,
    PSYCH_SAFE_LOAD_FILE,
    PSYCH_METHOD_COUNT
} ws_psych_method;

/* Psych's three methods that read files, or PSYCH_METHOD_COUNT. */
ws_psych_method ws_psych_method_named(const char *name);
/* Is every method that has a part in reading an untagged document the one in Psych's own files? library: psych.rb as it
 * was loaded. NULL, or why not. */
const char *ws_psych_differs(VALUE psych, VALUE library, ws_psych_method method);
/* "5.1.2 0.2.5": of Psych and of the library that parses for it. */
const char *ws_psych_version(void);

void ws_init_document_psych(void);

/* ---- document_tags.c ---- */

/* Has the file surely no tags? May raise nothing. */
bool ws_document_is_untagged(VALUE psych, const char *path, uint64_t size);

void ws_init_document_tags(VALUE native);

/* ---- document_writer.c, document_reader.c ---- */

/* The bytes of a document, to be freed; of the kind WS_DOCUMENT_NOT_PLAIN where it cannot be stored. */
ws_bytes ws_document_write(VALUE document);
/* The bytes of an entry that holds no document. */
ws_bytes ws_document_write_refusal(ws_document_kind kind);
/* The document, or Qundef and a reason. */
VALUE ws_document_read(const void *bytes, size_t size, const char **reason);
/* May Date#start be that? Another one makes Date.jd warn. */
bool ws_is_calendar_reform(double start);

void ws_init_document_writer(VALUE native);
void ws_init_document_reader(VALUE native);

void ws_init_documents(VALUE native);

#endif
