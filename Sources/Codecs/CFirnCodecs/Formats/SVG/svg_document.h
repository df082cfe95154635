// The text of an SVG file, and the size that it states.
#ifndef FIRN_SVG_DOCUMENT_H
#define FIRN_SVG_DOCUMENT_H

#include <librsvg/rsvg.h>

#include "../../Library/decoder.h"

/// The text of a document.
typedef struct {
    uint8_t *bytes;
    size_t length;
} firn_svg_text;

/// Reads the file, inflates it if it is compressed by gzip (.svgz), and marks UTF-16 without a byte order mark.
///
/// The inflated text is bounded by `limits.file_bytes` and `limits.expansion`. The caller frees `text->bytes`.
firn_status firn_svg_read_text(firn_decoder *decoder, firn_svg_text *text);

/// Fails if parsing the document would take long for what it is: attributes and rules of style are compared in pairs.
firn_status firn_svg_check_costs(firn_decoder *decoder, const firn_svg_text *text);

/// Returns the bytes that librsvg takes for the images that a document embeds, as far as their headers tell.
uint64_t firn_svg_embedded_bytes(const uint8_t *text, size_t length);

/// The size of a drawing in pixels of 1/96 inch, which need not be whole.
typedef struct {
    /// Finite; 0 or NaN if the document states a size without an area.
    double width, height;
    /// Whether the document is as large as its viewport: librsvg does not scale its content to another one.
    bool is_fluid;
} firn_svg_size;

/// Returns the size that browsers give the document in an `img` element.
///
/// May set the handle's style sheet, so that lengths in the size of the root element's font are those of browsers.
firn_svg_size firn_svg_find_size(RsvgHandle *handle);

#endif
