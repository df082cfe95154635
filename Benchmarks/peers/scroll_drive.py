"""What the programs of the comparison share: the drive of a fast scroll, and what is counted meanwhile.

The drive: the first screen is waited for; then the list moves over 500 cells in a second, its place being a function of the
time; then it stands. "Stop" is the moment at which the hand stops, also for a program that lags behind.
"""
import argparse
import json
import resource
import time

WINDOW = (1150, 800)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("images", help="a text file with a path a line, one for each cell")
    parser.add_argument("--mode", default="bind")
    parser.add_argument("--cell", type=int, default=180)
    parser.add_argument("--cells", type=int, default=500, help="how far the scroll goes")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long it takes; 0 for a jump")
    parser.add_argument("--limit", type=float, default=60.0, help="how long the images are waited for after the stop")
    options = parser.parse_args()
    with open(options.images, encoding="utf-8") as file:
        options.paths = file.read().splitlines()
    return options


def columns(options):
    """As many cells side by side as Firn's gallery has."""
    return max(1, WINDOW[0] // (options.cell + 6))


class Drive:
    """When the list is where, and what happened until all visible images were right.

    Call `step` once a frame with the time; it returns where the list has to be, in rows, or `None` at the end.
    `beat` is to be called by the main loop as often as it can, for the longest time in which it could not.
    """

    def __init__(self, options, is_right, count_wrong):
        self.options = options
        self.is_right = is_right
        self.count_wrong = count_wrong
        self.far = -(-options.cells // columns(options))
        self.opened = time.monotonic()
        self.start = None
        self.stop = None
        self.right_at = None
        self.last_beat = None
        self.freeze = 0.0
        self.wrong_shown = 0
        self.deliveries = 0
        self.wrong_deliveries = 0
        self.is_over = False

    def beat(self):
        now = time.monotonic()
        if self.start is not None and self.last_beat is not None:
            self.freeze = max(self.freeze, now - self.last_beat)
        self.last_beat = now

    def delivered(self, is_wanted):
        """An image has been handed to a cell."""
        if self.start is None:
            return
        self.deliveries += 1
        self.wrong_deliveries += 0 if is_wanted else 1

    def step(self):
        now = time.monotonic()
        if self.start is None:
            if not self.is_right() and now - self.opened < self.options.limit:
                return 0.0
            self.start = now
            self.stop = now + self.options.seconds
            reset_peak()
        self.wrong_shown += self.count_wrong()
        if now < self.stop:
            return self.far * (now - self.start) / self.options.seconds
        if self.is_right():
            self.right_at = self.right_at or now
        else:
            self.right_at = None
        # A late image may still spoil what was right, so a while more is watched.
        if self.right_at and now - self.right_at > 3 or now - self.stop > self.options.limit:
            self.is_over = True
            return None
        return float(self.far)

    def report(self):
        late = None if self.right_at is None else round((self.right_at - self.stop) * 1000, 1)
        return json.dumps({
            "stopToAllRightMs": late,
            "longestFreezeMs": round(self.freeze * 1000, 1),
            "delivered": self.deliveries,
            "wrongDeliveries": self.wrong_deliveries,
            "wrongShown": self.wrong_shown,
            "peakMiB": round(peak() / 1024, 1),
        })


def reset_peak():
    """Lets the peak of memory begin anew, where the system can."""
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass


def peak():
    """The peak of memory, in KiB."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
