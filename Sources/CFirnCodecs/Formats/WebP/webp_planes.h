// The planes of luma and chroma of a lossy WebP, averaged to a smaller image while libwebp writes them.
#ifndef FIRN_WEBP_PLANES_H
#define FIRN_WEBP_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <webp/decode.h>

#include "firn_decode.h"

/// The planes of one image.
typedef struct firn_webp_planes firn_webp_planes;

/// Whether an image can be averaged to a size: each new pixel covers at least one sample of chroma.
bool firn_webp_planes_suit(uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height);

/// Returns NULL if there is no memory. The sizes must suit.
firn_webp_planes *firn_webp_planes_make(uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height);

/// Sets the memory that libwebp writes to.
void firn_webp_planes_lend(const firn_webp_planes *planes, WebPYUVABuffer *buffer);

/// Writes the next new rows, at most `rows`, from the first `ready` rows of luma and the chroma that belongs to them.
/// Returns the number of rows written.
uint32_t firn_webp_planes_read(
    firn_webp_planes *planes, uint32_t ready, firn_layout layout, uint8_t *pixels, size_t stride, uint32_t rows);

void firn_webp_planes_free(firn_webp_planes *planes);

#endif
