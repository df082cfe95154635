// Finds the ends of a HEIF file's items, and the cells of its grids.
//
// Data structure: the items, sorted by number. The end of a derived image, or of one with a separate alpha item, is the
// last end of all its parts.
//
// Source: ISO/IEC 14496-12 §8.11 (meta, iinf, iloc, iref); ISO/IEC 23008-12 §6.4 and §6.6 (auxl, dimg, grid), §9.3
// (ipma, ispe).
#ifdef FIRN_HEIC
#include "heic_extents.h"

#include "../../Library/boxes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_META = 16 << 20, MOST_BOXES = 4096, DEEPEST = 8 };

static bool find_box(firn_fields list, const char *wanted, firn_fields *content) {
    char type[4];
    for (unsigned i = 0; i < MOST_BOXES && firn_next_box(&list, type, content); i++)
        if (!memcmp(type, wanted, 4)) return true;
    return false;
}

/// Copies the content of the file's `meta` box after its version; returns NULL if there is none. The caller frees it.
static uint8_t *read_meta(const firn_input *input, size_t *length) {
    uint64_t offset = 0, end = firn_input_length(input);
    uint8_t head[16];
    for (unsigned i = 0; i < MOST_BOXES && offset < end; i++) {
        firn_fields box = {head, firn_input_read(input, offset, head, sizeof head), false};
        uint64_t size = firn_number(&box, 4), header = 8;
        bool is_meta = box.length >= 4 && !memcmp(box.bytes, "meta", 4);
        (void)firn_number(&box, 4);
        if (size == 1) {
            size = firn_number(&box, 8);
            header = 16;
        }
        if (box.is_over || size < header || size > end - offset) return NULL;
        if (is_meta && size >= header + 4 && size <= MOST_META) {
            *length = (size_t)(size - header - 4);
            uint8_t *bytes = malloc(*length + 1);
            if (bytes && firn_input_read(input, offset + header + 4, bytes, *length) == *length) return bytes;
            free(bytes);
            return NULL;
        }
        offset += size;
    }
    return NULL;
}

static int by_id(const void *one, const void *other) {
    uint32_t a = ((const firn_heic_item *)one)->id, b = ((const firn_heic_item *)other)->id;
    return a < b ? -1 : a > b;
}

static firn_heic_item *find_item(const firn_heic_extents *self, uint32_t id) {
    const firn_heic_item wanted = {.id = id};
    return self->items ? bsearch(&wanted, self->items, self->count, sizeof wanted, by_id) : NULL;
}

/// Reads the locations of all items.
static void read_places(firn_heic_extents *self, firn_fields box) {
    unsigned version = (unsigned)(firn_number(&box, 4) >> 24), sizes = (unsigned)firn_number(&box, 2);
    unsigned offset_bytes = sizes >> 12 & 15, length_bytes = sizes >> 8 & 15, base_bytes = sizes >> 4 & 15;
    unsigned index_bytes = version == 0 ? 0 : sizes & 15, id_bytes = version < 2 ? 2 : 4;
    uint64_t count = firn_number(&box, id_bytes);
    // Each item takes at least six bytes.
    if (box.is_over || count > box.length / 6) return;
    self->items = calloc((size_t)count + 1, sizeof *self->items);
    if (!self->items) return;
    for (; self->count < count; self->count++) {
        firn_heic_item *item = &self->items[self->count];
        item->id = (uint32_t)firn_number(&box, id_bytes);
        unsigned method = version == 0 ? 0 : (unsigned)firn_number(&box, 2) & 15;
        (void)firn_number(&box, 2);
        item->is_in_box = method == 1;
        uint64_t base = firn_number(&box, base_bytes), extents = firn_number(&box, 2);
        for (uint64_t i = 0; i < extents && !box.is_over; i++) {
            (void)firn_number(&box, index_bytes);
            uint64_t start = firn_number(&box, offset_bytes), length = firn_number(&box, length_bytes), end;
            if (i == 0 && __builtin_add_overflow(base, start, &item->start)) item->start = UINT64_MAX;
            if (__builtin_add_overflow(base, start, &end) || __builtin_add_overflow(end, length, &end))
                end = UINT64_MAX;
            // Other methods refer to bytes inside the box, which has arrived. A length of 0 means the rest of the file.
            if (method == 0 && length && end > item->end) item->end = end;
        }
        if (box.is_over) return;
    }
}

