// Limits the cost of parsing a document, in one pass over its text, before librsvg receives it: no call of librsvg can
// be interrupted.
//
// libxml2 compares each attribute of an element with all others, and with the defaults that the document declares.
// librsvg 2.54 compares each element with all style rules. Entities repeat their content.
//
// The counts are exact for a well-formed document, and upper bounds with entities. Parsing any other document ends at
// its first error. Source: XML 1.0 §2.4 to §3.3, §4.1 to §4.4.
#ifdef FIRN_SVG
#include "svg_document.h"

/// One element with 46,000 attributes takes a second.
static const double most_pairs = 0x1p30;
/// 1,300 rules and 100,000 elements take six seconds.
static const double most_matches = 0x1p27;
/// librsvg accepts a million elements.
static const double most_repeated_elements = 1000000;

/// The characters of a text. Non-ASCII characters are read as letters.
typedef struct {
    const uint8_t *bytes;
    /// The number of bytes of a character, and the position of its low byte.
    size_t width, low;
    size_t at, end;
    /// True if the text is the value of an entity, in which character references are expanded.
    bool is_value;
} cursor;

/// Sums, as floating-point numbers, which cannot overflow.
typedef struct {
    double elements, attributes, squares;
    /// The number of style sheet selectors.
    double rules;
    /// The number of entity references outside tags.
    double references;
} costs;

typedef struct {
    /// The costs of the document itself and of all its entities together.
    costs content, entities;
    /// The number of attribute defaults.
    double defaults;
} document;

static uint8_t character(const cursor *self, size_t index) {
    const uint8_t *bytes = self->bytes + index * self->width;
    const bool is_ascii = bytes[self->low] < 0x80 && (self->width == 1 || bytes[1 - self->low] == 0);
    return is_ascii ? bytes[self->low] : 'x';
}

static unsigned digit_of(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10u : 16;
}

/// Reads the number of a character reference, after "&#".
static uint8_t referenced(cursor *self) {
    unsigned base = 10, value = 0;
    if (self->at < self->end && character(self, self->at) == 'x') base = 16, self->at++;
    for (; self->at < self->end && digit_of(character(self, self->at)) < base; self->at++)
        if (value < 0x80) value = value * base + digit_of(character(self, self->at));
    if (self->at < self->end && character(self, self->at) == ';') self->at++;
    return value < 0x80 ? (uint8_t)value : 'x';
}

/// Returns the next character; -1 at the end.
static int next(cursor *self) {
    if (self->at >= self->end) return -1;
    const uint8_t c = character(self, self->at++);
    if (c != '&' || !self->is_value || self->at >= self->end || character(self, self->at) != '#') return c;
    self->at++;
    return referenced(self);
}

/// Skips a word if it is next.
static bool take(cursor *self, const char *word) {
    cursor ahead = *self;
    for (; *word; word++)
        if (next(&ahead) != *word) return false;
    *self = ahead;
    return true;
}

static void skip_past(cursor *self, const char *word) {
    while (!take(self, word) && next(self) >= 0) continue;
}

/// Skips to the end of a quoted text, after its opening quotation mark.
static void skip_quoted(cursor *self, int quote) {
    for (int c = next(self); c >= 0 && c != quote;) c = next(self);
}

/// Skips the rest of a tag or declaration, and returns the number of its quoted texts.
static double skip_tag(cursor *self) {
    double values = 0;
    for (int c = next(self); c >= 0 && c != '>'; c = next(self)) {
        if (c != '"' && c != '\'') continue;
        values++;
        skip_quoted(self, c);
    }
    return values;
}

/// Counts a character of a style sheet. `depth` is the nesting of braces.
static void count_in_style(int c, int *depth, costs *costs) {
    if (c == '}' && *depth > 0) --*depth;
    if (c == '{' || (c == ',' && *depth == 0)) costs->rules++;
    if (c == '{') ++*depth;
}

