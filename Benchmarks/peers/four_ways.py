"""Four ways to show 10 000 photographs in a grid, on one scroll: python3 Benchmarks/peers/four_ways.py [--help]

Runs, one after the other, in an Xvfb of its own (Qt paints into memory): GTK 4 and gdk-pixbuf decoding in `bind`; the same with
a thread for each cell; Qt Quick's `Image` (needs PySide6: python3 -m venv DIR && DIR/bin/pip install PySide6-Essentials, and
--qt DIR/bin/python); and Firn's gallery, built by `swift build -c release --product firn-gallery`.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FIELDS = ["stopToAllRightMs", "longestFreezeMs", "wrongDeliveries", "wrongShown", "peakMiB"]


def photographs(folder):
    names = sorted(name for name in os.listdir(folder) if name.lower().endswith((".jpg", ".jpeg")))
    return [os.path.join(folder, name) for name in names]


def make_list(images, count, folder):
    """A list of `count` names for the images in turn, so that no program can show one twice without reading it twice."""
    paths = []
    for number in range(count):
        path = os.path.join(folder, f"{number:05}.jpg")
        os.symlink(images[number % len(images)], path)
        paths.append(path)
    name = os.path.join(folder, "list.txt")
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(paths))
    return name


def run(command, limit):
    screen = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -nolisten tcp"]
    variables = dict(
        os.environ, GDK_BACKEND="x11", GSK_RENDERER="cairo", GTK_A11Y="none", GSETTINGS_BACKEND="memory", NO_AT_BRIDGE="1")
    try:
        done = subprocess.run(
            screen + command, env=variables, capture_output=True, text=True, timeout=limit, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{command[0]}: {error}", file=sys.stderr)
        return None
    for line in reversed(done.stdout.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    print(f"{' '.join(command)}:\n{done.stderr[-2000:]}", file=sys.stderr)
    return None


def median(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photographs", default="/usr/share/backgrounds")
    parser.add_argument("--gallery", default=os.path.join(HERE, "../../.build/release/firn-gallery"))
    parser.add_argument("--gtk", default="/usr/bin/python3", help="a Python with gi")
    parser.add_argument("--qt", default="python3", help="a Python with PySide6")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--cells", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", default="bind,threads,qml,firn")
    options = parser.parse_args()
    images = photographs(options.photographs)
    if not images:
        sys.exit(f"no photographs in {options.photographs}")
    with tempfile.TemporaryDirectory(prefix="firn-four-ways-") as folder:
        name = make_list(images, options.items, folder)
        drive = [name, "--cells", str(options.cells), "--seconds", str(options.seconds)]
        gtk = [options.gtk, os.path.join(HERE, "scroll_gtk.py")] + drive
        ways = {
            "bind": gtk + ["--mode", "bind"],
            "threads": gtk + ["--mode", "threads"],
            "qml": [options.qt, os.path.join(HERE, "scroll_qml.py")] + drive,
            "firn": [
                options.gallery, "--headless-jump", str(options.cells), "--jump-seconds", str(options.seconds),
                "--items", str(options.items), f"@{name}",
            ],
        }
        wanted = options.only.split(",")
        results = {way: [] for way in ways if way in wanted}
        # All in every round, so that a slow moment is everybody's.
        for _ in range(options.rounds):
            for way, all_results in results.items():
                result = run(ways[way], 170)
                if result is not None:
                    result.setdefault("wrongShown", result.get("wrongImages"))
                    result.setdefault("wrongDeliveries", 0)
                    all_results.append(result)
    print(f"{'':10}" + "".join(f"{field:>18}" for field in FIELDS))
    for way, all_results in results.items():
        values = [median([result.get(field) for result in all_results]) for field in FIELDS]
        print(f"{way:10}" + "".join(f"{'-' if value is None else value:>18}" for value in values))
    print(json.dumps(results))


if __name__ == "__main__":
    main()