/// Reads which items are grids.
static void read_types(firn_heic_extents *self, firn_fields box) {
    uint64_t version = firn_number(&box, 4) >> 24;
    (void)firn_number(&box, version == 0 ? 2 : 4);
    char type[4];
    firn_fields entry;
    while (firn_next_box(&box, type, &entry)) {
        if (memcmp(type, "infe", 4)) continue;
        uint64_t kind = firn_number(&entry, 4) >> 24;
        firn_heic_item *item = find_item(self, (uint32_t)firn_number(&entry, kind == 2 ? 2 : 4));
        (void)firn_number(&entry, 2);
        if (item && kind >= 2 && entry.length >= 4) item->is_grid = !memcmp(entry.bytes, "grid", 4);
    }
}

/// Reads the sides of a clean aperture, rounded; 0 if one is not a positive number.
static void read_shown(firn_fields *property, uint32_t *width, uint32_t *height) {
    uint64_t sides[2] = {0};
    for (int i = 0; i < 2; i++) {
        uint64_t dividend = firn_number(property, 4), divisor = firn_number(property, 4);
        sides[i] = divisor ? (dividend + divisor / 2) / divisor : 0;
    }
    bool is_there = sides[0] && sides[1] && sides[0] <= INT32_MAX && sides[1] <= INT32_MAX;
    *width = is_there ? (uint32_t)sides[0] : 0;
    *height = is_there ? (uint32_t)sides[1] : 0;
}

/// Reads the declared sizes of items.
static void read_sizes(firn_heic_extents *self, firn_fields box) {
    firn_fields list, property;
    char type[4];
    struct {
        uint32_t width, height, shown_width, shown_height;
    } *sizes = calloc(MOST_BOXES + 1, sizeof *sizes);
    if (!sizes || !find_box(box, "ipco", &list)) {
        free(sizes);
        return;
    }
    for (unsigned i = 1; i <= MOST_BOXES && firn_next_box(&list, type, &property); i++) {
        if (!memcmp(type, "clap", 4)) read_shown(&property, &sizes[i].shown_width, &sizes[i].shown_height);
        if (memcmp(type, "ispe", 4)) continue;
        (void)firn_number(&property, 4);
        sizes[i].width = (uint32_t)firn_number(&property, 4);
        sizes[i].height = (uint32_t)firn_number(&property, 4);
    }
    while (firn_next_box(&box, type, &list)) {
        if (memcmp(type, "ipma", 4)) continue;
        uint64_t head = firn_number(&list, 4), count = firn_number(&list, 4);
        for (uint64_t i = 0; i < count && !list.is_over; i++) {
            firn_heic_item *item = find_item(self, (uint32_t)firn_number(&list, head >> 24 == 0 ? 2 : 4));
            for (uint64_t left = firn_number(&list, 1); left > 0 && !list.is_over; left--) {
                uint64_t index = head & 1 ? firn_number(&list, 2) & 0x7FFF : firn_number(&list, 1) & 0x7F;
                if (!item || index > MOST_BOXES) continue;
                if (sizes[index].shown_width) {
                    item->shown_width = sizes[index].shown_width;
                    item->shown_height = sizes[index].shown_height;
                }
                if (!sizes[index].width) continue;
                item->width = sizes[index].width;
                item->height = sizes[index].height;
            }
        }
    }
    free(sizes);
}

/// Reads the sizes of grids from their descriptions.
static void read_grids(firn_heic_extents *self, firn_fields box, const firn_input *input) {
    for (size_t i = 0; i < self->count; i++) {
        firn_heic_item *item = &self->items[i];
        if (!item->is_grid) continue;
        uint8_t bytes[12];
        firn_fields grid = {bytes, firn_input_read(input, item->start, bytes, sizeof bytes), false};
        if (item->is_in_box)
            grid = item->start < box.length ? (firn_fields){box.bytes + item->start, box.length - (size_t)item->start, false}
                                            : (firn_fields){0};
        unsigned side = firn_number(&grid, 2) & 1 ? 4 : 2;
        (void)firn_number(&grid, 2);
        uint64_t width = firn_number(&grid, side), height = firn_number(&grid, side);
        if (grid.is_over) continue;
        item->width = (uint32_t)width;
        item->height = (uint32_t)height;
    }
}

/// Records a part of a derived image.
static void count_part(firn_heic_item *whole, const firn_heic_item *part) {
    bool is_like = whole->parts == 0 || (whole->part_width == part->width && whole->part_height == part->height);
    whole->parts++;
    whole->part_width = is_like ? part->width : 0;
    whole->part_height = is_like ? part->height : 0;
}

