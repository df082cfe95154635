// ISA-L counts the length of a copy as output before it checks the start of the copy. If that lies before the first
// byte, or the distance code is invalid, the output ends with up to 258 bytes that were never written. Near the end of
// its input, ISA-L checks first.
//
// Therefore a failed call is repeated from a copy of the state, with so few bytes at a time that ISA-L always checks
// first. The output then ends at the damage, regardless of splits.
//
// Source: isa-l/igzip_lib.h; decode_len_dist in igzip_decode_block_stateless.asm of ISA-L 2.30.
#include "png_inflate.h"

#ifdef FIRN_ISAL

#include <stdlib.h>
#include <string.h>

/// With less input than this, ISA-L counts no unwritten bytes (IN_BUFFER_SLOP).
enum { LEAST_HASTY = 8 };

/// The number of bytes of the state before its window, which is last.
enum { BEFORE_WINDOW = offsetof(struct inflate_state, tmp_out_buffer) };

_Static_assert(
    sizeof(struct inflate_state) - BEFORE_WINDOW < sizeof(((struct inflate_state *)NULL)->tmp_out_buffer) + 8,
    "the window is the last member of the state");

void firn_png_inflate_start(firn_png_inflate *self) {
    isal_inflate_init(&self->state);
    self->state.crc_flag = ISAL_ZLIB;
}

void firn_png_inflate_release(firn_png_inflate *self) { free(self->before); }

static bool is_damage(int result) {
    return result != ISAL_DECOMP_OK && result != ISAL_END_INPUT && result != ISAL_OUT_OVERFLOW;
}

/// Copies a state with the valid bytes of its window.
static void copy_state(struct inflate_state *to, const struct inflate_state *from) {
    memcpy(to, from, BEFORE_WINDOW);
    if (from->tmp_out_valid > 0) memcpy(to->tmp_out_buffer, from->tmp_out_buffer, (size_t)from->tmp_out_valid);
}

/// Saves the state for a repetition; returns false if memory is exhausted.
static bool keep_state(firn_png_inflate *self) {
    if (!self->has_begun) return true;
    if (!self->before) self->before = malloc(sizeof *self->before);
    if (!self->before) return false;
    copy_state(self->before, &self->state);
    return true;
}

static void restore_state(firn_png_inflate *self) {
    if (self->has_begun)
        copy_state(&self->state, self->before);
    else
        firn_png_inflate_start(self);
}

/// Returns held bytes before the damage; then fails.
static firn_inflated end_at_damage(firn_png_inflate *self, uint8_t *output, size_t room, size_t *made) {
    struct inflate_state *state = &self->state;
    int32_t left = state->tmp_out_valid - state->tmp_out_processed;
    size_t held = left > 0 ? (size_t)left : 0, count = held < room ? held : room;
    memcpy(output, state->tmp_out_buffer + state->tmp_out_processed, count);
    state->tmp_out_processed += (int32_t)count;
    *made += count;
    self->holds_bytes = count < held;
    if (self->holds_bytes) return FIRN_INFLATE_OK;
    return self->damage == ISAL_INCORRECT_CHECKSUM ? FIRN_INFLATE_WRONG_SUM : FIRN_INFLATE_DAMAGED;
}

firn_inflated firn_png_inflate_some(
    firn_png_inflate *self, const uint8_t *input, size_t count, size_t *taken, uint8_t *output, size_t room,
    size_t *made) {
    struct inflate_state *state = &self->state;
    *taken = *made = 0;
    if (self->damage) return end_at_damage(self, output, room, made);
    // ISA-L does not check the window size, the upper half of the first byte, which is at most 7.
    if (!self->has_begun && count && input[0] >> 4 > 7) return FIRN_INFLATE_DAMAGED;
    if (self->is_careful && count >= LEAST_HASTY) count = LEAST_HASTY - 1;
    bool is_hasty = count >= LEAST_HASTY;
    if (is_hasty && !keep_state(self)) return FIRN_INFLATE_NO_MEMORY;
    // ISA-L does not write to the bytes; its signature predates const.
    state->next_in = (uint8_t *)input;
    state->avail_in = (uint32_t)count;
    state->next_out = output;
    state->avail_out = (uint32_t)room;
    int result = isal_inflate(state);
    if (is_hasty && (result == ISAL_INVALID_SYMBOL || result == ISAL_INVALID_LOOKBACK)) {
        restore_state(self);
        self->is_careful = true;
        return FIRN_INFLATE_OK;
    }
    self->has_begun = true;
    *taken = count - state->avail_in;
    *made = room - state->avail_out;
    self->is_over = state->block_state == ISAL_BLOCK_FINISH;
    self->holds_bytes = !state->avail_out && !self->is_over;
    if (count && !*taken && !*made && !self->is_over && !is_damage(result)) result = ISAL_INVALID_BLOCK;
    if (!is_damage(result)) return FIRN_INFLATE_OK;
    self->damage = result;
    return end_at_damage(self, output + *made, room - *made, made);
}

#endif
