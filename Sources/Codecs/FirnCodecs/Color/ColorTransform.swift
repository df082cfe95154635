import CFirnCodecs
import FoundationEssentials

/// Converts pixels of one layout, in the colors of one source, to pixels of another layout in a target's colors.
///
/// Safety: the C objects are immutable after creation (lcms2's own cache is off), so several threads may use them at
/// once.
final class ColorTransform: ColorConverting, @unchecked Sendable {
    private let handle: OpaquePointer
    /// True if colors are converted through linear light; otherwise by an ICC profile, or a description that was
    /// converted to a profile.
    private let isLight: Bool
    /// Converts Display P3 with 16 bits, to which HDR was tone-mapped, to the target; `nil` for sRGB.
    private let next: ColorTransform?

    /// The result of making a transform, and the transform.
    typealias Made = (result: firn_color_result, transform: ColorTransform?)

    private init(_ handle: OpaquePointer, isLight: Bool = false, next: ColorTransform? = nil) {
        self.handle = handle
        self.isLight = isLight
        self.next = next
    }

    deinit { if isLight { firn_light_free(handle) } else { firn_transform_free(handle) } }

    /// Creates a transform; `nil` if none is needed or possible, as the result states.
    static func make(
        _ source: ColorSource, from: SampleLayout, to: SampleLayout, _ target: ColorTarget = ColorTarget()
    ) -> Made {
        switch source {
        case .profile(let profile):
            make(ProfileTransform(profile: profile, from: from, to: to, target: target))
        case .description(let description): make(description, from: from, to: to, target)
        }
    }

    private static func make(
        _ description: ColorDescription, from: SampleLayout, to: SampleLayout, _ target: ColorTarget
    ) -> Made {
        var color = firn_color(description)
        // Half floats need linear light anyway, and lcms2 does not handle absolute luminances.
        if description.isHighDynamicRange || to == .rgbaHalf {
            var next: ColorTransform?
            if target.profile != nil, to != .rgbaHalf {
                var displayP3 = ColorDescription()
                (displayP3.primariesCode, displayP3.transferCode) = (12, 13)
                let made = make(displayP3, from: .rgba16, to: to, target)
                // A target of the same colors needs only its layout.
                guard made.result == FIRN_COLOR_TRANSFORM || made.result == FIRN_COLOR_SAME else { return made }
                next = made.transform
            }
            let isWide = target.profile != nil && to != .rgbaHalf
            let middle = next == nil ? to : .rgba16
            let light = firn_light_make(&color, from.library, middle.library, isWide)
            return light.map { (FIRN_COLOR_TRANSFORM, ColorTransform($0, isLight: true, next: next)) }
                ?? (FIRN_COLOR_UNUSABLE, nil)
        }
        var handle: OpaquePointer?
        let result = target.withTarget {
            firn_transform_make_described(&color, from.library, to.library, $0, &handle)
        }
        return (result, handle.map { ColorTransform($0) })
    }

    /// Creates a transform; `nil` if none is needed or possible, as the result states.
    static func make(_ transform: ProfileTransform) -> Made {
        guard let model = transform.model else { return (FIRN_COLOR_UNUSABLE, nil) }
        var handle: OpaquePointer?
        let result = transform.profile.icc.withUnsafeBytes { bytes in
            transform.target.withTarget {
                firn_transform_make(
                    bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, model, transform.from.library,
                    transform.to.library, $0, &handle)
            }
        }
        return (result, handle.map { ColorTransform($0) })
    }

    var bytesAtOnce: Int { 0 }

    func apply(_ samples: UnsafeRawPointer, bytesPerRow: Int, to target: PixelBlock) {
        if let next {
            let bytes = Int(target.width) * SampleLayout.rgba16.bytesPerPixel
            withUnsafeTemporaryAllocation(byteCount: max(1, bytes), alignment: 8) { row in
                guard let base = row.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                for y in 0..<Int(target.rows) {
                    let source = (samples + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
                    firn_light_rows(handle, source, bytesPerRow, base, bytes, target.width, 1)
                    var line = target
                    (line.base, line.rows) = (target.base + y * target.bytesPerRow, 1)
                    next.apply(base, bytesPerRow: bytes, to: line)
                }
            }
            return
        }
        let convert = isLight ? firn_light_rows : firn_transform_rows
        convert(
            handle, samples.assumingMemoryBound(to: UInt8.self), bytesPerRow, target.base, target.bytesPerRow,
            target.width, target.rows)
    }
}

/// Some rows of an image that is being written.
struct PixelBlock {
    /// The first byte of the first row.
    var base: UnsafeMutablePointer<UInt8>
    /// The distance between the starts of two rows, in bytes.
    var bytesPerRow: Int
    /// The number of columns.
    var width: UInt32
    /// The number of rows.
    var rows: UInt32
    /// The pixel format; colors may still be straight.
    var format: PixelFormat

    /// Refers to `rows` of `pixels`.
    init(_ pixels: borrowing MutablePixels, rows: Range<Int>) {
        base = pixels.row(rows.lowerBound).assumingMemoryBound(to: UInt8.self)
        bytesPerRow = pixels.bytesPerRow
        width = UInt32(clamping: pixels.size.width)
        self.rows = UInt32(clamping: rows.count)
        format = pixels.format
    }
}