static void count_element(cursor *self, costs *costs) {
    // The name follows a prefix.
    cursor name = *self;
    for (int c = next(&name); c >= 0 && c != '>' && c != '/' && c > ' '; c = next(&name))
        if (c == ':') *self = name;
    bool is_style = take(self, "style");
    const double values = skip_tag(self);
    costs->elements++;
    costs->attributes += values;
    costs->squares += values * values;
    for (int depth = 0; is_style && !take(self, "</");) {
        const int c = next(self);
        if (c == '&') costs->references++;
        count_in_style(c, &depth, costs);
        is_style = c >= 0;
    }
}

static void count_document_type(cursor *self, document *document);

/// Counts the content of the document or of an entity.
static void count_content(cursor *self, costs *costs, document *document) {
    int depth = 0;
    for (int c = next(self); c >= 0; c = next(self)) {
        if (c == '&') costs->references++;
        if (self->is_value) count_in_style(c, &depth, costs);
        if (c != '<') continue;
        if (take(self, "!--")) skip_past(self, "-->");
        else if (take(self, "![CDATA[")) skip_past(self, "]]>");
        else if (take(self, "?")) skip_past(self, "?>");
        else if (take(self, "!DOCTYPE")) count_document_type(self, document);
        else if (take(self, "/")) skip_past(self, ">");
        else count_element(self, costs);
    }
}

/// Counts the value of an entity. librsvg ignores parameter entities.
static void count_entity(cursor *self, document *document) {
    int c = next(self);
    while (c >= 0 && c <= ' ') c = next(self);
    const bool is_used = c != '%';
    while (c >= 0 && c != '"' && c != '\'' && c != '>') c = next(self);
    if (c < 0 || c == '>') return;
    cursor value = *self;
    value.is_value = true;
    skip_quoted(self, c);
    value.end = self->at > value.at ? self->at - 1 : value.at;
    if (is_used) count_content(&value, &document->entities, document);
    skip_tag(self);
}

static void count_document_type(cursor *self, document *document) {
    if (self->is_value) return;
    int c = next(self);
    for (; c >= 0 && c != '[' && c != '>'; c = next(self))
        if (c == '"' || c == '\'') skip_quoted(self, c);
    for (; c >= 0 && c != ']' && c != '>'; c = next(self)) {
        if (c != '<') continue;
        if (take(self, "!--")) skip_past(self, "-->");
        else if (take(self, "?")) skip_past(self, "?>");
        else if (take(self, "!ENTITY")) count_entity(self, document);
        else if (take(self, "!ATTLIST")) document->defaults += skip_tag(self);
        else skip_tag(self);
    }
}

/// Returns the number of attribute pairs of an element, summed over all elements.
static double pairs(const costs *costs, double defaults) {
    return (costs->squares + 2 * defaults * costs->attributes + defaults * defaults * costs->elements) / 2;
}

firn_status firn_svg_check_costs(firn_decoder *decoder, const firn_svg_text *text) {
    const bool is_wide = text->length >= 2 && text->bytes[0] >= 0xFE;
    cursor all = {.bytes = text->bytes, .width = is_wide ? 2 : 1, .low = is_wide && text->bytes[0] == 0xFE};
    all.end = text->length / all.width;
    document document = {0};
    count_content(&all, &document.content, &document);
    const costs *content = &document.content, *entities = &document.entities;
    // Each reference counts as one to all entities. Entities refer to others, but no deeper, because libxml2 refuses
    // that.
    const double repeats = content->references * (1 + entities->references);
    const double elements = content->elements + repeats * entities->elements;
    const double rules = content->rules + repeats * entities->rules;
    if (pairs(content, document.defaults) + repeats * pairs(entities, document.defaults) > most_pairs)
        return firn_fail(decoder, FIRN_LIMIT, "has too many attributes in one element");
    if (repeats * entities->elements > most_repeated_elements)
        return firn_fail(decoder, FIRN_LIMIT, "repeats elements by entities too often");
    if (elements * rules > most_matches)
        return firn_fail(decoder, FIRN_LIMIT, "has too many rules of style for its elements");
    return FIRN_OK;
}

#endif
