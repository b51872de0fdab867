/* Manifests: one text for one manifest, and nothing else is read. See core/image/manifest.h. */
#include "test.h"

#include "core/system/file.h"
#include "core/image/image_format.h"
#include "core/image/manifest.h"

static ws_manifest
sample(void)
{
    ws_manifest manifest;

    memset(&manifest, 0, sizeof manifest);
    manifest.key_hash = UINT64_C(0x8899aabbccddeeff);
    manifest.generation = 3;
    manifest.flags = WS_IMAGE_SEALED | WS_IMAGE_PORTABLE;
    strcpy(manifest.root, "/srv/shop");
    manifest.fingerprint_count = 1;
    strcpy(manifest.fingerprints[0].name, "Gemfile.lock");
    manifest.fingerprints[0].hash.high = UINT64_C(0x0011223344556677);
    manifest.fingerprints[0].hash.low = UINT64_C(0x8899aabbccddeeff);
    manifest.segment_count = 2;
    manifest.segments[0] =
        (ws_manifest_segment){ UINT64_C(0x0123456789abcdef), 26214400, UINT64_C(0x8899aabbccddeeff) };
    manifest.segments[1] = (ws_manifest_segment){ 1, 496, 2 };
    return manifest;
}

static const char sample_text[] = "warmstart manifest 1\n"
                                  "key 8899aabbccddeeff\n"
                                  "generation 3\n"
                                  "flags sealed portable\n"
                                  "root /srv/shop\n"
                                  "fingerprint Gemfile.lock 00112233445566778899aabbccddeeff\n"
                                  "segment 0123456789abcdef 26214400 8899aabbccddeeff\n"
                                  "segment 0000000000000001 496 0000000000000002\n";

static ws_code
parse_text(ws_manifest *manifest, const char *text, size_t size)
{
    /* An exact-size copy, so that the sanitizer sees a read beyond it. */
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    ws_code code = ws_manifest_parse(manifest, copy, size, "/image/x.manifest", NULL);
    free(copy);
    return code;
}

/* With a right checksum behind it. */
static ws_code
parse_sealed(const char *body)
{
    static ws_manifest manifest;
    size_t size = strlen(body);
    char *text = malloc(size + 64);

    memcpy(text, body, size);
    size += (size_t)snprintf(text + size, 64, "checksum %016" PRIx64 "\n", ws_hash64(body, size, WS_SEED_MANIFEST));
    ws_code code = parse_text(&manifest, text, size);
    free(text);
    return code;
}

static bool
round_trips(const ws_manifest *manifest)
{
    static char text[WS_MANIFEST_SIZE_MAXIMUM];
    static ws_manifest parsed;

    size_t size = ws_manifest_print(manifest, text, sizeof text);
    return size > 0 && parse_text(&parsed, text, size) == WS_OK && memcmp(&parsed, manifest, sizeof parsed) == 0;
}

TEST("a manifest is printed as documented and read back")
{
    ws_manifest manifest = sample();
    char text[2000];

    size_t size = ws_manifest_print(&manifest, text, sizeof text);
    CHECK_SIZE(size, sizeof sample_text - 1 + 26);
    CHECK(memcmp(text, sample_text, sizeof sample_text - 1) == 0);
    CHECK(round_trips(&manifest));
    CHECK_EQUAL(parse_sealed(sample_text), WS_OK);
}

TEST("newlines, percent signs and spaces in names survive")
{
    ws_manifest manifest = sample();

    strcpy(manifest.root, "/srv/a\nsegment 1%0A\\ b ");
    strcpy(manifest.fingerprints[0].name, " config/%\n%25 x");
    CHECK(round_trips(&manifest));
}

TEST("the smallest and the largest manifest survive, and the largest fits")
{
    static ws_manifest manifest;

    memset(&manifest, 0, sizeof manifest);
    manifest.segment_count = 1;
    manifest.segments[0].id = 1;
    CHECK(round_trips(&manifest));
    manifest.key_hash = manifest.generation = UINT64_MAX;
    manifest.flags = WS_IMAGE_SEALED | WS_IMAGE_PORTABLE | WS_IMAGE_REPRODUCIBLE;
    memset(manifest.root, '\n', sizeof manifest.root - 1);
    manifest.fingerprint_count = WS_FINGERPRINTS_MAXIMUM;
    for (int i = 0; i < WS_FINGERPRINTS_MAXIMUM; i++)
        memset(manifest.fingerprints[i].name, '%', sizeof manifest.fingerprints[i].name - 1);
    manifest.segment_count = WS_SEGMENTS_MAXIMUM;
    for (uint64_t i = 0; i < WS_SEGMENTS_MAXIMUM; i++)
        manifest.segments[i] = (ws_manifest_segment){ UINT64_MAX - i, UINT64_MAX, UINT64_MAX };
    CHECK(round_trips(&manifest));
}

