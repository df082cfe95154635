import CFirnCodecs

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
    /// The colors, as far as the set states them.
    var light = ImageLight()

    /// Parses the set in a NAL unit; `nil` if it is damaged before the number of kept images. Later fields apply as far
    /// as they can be parsed.
    init?(unit: some Collection<UInt8>) {
        var bits = HEVCBits(unit: unit)
        guard let orderBits = readHead(&bits) else { return nil }
        readColors(&bits, orderBits: orderBits)
    }

    /// - Returns: the number of bits of the low part of an order count; `nil` if the set is damaged.
    private mutating func readHead(_ bits: inout HEVCBits) -> Int? {
        bits.skip(4)
        let subLayers = bits.bits(3)
        bits.skip(1)
        HEVCParameters.skipProfile(&bits, subLayers)
        bits.skipCodes(1)
        chromaFormat = bits.golomb()
        if chromaFormat == 3 { bits.skip(1) }
        codedSize.width = bits.golomb()
        codedSize.height = bits.golomb()
        size = codedSize
        if bits.flag() {
            // Codes have 32 bits, so the sums fit.
            let across = bits.golomb() + bits.golomb()
            let down = bits.golomb() + bits.golomb()
            size.width -= across * (chromaFormat == 1 || chromaFormat == 2 ? 2 : 1)
            size.height -= down * (chromaFormat == 1 ? 2 : 1)
        }
        lumaBits = bits.golomb() + 8
        chromaBits = bits.golomb() + 8
        let orderBits = bits.golomb() + 4
        let isSignaled = bits.flag()
        for _ in (isSignaled ? 0 : subLayers)...subLayers {
            let (kept, reordered) = (bits.golomb(), bits.golomb())
            keptImages = min(16, kept) + 1 + min(16, reordered)
            bits.skipCodes(1)
        }
        let isKnown =
            subLayers < 7 && chromaFormat <= 3 && max(lumaBits, chromaBits) <= 16 && orderBits <= 16
            && max(codedSize.width, codedSize.height) <= 1 << 16 && !size.isEmpty
        return isKnown && !bits.isDamaged ? orderBits : nil
    }

    private static func skipProfile(_ bits: inout HEVCBits, _ subLayers: Int) {
        bits.skip(88 + 8)
        var signaled = subLayers > 0 ? (8 - subLayers) * 2 : 0
        for _ in 0..<subLayers {
            signaled += bits.bits(1) * 88
            signaled += bits.bits(1) * 8
        }
        bits.skip(signaled)
    }

    // MARK: Up to the colors

    private mutating func readColors(_ bits: inout HEVCBits, orderBits: Int) {
        bits.skipCodes(6)
        if bits.flag(), bits.flag() { HEVCParameters.skipScalingLists(&bits) }
        bits.skip(2)
        let hasPCM = bits.flag()
        if hasPCM {
            bits.skip(8)
            bits.skipCodes(2)
            bits.skip(1)
        }
        guard HEVCParameters.skipReferences(&bits) else { return }
        if bits.flag() {
            let count = bits.golomb()
            guard count <= 32 else { return }
            bits.skip(count * (orderBits + 1))
        }
        bits.skip(2)
        if bits.flag() { readUsability(&bits) }
    }

    private static func skipScalingLists(_ bits: inout HEVCBits) {
        for size in 0..<4 {
            for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
                let isCoded = bits.flag()
                // Signed codes are as long as unsigned ones.
                bits.skipCodes(isCoded ? min(64, 1 << (4 + size * 2)) + (size > 1 ? 1 : 0) : 1)
            }
        }
    }

    /// Returns whether the numbers of images are possible.
    private static func skipReferences(_ bits: inout HEVCBits) -> Bool {
        let count = bits.golomb()
        guard count <= 64 else { return false }
        var images = 0
        for index in 0..<count {
            if index > 0, bits.flag() {
                bits.skip(1)
                bits.skipCodes(1)
                var kept = 0
                for _ in 0...images where bits.flag() || bits.flag() { kept += 1 }
                images = kept
            } else {
                let (before, after) = (bits.golomb(), bits.golomb())
                guard before <= 16, after <= 16 else { return false }
                images = before + after
                for _ in 0..<images {
                    bits.skipCodes(1)
                    bits.skip(1)
                }
            }
        }
        return true
    }

    private mutating func readUsability(_ bits: inout HEVCBits) {
        if bits.flag(), bits.bits(8) == 255 { bits.skip(32) }
        if bits.flag() { bits.skip(1) }
        guard bits.flag() else { return }
        bits.skip(3)
        let (range, hasColors) = (bits.flag(), bits.flag())
        guard !bits.isDamaged else { return }
        light.isFullRange = range
        guard hasColors else { return }
        // 2 stands for an unknown value.
        let codes = (0..<3).map { _ in bits.bits(8) }.map { $0 == 2 ? nil : $0 }
        if !bits.isDamaged { (light.primaries, light.transfer, light.matrix) = (codes[0], codes[1], codes[2]) }
    }

    /// Returns whether images of both sets have the same planes.
    func isLike(_ other: HEVCParameters) -> Bool {
        codedSize == other.codedSize && size == other.size && chromaFormat == other.chromaFormat
            && lumaBits == other.lumaBits && chromaBits == other.chromaBits
    }

    /// The bytes that a decoder holds: the kept images, each with libde265's data about its blocks, one image that is
    /// being filtered, and one that is ready.
    var workingBytes: Int { imageBytes * (keptImages + 2) + (2 << 20) }

    /// The bytes of one image with libde265's data about its blocks.
    private var imageBytes: Int {
        // Sides have at most 17 bits.
        let area = codedSize.area
        let samples = [2, 3, 4, 6][chromaFormat] * area / 2
        return samples * (max(lumaBits, chromaBits) > 8 ? 2 : 1) + area * 5 / 4
    }

    /// Returns the bytes that libde265 holds for the largest image item of a file, by the size that its stream states.
    ///
    /// The size that the file declares may be smaller; libheif compares the two once the image is decoded.
    static func stillBytes(of chain: ByteChain) -> Int {
        (HEIFItems(chain)?.properties ?? []).reduce(0) { most, box in
            guard box.type == "hvcC", let parameters = HEVCConfiguration(box, of: chain)?.parameters else {
                return most
            }
            return max(most, parameters.imageBytes * 2 + (4 << 20))
        }
    }

    /// The bytes of the planes of one image, with rows at multiples of `FIRN_ROW_ALIGNMENT` bytes.
    var planesLength: Int {
        func length(_ width: Int, _ height: Int, bits: Int) -> Int {
            let bytes = width * (bits > 8 ? 2 : 1)
            return (bytes + FIRN_ROW_ALIGNMENT - 1) / FIRN_ROW_ALIGNMENT * FIRN_ROW_ALIGNMENT * height
        }
        let luma = length(codedSize.width, codedSize.height, bits: lumaBits)
        if chromaFormat == 0 { return luma }
        let width = chromaFormat == 3 ? codedSize.width : (codedSize.width + 1) / 2
        let height = chromaFormat == 1 ? (codedSize.height + 1) / 2 : codedSize.height
        return luma + 2 * length(width, height, bits: chromaBits)
    }
}

