import FirnSystem

/// A gain map: the factors that turn an image, the base, into a rendition with another dynamic range.
///
/// Its pixels cover the whole base, usually with fewer columns and rows. A pixel's value `v`, from 0 to 1, gives the
/// logarithm of the factor: `minimum + (maximum - minimum) * pow(v, 1 / gamma)`. All logarithms are to base 2.
///
/// - Source: ISO 21496-1:2025 §5.2 and §6; Ultra HDR Image Format 1.1.
public struct GainMap: Hashable, Sendable {
    /// The numbers of a gain map, per channel: red, green, blue.
    public struct Metadata: Hashable, Sendable {
        /// The logarithm of the factor for the value 0. Default: 0.
        public var minimum = SIMD3<Double>.zero
        /// The logarithm of the factor for the value 1, at least `minimum`.
        public var maximum: SIMD3<Double>
        /// The exponent with which the map's values were encoded, from 0.01 to 100. Default: 1.
        public var gamma = SIMD3<Double>.one
        /// The light that is added to the base before it is multiplied. Default: 1/64.
        public var baseOffset = SIMD3(repeating: 1.0 / 64)
        /// The light that is subtracted from the product. Default: 1/64.
        public var alternateOffset = SIMD3(repeating: 1.0 / 64)
        /// The logarithm of the headroom for which the base was made. Default: 0, SDR.
        public var baseHeadroom = 0.0
        /// The logarithm of the headroom at which the map applies in full. If it is less than `baseHeadroom`, the map
        /// reduces the range of an HDR base.
        public var alternateHeadroom: Double

        /// Creates metadata; the other numbers have their defaults.
        public init(maximum: SIMD3<Double>, alternateHeadroom: Double) {
            (self.maximum, self.alternateHeadroom) = (maximum, alternateHeadroom)
        }

        /// True if all numbers are in their ranges. The factor of the largest logarithm, 2^64, is a finite float.
        fileprivate var isValid: Bool {
            let stops = 64.0
            // Comparisons with NaN are false.
            return (0..<3).allSatisfy { index in
                minimum[index] <= maximum[index] && (0.01...100).contains(gamma[index])
                    && [minimum, maximum, baseOffset, alternateOffset].allSatisfy { abs($0[index]) <= stops }
            } && [baseHeadroom, alternateHeadroom].allSatisfy((0...stops).contains)
        }
    }

    /// The map in `rgb8`; the components of a gray map are equal.
    public let image: Bitmap
    /// The numbers.
    public let metadata: Metadata

    /// Creates a gain map. Fails if a number is out of its range (logarithms and offsets from -64 to 64, headrooms at
    /// least 0), or if `image` cannot be converted to `rgb8`.
    public init?(image: Bitmap, metadata: Metadata) {
        guard metadata.isValid, let image = try? image.assigningColorProfile(nil).converted(to: .rgb8) else {
            return nil
        }
        (self.image, self.metadata) = (image, metadata)
    }

    /// Returns the part of the map that applies at a headroom, from 0 to 1; negative if the map reduces the range.
    package func weight(at headroom: Double) -> Double {
        let range = metadata.alternateHeadroom - metadata.baseHeadroom
        guard headroom > 0, range != 0 else { return 0 }
        let weight = min(max((log2(headroom) - metadata.baseHeadroom) / range, 0), 1)
        return range < 0 ? -weight : weight
    }

    /// Returns whether both have equal numbers and share their pixels.
    public static func == (a: GainMap, b: GainMap) -> Bool {
        a.image.storage.owner === b.image.storage.owner && a.metadata == b.metadata
    }

    /// Hashes the numbers.
    public func hash(into hasher: inout Hasher) { hasher.combine(metadata) }
}
