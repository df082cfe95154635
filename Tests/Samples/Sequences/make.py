#!/usr/bin/env python3
"""Makes the image sequences of this folder and what they should look like: ./make.py [NAME...]

Needs ffmpeg with libx265, ffprobe, numpy and Pillow. x265 encodes drawn frames, ffmpeg decodes them again for the
references, and the boxes around the stream are written here, because ffmpeg writes no HEIF.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))


# Boxes

def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", len(content) + 8, kind.encode()) + content


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data, start=0, end=None):
    end = len(data) if end is None else end
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        yield kind.decode("latin1"), start + 8, start + size
        start += size


def find(data, path, start=0, end=None):
    for kind, inside, after in boxes(data, start, end):
        if kind == path[0]:
            return (inside, after) if len(path) == 1 else find(data, path[1:], inside, after)
    raise KeyError(path[0])


# Frames and streams

def draw(width, height, count, seed=0):
    """A ball over a gradient, with colors that change quickly from frame to frame."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    frames = []
    for t in range(count):
        base = numpy.stack([
            x * 255 / width, y * 255 / height, 128 + 100 * numpy.sin((x + y) / 9 + t / 2 + seed)], axis=-1)
        cx, cy = width * (0.2 + 0.6 * ((t * 5 + seed) % count) / max(1, count)), height * (0.3 + 0.05 * (t % 7))
        ball = ((x - cx) ** 2 + (y - cy) ** 2) < (height / 5) ** 2
        base[ball] = [(t * 40) % 256, 255 - (t * 25) % 256, (t * 70 + 60) % 256]
        frames.append(base.clip(0, 255).astype(numpy.uint8))
    return frames


def run(*command, data=None):
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()[-2000:]}")
    return done.stdout


class Stream:
    """Frames encoded by x265: samples in the order of decoding, hvcC, and frames as ffmpeg decodes them."""

    def __init__(self, frames, pixels="yuv420p", x265="", colors=(), tag="hvc1"):
        height, width = frames[0].shape[:2]
        self.size = (width, height)
        given = "gray" if frames[0].ndim == 2 else "rgb24"
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stream.mp4")
            extra = ["-x265-params", "log-level=error:info=0:pools=none:frame-threads=1:" + x265]
            run("ffmpeg", "-y", "-v", "error", "-f", "rawvideo", "-pix_fmt", given, "-s", f"{width}x{height}",
                "-r", "25", "-i", "-", *colors,
                "-pix_fmt", pixels, "-c:v", "libx265", "-crf", "22", *extra, "-tag:v", tag, path,
                data=b"".join(f.tobytes() for f in frames))
            probe = json.loads(run("ffprobe", "-v", "error", "-of", "json", "-show_packets", path))
            data = open(path, "rb").read()
            inside, after = find(data, ["moov", "trak", "mdia", "minf", "stbl", "stsd"])
            entry = next(boxes(data, inside + 8, after))
            a, b = find(data, ["hvcC"], entry[1] + 78, entry[2])
            self.configuration = data[a:b]
            packets = probe["packets"]
            self.samples = [data[int(p["pos"]):int(p["pos"]) + int(p["size"])] for p in packets]
            self.sync = [i for i, p in enumerate(packets) if "K" in p["flags"]]
            # The n-th image shown is sample order[n].
            self.order = sorted(range(len(packets)), key=lambda i: int(packets[i]["pts"]))
            self.frames = self.decode(path, given)

    def decode(self, path, given):
        """Nearest chroma and exact sums, as the README says."""
        width, height = self.size
        raw = run("ffmpeg", "-v", "error", "-i", path, "-vsync", "passthrough", "-sws_flags",
                  "neighbor+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact", "-f", "rawvideo",
                  "-pix_fmt", given, "-")
        channels = 1 if given == "gray" else 3
        array = numpy.frombuffer(raw, numpy.uint8).reshape(-1, height, width, channels)
        return [frame.squeeze() for frame in array]


# Files

IDENTITY = (1, 0, 0, 1)


