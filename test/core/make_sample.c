/* Writes a small sealed image of two segments into a folder, for test/format_test.rb, which reads its raw bytes by
 * docs/image_format.md and knows the values below and in image_fixture.h.
 *
 *     make_sample FOLDER ROOT        ROOT: the "application", which must hold a Gemfile.lock */
#include "image_fixture.h"
#include "core/image/store.h"

/* The base is large enough for the delta to stay one. */
static char filler[5000];

static ws_code
publish_base(ws_store *store, ws_error *error)
{
    ws_segment_writer *writer = fixture_sample(0);

    memset(filler, 'f', sizeof filler);
    if (!fixture_add(writer, 3, "/srv/shop/lib/filler.rb", filler, sizeof filler)) return WS_MEMORY;
    ws_code code = ws_store_publish(store, writer, NULL, error);
    ws_segment_writer_free(writer);
    return code;
}

/* The first file revalidated: new metadata, its payload where it was. And one new file, reached by a symlink. */
static ws_code
publish_delta(ws_store *store, ws_error *error)
{
    ws_segment_writer *writer = fixture_writer(WS_SEGMENT_PORTABLE);
    ws_found base = ws_image_find(ws_store_image(store), fixture_paths[0], strlen(fixture_paths[0]));
    ws_entry revalidated = *base.entry, added = fixture_entry(7);
    const char *path = "/srv/shop/current/new.rb", *realpath = "/srv/shop/releases/7/new.rb";

    revalidated.payload_segment = base.segment->header->segment_id;
    revalidated.mtime += INT64_C(60000000000);
    added.warning_level = 2 | WS_WARNING_DEPRECATED | WS_WARNING_EXPERIMENTAL | WS_WARNING_PERFORMANCE;
    added.flags = WS_ENTRY_COMPILED_ONLY;
    if (!ws_segment_writer_add(writer, &revalidated, fixture_paths[0], strlen(fixture_paths[0]), fixture_paths[0],
                               strlen(fixture_paths[0]), NULL, 0) ||
        !ws_segment_writer_add(writer, &added, path, strlen(path), realpath, strlen(realpath), "new", 3))
        return WS_MEMORY;
    ws_code code = ws_store_publish(store, writer, NULL, error);
    ws_segment_writer_free(writer);
    return code;
}

static ws_code
make(const char *folder, const char *root, ws_error *error)
{
    ws_manifest_fingerprint fingerprint = { "Gemfile.lock", { 0, 0 } };
    ws_store_options options;
    ws_store *store;
    char lockfile[4096];

    memset(&options, 0, sizeof options);
    snprintf(lockfile, sizeof lockfile, "%s/Gemfile.lock", root);
    ws_code code = ws_file_hash(lockfile, &fingerprint.hash, NULL, error);
    if (code != WS_OK) return code;
    options.directory = folder;
    options.key_hash = fixture_key_hash();
    options.trust.user = options.trust.application_owner = (uint32_t)geteuid();
    options.image_flags = WS_IMAGE_SEALED | WS_IMAGE_PORTABLE;
    options.root = root;
    options.keep_gone = true;
    options.fingerprints = &fingerprint;
    options.fingerprint_count = 1;
    code = ws_store_open(&store, &options, error);
    if (code != WS_OK) return code;
    code = publish_base(store, error);
    if (code == WS_OK) code = publish_delta(store, error);
    ws_store_close(store);
    return code;
}

int
main(int count, char **arguments)
{
    ws_error error = { WS_OK, 0, "", "" };
    char text[700];

    if (count != 3) {
        fprintf(stderr, "usage: make_sample FOLDER ROOT\n");
        return 2;
    }
    if (make(arguments[1], arguments[2], &error) == WS_OK) return 0;
    fprintf(stderr, "make_sample: %s\n", ws_error_describe(&error, text, sizeof text));
    return 1;
}
