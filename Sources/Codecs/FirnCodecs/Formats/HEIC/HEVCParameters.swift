import FirnImage

/// The properties in a sequence parameter set, for images that refer to it.
///
/// - Source: ITU-T H.265 §7.3.2.2, §7.3.3, §7.3.4, §7.3.7, §E.2.1.
struct HEVCParameters: Equatable {
    /// The chroma format: 0 for gray, 1 for 4:2:0, 2 for 4:2:2, 3 for 4:4:4.
    var chromaFormat = 1
    /// The size of the coded images, in pixels.
    var codedSize = PixelSize(0)
    /// The size of the shown part, in pixels.
    var size = PixelSize(0)
    var lumaBits = 8
    var chromaBits = 8
    /// The number of images that the decoder keeps at once.
    var keptImages = 1
    /// Code points of ITU-T H.273; 2 if the set states none.
    var primaries = 2
    var transfer = 2
    var matrix = 2
    var isFullRange = false

    /// Parses the set in a NAL unit; `nil` if it is damaged before the number of kept images. Later fields apply as far
    /// as they can be parsed.
    init?(unit: some Collection<UInt8>) {
        var bits = HEVCBits(unit: unit)
        guard let orderBits = readHead(&bits) else { return nil }
        _ = readColors(&bits, orderBits: orderBits)
    }

    /// - Returns: the number of bits of the low part of an order count.
    private mutating func readHead(_ bits: inout HEVCBits) -> Int? {
        guard bits.skip(4) != nil, let subLayers = bits.bits(3), subLayers < 7, bits.skip(1) != nil,
            HEVCParameters.skipProfile(&bits, subLayers) != nil, bits.golomb() != nil,
            let format = bits.golomb(), format <= 3, format != 3 || bits.skip(1) != nil,
            let width = bits.golomb(), let height = bits.golomb(), let isCropped = bits.flag(),
            width > 0, height > 0, width <= 1 << 16, height <= 1 << 16
        else { return nil }
        chromaFormat = format
        codedSize = PixelSize(width: width, height: height)
        size = codedSize
        if isCropped {
            guard let left = bits.golomb(), let right = bits.golomb(), let top = bits.golomb(),
                let bottom = bits.golomb()
            else { return nil }
            // Codes have 32 bits, so the sums fit.
            size.width -= (left + right) * (format == 1 || format == 2 ? 2 : 1)
            size.height -= (top + bottom) * (format == 1 ? 2 : 1)
        }
        guard size.width > 0, size.height > 0, let luma = bits.golomb(), let chroma = bits.golomb(), luma <= 8,
            chroma <= 8, let orderBits = bits.golomb(), orderBits <= 12, let isTold = bits.flag()
        else { return nil }
        lumaBits = luma + 8
        chromaBits = chroma + 8
        for _ in (isTold ? 0 : subLayers)...subLayers {
            guard let kept = bits.golomb(), let reordered = bits.golomb(), bits.golomb() != nil else { return nil }
            keptImages = min(16, kept) + 1 + min(16, reordered)
        }
        return orderBits + 4
    }

    private static func skipProfile(_ bits: inout HEVCBits, _ subLayers: Int) -> Void? {
        guard bits.skip(88 + 8) != nil else { return nil }
        var told = 0
        for _ in 0..<subLayers {
            guard let profile = bits.bits(1), let level = bits.bits(1) else { return nil }
            told += profile * 88 + level * 8
        }
        return bits.skip((subLayers > 0 ? (8 - subLayers) * 2 : 0) + told)
    }

    // MARK: Up to the colors

    private mutating func readColors(_ bits: inout HEVCBits, orderBits: Int) -> Void? {
        for _ in 0..<6 where bits.golomb() == nil { return nil }
        guard let hasLists = bits.flag() else { return nil }
        if hasLists {
            guard let areTold = bits.flag() else { return nil }
            if areTold, HEVCParameters.skipScalingLists(&bits) == nil { return nil }
        }
        guard bits.skip(2) != nil, let hasPCM = bits.flag() else { return nil }
        if hasPCM {
            guard bits.skip(8) != nil, bits.golomb() != nil, bits.golomb() != nil, bits.skip(1) != nil else {
                return nil
            }
        }
        guard HEVCParameters.skipReferences(&bits) != nil, let hasLongTerm = bits.flag() else { return nil }
        if hasLongTerm {
            guard let count = bits.golomb(), count <= 32, bits.skip(count * (orderBits + 1)) != nil else { return nil }
        }
        guard bits.skip(2) != nil, let hasUsability = bits.flag(), hasUsability else { return nil }
        return readUsability(&bits)
    }

    private static func skipScalingLists(_ bits: inout HEVCBits) -> Void? {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                guard let isCoded = bits.flag() else { return nil }
                if !isCoded {
                    guard bits.golomb() != nil else { return nil }
                    continue
                }
                let count = min(64, 1 << (4 + size * 2))
                // Signed codes are as long as unsigned ones.
                for _ in 0..<(size > 1 ? count + 1 : count) where bits.golomb() == nil { return nil }
            }
        }
        return ()
    }

    private static func skipReferences(_ bits: inout HEVCBits) -> Void? {
        guard let count = bits.golomb(), count <= 64 else { return nil }
        var images = 0
        for index in 0..<count {
            var isPredicted = false
            if index > 0 {
                guard let flag = bits.flag() else { return nil }
                isPredicted = flag
            }
            if isPredicted {
                guard bits.skip(1) != nil, bits.golomb() != nil else { return nil }
                var next = 0
                for _ in 0...images {
                    guard let isUsed = bits.flag() else { return nil }
                    var isKept = true
                    if !isUsed {
                        guard let flag = bits.flag() else { return nil }
                        isKept = flag
                    }
                    if isKept { next += 1 }
                }
                images = next
            } else {
                guard let before = bits.golomb(), let after = bits.golomb(), before <= 16, after <= 16 else {
                    return nil
                }
                images = before + after
                for _ in 0..<images {
                    guard bits.golomb() != nil, bits.skip(1) != nil else { return nil }
                }
            }
        }
        return ()
    }

    private mutating func readUsability(_ bits: inout HEVCBits) -> Void? {
        guard let hasAspect = bits.flag() else { return nil }
        if hasAspect {
            guard let aspect = bits.bits(8), aspect != 255 || bits.skip(32) != nil else { return nil }
        }
        guard let hasOverscan = bits.flag(), !hasOverscan || bits.skip(1) != nil, let hasSignal = bits.flag(),
            hasSignal,
            bits.skip(3) != nil, let range = bits.flag(), let hasColors = bits.flag()
        else { return nil }
        isFullRange = range
        guard hasColors, let primaries = bits.bits(8), let transfer = bits.bits(8), let matrix = bits.bits(8) else {
            return nil
        }
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        return ()
    }

    /// Returns whether images of both sets have the same planes.
    func isLike(_ other: HEVCParameters) -> Bool {
        codedSize == other.codedSize && size == other.size && chromaFormat == other.chromaFormat
            && lumaBits == other.lumaBits && chromaBits == other.chromaBits
    }
}