def track(number, stream, times, handler="pict", entry="hvc1", boxes_in_entry=b"", matrix=IDENTITY, edits=None,
          duration=None, timescale=1000, references=b"", wide=False, compact=False, chunk=3, shift=0):
    """`times`: durations in the order of presentation. `duration`: of the track, in milliseconds, -1 for no end.

    Returns a function that makes the box, told where the samples begin.
    """
    count = len(stream.samples)
    starts = [sum(times[:n]) + shift for n in range(count)]
    cts = {sample: starts[n] for n, sample in enumerate(stream.order)}
    # Decoding goes on evenly; presentation is told by ctts.
    deltas = [times[i] for i in range(count)]
    dts = [sum(deltas[:i]) for i in range(count)]
    offsets = [cts[i] - dts[i] for i in range(count)]
    whole = sum(times) * 1000 // timescale
    width, height = stream.size
    m = [v << 16 for v in matrix]
    flags = 1 if handler != "auxv" else 3

    def make(position):
        version = 1 if duration == -1 else 0
        length = {1: (1 << 64) - 1, 0: whole if duration is None else duration}[version]
        tkhd = full("tkhd", version, flags, struct.pack(">QQIIQ" if version else ">IIIII", 0, 0, number, 0, length),
                    bytes(8), struct.pack(">hhhH", 0, 0, 0, 0),
                    struct.pack(">9i", m[0], m[1], 0, m[2], m[3], 0, 0, 0, 1 << 30),
                    struct.pack(">II", width << 16, height << 16))
        if isinstance(edits, bytes):
            edts = box("edts", edits)
        else:
            edts = b""
        mdhd = full("mdhd", 0, 0, struct.pack(">IIIIHH", 0, 0, timescale, sum(times), 0x55C4, 0))
        hdlr = full("hdlr", 0, 0, struct.pack(">I4s", 0, handler.encode()), bytes(12), b"firn\0")
        sample_entry = box(
            entry, bytes(6), struct.pack(">H", 1), bytes(16), struct.pack(">HH", width, height),
            struct.pack(">III", 0x480000, 0x480000, 0), struct.pack(">H", 1), bytes(32), struct.pack(">Hh", 24, -1),
            box("hvcC", stream.configuration), full("ccst", 0, 0, struct.pack(">I", 0x7C000000)), boxes_in_entry)
        sizes = [len(s) for s in stream.samples]
        if compact:
            stsz = full("stz2", 0, 0, struct.pack(">II", 16, count), *[struct.pack(">H", n) for n in sizes])
        else:
            stsz = full("stsz", 0, 0, struct.pack(">II", 0, count), *[struct.pack(">I", n) for n in sizes])
        chunks = [position + sum(sizes[:i]) for i in range(0, count, chunk)]
        stco = full("co64" if wide else "stco", 0, 0, struct.pack(">I", len(chunks)),
                    *[struct.pack(">Q" if wide else ">I", c) for c in chunks])
        runs = [(1, min(chunk, count))] + ([(len(chunks), count % chunk)] if count % chunk and count > chunk else [])
        stsc = full("stsc", 0, 0, struct.pack(">I", len(runs)), *[struct.pack(">III", f, n, 1) for f, n in runs])
        stts = full("stts", 0, 0, struct.pack(">I", count), *[struct.pack(">II", 1, d) for d in deltas])
        ctts = full("ctts", 1, 0, struct.pack(">I", count), *[struct.pack(">Ii", 1, o) for o in offsets])
        stss = full("stss", 0, 0, struct.pack(">I", len(stream.sync)), *[struct.pack(">I", s + 1) for s in stream.sync])
        stbl = box("stbl", full("stsd", 0, 0, struct.pack(">I", 1), sample_entry), stts,
                   ctts if any(offsets) else b"", stsc, stsz, stco, stss if len(stream.sync) < count else b"")
        dinf = box("dinf", full("dref", 0, 0, struct.pack(">I", 1), full("url ", 0, 1)))
        minf = box("minf", full("vmhd", 0, 1, bytes(8)), dinf, stbl)
        tref = box("tref", references) if references else b""
        return box("trak", tkhd, tref, edts, box("mdia", mdhd, hdlr, minf))

    return make


