"""gdk-pixbuf's thumbnails (it scales in the JPEG decoder too): files on standard input, side as argument."""
import sys

import gi

gi.require_version("GdkPixbuf", "2.0")
from gi.repository import GdkPixbuf  # noqa: E402

side = int(sys.argv[1])
for path in sys.stdin.read().splitlines():
    GdkPixbuf.Pixbuf.new_from_file_at_size(path, side, side)
