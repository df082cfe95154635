// Describes an image with its header, blobs and frames, as plain values and bytes in the strip.
#include "describe.h"

#include <string.h>

static firn_worker_header plain(const firn_header *header) {
    firn_worker_header plain = {
        .width = header->width,
        .height = header->height,
        .orientation = header->orientation,
        .bit_depth = header->bit_depth,
        .space = (uint32_t)header->space,
        .frames = header->frames,
        .loops = header->loops,
        .working_bytes = header->working_bytes,
        .durations_length = header->animated && header->durations ? (uint64_t)header->frames * 4 : 0,
        .icc_length = header->icc ? header->icc_length : 0,
        .exif_length = header->exif ? header->exif_length : 0,
        .xmp_length = header->xmp ? header->xmp_length : 0,
        .color =
            {
                .primaries = header->color.primaries,
                .transfer = header->color.transfer,
                .gamma = header->color.gamma,
                .has_chromaticities = header->color.has_chromaticities,
            },
        .pixels_per_metre_x = header->pixels_per_metre_x,
        .pixels_per_metre_y = header->pixels_per_metre_y,
        .alpha = header->alpha,
        .progressive = header->progressive,
        .animated = header->animated,
        .vector_width = header->vector_width,
        .vector_height = header->vector_height,
        .surfaces = header->surfaces,
    };
    memcpy(plain.color.chromaticities, header->color.chromaticities, sizeof plain.color.chromaticities);
    return plain;
}

uint32_t copy_blobs(worker *self, uint64_t first) {
    const firn_worker_header lengths = plain(&self->header);
    const uint8_t *const blobs[] = {
        (const uint8_t *)self->header.durations, self->header.icc, self->header.exif, self->header.xmp};
    const uint64_t counts[] = {
        lengths.durations_length, lengths.icc_length, lengths.exif_length, lengths.xmp_length};
    size_t copied = 0;
    for (int i = 0; i < 4; i++) {
        if (first >= counts[i]) {
            first -= counts[i];
            continue;
        }
        size_t left = (size_t)(counts[i] - first), room = FIRN_ARENA_STRIP - copied;
        size_t taken = left < room ? left : room;
        memcpy(strip(self) + copied, blobs[i] + first, taken);
        copied += taken;
        first = 0;
    }
    note_strip(self, copied);
    return (uint32_t)copied;
}

static firn_worker_frame plain_frame(const firn_frame *frame) {
    return (firn_worker_frame){
        frame->width, frame->height, frame->duration, frame->alpha, frame->extent, frame->orientation};
}

int32_t read_header(worker *self, firn_worker_reply *reply) {
    firn_status status;
    do status = firn_decoder_header(self->decoder, &self->header);
    while (status == FIRN_PAUSE);
    if (status) return status;
    reply->header = plain(&self->header);
    reply->done = copy_blobs(self, 0);
    firn_frame frame = {0};
    status = firn_decoder_frame(self->decoder, 0, &frame);
    reply->frame = plain_frame(&frame);
    return status;
}

int32_t read_page(worker *self, uint64_t index, firn_worker_reply *reply) {
    if (index > UINT32_MAX) return FIRN_DATA;
    firn_status status = firn_decoder_page(self->decoder, (uint32_t)index, &self->header);
    if (status) return status;
    reply->header = plain(&self->header);
    reply->done = copy_blobs(self, 0);
    return FIRN_OK;
}

int32_t describe_frames(worker *self, uint64_t first, firn_worker_reply *reply) {
    enum { MOST = FIRN_ARENA_STRIP / sizeof(firn_worker_frame) };
    if (first > UINT32_MAX) return FIRN_DATA;
    uint32_t index = (uint32_t)first;
    for (; reply->done < MOST && index < self->header.frames; reply->done++, index++) {
        firn_frame frame = {0};
        firn_status status = firn_decoder_frame(self->decoder, index, &frame);
        if (status) return status;
        const firn_worker_frame described = plain_frame(&frame);
        memcpy(strip(self) + reply->done * sizeof described, &described, sizeof described);
    }
    note_strip(self, reply->done * sizeof(firn_worker_frame));
    return FIRN_OK;
}