def elst(entries, repeats=False):
    """Entries: milliseconds, start in units of the media, and optionally the rate."""
    return full("elst", 1, 1 if repeats else 0, struct.pack(">I", len(entries)), *[
        struct.pack(">Qqhh", e[0], e[1], e[2] if len(e) > 2 else 1, 0) for e in entries])


def still_meta(stream, position):
    """A primary item that is the first sample: gray, so that it cannot be taken for the track."""
    size = len(stream.samples[0])
    return full(
        "meta", 0, 0, full("hdlr", 0, 0, struct.pack(">I4s", 0, b"pict"), bytes(12), b"\0"),
        full("pitm", 0, 0, struct.pack(">H", 1)),
        full("iloc", 0, 0, struct.pack(">BBHHHHII", 0x44, 0, 1, 1, 0, 1, position, size)),
        full("iinf", 0, 0, struct.pack(">H", 1), full("infe", 2, 0, struct.pack(">HH4s", 1, 0, b"hvc1"), b"\0")),
        box("iprp", box("ipco", box("hvcC", stream.configuration),
                        full("ispe", 0, 0, struct.pack(">II", *stream.size))),
            full("ipma", 0, 0, struct.pack(">IHBBB", 1, 1, 2, 0x81, 2))))


def write(name, streams, makers, brands=("msf1", "hevc", "mif1", "iso8"), at_end=False, still=None, timescale=1000):
    ftyp = box("ftyp", brands[0].encode(), bytes(4), *[b.encode() for b in brands])
    payloads = [b"".join(s.samples) for s in streams] + ([b"".join(still.samples)] if still else [])

    def movie(position):
        traks, at = [], position
        for payload, maker in zip(payloads, makers):
            traks.append(maker(at))
            at += len(payload)
        mvhd = full("mvhd", 0, 0, struct.pack(">IIIIIH", 0, 0, timescale, 0, 0x10000, 0x100), bytes(10),
                    struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30), bytes(24), struct.pack(">I", 9))
        meta = still_meta(still, at) if still else b""
        return meta + box("moov", mvhd, *traks)

    mdat = box("mdat", *payloads)
    if at_end:
        data = ftyp + mdat + movie(len(ftyp) + 8)
    else:
        length = len(movie(0))
        data = ftyp + movie(len(ftyp) + length + 8) + mdat
    with open(os.path.join(HERE, name + ".heics"), "wb") as file:
        file.write(data)


def expect(name, frames, durations, loop="-", orientation=1, bits=8, alpha=None):
    """Frames below each other in a PNG, and a line of the table."""
    if alpha is not None:
        frames = [numpy.dstack([f, a]) for f, a in zip(frames, alpha)]
    if frames[0].ndim == 2:
        frames = [numpy.dstack([f, f, f]) for f in frames]
    Image.fromarray(numpy.concatenate(frames)).save(os.path.join(HERE, name + ".png"), optimize=True)
    height, width = frames[0].shape[:2]
    return "\t".join([name, f"{width}x{height}", ",".join(map(str, durations)), str(loop), str(orientation),
                      str(bits), "yes" if alpha is not None else "no"])


def colr(primaries, transfer, matrix, is_full):
    return box("colr", b"nclx", struct.pack(">HHHB", primaries, transfer, matrix, 128 if is_full else 0))


AUXI = full("auxi", 0, 0, b"urn:mpeg:hevc:2015:auxid:1\0")


def reference(kind, number):
    return box(kind, struct.pack(">I", number))


# The sequences

def plain(name):
    s = Stream(draw(32, 24, 5), x265="bframes=0")
    write(name, [s], [track(1, s, [100] * 5)])
    return expect(name, s.frames, [100] * 5)


