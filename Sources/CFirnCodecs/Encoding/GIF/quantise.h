// Few colours that stand for many, and the one that is nearest to a colour.
#ifndef QUANTISE_H
#define QUANTISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Collects colours and chooses a palette.
typedef struct firn_quantiser firn_quantiser;

/// NULL if there is no memory.
firn_quantiser *firn_quantiser_open(void);
void firn_quantiser_close(firn_quantiser *quantiser);

/// Forgets all colours.
void firn_quantiser_clear(firn_quantiser *quantiser);

/// Counts `count` colours, 0xRRGGBB with anything above.
void firn_quantiser_add(firn_quantiser *quantiser, const uint32_t *colours, size_t count);

/// Chooses at most `most` colours, 1 to 256; returns how many.
int firn_quantiser_choose(firn_quantiser *quantiser, int most, uint32_t *palette);

/// Which of the colours last chosen is nearest to a colour of components 0 to 255.
uint8_t firn_quantiser_nearest(firn_quantiser *quantiser, int red, int green, int blue);

#endif
