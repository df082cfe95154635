/// The source that a pyramid was built from.
package struct PyramidSource: Hashable, Sendable {
    /// The columns and rows as stored, before the orientation is applied.
    package var size: PixelSize
    /// The orientation for display. Tiles store the rows as the file does.
    package var orientation: ImageOrientation
    /// The format of the file; `nil` if it is unknown.
    package var format: ImageFormat?
    /// The version of the local file; `nil` for other sources.
    package var version: SourceVersion?
    /// The digest of the local file; 0 if it is unknown.
    package var digest: UInt64 = 0
    /// The validators of the response; empty for local files.
    package var validator: String
    /// The time until which tiles may be used without a revalidation, in nanoseconds since 1970; `Int64.max` means
    /// always.
    package var freshNanoseconds = Int64.max

    /// Describes the source of a pyramid.
    package init(
        size: PixelSize, orientation: ImageOrientation, format: ImageFormat?, version: SourceVersion?, validator: String
    ) {
        self.size = size
        self.orientation = orientation
        self.format = format
        self.version = version
        self.validator = validator
    }

    /// The displayed size of the image.
    package var displaySize: PixelSize { orientation.displaySize(of: size) }

    /// Returns whether both describe the same bytes. False without a version and without validators.
    package func isSameSource(version: SourceVersion?, validator: String) -> Bool {
        guard self.version != nil || !self.validator.isEmpty else { return false }
        guard self.validator == validator else { return false }
        return self.version == version
    }
}
