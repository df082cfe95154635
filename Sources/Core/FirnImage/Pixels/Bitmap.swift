import Synchronization

/// A decoded image: an immutable, reference-counted buffer of pixels.
///
/// Shape: `size.height` rows of `bytesPerRow` bytes, top row first; the bytes after a row's last pixel have no meaning.
/// Colors are sRGB unless ``colorProfile`` is set. Copies share the buffer.
public struct Bitmap: Sendable {
    /// The alignment of rows in bytes, for compositors and SIMD loads.
    public static let rowAlignment = 64

    /// The number of columns and rows.
    public var size: PixelSize { storage.shape.size }
    /// The number of columns.
    public var width: Int { size.width }
    /// The number of rows.
    public var height: Int { size.height }
    /// The layout of a pixel.
    public var format: PixelFormat { storage.shape.format }
    /// The distance between the starts of two rows, in bytes.
    public var bytesPerRow: Int { storage.shape.bytesPerRow }
    /// True if every pixel is known to be opaque; the image can then be drawn without blending.
    public var isOpaque: Bool { storage.shape.isOpaque }
    /// True if some pixel may be transparent.
    public var hasAlpha: Bool { !isOpaque }
    /// The color space of the pixels; `nil` for sRGB.
    public var colorProfile: ColorProfile? { storage.shape.colorProfile }
    /// The meaning of the values as light: code points of ``colorProfile``, and the mastering data of an image in high
    /// dynamic range that was decoded with ``DecodingOptions/preservesHDR``. States nothing for a file's profile.
    public var light: ImageLight {
        if let profile = colorProfile { return profile.light }
        var light = ImageLight()
        (light.primaries, light.transfer) = (1, format == .rgbaHalfPremultiplied ? 8 : 13)
        return light
    }

    /// The buffer. Never replaced; a variable so that `isKnownUniquelyReferenced` can take it.
    var storage: PixelStorage

    /// Creates an image from a buffer that is no longer modified.
    init(_ storage: PixelStorage) { self.storage = storage }

    /// Creates an image whose pixels `body` writes into a new, zeroed buffer.
    ///
    /// - Throws: ``ImageError`` if the size is empty, its bytes overflow, or there is no memory, or if `body` throws;
    ///   errors of other types are then its ``ImageError/underlying``.
    public init(
        size: PixelSize, format: PixelFormat = .bgra8Premultiplied, isOpaque: Bool = false,
        colorProfile: ColorProfile? = nil,
        _ body: (inout MutablePixels) throws -> Void
    ) throws(ImageError) {
        let bytesPerRow = try Bitmap.bytesPerRow(width: size.width, format: format)
        storage = try PixelStorage(
            PixelShape(
                size: size, format: format, bytesPerRow: bytesPerRow, isOpaque: isOpaque || !format.hasAlpha,
                colorProfile: colorProfile))
        var pixels = MutablePixels(
            base: storage.base, size: size, format: format, bytesPerRow: bytesPerRow, owner: storage)
        do { try body(&pixels) } catch { throw ImageError(error, at: .processing) }
        if pixels.isOpaque { storage.declareOpaque() }
    }

    /// Creates an image of one color, in the layout of displays.
    ///
    /// - Throws: ``ImageError`` if the size is empty, or there is no memory.
    public init(width: Int, height: Int, color: SRGBColor) throws(ImageError) {
        try self.init(size: PixelSize(width: width, height: height), isOpaque: color.alpha == 255) { pixels in
            let color = SIMD4(UInt16(color.red), UInt16(color.green), UInt16(color.blue), UInt16(color.alpha)) &* 257
            StraightWords.store(
                color, pixels.base, .bgra8Premultiplied, light: UnsafeBufferPointer(start: nil, count: 0))
            let pixel = pixels.base.load(as: UInt32.self)
            for y in 0..<height {
                pixels.row(y).initializeMemory(as: UInt32.self, repeating: pixel, count: width)
            }
        }
    }