/// The HEVC configuration in a track's sample entry: the parameter sets, and the format of units in samples.
///
/// - Source: ISO/IEC 14496-15 §8.3.2.1.
struct HEVCConfiguration {
    /// The limit of stored parameter sets.
    private static let most = 64

    /// The bytes of the length before each NAL unit of a sample: 1, 2 or 4.
    let lengthBytes: Int
    /// The NAL units that precede the first sample.
    private(set) var units: [[UInt8]] = []

    init?(_ box: ISOBox, of chain: ByteChain) {
        guard var fields = box.fields(of: chain), fields.number(1) == 1 else { return nil }
        fields.skip(20)
        guard let lengths = fields.number(1), let arrays = fields.number(1) else { return nil }
        lengthBytes = lengths & 3 + 1
        for _ in 0..<arrays {
            guard fields.number(1) != nil, let count = fields.number(2) else { return nil }
            for _ in 0..<count {
                guard let length = fields.number(2), let unit = fields.take(length) else { return nil }
                if units.count < HEVCConfiguration.most, !unit.isEmpty { units.append(unit) }
            }
        }
    }

    /// The first sequence parameter set that can be parsed.
    var parameters: HEVCParameters? {
        units.lazy.filter { HEVCUnit(first: $0[0]) == .sequenceParameters }
            .compactMap { HEVCParameters(unit: $0) }.first
    }
}

/// Reads the bits of a NAL unit's payload, most significant first, without the emulation prevention bytes.
///
/// - Source: ITU-T H.265 §7.3.1.1 (`emulation_prevention_three_byte`), §9.2 (Exp-Golomb codes).
struct HEVCBits {
    private let bytes: [UInt8]
    private var position = 0
    /// True if bits beyond the end, or a code that never ends, were to be read. All bits from there on are 0.
    private(set) var isDamaged = false

    /// Reads the payload after the unit's header of two bytes.
    init(unit: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        var zeros = 0
        for byte in unit.dropFirst(2) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
        self.bytes = bytes
    }

    /// Reads the next `count` bits (0 to 32).
    mutating func bits(_ count: Int) -> Int {
        guard !isDamaged, count <= bytes.count * 8 - position else {
            isDamaged = true
            return 0
        }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position >> 3] >> (7 - UInt8(truncatingIfNeeded: position & 7)) & 1)
            position += 1
        }
        return value
    }

    /// Reads the next bit.
    mutating func flag() -> Bool { bits(1) == 1 }

    /// Skips `count` bits.
    mutating func skip(_ count: Int) {
        if count <= bytes.count * 8 - position { position += count } else { isDamaged = true }
    }

    /// Reads the next unsigned Exp-Golomb code, of at most 32 bits.
    mutating func golomb() -> Int {
        var zeros = 0
        while !isDamaged, !flag() {
            zeros += 1
            isDamaged = isDamaged || zeros > 32
        }
        let rest = bits(zeros)
        return isDamaged ? 0 : (1 << zeros) - 1 + rest
    }

    /// Skips `count` Exp-Golomb codes.
    mutating func skipCodes(_ count: Int) {
        for _ in 0..<count { _ = golomb() }
    }
}