/// Adds the ends of the parts of derived images, one level.
static void add_parts(firn_heic_extents *self, firn_fields list, bool is_first) {
    unsigned bytes = firn_number(&list, 4) >> 24 == 0 ? 2 : 4;
    char type[4];
    firn_fields box;
    while (firn_next_box(&list, type, &box)) {
        bool is_made_of = !memcmp(type, "dimg", 4), is_alpha = !memcmp(type, "auxl", 4);
        if (!is_made_of && !is_alpha) continue;
        firn_heic_item *from = find_item(self, (uint32_t)firn_number(&box, bytes));
        uint64_t count = firn_number(&box, 2);
        for (uint64_t i = 0; i < count && !box.is_over; i++) {
            firn_heic_item *to = find_item(self, (uint32_t)firn_number(&box, bytes));
            if (!from || !to || box.is_over) continue;
            firn_heic_item *whole = is_alpha ? to : from, *part = is_alpha ? from : to;
            if (is_first && is_made_of) count_part(whole, part);
            if (is_first && is_alpha) whole->alpha = part->id;
            if (part->end > whole->end) whole->end = part->end;
            if (is_made_of && part->depth >= whole->depth && part->depth <= DEEPEST) whole->depth = part->depth + 1;
            if (whole->depth > DEEPEST) self->is_circular = true;
        }
    }
}

void firn_heic_extents_read(firn_heic_extents *self, const firn_input *input) {
    *self = (firn_heic_extents){0};
    size_t length = 0;
    uint8_t *bytes = read_meta(input, &length);
    if (!bytes) return;
    const firn_fields meta = {bytes, length, false};
    firn_fields box;
    if (find_box(meta, "iloc", &box)) read_places(self, box);
    if (self->count) qsort(self->items, self->count, sizeof *self->items, by_id);
    if (find_box(meta, "iinf", &box)) read_types(self, box);
    if (find_box(meta, "iprp", &box)) read_sizes(self, box);
    if (!find_box(meta, "idat", &box)) box = (firn_fields){0};
    read_grids(self, box, input);
    // Each round goes one level deeper into derived images.
    for (unsigned round = 0; round <= DEEPEST + 1 && find_box(meta, "iref", &box); round++)
        add_parts(self, box, round == 0);
    free(bytes);
}

void firn_heic_extents_free(firn_heic_extents *self) { free(self->items); }

static bool covers(const firn_heic_item *item, firn_heic_cells *cells) {
    *cells = (firn_heic_cells){0};
    if (!item || !item->is_grid) return true;
    *cells = (firn_heic_cells){item->parts, item->part_width, item->part_height};
    if (!cells->width || !cells->height) return false;
    // No whole row or column may lie outside: libheif then fails.
    uint64_t columns = ((uint64_t)item->width + cells->width - 1) / cells->width;
    uint64_t rows = ((uint64_t)item->height + cells->height - 1) / cells->height;
    return columns * rows == item->parts;
}

bool firn_heic_cells_cover(
    const firn_heic_extents *self, uint32_t id, firn_heic_cells *cells, firn_heic_cells *alpha) {
    const firn_heic_item *item = find_item(self, id);
    bool is_covered = covers(item, cells);
    return covers(item && item->alpha ? find_item(self, item->alpha) : NULL, alpha) && is_covered;
}

static bool is_side(int side, uint32_t shown) {
    return side >= 0 && ((uint32_t)side == shown || (uint32_t)side + 1 == shown);
}

void firn_heic_correct_size(const firn_heic_extents *self, uint32_t id, int *width, int *height) {
    const firn_heic_item *item = find_item(self, id);
    if (!item || !item->shown_width) return;
    uint32_t across = item->shown_width, down = item->shown_height;
    bool is_upright = is_side(*width, across) && is_side(*height, down);
    if (!is_upright && (!is_side(*width, down) || !is_side(*height, across))) return;
    *width = (int)(is_upright ? across : down);
    *height = (int)(is_upright ? down : across);
}

firn_extent firn_heic_extent(const firn_heic_extents *self, uint32_t id, uint64_t length) {
    const firn_heic_item *item = find_item(self, id);
    if (!item) return FIRN_EXTENT_UNKNOWN;
    return item->end > length ? FIRN_EXTENT_CUT : FIRN_EXTENT_WHOLE;
}

#endif
