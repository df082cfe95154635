"""Times Pillow and libvips doing what Firn's processors do. Prints a line per measurement: NAME SECONDS (the median).

Arguments: WIDTH HEIGHT NEW_WIDTH NEW_HEIGHT RADIUS ROUNDS. Images are made here, so that no decoding is measured.
libvips is called through its C library by ctypes; its threads are those of VIPS_CONCURRENCY.
"""
import ctypes
import ctypes.util
import statistics
import sys
import time

width, height, new_width, new_height, radius, rounds = (int(word) for word in sys.argv[1:7])


def median(body):
    body()
    times = []
    for _ in range(rounds):
        start = time.monotonic()
        body()
        times.append(time.monotonic() - start)
    return statistics.median(times)


def image(bands):
    row = bytes((x * 7 + band * 85 + (x >> 3) * 31) & 255 for x in range(width) for band in range(bands))
    return b"".join(row[(y * 13 % width) * bands:] + row[:(y * 13 % width) * bands] for y in range(height))


def pillow():
    from PIL import Image, ImageFilter, ImageOps

    rgb = Image.frombytes("RGB", (width, height), image(3))
    rgbx = rgb.convert("RGBX")
    print("pillow.resize", median(lambda: rgb.resize((new_width, new_height), Image.Resampling.LANCZOS)))
    print("pillow.resize4", median(lambda: rgbx.resize((new_width, new_height), Image.Resampling.LANCZOS)))
    print("pillow.blur", median(lambda: rgb.filter(ImageFilter.GaussianBlur(radius))))
    print("pillow.blur4", median(lambda: rgbx.filter(ImageFilter.GaussianBlur(radius))))
    sepia = (0.393, 0.769, 0.189, 0, 0.349, 0.686, 0.168, 0, 0.272, 0.534, 0.131, 0)
    print("pillow.matrix", median(lambda: rgb.convert("RGB", sepia)))
    print("pillow.flip", median(lambda: ImageOps.mirror(rgbx)))
    print("pillow.turn", median(lambda: rgbx.transpose(Image.Transpose.ROTATE_90)))
    print("pillow.sharpen", median(lambda: rgb.filter(ImageFilter.UnsharpMask(2, 60, 0))))
    over = Image.frombytes("RGBA", (width, height), image(4))
    base = over.copy()
    print("pillow.over", median(lambda: Image.alpha_composite(base, over)))


def vips():
    name = ctypes.util.find_library("vips") or "libvips.so.42"
    library = ctypes.CDLL(name)
    glib = ctypes.CDLL(ctypes.util.find_library("gobject-2.0") or "libgobject-2.0.so.0")
    library.vips_init(b"bench")
    library.vips_cache_set_max(0)
    library.vips_image_new_from_memory.restype = ctypes.c_void_p
    library.vips_image_new_matrix_from_array.restype = ctypes.c_void_p
    library.vips_image_write_to_memory.restype = ctypes.c_void_p
    library.vips_image_write_to_memory.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
    glib.g_object_unref.argtypes = [ctypes.c_void_p]
    free = ctypes.CDLL(None).g_free if False else ctypes.CDLL("libglib-2.0.so.0").g_free
    free.argtypes = [ctypes.c_void_p]

    def source(bands):
        data = image(bands)
        image = library.vips_image_new_from_memory(
            data, ctypes.c_size_t(len(data)), ctypes.c_int(width), ctypes.c_int(height), ctypes.c_int(bands),
            ctypes.c_int(0))
        return data, ctypes.c_void_p(image)

    def run(operation, image, *arguments):
        out = ctypes.c_void_p()
        if operation(image, ctypes.byref(out), *arguments, None) != 0:
            raise RuntimeError("libvips failed")
        size = ctypes.c_size_t()
        pixels = library.vips_image_write_to_memory(out, ctypes.byref(size))
        free(pixels)
        glib.g_object_unref(out)

    data, rgb = source(3)
    data4, rgbx = source(4)
    scale = ctypes.c_double(new_width / width)
    kernel = (b"kernel", ctypes.c_int(5))  # VIPS_KERNEL_LANCZOS3
    print("vips.resize", median(lambda: run(library.vips_resize, rgb, scale, *kernel)))
    print("vips.resize4", median(lambda: run(library.vips_resize, rgbx, scale, *kernel)))
    print("vips.blur", median(lambda: run(library.vips_gaussblur, rgb, ctypes.c_double(radius))))
    print("vips.blur4", median(lambda: run(library.vips_gaussblur, rgbx, ctypes.c_double(radius))))
    numbers = (ctypes.c_double * 9)(0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131)
    matrix = ctypes.c_void_p(library.vips_image_new_matrix_from_array(3, 3, numbers, 9))
    if matrix.value:
        print("vips.matrix", median(lambda: run(library.vips_recomb, rgb, matrix)))
    print("vips.flip", median(lambda: run(library.vips_flip, rgbx, ctypes.c_int(0))))
    print("vips.turn", median(lambda: run(library.vips_rot, rgbx, ctypes.c_int(1))))


for peer in (pillow, vips):
    try:
        peer()
    except Exception as error:  # A peer that is not installed is left out.
        print("none", 0, peer.__name__, error, file=sys.stderr)