    /// Creates an image from memory that it does not own, such as a mapped file.
    ///
    /// - Parameter release: called once, on any thread, when the last copy of the image is deallocated.
    /// - Throws: ``ImageError`` if `bytes` does not hold `size.height` rows of `bytesPerRow` bytes; `release` is then
    ///   not called.
    public init(
        borrowing bytes: UnsafeRawBufferPointer, size: PixelSize, format: PixelFormat,
        bytesPerRow: Int, isOpaque: Bool, colorProfile: ColorProfile? = nil,
        release: @escaping @Sendable () -> Void
    ) throws(ImageError) {
        let least = try Bitmap.checkedBytes(width: size.width, format: format)
        let (total, overflow) = bytesPerRow.multipliedReportingOverflow(by: max(0, size.height))
        guard size.height > 0, bytesPerRow >= least, !overflow, bytes.count >= total,
            let base = bytes.baseAddress
        else { throw ImageError.unusable(size) }
        storage = PixelStorage(
            borrowing: UnsafeMutableRawPointer(mutating: base),
            PixelShape(
                size: size, format: format, bytesPerRow: bytesPerRow, isOpaque: isOpaque || !format.hasAlpha,
                colorProfile: colorProfile), release: release)
    }

    /// The color of the pixel in column `x` and row `y`: 8 bits, not multiplied by alpha, in the image's color space.
    /// `.clear` outside of the image.
    ///
    /// For many pixels, ``withUnsafeBytes(_:)`` is faster.
    public subscript(x: Int, y: Int) -> SRGBColor {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return .clear }
        let light = format == .rgbaHalfPremultiplied ? StraightWords.ofHalves : []
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return .clear }
            let pixel = base + y * bytesPerRow + x * format.bytesPerPixel
            let words = light.withUnsafeBufferPointer { StraightWords.load(pixel, format, light: $0) }
            let color = StraightWords.rounded(words)
            return SRGBColor(red: color.x, green: color.y, blue: color.z, alpha: color.w)
        }
    }

    /// The number of bytes, `bytesPerRow × height`, as counted by memory caches.
    public var cost: Int { storage.count }

    /// Calls `body` with the whole buffer, `cost` bytes, valid during the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(storage) {} }
        return try body(UnsafeRawBufferPointer(start: storage.base, count: storage.count))
    }

    /// Returns the distance between the starts of two rows in bytes, for an image of `width` columns.
    ///
    /// - Throws: ``ImageError`` if `width` is not positive or the bytes overflow.
    public static func bytesPerRow(width: Int, format: PixelFormat) throws(ImageError) -> Int {
        let bytes = try checkedBytes(width: width, format: format)
        let (padded, overflow) = bytes.addingReportingOverflow(rowAlignment - 1)
        guard !overflow else { throw ImageError.unusable(PixelSize(width: width, height: 1)) }
        return padded / rowAlignment * rowAlignment
    }

    private static func checkedBytes(width: Int, format: PixelFormat) throws(ImageError) -> Int {
        let (bytes, overflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard width > 0, !overflow else {
            throw ImageError.unusable(PixelSize(width: width, height: 1))
        }
        return bytes
    }

    /// Returns the image with another color space, without converting the pixel values. Shares the buffer.
    ///
    /// - Parameter profile: the color space; `nil` for sRGB.
    public func assigningColorProfile(_ profile: ColorProfile?) -> Bitmap {
        guard profile != colorProfile else { return self }
        var shape = storage.shape
        shape.colorProfile = profile
        // The closure owns the buffer.
        return Bitmap(PixelStorage(borrowing: storage.base, shape) { [storage] in withExtendedLifetime(storage) {} })
    }

    // Counts the cache entries that hold an image.

    /// Records that a cache entry was added.
    package func noteKept() { storage.owner.keepers.wrappingAdd(1, ordering: .relaxed) }

    /// Records that a cache entry was removed.
    package func noteReleased() { storage.owner.keepers.wrappingSubtract(1, ordering: .relaxed) }

    /// Returns whether code other than a cache holds the pixels, so that evicting them would free nothing.
    ///
    /// Call it in place on the cache's own value, because a copy counts as another holder. An image in several entries
    /// counts as not held; otherwise these entries would keep it forever.
    package mutating func isHeldElsewhere() -> Bool {
        !isKnownUniquelyReferenced(&storage) && storage.owner.keepers.load(ordering: .relaxed) <= 1
    }

    // References with separate counts.

    /// Returns the same image with a separate reference count, so that copying the result and copying this value do not
    /// write to the same memory. Both share the pixels and the companion.
    package func counted() -> Bitmap { Bitmap(PixelStorage(referringTo: storage)) }

    /// Returns the image with the reference count of its pixels.
    package func uncounted() -> Bitmap { Bitmap(storage.owner) }

    /// Returns whether this is the only copy with its reference count. Call it in place.
    package mutating func isOnlyCopy() -> Bool { isKnownUniquelyReferenced(&storage) }

    /// Returns the image rotated and mirrored by `orientation`, ready for display.
    ///
    /// Shape: `orientation.displaySize(of: size)`. For `.up`, returns the image itself, without a copy. Format,
    /// ``isOpaque`` and ``colorProfile`` are kept.
    ///
    /// - Throws: ``ImageError`` if there is no memory.
    /// - Complexity: O(pixels). Quarter turns are copied in tiles, to avoid a cache miss at every pixel.
    /// - Source: EXIF 2.32 §4.6.4 A, tag 0x0112.
    public func oriented(_ orientation: ImageOrientation) throws(ImageError) -> Bitmap {
        if orientation == .up { return self }
        return try withUnsafeBytes { source throws(ImageError) in
            guard let base = source.baseAddress else { throw ImageError.unusable(size) }
            let walk = OrientedWalk(
                orientation, size: size, bytesPerPixel: format.bytesPerPixel, bytesPerRow: bytesPerRow)
            return try Bitmap(
                size: orientation.displaySize(of: size), format: format, isOpaque: isOpaque,
                colorProfile: colorProfile
            ) { pixels in
                walk.copy(
                    from: base, to: pixels.base, bytesPerRow: pixels.bytesPerRow, width: pixels.size.width,
                    rows: 0..<pixels.size.height)
            }
        }
    }

    // For toolkits written in C, which hold bytes by a pointer and a release function.

    /// Retains the bytes for C code until it releases them. One call has all that a texture needs.
    ///
    /// - Returns: the first byte, the value to pass to ``Bitmap/releaseBytes(_:)``, once, on any thread, when the bytes
    ///   are no longer needed, their number, and their layout.
    package func retainedBytes() -> (
        base: UnsafeMutableRawPointer, owner: UnsafeMutableRawPointer, count: Int, size: PixelSize,
        format: PixelFormat, bytesPerRow: Int, isOpaque: Bool
    ) {
        let (storage, shape) = (storage, storage.shape)
        return (
            storage.base, Unmanaged.passRetained(storage.owner).toOpaque(), storage.count, shape.size, shape.format,
            shape.bytesPerRow, shape.isOpaque
        )
    }

    package static func releaseBytes(_ owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).release()
    }

    /// The object that a toolkit created from these pixels, such as a texture, while it exists.
    ///
    /// Not retained. Accessed only by the drawing thread.
    package var companion: UnsafeMutableRawPointer? { storage.owner.companion }

    /// Sets the companion of an owner whose bytes are still retained. The toolkit clears it before it destroys the
    /// object.
    package static func setCompanion(_ companion: UnsafeMutableRawPointer?, of owner: UnsafeMutableRawPointer) {
        Unmanaged<PixelStorage>.fromOpaque(owner).takeUnretainedValue().companion = companion
    }
}
