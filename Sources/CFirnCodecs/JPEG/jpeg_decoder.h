// The state of one JPEG decode, shared by the files that make it up.
#ifndef FIRN_JPEG_DECODER_H
#define FIRN_JPEG_DECODER_H

#include <stdio.h>
#include <setjmp.h>

#include <jpeglib.h>

#include "../Decoding/decoder.h"
#include "icc_segments.h"
#include "jpeg_arrays.h"

typedef struct {
    firn_decoder base;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    /// Where an error inside libjpeg goes on; set by every step that calls into it.
    jmp_buf escape;
    /// Bytes used up so far.
    uint64_t used;
    /// Bytes of a segment that are to be skipped in input that has not come yet.
    size_t skip;
    /// Whether the end of the input was reached and an EOI marker put in its place.
    bool ended;
    bool decompressing;
    /// Whether an image that is cut short is given as far as it goes.
    bool partial;

    // Of a file of several scans.
    bool absorbed;
    /// Bit i is set once a scan holds component i, and once such a scan is complete.
    uint32_t components_seen;
    uint32_t components_complete;
    /// Previews rendered, the scan the last one showed, and the bytes used by then.
    uint32_t previews;
    int scan_shown;
    uint64_t used_at_preview;
    /// Bytes that the coefficients take, and where they are if those are many.
    uint64_t coefficients;
    firn_jpeg_arrays arrays;

    firn_layout layout;
    uint8_t *cmyk_row;
    firn_icc_segments segments;
    uint8_t *profile;
    uint8_t *exif;
    uint8_t *xmp;
} jpeg_decoder;

/// Puts the callbacks for errors and input in place; to be called before and after jpeg_create_decompress.
void firn_jpeg_prepare_errors(jpeg_decoder *self);
void firn_jpeg_prepare_source(jpeg_decoder *self);

/// Shows libjpeg the input; false if all of it is to be skipped.
bool firn_jpeg_lend_input(jpeg_decoder *self);

/// Takes from the input what libjpeg has used.
void firn_jpeg_take_back_input(jpeg_decoder *self);

/// Whether the image is stored as inks.
static inline bool firn_jpeg_has_inks(const jpeg_decoder *self) {
    return self->jpeg.jpeg_color_space == JCS_CMYK || self->jpeg.jpeg_color_space == JCS_YCCK;
}

#endif
