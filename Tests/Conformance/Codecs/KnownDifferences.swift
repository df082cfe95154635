/// Files for which our result differs from the manifest on purpose, with the reason.
enum KnownDifferences {
    /// Differences of properties, by path suffix.
    static let properties: [String: String] = [
        "recurser+exif-orientation-examples/Landscape_0.jpg": "orientation 0 is none of EXIF's eight: read as 1",
        "image-orientation/support/exif-orientation-9-u.jpg": "orientation 9 is none of EXIF's eight: read as 1",
        "python-pillow+Pillow/Tests/images/test_extents_transparency.gif":
            "one image descriptor; two of the manifest's three decoders count one frame as well",
    ]

    private static let screen = "what the first frame leaves free is transparent here, the background color there"

    /// Differences of pixels, by path suffix.
    static let pixels: [String: String] = [
        "PerlMagick/t/x11/congrats.gif": screen,
        "artificial-gif/metadata-empty.gif": screen,
        "artificial-gif/metadata-full.gif": screen,
        "animated_gif_reader/dispose_background.gif": screen,
        "gif-conformance/valid/dispose_none.gif": screen,
        "gif-conformance/valid/overlapping_frames.gif": screen,
    ]

    /// Returns whether `path` ends with one of `files`.
    static func contains(_ path: String, _ files: [String: String]) -> Bool {
        files.keys.contains { path.hasSuffix($0) }
    }
}
