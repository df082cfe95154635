import FirnImage
import Testing

/// Compares an image of 3 × 2 pixels, labeled row by row a b c / d e f, with EXIF's definition of each value.
@Suite struct OrientationTests {
    static let expected: [(ImageOrientation, [String])] = [
        (.up, ["abc", "def"]),
        (.upMirrored, ["cba", "fed"]),
        (.down, ["fed", "cba"]),
        (.downMirrored, ["def", "abc"]),
        (.leftMirrored, ["ad", "be", "cf"]),
        (.right, ["da", "eb", "fc"]),
        (.rightMirrored, ["fc", "eb", "da"]),
        (.left, ["cf", "be", "ad"]),
    ]

    @Test(
        arguments: expected,
        [PixelFormat.bgra8Premultiplied, .rgba8Straight, .rgb8])
    func `Each tag value moves the labeled pixels as EXIF says, in every layout`(
        _ expected: (ImageOrientation, [String]), format: PixelFormat
    ) throws {
        let stored = try Bitmap.labeled(["abc", "def"], format: format)
        let shown = try stored.oriented(expected.0)
        #expect(shown.labels == expected.1)
        #expect(shown.size == expected.0.displaySize(of: stored.size))
        #expect(shown.format == format)
    }

    @Test(arguments: ImageOrientation.allCases)
    func `Orienting keeps the opaque flag and the color profile`(_ orientation: ImageOrientation) throws {
        let profile = try #require(ColorProfile.made())
        let stored = try Bitmap(size: PixelSize(width: 2, height: 3), isOpaque: true, colorProfile: profile) { _ in }
        let shown = try stored.oriented(orientation)
        #expect(shown.isOpaque)
        #expect(shown.colorProfile == profile)
        #expect(try !Bitmap(size: stored.size) { _ in }.oriented(orientation).isOpaque)
    }

    @Test(arguments: ImageOrientation.allCases)
    func `An image larger than a tile comes back after a turn and its inverse`(_ orientation: ImageOrientation) throws {
        let inverse: ImageOrientation = orientation == .right ? .left : orientation == .left ? .right : orientation
        for format in [PixelFormat.bgra8Premultiplied, .rgb8] {
            let stored = try Bitmap.noise(PixelSize(width: 101, height: 67), format: format, seed: 7)
            let there = try stored.oriented(orientation)
            #expect(try there.oriented(inverse).packedBytes == stored.packedBytes)
            if orientation != .up { #expect(there.packedBytes != stored.packedBytes) }
        }
    }

    @Test func `Two quarter turns are a half turn`() throws {
        let stored = try Bitmap.noise(PixelSize(width: 70, height: 33), format: .rgba8Straight, seed: 3)
        let turned = try stored.oriented(.right).oriented(.right)
        #expect(try turned.packedBytes == stored.oriented(.down).packedBytes)
    }
}