def reordered(name):
    """B-frames in pyramids over several closed groups; the edit list takes the delay away; parameter sets in the samples."""
    s = Stream(draw(32, 24, 14, 1), x265="bframes=4:b-pyramid=1:keyint=6:min-keyint=6:open-gop=0:repeat-headers=1",
               tag="hev1")
    write(name, [s], [track(1, s, [40] * 14, entry="hev1", shift=80, edits=elst([(560, 80)]))])
    return expect(name, s.frames, [40] * 14, loop=1)


def opengop(name):
    """Groups that begin with a CRA image; the images shown before it refer to the group before."""
    s = Stream(draw(32, 24, 16, 2), x265="bframes=3:keyint=5:min-keyint=5:open-gop=1:scenecut=0")
    write(name, [s], [track(1, s, [50] * 16, chunk=4)])
    return expect(name, s.frames, [50] * 16)


def variable(name):
    times = [3000, 9000, 90, 90000, 22500, 3003]
    s = Stream(draw(32, 24, 6, 3), x265="bframes=2")
    write(name, [s], [track(1, s, times, timescale=90000)])
    return expect(name, s.frames, [33, 100, 1, 1000, 250, 33])


def looped(name):
    s = Stream(draw(32, 24, 4, 4), x265="bframes=0")
    write(name, [s], [track(1, s, [80] * 4, edits=elst([(320, 0)], repeats=True), duration=960)])
    return expect(name, s.frames, [80] * 4, loop=3)


def forever(name):
    s = Stream(draw(32, 24, 4, 5), x265="bframes=0:keyint=1")
    write(name, [s], [track(1, s, [70] * 4, edits=elst([(280, 0)], repeats=True), duration=-1)])
    return expect(name, s.frames, [70] * 4, loop=0)


def turned(name):
    s = Stream(draw(32, 24, 3, 6), x265="bframes=0")
    write(name, [s], [track(1, s, [100] * 3, matrix=(0, 1, -1, 0))])
    return expect(name, s.frames, [100] * 3, orientation=6)


def mirrored(name):
    s = Stream(draw(32, 24, 3, 7), x265="bframes=0")
    write(name, [s], [track(1, s, [100] * 3, matrix=(-1, 0, 0, 1))])
    return expect(name, s.frames, [100] * 3, orientation=2)


def odd(name):
    """Sides that no block divides, color at full resolution."""
    s = Stream(draw(49, 35, 3, 8), pixels="yuv444p", x265="bframes=2")
    write(name, [s], [track(1, s, [60] * 3)])
    return expect(name, s.frames, [60] * 3)


def tenbit(name):
    s = Stream(draw(64, 64, 3, 9), pixels="yuv420p10le", x265="bframes=2")
    write(name, [s], [track(1, s, [60] * 3)])
    return expect(name, s.frames, [60] * 3, bits=10)


def professional(name):
    """12 bits, 4:2:2."""
    s = Stream(draw(64, 64, 3, 10), pixels="yuv422p12le", x265="bframes=2")
    write(name, [s], [track(1, s, [60] * 3)])
    return expect(name, s.frames, [60] * 3, bits=12)


def fullrange(name):
    """BT.709 in all values, said by the container alone."""
    colors = ["-vf", "scale=out_color_matrix=bt709:out_range=full", "-colorspace", "bt709", "-color_range", "pc"]
    s = Stream(draw(32, 24, 4, 11), colors=colors, x265="bframes=2")
    write(name, [s], [track(1, s, [60] * 4, boxes_in_entry=colr(1, 13, 1, True))])
    return expect(name, s.frames, [60] * 4)


def described(name):
    """BT.2020 in the limited range, said by the stream alone."""
    colors = ["-vf", "scale=out_color_matrix=bt2020nc:out_range=tv", "-colorspace", "bt2020nc", "-color_range", "tv",
              "-color_primaries", "bt709", "-color_trc", "iec61966-2-1"]
    s = Stream(draw(32, 24, 4, 12), colors=colors, x265="bframes=2")
    write(name, [s], [track(1, s, [60] * 4)])
    return expect(name, s.frames, [60] * 4)


