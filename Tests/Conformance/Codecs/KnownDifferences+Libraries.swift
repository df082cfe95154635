extension KnownDifferences {
    private static let swapped = "the manifest gives the width and height after the orientation, we give those stored"
    private static let turned = "the manifest's pixels are turned by the orientation, which we only tell"
    private static let uncleared =
        "the manifest's digest counts colors under transparent pixels, which ours are cleared of"
    private static let lastFrame = "the manifest shows the last frame, we the first"

    /// Differences for TIFF, AVIF, HEIC, JPEG XL and SVG, by path suffix.
    static let libraries: [String: String] = [
        "Tests/images/g4_orientation_2.tif": turned,
        "Tests/images/g4_orientation_3.tif": turned,
        "Tests/images/g4_orientation_4.tif": turned,
        "Tests/images/g4_orientation_5.tif": swapped,
        "Tests/images/g4_orientation_6.tif": swapped,
        "Tests/images/g4_orientation_7.tif": swapped,
        "Tests/images/g4_orientation_8.tif": swapped,
        "PerlMagick/t/tiff/input_256_matte.tiff": uncleared,
        "PerlMagick/t/tiff/input_gray_8bit_matte.tiff": uncleared,
        "imagor/testdata/gopher.tiff": uncleared,
        "imagor/testdata/gopher-front.avif": uncleared,
        "images/avif/transparency.avif": uncleared,
        "testcases/alpha_triangles/input.jxl": uncleared,
        "tests/images/gradient-1c-32b-float.tiff":
            "256 steps of floats are rounded down in 255 parts there, in 256 here: one level of difference",
        "tests/images/gradient-1c-32b.tiff": "the manifest clips samples of 32 bits, we cut them as samples of 16 bits",
        "valid/testfax3_bug_513.tiff": "libtiff 4.5.0 does not read it, newer ones do",
        "images/extra_bits_gray_8b.tiff": "an extra sample of unknown meaning is no alpha, as three decoders have it",
        "images/extra_bits_rgb_8b.tiff": "an extra sample of unknown meaning is no alpha, as three decoders have it",
        "depth/flower-separated-planar-16.tif": "one of the manifest's decoders has our pixels, the others differ",
        "images/avif/xmp_tags_orientation.avif": "an orientation in XMP does not turn an AVIF",
        "data/color_grid_alpha_nogrid.avif": "libavif 0.11 reads a part of the alpha only, newer ones read all",
        "data/colors-animated-8bpc-depth-exif-xmp.avif": "the manifest's decoders differ, by versions of libavif",
        "tests/jxl/animation_distance_1_0.jxl": lastFrame,
        "corpus/jxl/cropped_traffic_light.jxl": lastFrame,
        "testcases/alpha_premultiplied/input.jxl": "colors multiplied by alpha are divided here, not there",
        "structure/svg/negative-size.svg":
            "without a valid size the canvas is that of browsers, 300 x 150; there it is as large as what is drawn",
    ]
}