TEST("printing into too small a buffer gives 0 and writes no further")
{
    ws_manifest manifest = sample();

    for (size_t size = 0; size < sizeof sample_text - 1 + 26; size++) {
        char *buffer = malloc(size ? size : 1);
        CHECK_SIZE(ws_manifest_print(&manifest, buffer, size), 0);
        free(buffer);
    }
}

TEST("any changed byte and any cut is refused")
{
    ws_manifest manifest = sample(), parsed;
    char text[2000];
    size_t size = ws_manifest_print(&manifest, text, sizeof text);

    for (size_t cut = 0; cut < size; cut++) CHECK(parse_text(&parsed, text, cut) != WS_OK);
    for (size_t at = 0; at < size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            text[at] = (char)(text[at] ^ 1 << bit);
            CHECK(parse_text(&parsed, text, size) != WS_OK);
            text[at] = (char)(text[at] ^ 1 << bit);
        }
    }
    text[size] = '\n';
    CHECK(parse_text(&parsed, text, size + 1) != WS_OK);
    CHECK_EQUAL(parsed.segment_count, 0);
}

#define HEAD "warmstart manifest 1\nkey 8899aabbccddeeff\ngeneration 3\n"
#define SEGMENT "segment 0123456789abcdef 1 8899aabbccddeeff\n"

TEST("oddities under a right checksum are refused")
{
    static const char *const odd[] = {
        "warmstart manifest 1\n",
        HEAD,
        "warmstart manifest 1\ngeneration 3\nkey 8899aabbccddeeff\n" SEGMENT,
        "warmstart manifest 1\r\nkey 8899aabbccddeeff\ngeneration 3\n" SEGMENT,
        "warmstart manifest 1\nkey 8899AABBCCDDEEFF\ngeneration 3\n" SEGMENT,
        "warmstart manifest 1\nkey 8899aabbccddeef\ngeneration 3\n" SEGMENT,
        "warmstart manifest 1\nkey 8899aabbccddeeff0\ngeneration 3\n" SEGMENT,
        "warmstart manifest 1\nkey  8899aabbccddeeff\ngeneration 3\n" SEGMENT,
        "warmstart manifest 1\nkey 8899aabbccddeeff\ngeneration 03\n" SEGMENT,
        "warmstart manifest 1\nkey 8899aabbccddeeff\ngeneration -3\n" SEGMENT,
        "warmstart manifest 1\nkey 8899aabbccddeeff\ngeneration \n" SEGMENT,
        "warmstart manifest 1\nkey 8899aabbccddeeff\ngeneration 18446744073709551616\n" SEGMENT,
        HEAD "flags\n" SEGMENT,
        HEAD "flags \n" SEGMENT,
        HEAD "flags portable sealed\n" SEGMENT,
        HEAD "flags sealed sealed\n" SEGMENT,
        HEAD "flags sealed unknown\n" SEGMENT,
        HEAD "flags sealedportable\n" SEGMENT,
        HEAD "flags sealed \n" SEGMENT,
        HEAD "root \n" SEGMENT,
        HEAD "root /a\nroot /b\n" SEGMENT,
        HEAD "root /a%\n" SEGMENT,
        HEAD "root /a%2\n" SEGMENT,
        HEAD "root /a%0a\n" SEGMENT,
        HEAD "root /a%41\n" SEGMENT,
        HEAD "root /a\nflags sealed\n" SEGMENT,
        HEAD "root /a",
        HEAD "fingerprint  00112233445566778899aabbccddeeff\n" SEGMENT,
        HEAD "fingerprint a\n" SEGMENT,
        HEAD "fingerprint a 00112233445566778899aabbccddeefg\n" SEGMENT,
        HEAD "fingerprint a_00112233445566778899aabbccddeeff\n" SEGMENT,
        HEAD SEGMENT "fingerprint a 00112233445566778899aabbccddeeff\n",
        HEAD SEGMENT SEGMENT,
        HEAD SEGMENT "\n",
        HEAD "\n" SEGMENT,
        HEAD SEGMENT "comment\n",
        HEAD "segment 0000000000000000 1 8899aabbccddeeff\n",
        HEAD "segment 0123456789abcdef 8899aabbccddeeff\n",
        HEAD "segment 0123456789abcdef 1 8899aabbccddeeff",
        HEAD "segment 0123456789abcdef 1 8899aabbccddeeff \n",
    };

    CHECK_EQUAL(parse_sealed(HEAD SEGMENT), WS_OK);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        if (parse_sealed(odd[i]) != WS_FORMAT) test_fail(__FILE__, __LINE__, "not refused for its format: %s", odd[i]);
    CHECK_EQUAL(parse_sealed("something else\n"), WS_MAGIC);
    CHECK_EQUAL(parse_sealed("warmstart manifest 2\n" SEGMENT), WS_FORMAT);
}

