// The text of an SVG file, and its stated size.
#ifndef FIRN_SVG_DOCUMENT_H
#define FIRN_SVG_DOCUMENT_H

#if !__has_include(<librsvg-2.0/librsvg/rsvg.h>)
#error "rsvg.h not found: install librsvg2-dev (Debian, Ubuntu) or librsvg2-devel (Fedora), or leave out trait SVG"
#endif
// Its own includes are found in `Headers`.
#include <librsvg-2.0/librsvg/rsvg.h>

#include "../../Library/decoder.h"

/// The text of a document.
typedef struct {
    uint8_t *bytes;
    size_t length;
} firn_svg_text;

/// Reads the file, inflates gzip (.svgz), and marks UTF-16 that lacks a byte order mark.
///
/// `limits.file_bytes` and `limits.expansion` limit the inflated text. The caller frees `text->bytes`.
firn_status firn_svg_read_text(firn_decoder *decoder, firn_svg_text *text);

/// Fails if the document would take disproportionately long to parse: attributes and style rules are compared in pairs.
firn_status firn_svg_check_costs(firn_decoder *decoder, const firn_svg_text *text);

/// Returns the memory that librsvg needs for embedded images, in bytes, as far as their headers state it.
uint64_t firn_svg_embedded_bytes(const uint8_t *text, size_t length);

/// The size of a drawing in pixels of 1/96 inch, not necessarily integers.
typedef struct {
    /// Finite; 0 or NaN if the stated size has no area.
    double width, height;
    /// True if the document is as large as its viewport, so that librsvg does not scale its content.
    bool is_fluid;
} firn_svg_size;

/// Returns the size that browsers give to the document in an `img` element.
///
/// May set the handle's style sheet, so that lengths relative to the root font size match browsers.
firn_svg_size firn_svg_find_size(RsvgHandle *handle);

#endif
