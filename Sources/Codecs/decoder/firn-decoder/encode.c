#include "encode.h"

#include <stdlib.h>
#include <sys/mman.h>

bool is_encoding(uint32_t call) { return call >= FIRN_CALL_CANVAS && call <= FIRN_CALL_TAKE; }

void encoding_close(encoding *self) {
    firn_animation_close(self->animation);
    free(self->file.bytes);
    // Order: the encoder reads its profile until it is closed.
    shared_area_unmap(&self->profile);
    *self = (encoding){0};
}

static int32_t refuse(firn_worker_reply *reply, firn_encode_fault fault, const char *message) {
    reply->read_status = (int32_t)fault;
    return fail(reply, FIRN_DATA, message);
}

static int32_t begin(worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    encoding *own = &self->encoding;
    encoding_close(own);
    if (request->flags & FIRN_REQUEST_HAS_MEMORY) {
        int arena = descriptors[0];
        descriptors[0] = -1;
        if (!shared_area_map(&self->arena, arena, FIRN_ARENA_LENGTH, PROT_READ | PROT_WRITE))
            return refuse(reply, FIRN_ENCODE_LIMIT, "no memory for the arena");
    }
    if (!self->arena.base) return refuse(reply, FIRN_ENCODE_LIBRARY, "the first request brings the arena");
    if (request->flags & FIRN_REQUEST_HAS_INPUT) {
        int profile = descriptors[1];
        descriptors[1] = -1;
        if (!shared_area_map(&own->profile, profile, request->input, PROT_READ))
            return refuse(reply, FIRN_ENCODE_LIMIT, "no memory for the color profile");
    }
    firn_worker_canvas plain;
    memcpy(&plain, self->arena.base, sizeof plain);
    const firn_canvas canvas = {
        .width = plain.width, .height = plain.height, .plays = plain.plays, .still = plain.still != 0,
        .opaque = plain.opaque != 0, .icc = own->profile.base, .icc_length = own->profile.length};
    firn_encoded encoded = {0};
    switch (request->codec) {
    case FIRN_CODEC_AVIF: own->animation = firn_animation_avif(&canvas, &plain.options.avif, &encoded); break;
    case FIRN_CODEC_JXL: own->animation = firn_animation_jxl(&canvas, &plain.options.jxl, &encoded); break;
    default: return refuse(reply, FIRN_ENCODE_UNSUPPORTED, "the format is not encoded in workers");
    }
    return own->animation ? FIRN_OK : refuse(reply, encoded.fault, encoded.message);
}

static uint64_t pixel_bytes(uint32_t layout) {
    switch (layout) {
    case FIRN_SOURCE_RGB: return 3;
    case FIRN_SOURCE_RGBA16_STRAIGHT:
    case FIRN_SOURCE_RGBA_HALF: return 8;
    default: return 4;
    }
}

/// Returns whether memory contains the rows and metadata of an image, one after the other.
static bool holds_image(const shared_area *memory, const firn_worker_image *image) {
    uint64_t rows, metadata, total;
    return memory->base && image->layout <= FIRN_SOURCE_RGBA_HALF
        && image->stride >= image->width * pixel_bytes(image->layout)
        && !__builtin_mul_overflow(image->stride, (uint64_t)image->height, &rows)
        && !__builtin_add_overflow(image->icc_length, image->exif_length, &metadata)
        && !__builtin_add_overflow(rows, metadata, &total) && total <= memory->length;
}

static int32_t add_frame(
    worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    firn_worker_image plain;
    memcpy(&plain, self->arena.base, sizeof plain);
    int memory = request->flags & FIRN_REQUEST_HAS_MEMORY ? descriptors[0] : -1;
    descriptors[0] = -1;
    if (!shared_area_map(&self->surface, memory, request->surface, PROT_READ) || !holds_image(&self->surface, &plain))
        return refuse(reply, FIRN_ENCODE_LIMIT, "no memory for a frame");
    const uint8_t *metadata = self->surface.base + plain.stride * plain.height;
    const firn_image image = {
        .pixels = self->surface.base,
        .stride = (size_t)plain.stride,
        .width = plain.width,
        .height = plain.height,
        .layout = (firn_source_layout)plain.layout,
        .opaque = plain.opaque != 0,
        .icc = plain.icc_length > 0 ? metadata : NULL,
        .icc_length = plain.icc_length,
        .primaries = plain.primaries,
        .transfer = plain.transfer,
        .mastering = plain.mastering,
        .exif = plain.exif_length > 0 ? metadata + plain.icc_length : NULL,
        .exif_length = plain.exif_length};
    firn_encoded encoded = {0};
    bool done = firn_animation_add(self->encoding.animation, &image, plain.milliseconds, &encoded);
    shared_area_unmap(&self->surface);
    return done ? FIRN_OK : refuse(reply, encoded.fault, encoded.message);
}

static uint32_t copy(worker *self, uint64_t first) {
    const firn_encoded *file = &self->encoding.file;
    if (first >= file->length) return 0;
    size_t left = file->length - (size_t)first, taken = left < FIRN_ARENA_STRIP ? left : FIRN_ARENA_STRIP;
    memcpy(strip(self), file->bytes + first, taken);
    return (uint32_t)taken;
}

int32_t encode(worker *self, const firn_worker_request *request, int descriptors[2], firn_worker_reply *reply) {
    encoding *own = &self->encoding;
    if (request->call == FIRN_CALL_CANVAS) return begin(self, request, descriptors, reply);
    if (!own->animation) return refuse(reply, FIRN_ENCODE_LIBRARY, "no animation was started");
    switch (request->call) {
    case FIRN_CALL_ADD:
        if (own->file.bytes) return refuse(reply, FIRN_ENCODE_LIBRARY, "the animation is finished");
        return add_frame(self, request, descriptors, reply);
    case FIRN_CALL_FINISH:
        if (own->file.bytes) return refuse(reply, FIRN_ENCODE_LIBRARY, "the animation is finished");
        if (!firn_animation_finish(own->animation, &own->file)) {
            firn_encoded failed = own->file;
            own->file = (firn_encoded){0};
            return refuse(reply, failed.fault, failed.message);
        }
        reply->stride = own->file.length;
        reply->done = copy(self, 0);
        return FIRN_OK;
    default: reply->done = copy(self, request->first); return FIRN_OK;
    }
}
