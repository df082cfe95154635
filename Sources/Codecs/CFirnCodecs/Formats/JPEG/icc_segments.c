// Source: ICC.1:2022 annex B.4, "Embedding ICC profiles in JPEG files".
#include "icc_segments.h"

#include <stdlib.h>
#include <string.h>

enum { PREFIX = 14 };

void firn_icc_segments_add(firn_icc_segments *segments, const uint8_t *bytes, size_t length, size_t limit) {
    if (length < PREFIX || memcmp(bytes, "ICC_PROFILE\0", 12) || segments->is_refused) return;
    unsigned number = bytes[12], count = bytes[13];
    // Some writers store a profile twice; the first copy counts.
    if (segments->count && (count != segments->count || (number && segments->parts[number - 1]))) return;
    segments->is_refused = true;
    if (number == 0 || number > count) return;
    if (length - PREFIX > UINT16_MAX || length - PREFIX > limit - segments->bytes) return;
    uint8_t *copy = malloc(length - PREFIX + 1);
    if (!copy) return;
    memcpy(copy, bytes + PREFIX, length - PREFIX);
    segments->parts[number - 1] = copy;
    segments->lengths[number - 1] = (uint16_t)(length - PREFIX);
    segments->count = count;
    // Invariant: never above the limit.
    segments->bytes += length - PREFIX;
    segments->is_refused = false;
}

uint8_t *firn_icc_segments_join(const firn_icc_segments *segments, size_t *length) {
    *length = 0;
    if (segments->is_refused || segments->count == 0) return NULL;
    for (uint32_t i = 0; i < segments->count; i++)
        if (!segments->parts[i]) return NULL;
    uint8_t *profile = malloc(segments->bytes + 1);
    if (!profile) return NULL;
    for (uint32_t i = 0; i < segments->count; i++) {
        memcpy(profile + *length, segments->parts[i], segments->lengths[i]);
        *length += segments->lengths[i];
    }
    return profile;
}

void firn_icc_segments_free(firn_icc_segments *segments) {
    for (int i = 0; i < FIRN_ICC_SEGMENTS; i++) {
        free(segments->parts[i]);
        segments->parts[i] = NULL;
    }
}