TEST("a NUL in a name is refused")
{
    char body[] = HEAD "root /a?b\n" SEGMENT, text[400];
    ws_manifest manifest;
    size_t size = sizeof body - 1;

    *strchr(body, '?') = '\0';
    memcpy(text, body, size);
    size += (size_t)snprintf(text + size, 64, "checksum %016" PRIx64 "\n", ws_hash64(body, size, WS_SEED_MANIFEST));
    CHECK_EQUAL(parse_text(&manifest, text, size), WS_FORMAT);
}

TEST("too many segments, too many fingerprints, too long a root and too long a text are out of bounds")
{
    static char body[WS_MANIFEST_SIZE_MAXIMUM * 2];
    size_t size = (size_t)sprintf(body, "%s", HEAD);

    for (int i = 1; i <= WS_SEGMENTS_MAXIMUM + 1; i++)
        size += (size_t)sprintf(body + size, "segment %016x 1 0000000000000002\n", i);
    CHECK_EQUAL(parse_sealed(body), WS_BOUNDS);
    size = (size_t)sprintf(body, "%s", HEAD);
    for (int i = 0; i <= WS_FINGERPRINTS_MAXIMUM; i++)
        size += (size_t)sprintf(body + size, "fingerprint a 00112233445566778899aabbccddeeff\n");
    sprintf(body + size, "%s", SEGMENT);
    CHECK_EQUAL(parse_sealed(body), WS_BOUNDS);
    for (int root_size = 4095; root_size <= 4096; root_size++) {
        size = (size_t)sprintf(body, "%sroot ", HEAD);
        memset(body + size, 'r', (size_t)root_size);
        sprintf(body + size + root_size, "\n%s", SEGMENT);
        CHECK_EQUAL(parse_sealed(body), root_size == 4095 ? WS_OK : WS_BOUNDS);
    }
    memset(body, 'x', sizeof body - 1);
    CHECK_EQUAL(parse_sealed(body), WS_BOUNDS);
}

TEST("random changes under a right checksum never crash, and what is accepted prints as it was read")
{
    uint64_t state = 11;
    static char body[1000], text[WS_MANIFEST_SIZE_MAXIMUM];
    unsigned accepted = 0;

    for (int round = 0; round < 50000; round++) {
        static const char alphabet[] = "0af9 \n%25A/\0x";
        static ws_manifest manifest;
        memcpy(body, sample_text, sizeof sample_text);
        for (uint64_t i = test_random(&state) % 3; i > 0; i--)
            body[21 + test_random(&state) % (sizeof sample_text - 22)] =
                alphabet[test_random(&state) % (sizeof alphabet - 1)];
        size_t size = sizeof sample_text - 1;
        size += (size_t)snprintf(body + size, 64, "checksum %016" PRIx64 "\n", ws_hash64(body, size, WS_SEED_MANIFEST));
        if (parse_text(&manifest, body, size) != WS_OK) continue;
        accepted++;
        CHECK_SIZE(ws_manifest_print(&manifest, text, sizeof text), size);
        CHECK(memcmp(text, body, size) == 0);
    }
    CHECK(accepted > 1000);
}

TEST("names of files have sixteen lower-case digits each")
{
    char name[64];

    ws_manifest_name(name, 0xAB);
    CHECK_STRING(name, "00000000000000ab.manifest");
    ws_segment_name(name, UINT64_MAX, 1);
    CHECK_STRING(name, "ffffffffffffffff-0000000000000001.segment");
}

TEST("a sealed image suits only its application as it was")
{
    ws_manifest manifest = sample();
    ws_error error;
    char root[300];

    CHECK(realpath(test_folder(), root) != NULL);
    test_write("Gemfile.lock", "GEM", 3);
    manifest.fingerprints[0].hash = ws_hash128_bytes("GEM", 3);
    strcpy(manifest.root, root);
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, root, &error), WS_OK);
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, NULL, &error), WS_FINGERPRINT);
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, "/", &error), WS_FINGERPRINT);
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, "/nowhere/at/all", &error), WS_FINGERPRINT);
    CHECK_EQUAL(symlink(root, test_path("current")), 0);
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, test_path("current"), &error), WS_OK);
    test_write("Gemfile.lock", "GEN", 3);
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, root, &error), WS_FINGERPRINT);
    CHECK_STRING(error.path, test_path("Gemfile.lock"));
    unlink(test_path("Gemfile.lock"));
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, root, &error), WS_FINGERPRINT);
    CHECK_EQUAL(error.error_number, ENOENT);
    manifest.flags = 0;
    CHECK_EQUAL(ws_manifest_check_fingerprint(&manifest, NULL, &error), WS_OK);
}
