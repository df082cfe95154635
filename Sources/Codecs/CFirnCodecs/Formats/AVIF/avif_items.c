// Source: ISO/IEC 14496-12 §4.2 (boxes), §8.11.3 (iloc), §8.11.6 (iinf), §8.11.12 (iref); ISO/IEC 23008-12 §9.3 (ipma).
#ifdef FIRN_AVIF
#include "avif_items.h"

#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t length;
} span;

static uint64_t big(const uint8_t *bytes, unsigned count) {
    uint64_t number = 0;
    for (unsigned i = 0; i < count; i++) number = number << 8 | bytes[i];
    return number;
}

/// Takes the next box of `rest`: its type and its content, as far as it has arrived.
static bool next(span *rest, const char **type, span *content) {
    if (rest->length < 8) return false;
    uint64_t size = big(rest->bytes, 4);
    size_t header = 8;
    if (size == 1) {
        if (rest->length < 16) return false;
        size = big(rest->bytes + 8, 8);
        header = 16;
    }
    if (size == 0 || size > rest->length) size = rest->length;
    if (size < header) return false;
    *type = (const char *)rest->bytes + 4;
    *content = (span){rest->bytes + header, (size_t)size - header};
    *rest = (span){rest->bytes + size, rest->length - (size_t)size};
    return true;
}

static bool is(const char *type, const char *name) { return memcmp(type, name, 4) == 0; }

/// Returns the number of items that the boxes of an `iref` box refer to.
static uint64_t references(span box) {
    unsigned id = box.bytes[0] == 0 ? 2 : 4;
    span rest = {box.bytes + 4, box.length - 4}, content;
    const char *type;
    uint64_t count = 0;
    while (count <= FIRN_AVIF_MOST_ITEMS && next(&rest, &type, &content))
        count += 1 + (content.length >= id + 2 ? big(content.bytes + id, 2) : 0);
    return count;
}

/// Returns the number of entries in a list of a `meta` or `iprp` box; 0 for other boxes and for truncated headers.
static uint64_t entries(const char *type, span box) {
    if (box.length < 12) return 0;
    unsigned version = box.bytes[0];
    if (is(type, "iinf")) return big(box.bytes + 4, version == 0 ? 2 : 4);
    if (is(type, "iloc")) return big(box.bytes + 6, version < 2 ? 2 : 4);
    if (is(type, "ipma")) return big(box.bytes + 4, 4);
    return is(type, "iref") ? references(box) : 0;
}

/// Returns the largest number of entries among the lists in a box and its nested boxes.
static uint64_t most_entries(span box, bool goes_on) {
    uint64_t sums[4] = {0}, most = 0;
    static const char *const lists[4] = {"iinf", "iloc", "ipma", "iref"};
    const char *type;
    span content;
    while (most <= FIRN_AVIF_MOST_ITEMS && next(&box, &type, &content)) {
        for (unsigned i = 0; i < 4; i++) {
            if (!is(type, lists[i])) continue;
            sums[i] += entries(type, content);
            if (sums[i] > most) most = sums[i];
        }
        if (!goes_on || !is(type, "iprp")) continue;
        uint64_t inner = most_entries(content, false);
        if (inner > most) most = inner;
    }
    return most;
}

firn_avif_items firn_avif_count_items(const uint8_t *bytes, size_t length, bool is_whole) {
    span rest = {bytes, length}, content;
    const char *type;
    while (next(&rest, &type, &content)) {
        if (!is(type, "meta")) continue;
        // A box that ends with the bytes may continue, unless another box follows it.
        if (!is_whole && rest.length == 0) return FIRN_AVIF_NO_ITEMS;
        if (content.length < 4) return FIRN_AVIF_FEW_ITEMS;
        bool is_few = most_entries((span){content.bytes + 4, content.length - 4}, true) <= FIRN_AVIF_MOST_ITEMS;
        return is_few ? FIRN_AVIF_FEW_ITEMS : FIRN_AVIF_MANY_ITEMS;
    }
    return is_whole ? FIRN_AVIF_FEW_ITEMS : FIRN_AVIF_NO_ITEMS;
}

#endif
