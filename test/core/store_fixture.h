/* A store in the test's own folder, and the image that a reader sees there. Who includes: image_test.c, store_test.c,
 * compaction_test.c, store_process_test.c. */
#ifndef WARMSTART_STORE_FIXTURE_H
#define WARMSTART_STORE_FIXTURE_H

#include <dirent.h>

#include "image_fixture.h"
#include "core/image/store.h"
#include "test.h"

FIXTURE ws_trust
fixture_trust(void)
{
    ws_trust trust = { .user = ws_file_user(), .application_owner = ws_file_user() };
    return trust;
}

FIXTURE ws_store_options
fixture_store_options(const char *directory)
{
    ws_store_options options;

    memset(&options, 0, sizeof options);
    options.directory = directory;
    options.key_hash = fixture_key_hash();
    options.trust = fixture_trust();
    options.keep_gone = true;
    return options;
}

/* Opens the store and publishes what the writer holds; frees the writer. */
FIXTURE ws_code
fixture_publish_with(const ws_store_options *options, ws_segment_writer *writer, ws_published *published,
                     ws_error *error)
{
    ws_store *store;
    ws_code code = ws_store_open(&store, options, error);

    if (code == WS_OK) {
        code = ws_store_publish(store, writer, published, error);
        ws_store_close(store);
    }
    ws_segment_writer_free(writer);
    return code;
}

FIXTURE ws_code
fixture_publish(const char *directory, ws_segment_writer *writer, ws_published *published)
{
    ws_store_options options = fixture_store_options(directory);
    ws_error error;

    options.wait = true;
    return fixture_publish_with(&options, writer, published, &error);
}

FIXTURE ws_code
fixture_open_image(ws_image *image, const char *directory, ws_error *error)
{
    ws_image_options options = { directory, fixture_key_hash(), fixture_trust(), false, NULL };
    ws_error ignored;
    return ws_image_open(image, &options, error ? error : &ignored);
}

/* Is the path's payload this text, by lookup and verified? */
FIXTURE bool
fixture_holds(const ws_image *image, const char *path, const char *text)
{
    const uint8_t *payload;
    ws_found found = ws_image_find(image, path, strlen(path));

    return found.entry != NULL && ws_image_payload(image, found, &payload, NULL) == WS_OK &&
           found.entry->payload_size == strlen(text) && memcmp(payload, text, strlen(text)) == 0;
}

/* How many names in the folder end so. */
FIXTURE int
fixture_count(const char *directory, const char *ending)
{
    DIR *listing = opendir(directory);
    int count = 0;

    if (listing == NULL) return 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        size_t size = strlen(entry->d_name), ending_size = strlen(ending);
        count +=
            size >= ending_size && strcmp(entry->d_name + size - ending_size, ending) == 0 && entry->d_name[0] != '.';
    }
    closedir(listing);
    return count;
}

/* The name of the folder's only segment. */
FIXTURE const char *
fixture_segment_name(const char *directory)
{
    static char name[300];
    DIR *listing = opendir(directory);

    name[0] = '\0';
    if (listing == NULL) return name;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing))
        if (strstr(entry->d_name, ".segment") != NULL) snprintf(name, sizeof name, "%s/%s", directory, entry->d_name);
    closedir(listing);
    return name;
}

/* A segment of one file. */
FIXTURE ws_segment_writer *
fixture_single(const char *path, const char *text)
{
    ws_segment_writer *writer = fixture_writer(0);
    if (!fixture_add(writer, 1, path, text, strlen(text))) abort();
    return writer;
}

#endif
