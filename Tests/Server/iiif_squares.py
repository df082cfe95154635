#!/usr/bin/env python3
"""Draws the image that the IIIF validator asks for: 1000x1000 pixels, 10x10 squares of one color each.

Usage: iiif_squares.py OUTPUT [--colors FILE | --own]

The validator compares squares with a list of its own. By default the list is read from the installed package
`iiif-validator`. `--colors` reads it from a JSON file: ten columns of ten [red, green, blue]. `--own` computes a list of
100 colors that differ by at least 28 in a channel, for tests of this repository that need no validator.

Exit status: 0 done, 2 wrong arguments or no list of colors.
"""
import argparse
import json
import sys

SIDE, COUNT = 1000, 10


def own_colors():
    """Returns 100 colors of 5 reds, 5 greens and 4 blues; neighbors differ."""
    return [
        [[28 + 49 * (index % 5), 28 + 49 * (index // 5 % 5), 30 + 64 * (index // 25)] for index in
         ((column * COUNT + row) * 37 % 100 for row in range(COUNT))]
        for column in range(COUNT)
    ]


def validator_colors():
    """Returns the list of the installed validator."""
    try:
        from iiif_validator.validator import ValidationInfo
    except ImportError as error:
        print(f"iiif_squares.py: no list of colors ({error}); pip install iiif-validator, or use --own", file=sys.stderr)
        sys.exit(2)
    return [[list(color) for color in column] for column in ValidationInfo().colorInfo]


def main():
    parser = argparse.ArgumentParser(description="Draws the image of the IIIF validator.")
    parser.add_argument("output", help="a path that ends in .png or another lossless format")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--colors", metavar="FILE", help="a JSON list of ten columns of ten colors")
    group.add_argument("--own", action="store_true", help="colors that need no validator")
    options = parser.parse_args()
    from PIL import Image

    if options.colors:
        with open(options.colors, encoding="utf-8") as file:
            colors = json.load(file)
    else:
        colors = own_colors() if options.own else validator_colors()
    if len(colors) != COUNT or any(len(column) != COUNT for column in colors):
        parser.error("the list of colors must have ten columns of ten colors")
    image = Image.new("RGB", (SIDE, SIDE))
    side = SIDE // COUNT
    for x, column in enumerate(colors):
        for y, color in enumerate(column):
            image.paste(tuple(color), (x * side, y * side, (x + 1) * side, (y + 1) * side))
    image.save(options.output)


if __name__ == "__main__":
    main()
