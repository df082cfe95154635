import CFirnProcessing

/// The rows of a source image.
///
/// Safety: read-only, on any thread, while the image is alive; the creator keeps it alive.
struct SourceRows: @unchecked Sendable {
    let base: UnsafeRawPointer
    let size: PixelSize
    let format: PixelFormat
    let bytesPerRow: Int

    func row(_ y: Int) -> UnsafeRawPointer { base + y * bytesPerRow }

    /// Returns a part, which must lie inside the image.
    func part(_ area: PixelArea) -> SourceRows {
        SourceRows(
            base: row(area.y) + area.x * format.bytesPerPixel, size: area.size, format: format,
            bytesPerRow: bytesPerRow)
    }

    /// Reads `count` pixels of row `y`, from column `x` on.
    func load(_ y: Int, from x: Int = 0, count: Int, into floats: UnsafeMutablePointer<Float>) {
        firn_row_load(format.layout, row(y) + x * format.bytesPerPixel, floats, count)
    }
}

/// The rows of an image that is being written.
///
/// Safety: each row or column is written by one thread; no thread reads before all writers have returned.
struct TargetRows: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let size: PixelSize
    let format: PixelFormat
    let bytesPerRow: Int

    init(_ pixels: borrowing MutablePixels) {
        (base, size, format, bytesPerRow) = (pixels.base, pixels.size, pixels.format, pixels.bytesPerRow)
    }

    func row(_ y: Int) -> UnsafeMutableRawPointer { base + y * bytesPerRow }

    /// The same rows for reading by the threads that wrote them.
    var source: SourceRows {
        SourceRows(base: UnsafeRawPointer(base), size: size, format: format, bytesPerRow: bytesPerRow)
    }

    /// Writes `count` pixels of row `y`, from column `x` on.
    func store(_ floats: UnsafePointer<Float>, _ y: Int, from x: Int = 0, count: Int) {
        firn_row_store(format.layout, floats, row(y) + x * format.bytesPerPixel, count)
    }
}

extension PixelFormat {
    /// The layout's C constant.
    var layout: firn_pixel_layout {
        switch self {
        case .bgra8Premultiplied: firn_bgra8_premultiplied
        case .rgba8Straight: firn_rgba8_straight
        case .rgb8: firn_rgb8
        case .rgba16Straight: firn_rgba16_straight
        case .rgbaHalfPremultiplied: firn_rgba_half_premultiplied
        }
    }

    /// The corresponding layout that has alpha.
    var withAlpha: PixelFormat { self == .rgb8 ? .bgra8Premultiplied : self }

    /// Returns whether colors can be mixed as bytes, because they are opaque or multiplied by alpha.
    func mixesAsBytes(isOpaque: Bool) -> Bool {
        self == .rgb8 || self == .bgra8Premultiplied || (self == .rgba8Straight && isOpaque)
    }
}

extension Bitmap {
    /// Calls `body` with the rows, which are valid during the call.
    func withRows<Result>(_ body: (SourceRows) throws -> Result) throws -> Result {
        try withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { throw ImageError.unusable(size) }
            return try body(SourceRows(base: base, size: size, format: format, bytesPerRow: bytesPerRow))
        }
    }
}

/// Allocates rows of pixels as floats: red, green, blue, alpha, multiplied by alpha.
enum FloatRow {
    /// Calls `body` with a buffer of `count` floats, aligned for vectors.
    static func with<Result>(_ count: Int, _ body: (UnsafeMutablePointer<Float>) -> Result) -> Result {
        // On the heap, because a row can be large and thread stacks are small.
        let block = UnsafeMutableRawPointer.allocate(byteCount: max(64, count * 4), alignment: 64)
        defer { block.deallocate() }
        return body(block.bindMemory(to: Float.self, capacity: max(16, count)))
    }
}

extension SRGBColor {
    /// Returns the color as floats multiplied by alpha; as linear light if `format` holds half floats.
    func floats(for format: PixelFormat) -> SIMD4<Float> {
        let alpha = Float(alpha) / 255
        func component(_ value: UInt8) -> Float {
            let encoded = Double(value) / 255
            return Float(format == .rgbaHalfPremultiplied ? LinearLight.decode(encoded) : encoded) * alpha
        }
        return SIMD4(component(red), component(green), component(blue), alpha)
    }

    /// Returns the bytes of one pixel of `format`.
    func pixel(for format: PixelFormat) -> [UInt8] {
        let floats = floats(for: format)
        var bytes = [UInt8](repeating: 0, count: 8)
        firn_row_store(format.layout, [floats.x, floats.y, floats.z, floats.w], &bytes, 1)
        return Array(bytes.prefix(format.bytesPerPixel))
    }
}

/// Writes pixels of one color.
enum PixelWord {
    /// Fills `count` pixels with copies of `pixel`.
    static func fill(_ target: UnsafeMutableRawPointer, with pixel: [UInt8], count: Int) {
        guard count > 0, !pixel.isEmpty else { return }
        pixel.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            target.copyMemory(from: first, byteCount: bytes.count)
        }
        // Doubles the copied part each time.
        var done = 1
        while done < count {
            let part = min(done, count - done)
            (target + done * pixel.count).copyMemory(from: target, byteCount: part * pixel.count)
            done += part
        }
    }
}
