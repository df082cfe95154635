package import FoundationEssentials

/// Copies image files without their metadata. The coded pixels and what is needed to show them stay byte for byte.
///
/// Left out: EXIF data, XMP, IPTC, texts, comments, thumbnails, the time of the last change, private and unknown parts,
/// and what follows the end of the image. Color profiles stay, since the colors would change without them.
package enum StrippedFile {
    /// Returns a copy of a file with `exif` as its only metadata.
    ///
    /// - Parameter exif: a TIFF file, with or without `Exif\0\0` before it; `nil` for none.
    /// - Returns: nil if the format cannot be copied, or if the file is damaged or cut short.
    package static func copy(_ file: Data, format: ImageFormat, exif: Data?) -> Data? {
        let chain = ByteChain(whole: file)
        let header = Array("Exif\0\0".utf8)
        let exif = exif.map { $0.starts(with: header) ? $0.dropFirst(header.count) : $0 }
        return switch format {
        case .jpeg: JPEGCopy.stripped(chain, exif: exif)
        case .png, .apng: PNGCopy.stripped(chain, exif: exif)
        case .webp: WebPCopy.stripped(chain, exif: exif)
        default: nil
        }
    }

    /// Returns the EXIF data for a copy, without some parts and without a thumbnail.
    ///
    /// - Parameters:
    ///   - parts: the parts to leave out; `nil` for everything but the orientation.
    ///   - exif: the data of the file.
    /// - Throws: ``Damaged`` if the parts cannot be found.
    package static func exif(
        without parts: Set<EXIFPart>?, of exif: Data?, orientation: ImageOrientation
    ) throws(Damaged) -> Data? {
        guard let parts, let exif else { return orientation == .up ? nil : StrippedFile.exif(orientation) }
        guard let kept = EXIFPart.removing(parts, from: exif), var directories = EXIFDirectories(kept) else {
            throw Damaged()
        }
        directories.removeThumbnail()
        return Data(directories.bytes)
    }

    /// The EXIF data cannot be changed, so that a part might be left by mistake.
    package struct Damaged: Error {}

    /// Returns EXIF data that hold only an orientation.
    ///
    /// - Source: EXIF 2.32 §4.6.4 A (0x0112).
    private static func exif(_ orientation: ImageOrientation) -> Data {
        let entry: [UInt8] = [0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(clamping: orientation.rawValue), 0, 0, 0]
        return Data(Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0] + entry + [0, 0, 0, 0])
    }
}
