"""GTK 4 and gdk-pixbuf as applications do it by hand.

--mode bind     decodes in `bind`, on the main thread
--mode threads  a thread for each bind, which is not cancelled and whose image goes to its cell, whatever that shows by then
"""
import threading

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("GdkPixbuf", "2.0")
from gi.repository import Gdk, GdkPixbuf, GLib, Gtk  # noqa: E402

import scroll_drive  # noqa: E402

options = scroll_drive.arguments()
sizes = {}


def decode(path):
    """The image, just large enough to fill a cell. gdk-pixbuf decodes JPEG at a fraction of its size where that does."""
    size = sizes.get(path)
    if size is None:
        size = sizes[path] = GdkPixbuf.Pixbuf.get_file_info(path)[1:]
    width, height = size
    scale = options.cell / min(width, height)
    return GdkPixbuf.Pixbuf.new_from_file_at_scale(path, round(width * scale), round(height * scale), False)


class Cells:
    """The cells, which of them are bound to which place, and what they show."""

    def __init__(self):
        self.wanted = {}
        self.shown = {}

    def set_up(self, _, item):
        image = Gtk.Image()
        image.set_size_request(options.cell, options.cell)
        image.set_keep_aspect_ratio(True)
        image.set_overflow(Gtk.Overflow.HIDDEN)
        item.set_child(image)

    def bind(self, _, item):
        image, place = item.get_child(), item.get_position()
        self.wanted[image] = place
        if options.mode == "bind":
            self.show(image, place, decode(options.paths[place]))
            return
        self.shown.pop(image, None)
        image.set_paintable(None)
        threading.Thread(target=self.load, args=(image, place), daemon=True).start()

    def unbind(self, _, item):
        self.wanted.pop(item.get_child(), None)

    def load(self, image, place):
        pixels = decode(options.paths[place])
        GLib.idle_add(self.show, image, place, pixels)

    def show(self, image, place, pixels):
        drive.delivered(self.wanted.get(image) == place)
        image.set_paintable(Gdk.Texture.new_for_pixbuf(pixels))
        self.shown[image] = place
        return False

    def visible(self):
        """The cells on the screen: what they are to show, and what they do."""
        row = adjustment.get_upper() / -(-len(options.paths) // count)
        if row < 1:
            return []
        first = int(adjustment.get_value() / row) * count
        end = -(-int(adjustment.get_value() + adjustment.get_page_size()) // int(row)) * count
        return [(place, self.shown.get(cell)) for cell, place in self.wanted.items() if first <= place < end]

    def is_right(self):
        seen = self.visible()
        return len(seen) >= count and all(place == shown for place, shown in seen)

    def count_wrong(self):
        return sum(1 for place, shown in self.visible() if shown is not None and shown != place)


cells = Cells()
count = scroll_drive.columns(options)
drive = scroll_drive.Drive(options, cells.is_right, cells.count_wrong)

factory = Gtk.SignalListItemFactory()
factory.connect("setup", cells.set_up)
factory.connect("bind", cells.bind)
factory.connect("unbind", cells.unbind)
model = Gtk.NoSelection(model=Gtk.StringList.new([str(number) for number in range(len(options.paths))]))
Gtk.init()
grid = Gtk.GridView(model=model, factory=factory)
grid.set_max_columns(count)
grid.set_min_columns(count)
scrolled = Gtk.ScrolledWindow()
scrolled.set_child(grid)
adjustment = scrolled.get_vadjustment()
window = Gtk.Window()
window.set_default_size(*scroll_drive.WINDOW)
window.set_child(scrolled)
loop = GLib.MainLoop()


def frame(_, __):
    row = adjustment.get_upper() / -(-len(options.paths) // count)
    place = drive.step()
    if place is None:
        print(drive.report())
        loop.quit()
        return False
    if drive.start is not None:
        adjustment.set_value(place * row)
    grid.queue_draw()
    return True


def beat():
    drive.beat()
    return True


window.present()
grid.add_tick_callback(frame)
GLib.timeout_add(4, beat, priority=GLib.PRIORITY_HIGH)
loop.run()
