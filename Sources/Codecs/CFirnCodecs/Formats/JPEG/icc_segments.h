// Collects an ICC profile that is split across several segments of a JPEG, in any order.
#ifndef FIRN_ICC_SEGMENTS_H
#define FIRN_ICC_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRN_ICC_SEGMENTS = 255 };

typedef struct {
    uint8_t *parts[FIRN_ICC_SEGMENTS];
    uint16_t lengths[FIRN_ICC_SEGMENTS];
    /// The number of parts, as each segment states; 0 before the first.
    uint32_t count;
    size_t bytes;
    /// True once the parts contradict each other or exceed the limit; the profile is then dropped.
    bool is_refused;
} firn_icc_segments;

/// Stores the content of an APP2 segment if it is part of a profile.
void firn_icc_segments_add(firn_icc_segments *segments, const uint8_t *bytes, size_t length, size_t limit);

/// Joins the parts; the caller frees the result. Returns NULL if there is no profile or a part is missing.
uint8_t *firn_icc_segments_join(const firn_icc_segments *segments, size_t *length);

/// Frees the parts.
void firn_icc_segments_free(firn_icc_segments *segments);

#endif
