package import FoundationEssentials

/// Copies image files without their metadata. The coded pixels and all that is needed to show them stay byte for byte.
///
/// Removed are EXIF data, XMP, IPTC, texts, comments, thumbnails, the time of the last change, private and unknown
/// parts, and bytes after the image. Color profiles and the gain map of a JPEG stay, because the colors would change
/// without them.
package enum StrippedFile {
    /// Returns a copy of a file with `exif` as its only metadata.
    ///
    /// - Parameter exif: a TIFF file, with or without `Exif\0\0` before it; `nil` for none.
    /// - Returns: nil if the format cannot be copied, or if the file is damaged or cut short.
    package static func copy(_ file: Data, format: ImageFormat, exif: Data?) -> Data? {
        guard MetadataFile.strippedFormats.contains(format) else { return nil }
        let packets = MetadataPackets.only(exif: exif?.withoutEXIFName)
        let base = try? MetadataFile.replacing(packets, in: file, of: format)
        // The gain map stays, with its numbers as its only metadata.
        let chain = ByteChain(whole: file)
        guard let base, format == .jpeg, let found = JPEGGainMap(chain), let numbers = found.metadata,
            let stored = chain.bytes(found.range),
            let map = try? MetadataFile.replacing(.only(exif: nil), in: stored, of: .jpeg)
        else { return base }
        return JPEGGainMap.file(base, map: map, numbers) ?? base
    }

    /// Returns EXIF data that hold only an orientation; `nil` for an upright image, which needs none.
    ///
    /// - Source: EXIF 2.32 §4.6.4 A (0x0112).
    package static func exif(_ orientation: ImageOrientation) -> Data? {
        let bytes = orientation.rawValue.littleEndianBytes(2)
        let field = EXIFField(tag: 0x0112, type: TIFFKind.short, count: 1, bytes: bytes)
        return orientation == .up ? nil : EXIFField.data([field], isBig: false)
    }
}
