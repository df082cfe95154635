extension KnownDifferences {
    /// Differences for bitmaps and icons, by path suffix.
    static let bitmaps: [String: String] = [
        "ico/images/multiple_entries_with_different_bit_depth.ico":
            "of two images of 48x48 we take that of 32 bits, the manifest's decoders that of 8",
        "bmp/images/V5_A1_R5_G5_B5.bmp":
            "the alpha bit that the mask names counts; two of the manifest's decoders ignore it",
        "Pillow/Tests/images/rgb32bf-abgr.bmp": "no pixel has alpha, which browsers and we show as opaque",
    ]

    /// Returns the reason of the difference for a file; `nil` if none is known.
    static func reason(for path: String) -> String? {
        for differences in [properties, pixels, bitmaps, libraries] {
            if let known = differences.first(where: { path.hasSuffix($0.key) }) { return known.value }
        }
        return nil
    }
}
