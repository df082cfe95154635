"""Pillow's thumbnails of JPEG files, with its draft mode (scaled decode): files on standard input, side as argument."""
import sys

from PIL import Image

side = int(sys.argv[1])
for path in sys.stdin.read().splitlines():
    with Image.open(path) as image:
        image.draft("RGB", (side, side))
        image.thumbnail((side, side))
        image.load()
