#!/usr/bin/env python3
"""Makes the images of this folder and the checksums of their planes: ./make.py

Needs an ffmpeg (`FFMPEG`, default `ffmpeg`) with libx265 of 8, 10 and 12 bits and libkvazaar, and numpy. x265 and
kvazaar encode a drawn image, ffmpeg decodes it again for the checksum, and the boxes around the stream are written
here. PCM, which neither encoder writes, is written here, too.
"""
import os
import struct
import subprocess
import sys

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
FFMPEG = os.environ.get("FFMPEG", "ffmpeg")
WIDTH, HEIGHT = 64, 64
CHROMA = {"400": "gray", "420": "yuv420p", "422": "yuv422p", "444": "yuv444p"}


def run(*command, data=None):
    done = subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode()[-2000:]}")
    return done.stdout


def pixel_format(chroma, bits):
    return CHROMA[chroma] + ("" if bits == 8 else f"{bits}le")


def drawing(shift=0, width=WIDTH, height=HEIGHT):
    """A gradient with a fine pattern in a corner, and a coarse one that moves. Later frames become darker."""
    y, x = numpy.mgrid[0:height, 0:width]
    pixels = numpy.stack([(x + shift) * 190 // width, y * 190 // height, 128 + 0 * x], axis=-1)
    pixels[:16, :16] = ((x[:16, :16] * 7 + y[:16, :16] * 5 + shift) % 3 * 60 + 40)[..., None]
    rows, columns = slice(20, 52), slice(16 + shift, 48 + shift)
    pixels[rows, columns] = ((x * x * 3 + y * y * 5 + x * y)[20:52, 16:48] % 97 + pixels[20:52, 16:48, 0])[..., None]
    return (pixels.astype(int) * (20 - shift) // 20).astype(numpy.uint8)


# Streams

def encode(chroma="420", bits=8, x265="", kvazaar=None, frames=1, filters=None, size=(WIDTH, HEIGHT)):
    """Returns the stream, each unit after a start code."""
    width, height = size
    coder = ["-c:v", "libkvazaar", "-kvazaar-params", kvazaar] if kvazaar else [
        "-c:v", "libx265", "-crf", "28",
        "-x265-params", "log-level=error:info=0:frame-threads=1:keyint=10:" + (x265 or "sao=0")]
    data = b"".join(drawing(n * 2, width, height).tobytes() for n in range(frames))
    return run(FFMPEG, "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", "25",
               "-i", "-", *coder, "-pix_fmt", pixel_format(chroma, bits), *(["-bsf:v", filters] if filters else []),
               "-f", "hevc", "-", data=data)


def units(stream):
    parts = stream.split(b"\0\0\1")[1:]
    return [part.rstrip(b"\0") if n + 1 < len(parts) else part for n, part in enumerate(parts)]


def decode(stream, chroma, bits):
    return run(FFMPEG, "-v", "error", "-f", "hevc", "-i", "-", "-f", "rawvideo", "-fps_mode", "passthrough",
               "-pix_fmt", pixel_format(chroma, bits), "-", data=stream)


def checksum(planes):
    """FNV-1a of 64 bits."""
    value = 14695981039346656037
    for byte in planes:
        value = (value ^ byte) * 1099511628211 & (1 << 64) - 1
    return f"{value:016x}"


# PCM (ITU-T H.265, clauses 7.3 and 9.3)

class Bits:
    def __init__(self, text=""):
        self.text = text.replace(" ", "")

    def add(self, text):
        self.text += text.replace(" ", "")
        return self

    def u(self, count, *values):
        return self.add("".join(format(value, f"0{count}b") for value in values))

    def ue(self, *values):
        codes = (format(value + 1, "b") for value in values)
        return self.add("".join("0" * (len(code) - 1) + code for code in codes))

    def align(self):
        return self.add("0" * (-len(self.text) % 8))


def unit(kind, bits, stop="1"):
    payload, out, zeros = bits.add(stop).align().text, bytearray(), 0
    for n in range(0, len(payload), 8):
        byte = int(payload[n:n + 8], 2)
        if zeros >= 2 and byte <= 3:
            out.append(3)
            zeros = 0
        out.append(byte)
        zeros = zeros + 1 if byte == 0 else 0
    return b"\0\0\0\1" + struct.pack(">H", kind << 9 | 1) + bytes(out)


def pcm():
    """Sixteen slices of one block of 16x16 each, all of PCM, so that arithmetic codes are always the same bits."""
    profile = Bits("00 0").u(5, 1).u(32, 0x60000000).add("1001").u(44, 0).u(8, 90).text
    video = Bits("0000 11 000000 000 1").u(16, 65535).add(profile + "1").ue(0, 0, 0).u(6, 0).ue(0).add("00")
    sequence = Bits("0000 000 1" + profile).ue(0, 1, WIDTH, HEIGHT).add("0").ue(0, 0, 4).add("1").ue(0, 0, 0)
    # Blocks of 16, transforms of 4 to 16, PCM of 8 bits in blocks of 16.
    sequence.ue(1, 0, 0, 2, 0, 0).add("000 1").u(4, 7, 7).ue(1, 0).add("1").ue(0).add("0 0 0 0 0")
    parameters = Bits().ue(0, 0).add("0 0 000 0 0").ue(0, 0, 0).add("0 0 0").ue(0, 0).add("0 000 00 0 0 0 0").ue(0)
    parameters.add("0 0")
    image = drawing().astype(int)
    planes = image[..., 0], image[::2, ::2, 1], image[::2, ::2, 2]
    stream = unit(32, video) + unit(33, sequence) + unit(34, parameters)
    for block in range(16):
        slice_ = Bits("1 0" if block == 0 else "0 0").ue(0)
        if block:
            slice_.u(4, block)
        slice_.ue(2, 0).add("1").align()
        # The mode of partition, then a terminating bin.
        slice_.add("100001101").align()
        for plane, side in zip(planes, (16, 8, 8)):
            y, x = block // 4 * side, block % 4 * side
            slice_.u(8, *(int(value) for value in plane[y:y + side, x:x + side].flatten()))
        # A terminating bin alone, whose last bit is the stop bit.
        stream += unit(20, slice_, stop="111111101")
    return stream


# Files

def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", len(content) + 8, kind.encode()) + content


def full(kind, version, *parts):
    return box(kind, struct.pack(">I", version << 24), *parts)


def still(stream, chroma, bits, size):
    """One image item with its configuration."""
    parts = units(stream)
    sets = [part for part in parts if part[0] >> 1 in (32, 33, 34)]
    image = b"".join(struct.pack(">I", len(part)) + part for part in parts if part[0] >> 1 < 32)
    profile = next(part for part in sets if part[0] >> 1 == 33).replace(b"\0\0\3", b"\0\0")[3:15]
    configuration = b"\1" + profile + struct.pack(
        ">HBBBBHBB", 0xF000, 0xFC, 0xFC | list(CHROMA).index(chroma), 0xF8 | bits - 8, 0xF8 | bits - 8, 0, 0x0F,
        len(sets))
    for part in sets:
        configuration += struct.pack(">BHH", 0x80 | part[0] >> 1, 1, len(part)) + part
    head = box("ftyp", b"heic", struct.pack(">I", 0), b"mif1heic")

    def meta(offset):
        return full(
            "meta", 0, full("hdlr", 0, b"\0\0\0\0pict", bytes(13)), full("pitm", 0, struct.pack(">H", 1)),
            full("iloc", 0, struct.pack(">BBHHHHII", 0x44, 0, 1, 1, 0, 1, offset, len(image))),
            full("iinf", 0, struct.pack(">H", 1), full("infe", 2, struct.pack(">HH", 1, 0), b"hvc1\0")),
            box("iprp", box("ipco", box("hvcC", configuration), full("ispe", 0, struct.pack(">II", *size))),
                full("ipma", 0, struct.pack(">IHBBB", 1, 1, 2, 0x81, 2))))

    return head + meta(len(head) + len(meta(0)) + 8) + box("mdat", image)


# The images

CROP = "hevc_metadata=crop_left=6:crop_top=10:crop_right=2:crop_bottom=4"
TOOLS = {
    "deblocking_off": dict(x265="no-deblock=1:sao=1"),
    "deblocking_strong": dict(x265="deblock=4,4:sao=0:crf=34"),
    "no_filter": dict(x265="no-deblock=1:sao=0"),
    "tiles": dict(kvazaar="tiles=2x2,sao=off", size=(128, 128)),
    "tiles_sao": dict(kvazaar="tiles=2x2,sao=full", size=(128, 128)),
    "tiles_wide": dict(kvazaar="tiles=3x2,sao=full", size=(192, 128)),
    "wavefronts": dict(kvazaar="wpp=1,sao=full", size=(192, 128)),
    "wavefronts_x265": dict(x265="wpp=1:ctu=16:sao=0", size=(192, 128)),
    "slices": dict(x265="slices=4:ctu=16:sao=0", size=(192, 128)),
    "slices_sao": dict(x265="slices=4:ctu=16:sao=1", size=(192, 128)),
    "scaling_lists": dict(x265="scaling-list=default:sao=0"),
    "scaling_lists_10": dict(x265="scaling-list=default:sao=1", bits=10),
    "transform_skip": dict(x265="tskip=1:sao=0"),
    "lossless": dict(x265="lossless=1:sao=0"),
    "lossless_12": dict(x265="lossless=1:sao=0", bits=12, chroma="444"),
    "cu_lossless": dict(x265="cu-lossless=1:sao=1:crf=4"),
    "constrained_intra": dict(x265="constrained-intra=1:sao=0:bframes=0", frames=3),
    "small_blocks": dict(x265="ctu=16:min-cu-size=8:sao=1"),
    "weighted": dict(x265="weightp=1:weightb=1:bframes=2:sao=1", frames=5),
    "weighted_10": dict(x265="weightp=1:weightb=1:bframes=2:sao=0", frames=5, bits=10),
    "rectangles": dict(x265="rect=1:amp=1:limit-modes=0:rd=4:sao=0:bframes=0", frames=3),
    "cropped": dict(size=(52, 38)),
    "cropped_12": dict(size=(52, 38), bits=12, chroma="422"),
    "cropped_all": dict(filters=CROP),
    "cropped_all_10": dict(filters=CROP, bits=10),
    "cropped_all_sao_10": dict(filters=CROP, bits=10, x265="sao=1", chroma="422"),
    "pcm": {},
}


def images():
    for bits in (8, 10, 12):
        for chroma in CHROMA:
            for sao in (0, 1):
                yield f"{bits}_{chroma}_{'sao' if sao else 'plain'}", dict(bits=bits, chroma=chroma, x265=f"sao={sao}")
    yield from TOOLS.items()


def main():
    rows = []
    for name, options in images():
        chroma, bits = options.get("chroma", "420"), options.get("bits", 8)
        stream = pcm() if name == "pcm" else encode(**options)
        raw = decode(stream, chroma, bits)
        frames = options.get("frames", 1)
        width, height = options.get("size", (WIDTH, HEIGHT))
        if "filters" in options:
            width, height = width - 8, height - 14
        if frames == 1:
            data, path = still(stream, chroma, bits, (width, height)), f"{name}.heic"
        else:
            data, path = stream, f"{name}.hevc"
        with open(os.path.join(HERE, path), "wb") as file:
            file.write(data)
        rows.append((path, f"{width}x{height}", chroma, str(bits), str(frames), checksum(raw)))
    with open(os.path.join(HERE, "expected.tsv"), "w") as file:
        file.write("file\tsize\tchroma\tbits\tframes\tchecksum\n")
        file.write("".join("\t".join(row) + "\n" for row in rows))


main()
