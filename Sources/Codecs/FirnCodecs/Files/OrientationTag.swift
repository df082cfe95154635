package import FoundationEssentials

/// Changes the orientation that an image file states. The coded pixels stay as they are.
package enum OrientationTag {
    /// The formats of files that can state an orientation.
    package static let formats: Set<ImageFormat> = [.jpeg, .png, .apng, .webp, .tiff]

    /// Returns a copy of a file with another orientation; that of the first page of a file with several.
    ///
    /// - Returns: `nil` if the format cannot state one, if the file is damaged before its pixels, or if it is a
    ///   BigTIFF.
    package static func copy(
        _ file: Data, _ properties: ImageProperties, orientation: ImageOrientation
    ) -> Data? {
        let format = properties.format
        let old = format == .tiff ? file : properties.exif ?? EXIFDirectories.empty
        guard formats.contains(format), var directories = EXIFDirectories(old) else { return nil }
        let value = directories.encoded(orientation.rawValue, 2)
        let field = EXIFField(tag: 0x0112, type: TIFFKind.short, count: 1, bytes: value)
        guard directories.edit(.main, removing: [], adding: [field.tag: .field(field)]) else { return nil }
        let new = Data(directories.bytes)
        return format == .tiff ? new : try? MetadataFile.replacing(MetadataPackets(exif: new), in: file, of: format)
    }
}

extension ImageOrientation {
    /// The orientations by clockwise quarter turns, and those of images that are mirrored left to right before.
    private static let turns: [[ImageOrientation]] = [
        [.up, .right, .down, .left], [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored],
    ]

    /// Returns the orientation of the displayed image after it is mirrored left to right and then rotated clockwise.
    package func changed(mirrored: Bool, quarterTurns: Int) -> ImageOrientation {
        let isMirrored = !ImageOrientation.turns[0].contains(self)
        let turns = ImageOrientation.turns[isMirrored ? 1 : 0].firstIndex(of: self) ?? 0
        return ImageOrientation.turns[isMirrored != mirrored ? 1 : 0][((mirrored ? -turns : turns) &+ quarterTurns) & 3]
    }
}
