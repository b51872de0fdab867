/* Fuzzes what reads a manifest. The input is tried as it is, and with a right checksum behind it. Every text that is
 * accepted must be one that the writer would have written, byte for byte. */
#include "fuzz.h"

#include <inttypes.h>

#include "core/bytes/hash.h"
#include "core/image/image_format.h"
#include "core/image/manifest.h"

const fuzz_kind fuzz_target = { true, 0 };

void
fuzz_seeds(fuzz_take take, void *context)
{
    static ws_manifest manifest;
    static char text[WS_MANIFEST_SIZE_MAXIMUM];

    for (uint32_t flags = 0; flags < 8; flags++) {
        memset(&manifest, 0, sizeof manifest);
        manifest.key_hash = UINT64_C(0x8899aabbccddeeff) * (flags + 1);
        manifest.generation = flags * UINT64_C(12345678901);
        manifest.flags = flags;
        if (flags & WS_IMAGE_SEALED) strcpy(manifest.root, "/srv/a b\n%0A/shop");
        manifest.fingerprint_count = flags;
        for (uint32_t i = 0; i < flags; i++)
            snprintf(manifest.fingerprints[i].name, sizeof manifest.fingerprints[i].name, "config/%%\n%u", i);
        manifest.segment_count = flags + 1;
        for (uint32_t i = 0; i <= flags; i++)
            manifest.segments[i] = (ws_manifest_segment){ i * UINT64_C(0x0123456789abcdef), 496 + i, i };
        size_t size = ws_manifest_print(&manifest, text, sizeof text);
        take(context, text, size);
        take(context, text, size - strlen("checksum 0011223344556677\n"));
    }
}

static void
parse(const char *bytes, size_t size)
{
    static ws_manifest manifest;
    static char printed[WS_MANIFEST_SIZE_MAXIMUM];
    char *text = fuzz_copy(bytes, size);
    ws_error error;

    memset(&manifest, 0xa5, sizeof manifest);
    if (ws_manifest_parse(&manifest, text, size, "sample", &error) == WS_OK) {
        FUZZ_CHECK(manifest.segment_count > 0 && manifest.segment_count <= WS_SEGMENTS_MAXIMUM);
        FUZZ_CHECK(manifest.fingerprint_count <= WS_FINGERPRINTS_MAXIMUM);
        FUZZ_CHECK(memchr(manifest.root, '\0', sizeof manifest.root) != NULL);
        FUZZ_CHECK(ws_manifest_print(&manifest, printed, sizeof printed) == size);
        FUZZ_CHECK(memcmp(printed, text, size) == 0);
    }
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[64];
    int length = snprintf(line, sizeof line, "checksum %016" PRIx64 "\n", ws_hash64(data, size, WS_SEED_MANIFEST));
    char *sealed = malloc(size + sizeof line);

    if (sealed == NULL) return 0;
    parse((const char *)data, size);
    if (size > 0) memcpy(sealed, data, size);
    memcpy(sealed + size, line, (size_t)length);
    parse(sealed, size + (size_t)length);
    free(sealed);
    return 0;
}
