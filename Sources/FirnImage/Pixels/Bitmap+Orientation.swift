extension Bitmap {
    /// Returns the image rotated and mirrored by `orientation`, ready for display.
    ///
    /// Shape: `orientation.displaySize(of: size)`. For `.up`, returns the image itself, without a copy. Format,
    /// ``isOpaque`` and ``colorProfile`` are kept.
    ///
    /// - Throws: ``BitmapError`` if there is no memory.
    /// - Complexity: O(pixels). Quarter turns are copied in tiles, so that neither side misses the cache at every
    ///   pixel.
    /// - Source: EXIF 2.32 §4.6.4 A, tag 0x0112.
    public func oriented(_ orientation: ImageOrientation) throws -> Bitmap {
        if orientation == .up { return self }
        return try withUnsafeBytes { source in
            guard let base = source.baseAddress else { throw BitmapError.unusable(size) }
            let walk = OrientedWalk(
                orientation, size: size, bytesPerPixel: format.bytesPerPixel, bytesPerRow: bytesPerRow)
            return try Bitmap(
                size: orientation.displaySize(of: size), format: format, isOpaque: isOpaque,
                colorProfile: colorProfile
            ) { pixels in
                walk.copy(from: base, to: &pixels)
            }
        }
    }
}
