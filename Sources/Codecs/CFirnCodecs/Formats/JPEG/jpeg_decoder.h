// The state of a JPEG decode, shared by its files.
#ifndef FIRN_JPEG_DECODER_H
#define FIRN_JPEG_DECODER_H

#include <stdio.h>
#include <setjmp.h>

#include <jpeglib.h>

#include "../../Library/decoder.h"
#include "icc_segments.h"
#include "jpeg_arrays.h"

typedef struct {
    firn_decoder base;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    /// The target for jumps on errors inside libjpeg; every step that calls libjpeg sets it.
    jmp_buf escape;
    /// The number of bytes used so far.
    uint64_t used;
    /// The number of bytes to skip of a segment that has not yet arrived.
    size_t skip;
    /// True once the end of the input was replaced by an EOI marker.
    bool ended;
    /// With random access: the bytes being read, and the position after them.
    uint8_t *window;
    uint64_t position;
    bool decompressing;
    /// True if a truncated image is returned as far as it goes.
    bool partial;

    // For a multi-scan file.
    bool absorbed;
    /// Bit i is set once a scan contains component i, and once such a scan is complete.
    uint32_t components_seen;
    uint32_t components_complete;
    /// True if the file ends within the last scan; and the number of iMCU rows before that point.
    bool ends_in_scan;
    uint32_t mcu_rows_in_scan;
    /// True if coefficients are missing, as `partial` allows; and the number of image rows that have any, 0 for all.
    bool is_cut;
    uint32_t known_rows;
    /// The number of previews, the scan of the last one, and the bytes used by then.
    uint32_t previews;
    int scan_shown;
    uint64_t used_at_preview;
    /// The size of the coefficients in bytes, and their mappings if they are large.
    uint64_t coefficients;
    firn_jpeg_arrays arrays;

    firn_layout layout;
    uint8_t *cmyk_row;
    /// The columns to decode, 0 for all; the number of rows above the requested part that must still be skipped; and
    /// the row after the last one to decode.
    uint32_t first_column, columns, rows_to_skip, end_row;
    /// The scale in eighths, and the width of the whole image at that scale.
    unsigned numerator;
    uint32_t whole_width;
    firn_icc_segments segments;
    uint8_t *profile;
    uint8_t *exif;
    uint8_t *xmp;
} jpeg_decoder;

/// Install the callbacks for errors and input. Call before and after jpeg_create_decompress, respectively.
void firn_jpeg_prepare_errors(jpeg_decoder *self);
void firn_jpeg_prepare_source(jpeg_decoder *self);

/// Passes the input to libjpeg; returns false if all of it must be skipped.
bool firn_jpeg_lend_input(jpeg_decoder *self);

/// Removes the bytes used by libjpeg from the input.
void firn_jpeg_take_back_input(jpeg_decoder *self);

/// Chooses the rows and columns to decode for a part, after libjpeg was started; sets the output.
void firn_jpeg_plan_area(jpeg_decoder *self, const firn_area *area);

/// Limits decoding to the chosen columns. Call before the first row.
firn_status firn_jpeg_crop(jpeg_decoder *self);

/// Chooses the smallest N/8 whose image has at least the requested size and, for a part, starts and ends at whole
/// pixels.
void firn_jpeg_choose_scale(jpeg_decoder *self, const firn_options *options);

/// Prepares for another part of a multi-scan image whose coefficients are kept. Fails if they were read for another
/// scale or layout.
firn_status firn_jpeg_plan_again(jpeg_decoder *self, const firn_options *options);

/// Returns the height of an iMCU at the chosen scale, in rows.
uint32_t firn_jpeg_mcu_height(const jpeg_decoder *self);

/// Skips some of `rows_to_skip`. Call only if all bytes have arrived.
void firn_jpeg_skip_rows(jpeg_decoder *self);

/// Returns whether the image is stored as inks.
static inline bool firn_jpeg_has_inks(const jpeg_decoder *self) {
    return self->jpeg.jpeg_color_space == JCS_CMYK || self->jpeg.jpeg_color_space == JCS_YCCK;
}

#endif
