// What libraries read from disk the first time they decode, loaded before a process gives up the right to open files.
#include "../include/firn_worker.h"

#include <stdlib.h>
#include <string.h>

#ifdef FIRN_HEIC
#include <libheif/heif.h>
#endif

uint64_t firn_decoder_codecs(void) {
    uint64_t codecs = 0;
    for (int codec = FIRN_CODEC_JPEG; codec <= FIRN_CODEC_SVG; codec++)
        if (firn_codec_is_built_in((firn_codec)codec)) codecs |= UINT64_C(1) << codec;
    return codecs;
}

#ifdef FIRN_SVG
/// Draws a document with an embedded PNG and an embedded GIF, for which gdk-pixbuf loads its list of loaders and one of
/// them. It has no text, because Pango starts a thread for that, and a thread does not survive a fork.
static void draw_sample(void) {
    static const char text[] =
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink' width='2' height='2'>"
        "<image width='1' height='1' x:href='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklE"
        "QVR42mNgAAAAAgAB4iG8MwAAAABJRU5ErkJggg=='/>"
        "<image width='1' height='1' x:href='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=='/>"
        "</svg>";
    const firn_limits limits = {.pixels = 64};
    firn_decoder *decoder = firn_decoder_open(FIRN_CODEC_SVG, &limits);
    if (!decoder) return;
    firn_header header;
    firn_options options = {.layout = FIRN_LAYOUT_BGRA};
    firn_output output;
    uint8_t pixels[2 * 2 * 4];
    uint32_t done = 0;
    firn_decoder_feed(decoder, (const uint8_t *)text, sizeof text - 1, true);
    if (!firn_decoder_header(decoder, &header) && !firn_decoder_start(decoder, &options, &output))
        while (!firn_decoder_read(decoder, pixels, 2 * 4, 2, &done)) continue;
    firn_decoder_close(decoder);
}
#endif

void firn_decoder_prepare(firn_codec codec) {
    switch (codec) {
#ifdef FIRN_SVG
    case FIRN_CODEC_SVG: draw_sample(); break;
#endif
#ifdef FIRN_HEIC
    // Loads the plugins of libheif, which some distributions keep in files of their own.
    case FIRN_CODEC_HEIC: heif_context_free(heif_context_alloc()); break;
#endif
    default: break;
    }
}
