#include "metadata.h"

#include "firn_zlib.h"

int32_t colors_open(worker *self, const firn_worker_colors *wanted, firn_worker_reply *reply) {
    metadata_close(self);
    if (wanted->model > FIRN_MODEL_CMYK || wanted->from > FIRN_LAYOUT_RGBA_HALF || wanted->to > FIRN_LAYOUT_RGBA_HALF)
        return fail(reply, FIRN_UNSUPPORTED, "unknown layout");
    if (!self->input.base) return fail(reply, FIRN_UNSUPPORTED, "no color profile");
    self->colors.from = (firn_layout)wanted->from;
    self->colors.to = (firn_layout)wanted->to;
    size_t source = (size_t)wanted->source, length = self->input.length;
    if (wanted->source > length) return fail(reply, FIRN_UNSUPPORTED, "the profile is cut");
    const firn_target target = {
        .icc = source < length ? self->input.base + source : NULL, .length = length - source,
        .relative = wanted->relative != 0};
    reply->read_status = (int32_t)firn_transform_make(
        self->input.base, source, (firn_model)wanted->model, self->colors.from, self->colors.to, &target,
        &self->colors.transform);
    return FIRN_OK;
}

int32_t colors_convert(worker *self, uint32_t pixels, firn_worker_reply *reply) {
    if (!self->colors.transform) return fail(reply, FIRN_UNSUPPORTED, "no color profile is open");
    size_t from = bytes_per_pixel(self->colors.from), to = bytes_per_pixel(self->colors.to);
    size_t room = from == to ? FIRN_ARENA_STRIP : FIRN_ARENA_STRIP / 2;
    if (pixels == 0 || pixels > room / (from > to ? from : to))
        return fail(reply, FIRN_UNSUPPORTED, "the pixels do not fit");
    uint8_t *source = strip(self), *target = from == to ? source : source + room;
    note_strip(self, FIRN_ARENA_STRIP);
    firn_transform_rows(self->colors.transform, source, pixels * from, target, pixels * to, pixels, 1);
    reply->done = pixels;
    return FIRN_OK;
}

int32_t text_unpack(worker *self, uint64_t most, firn_worker_reply *reply) {
    metadata_close(self);
    if (!self->input.base) return fail(reply, FIRN_UNSUPPORTED, "no text");
    self->text =
        firn_zlib_unpack(self->input.base, self->input.length, (size_t)most, &self->text_length);
    if (!self->text) return fail(reply, FIRN_DATA, "the text is damaged");
    reply->stride = self->text_length;
    return text_take(self, 0, reply);
}

int32_t text_take(worker *self, uint64_t first, firn_worker_reply *reply) {
    if (!self->text || first > self->text_length) return fail(reply, FIRN_UNSUPPORTED, "no text is open");
    size_t left = self->text_length - (size_t)first, taken = left < FIRN_ARENA_STRIP ? left : FIRN_ARENA_STRIP;
    memcpy(strip(self), self->text + first, taken);
    note_strip(self, taken);
    reply->done = (uint32_t)taken;
    return FIRN_OK;
}

void metadata_close(worker *self) {
    firn_transform_free(self->colors.transform);
    self->colors = (colors){0};
    firn_zlib_free(self->text);
    self->text = NULL;
    self->text_length = 0;
}
