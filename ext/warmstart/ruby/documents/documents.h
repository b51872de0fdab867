/* Documents: the parsed contents of YAML files, in the image.
 *
 *   documents.c        File.open: answers from the image, or records what Psych makes of the file
 *   document_call.c    which of Psych's methods calls it, and whether Psych is unchanged
 *   document_psych.c   the methods that make a document; are they the same as at the first one?
 *   core_methods.c     are the methods of Ruby's own classes that this depends on Ruby's own?
 *   psych_origin.c     is a method the one that this version of Psych has?
 *   document_tags.c    does a file have tags?
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

/* A call of Psych.load_file, unsafe_load_file or safe_load_file, as seen from its File.open. */
typedef struct ws_document_call {
    const char *reason; /* why Psych must read the file and nothing is recorded (static), or NULL */
    size_t path_size, key_size;
    VALUE fallback;                  /* Qundef: none was given */
    char key[WS_PATH_MAXIMUM + 512]; /* the path (absolute), a NUL, which call (docs/image_format.md) */
} ws_document_call;

/* Does Psych call this File.open? Must be called in the frame of a C method that Ruby code calls. */
bool ws_document_call_read(ws_document_call *call, VALUE filename);

void ws_init_document_call(void);

/* ---- document_psych.c ---- */

/* Returns NULL if every method that is used to read an untagged document is the one in Psych's own files, and else a
 * reason. library: the path of psych.rb as it was loaded. */
const char *ws_psych_differs(VALUE psych, VALUE library);
/* Makes Psych remember what it would have looked up if it had read this document from its file. */
void ws_psych_remember(VALUE document);
/* The versions of Psych and of the library that parses for it: "5.1.2 0.2.5", and a hash of Psych's constants. */
const char *ws_psych_version(void);

void ws_init_document_psych(VALUE native);

/* ---- core_methods.c ---- */

/* Has a program changed one of the methods of Ruby's own classes that Psych calls, or that are asked here about
 * Psych? */
bool ws_core_is_changed(void);
/* Are the methods that ask about a module Ruby's own for this one, too? */
bool ws_core_can_ask(VALUE module);

void ws_init_core_methods(void);

/* ---- psych_origin.c ---- */

enum { PSYCH_OWNER_COUNT = 18 };

/* What is found of Psych's methods, to be compared with what its version has. */
typedef struct ws_psych_origin {
    VALUE library, version, text, files;
    VALUE code; /* of the methods and their blocks, for ws_is_one_watched */
    VALUE modules[PSYCH_OWNER_COUNT], singletons[PSYCH_OWNER_COUNT]; /* Qundef: this Psych has none */
    size_t stem;                                                     /* of library: "/lib/psych.rb" -> "/lib/psych" */
} ws_psych_origin;

void ws_psych_origin_begin(ws_psych_origin *origin, VALUE psych, VALUE library);
/* What `super` goes through: a class's ancestors without Object and Object's own; of a module, only itself. */
VALUE ws_psych_ancestors(VALUE module);
/* Adds a module of Psych's, with its ancestors, and then its methods, as they are looked up from `module` (nil: there
 * is none). Returns false if one cannot be Psych's own. */
bool ws_psych_origin_add_module(ws_psych_origin *origin, VALUE module);
bool ws_psych_origin_add(ws_psych_origin *origin, VALUE module, VALUE name, VALUE method);
/* Is this how Psych tells its settings, such as Psych.load_tags: a method of this module's in psych.rb, an attribute,
 * or a delegator that forwardable.rb has made there (in older versions)? */
bool ws_psych_has_setting(ws_psych_origin *origin, VALUE module, VALUE name, VALUE method);
/* Adds the blocks of a method that may be anybody's, so that it is seen when somebody watches them. (The method itself
 * runs, and so everybody sees it.) */
void ws_psych_origin_add_code(ws_psych_origin *origin, VALUE method);
/* Returns NULL if all that was added is what this version of Psych has, and else a reason. */
const char *ws_psych_origin_differs(ws_psych_origin *origin);
/* [version, hash, text, reason]. */
VALUE ws_psych_origin_to_a(ws_psych_origin *origin, const char *reason);

/* Does this method's code call one of Ruby's functions directly, as Ruby's own methods in Ruby do? */
bool ws_psych_calls_ruby(VALUE method);
/* Was this block written in a file of the library's ("/visitors/visitor.rb")? */
bool ws_psych_has_block(VALUE library, const char *file, VALUE block);

void ws_init_psych_origin(void);

/* ---- document_tags.c ---- */

/* Is it certain that the file has no tags? Does not raise Psych's exceptions. */
bool ws_document_is_untagged(VALUE psych, const char *path, uint64_t size);

/* ---- document_writer.c, document_reader.c ---- */

/* The bytes of a document, which the caller frees. They are of the kind WS_DOCUMENT_NOT_PLAIN if it cannot be
 * stored. */
ws_bytes ws_document_write(VALUE document);
/* The bytes of an entry that holds no document. */
ws_bytes ws_document_write_refusal(ws_document_kind kind);
/* Returns the document, or Qundef and a reason. */
VALUE ws_document_read(const void *bytes, size_t size, const char **reason);

void ws_init_document_writer(VALUE native);
void ws_init_document_reader(VALUE native);

void ws_init_documents(VALUE native);

#endif
