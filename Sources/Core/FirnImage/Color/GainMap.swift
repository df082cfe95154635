import FirnSystem

/// A gain map: the factors that turn an image, the base, into a rendition with another dynamic range.
///
/// Its pixels cover the whole base, usually with fewer columns and rows. A pixel's value `v`, from 0 to 1, gives the
/// logarithm of the factor: `minimum + (maximum - minimum) * pow(v, 1 / gamma)`. Numbers are per channel: red, green,
/// blue. Logarithms are to base 2.
///
/// - Source: ISO 21496-1:2025 §5.2 and §6; Ultra HDR Image Format 1.1.
public struct GainMap: Hashable, Sendable {
    /// The map; red, green and blue of 8 bits, equal for a gray map.
    public let image: Bitmap
    /// The logarithm of the factor for the value 0.
    public let minimum: SIMD3<Double>
    /// The logarithm of the factor for the value 1.
    public let maximum: SIMD3<Double>
    /// The exponent with which the map's values were encoded.
    public let gamma: SIMD3<Double>
    /// The light that is added to the base before it is multiplied.
    public let baseOffset: SIMD3<Double>
    /// The light that is subtracted from the product.
    public let alternateOffset: SIMD3<Double>
    /// The logarithm of the headroom for which the base was made: 0 for SDR.
    public let baseHeadroom: Double
    /// The logarithm of the headroom at which the map applies in full.
    public let alternateHeadroom: Double

    /// Creates a gain map.
    ///
    /// - Parameters:
    ///   - image: the map. Converted to `rgb8`.
    ///   - minimum: from -64 to 64, like all logarithms and offsets. Default: 0.
    ///   - maximum: at least `minimum`.
    ///   - gamma: from 0.01 to 100. Default: 1.
    ///   - baseOffset: the light that is added to the base. Default: 1/64.
    ///   - alternateOffset: the light that is subtracted. Default: 1/64.
    ///   - baseHeadroom: at least 0. Default: 0, an SDR base.
    ///   - alternateHeadroom: at least 0.
    /// - Returns: `nil` if a number is out of its range, or `image` is not opaque.
    public init?(
        image: Bitmap, minimum: SIMD3<Double> = .zero, maximum: SIMD3<Double>, gamma: SIMD3<Double> = .one,
        baseOffset: SIMD3<Double> = GainMap.usualOffset, alternateOffset: SIMD3<Double> = GainMap.usualOffset,
        baseHeadroom: Double = 0, alternateHeadroom: Double
    ) {
        let range = -GainMap.mostStops...GainMap.mostStops
        let headrooms = 0...GainMap.mostStops
        // Comparisons with NaN are false.
        let areValid = [minimum, maximum, baseOffset, alternateOffset].allSatisfy { numbers in
            (0..<3).allSatisfy { range.contains(numbers[$0]) }
        }
        guard areValid, (0..<3).allSatisfy({ minimum[$0] <= maximum[$0] && (0.01...100).contains(gamma[$0]) }),
            headrooms.contains(baseHeadroom), headrooms.contains(alternateHeadroom),
            let image = try? image.assigningColorProfile(nil).converted(to: .rgb8)
        else { return nil }
        self.image = image
        (self.minimum, self.maximum, self.gamma) = (minimum, maximum, gamma)
        (self.baseOffset, self.alternateOffset) = (baseOffset, alternateOffset)
        (self.baseHeadroom, self.alternateHeadroom) = (baseHeadroom, alternateHeadroom)
    }

    /// 1/64, the offset of most files.
    public static let usualOffset = SIMD3(repeating: 1.0 / 64)

    /// The largest logarithm and offset. The light of its factor, 2^64, is a finite float.
    private static let mostStops = 64.0

    /// True if the base has the larger dynamic range, and the map reduces it.
    public var isBaseHDR: Bool { baseHeadroom > alternateHeadroom }

    /// Returns the map with other pixels; `nil` if they are not opaque.
    package func replacing(_ image: Bitmap) -> GainMap? {
        GainMap(
            image: image, minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
            alternateOffset: alternateOffset, baseHeadroom: baseHeadroom, alternateHeadroom: alternateHeadroom)
    }

    /// Returns the part of the map that applies at a headroom, from 0 to 1; negative if the map reduces the range.
    ///
    /// - Parameter headroom: the brightness of the display's white relative to the white of SDR.
    package func weight(at headroom: Double) -> Double {
        let range = alternateHeadroom - baseHeadroom
        guard headroom > 0, range != 0 else { return 0 }
        let weight = min(max((log2(headroom) - baseHeadroom) / range, 0), 1)
        return range < 0 ? -weight : weight
    }

    /// Returns whether both have equal numbers and share their pixels.
    public static func == (a: GainMap, b: GainMap) -> Bool { a.key == b.key }

    /// Hashes the numbers and the identity of the pixels.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }

    private struct Key: Hashable {
        let pixels: ObjectIdentifier
        let numbers: [SIMD3<Double>]
    }

    private var key: Key {
        Key(
            pixels: ObjectIdentifier(image.storage.owner),
            numbers: [
                minimum, maximum, gamma, baseOffset, alternateOffset, SIMD3(baseHeadroom, alternateHeadroom, 0),
            ])
    }
}
