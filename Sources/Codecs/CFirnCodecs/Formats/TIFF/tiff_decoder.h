// The state of a TIFF decode, shared by its files.
#ifndef FIRN_TIFF_DECODER_H
#define FIRN_TIFF_DECODER_H

#include <tiffio.h>

#include "../../Library/decoder.h"
#include "tiff_directory.h"
#include "tiff_messages.h"
#include "tiff_pages.h"

/// Copies of an XMP packet and a profile; NULL if there is none.
typedef struct {
    uint8_t *xmp, *icc;
} firn_tiff_metadata;

typedef struct {
    firn_decoder base;
    TIFF *tiff;
    uint64_t position;
    firn_tiff_directory_read reading;
    /// The number of bytes that may still be read before the first pixel.
    uint64_t description_left;
    firn_tiff_page *pages;
    uint32_t capacity;
    /// The number of pages described so far, while the directories are being read.
    uint32_t listed;
    /// The metadata of the first page and of another one.
    firn_tiff_metadata first, other;
    firn_tiff_page page;
    firn_layout layout;
    /// The part to decode, and the columns of tiles that intersect it.
    firn_area area;
    uint32_t first_tile, tiles;
    uint32_t next_row;
    uint8_t *band;
    uint32_t band_first, band_count;
    uint16_t *wide;
    TIFFRGBAImage image;
    bool has_image;
    /// The conversion of L*a*b* to sRGB; NULL until a page needs it.
    void *lab;
    /// libtiff's first error message since the last call.
    char complaint[160];
    /// Receives the message before libtiff 4.5.
    firn_tiff_messages messages;
} tiff_decoder;

/// Gives libtiff random access to the input.
firn_status firn_tiff_open_source(tiff_decoder *self);

/// Closes everything that was opened.
void firn_tiff_close_source(tiff_decoder *self);

/// Announces that libtiff will read a directory next.
void firn_tiff_enter_directory(tiff_decoder *self, bool wants_metadata);

/// Fails with libtiff's message, or with `fallback`.
firn_status firn_tiff_fail(tiff_decoder *self, const char *fallback);

/// Selects the smallest sufficiently large version of page `options->frame`, and describes it in `self->page`. Sets the
/// part to decode.
firn_status firn_tiff_enter_version(tiff_decoder *self, const firn_options *options);

/// Loads the band of `row`, which must not precede the current band; returns false if it is damaged.
bool firn_tiff_load_band(tiff_decoder *self, uint32_t row);

/// Returns the number of columns in the loaded tiles.
uint32_t firn_tiff_columns(const tiff_decoder *self);

/// Converts one row of the band: all columns, or those of the loaded tiles.
void firn_tiff_convert_row(tiff_decoder *self, uint32_t row, uint8_t *pixels);

#endif