def gray(name):
    s = Stream([f[:, :, 1] for f in draw(32, 24, 4, 13)], pixels="gray", x265="bframes=0:range=full")
    write(name, [s], [track(1, s, [60] * 4, boxes_in_entry=colr(1, 13, 1, True))])
    return expect(name, s.frames, [60] * 4)


def ball(width, height, count):
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    return [(255 * (1 - ((x - width / 2 - t) ** 2 + (y - height / 2) ** 2) / (width * 8))).clip(0, 255)
            .astype(numpy.uint8) for t in range(count)]


def alpha(name):
    s = Stream(draw(32, 24, 6, 14), x265="bframes=2")
    a = Stream(ball(32, 24, 6), pixels="gray", x265="bframes=0")
    write(name, [s, a], [
        track(1, s, [90] * 6),
        track(2, a, [90] * 6, handler="auxv", boxes_in_entry=AUXI, references=reference("auxl", 1))])
    return expect(name, s.frames, [90] * 6, alpha=a.frames)


def premultiplied(name):
    """Colors multiplied by alpha; where there is little alpha they cannot be told exactly, so it has 0, 128 and 255 only."""
    levels = [numpy.where(b > 170, 255, numpy.where(b > 40, 128, 0)).astype(numpy.uint8) for b in ball(32, 24, 4)]
    frames = [(f.astype(float) * l[:, :, None] / 255).astype(numpy.uint8)
              for f, l in zip(draw(32, 24, 4, 15), levels)]
    s = Stream(frames, pixels="yuv444p", x265="bframes=0")
    a = Stream(levels, pixels="gray", x265="bframes=0:lossless=1")
    write(name, [s, a], [
        track(1, s, [90] * 4, references=reference("prem", 2)),
        track(2, a, [90] * 4, handler="auxv", boxes_in_entry=AUXI, references=reference("auxl", 1))])
    straight = []
    for frame, level in zip(s.frames, a.frames):
        part = level[:, :, None].astype(float) / 255
        straight.append(numpy.where(part > 0, frame / numpy.maximum(part, 1e-9), 0).round().clip(0, 255)
                        .astype(numpy.uint8))
    return expect(name, straight, [90] * 4, alpha=a.frames)


def edited(name):
    """A pause, a part from the middle, an image that stands still, a part again; tables behind the samples, compact and wide."""
    s = Stream(draw(32, 24, 8, 16), x265="bframes=3:keyint=4:min-keyint=4:open-gop=0")
    edits = elst([(500, -1), (150, 200), (700, 500, 0), (200, 0)])
    write(name, [s], [track(1, s, [100] * 8, edits=edits, wide=True, compact=True)], at_end=True)
    return expect(name, [s.frames[i] for i in [2, 3, 5, 0, 1]], [100, 50, 700, 100, 100], loop=1)


def still(name):
    """A still of another image beside the track."""
    s = Stream(draw(32, 24, 4, 17), x265="bframes=0")
    other = Stream([numpy.full((24, 32, 3), 128, numpy.uint8)], x265="bframes=0")
    write(name, [s], [track(1, s, [60] * 4)], brands=("heic", "msf1", "hevc", "mif1"), still=other)
    return expect(name, s.frames, [60] * 4)


ALL = [plain, reordered, opengop, variable, looped, forever, turned, mirrored, odd, tenbit, professional, fullrange,
       described, gray, alpha, premultiplied, edited, still]


def main():
    table = os.path.join(HERE, "expected.tsv")
    lines = {}
    if os.path.exists(table):
        lines = {line.split("\t")[0]: line for line in open(table).read().splitlines()[1:]}
    for make in ALL:
        name = make.__name__
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        lines[name] = make(name)
        print(lines[name], os.path.getsize(os.path.join(HERE, name + ".heics")),
              os.path.getsize(os.path.join(HERE, name + ".png")))
    with open(table, "w") as file:
        file.write("name\tsize\tmilliseconds\tloop\torientation\tbits\talpha\n")
        for make in ALL:
            if make.__name__ in lines:
                file.write(lines[make.__name__] + "\n")


main()
