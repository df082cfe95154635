// The metadata boxes of a JPEG XL file, including those compressed with Brotli.
//
// Source: ISO/IEC 18181-2 §9 (Exif, xml, brob); jxl/decode.h.
#ifdef FIRN_JXL
#include "jxl_decoder.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 14, MOST_BYTES = 16 << 20 };

/// The content of the box being read; `bytes` is NULL if there is none.
typedef struct {
    uint8_t *bytes;
    size_t used, room;
    bool is_exif;
} box_content;

static void drop(box_content *box) {
    free(box->bytes);
    *box = (box_content){0};
}

/// Gives libjxl the room after its output; drops the box if memory is exhausted.
static void lend(JxlDecoder *decoder, box_content *box, size_t room) {
    uint8_t *bytes = room <= MOST_BYTES ? realloc(box->bytes, room) : NULL;
    if (bytes) {
        box->bytes = bytes;
        box->room = room;
        if (JxlDecoderSetBoxBuffer(decoder, bytes + box->used, room - box->used) == JXL_DEC_SUCCESS) return;
    }
    drop(box);
}

static void take_back(JxlDecoder *decoder, box_content *box) {
    if (box->bytes) box->used = box->room - JxlDecoderReleaseBoxBuffer(decoder);
}

/// Stores a completely read box.
static void keep(jxl_decoder *self, box_content *box) {
    firn_header *header = &self->base.header;
    // EXIF data start with the offset of their TIFF header, which some writers omit.
    const uint8_t *bytes = box->bytes;
    uint64_t skip = 0;
    bool begins = bytes && box->used >= 4 && (!memcmp(bytes, "II*\0", 4) || !memcmp(bytes, "MM\0*", 4));
    if (bytes && box->is_exif && box->used >= 4 && !begins)
        skip = 4 + ((uint64_t)bytes[0] << 24 | (uint64_t)bytes[1] << 16 | (uint64_t)bytes[2] << 8 | bytes[3]);
    if (!bytes || box->used <= skip || (box->is_exif && box->used < 4)) {
        drop(box);
    } else if (box->is_exif) {
        self->exif = box->bytes;
        header->exif = bytes + skip;
        header->exif_length = box->used - (size_t)skip;
    } else {
        header->xmp = self->xmp = box->bytes;
        header->xmp_length = box->used;
    }
    *box = (box_content){0};
}

void firn_jxl_take_boxes(jxl_decoder *self, const uint8_t *bytes, size_t length) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    box_content box = {0};
    if (decoder && JxlDecoderSubscribeEvents(decoder, JXL_DEC_BOX) == JXL_DEC_SUCCESS
        && JxlDecoderSetInput(decoder, bytes, length) == JXL_DEC_SUCCESS) {
        // If libjxl lacks Brotli, compressed boxes keep their own type and are ignored.
        JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE);
        JxlDecoderCloseInput(decoder);
        while (true) {
            JxlDecoderStatus event = JxlDecoderProcessInput(decoder);
            take_back(decoder, &box);
            if (event == JXL_DEC_BOX_NEED_MORE_OUTPUT) {
                lend(decoder, &box, box.room * 2);
                continue;
            }
            if (event == JXL_DEC_ERROR || event == JXL_DEC_NEED_MORE_INPUT) break;
            keep(self, &box);
            JxlBoxType type;
            if (event != JXL_DEC_BOX || JxlDecoderGetBoxType(decoder, type, JXL_TRUE) != JXL_DEC_SUCCESS) break;
            box.is_exif = memcmp(type, "Exif", 4) == 0;
            bool is_wanted = box.is_exif ? !self->exif : !self->xmp && memcmp(type, "xml ", 4) == 0;
            if (is_wanted) lend(decoder, &box, FIRST_BYTES);
        }
        drop(&box);
    }
    if (decoder) JxlDecoderDestroy(decoder);
}

#endif
