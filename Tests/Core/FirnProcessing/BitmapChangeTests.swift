import FirnImage
import FirnProcessing
import Testing

/// Changes of one image by methods of `Bitmap`.
@Suite struct BitmapChangeTests {
    private let image: Bitmap

    init() throws { image = try Bitmap.noise(PixelSize(width: 60, height: 40), format: .rgb8, seed: 1) }

    @Test func `A change does what the processor of its name does`() throws {
        let logo = try Bitmap(width: 8, height: 4, color: .red)
        let line = ImageProcessingOptions.Border(color: .white)
        let side = PixelSize(20)
        let pairs: [(Bitmap, any ImageProcessing)] = try [
            (image.resized(to: side, contentMode: .aspectFit), .resize(size: side)),
            (image.resized(to: side, contentMode: .aspectFill), .resize(size: side, contentMode: .fill)),
            (image.resized(to: side, contentMode: .fill, crop: true), .resize(size: side, crop: true)),
            (image.resized(toFit: 20), .resize(size: side)), (image.resized(width: 30), .resize(width: 30)),
            (image.resized(height: 30), .resize(height: 30)),
            (image.cropped(x: 5, y: 6, width: 7, height: 8), .crop(x: 5, y: 6, width: 7, height: 8)),
            (image.cropped(to: 20), .crop(size: side)),
            (image.cropped(to: 20, anchor: .topLeft), .crop(size: side, anchor: .topLeft)),
            (image.trimmed(tolerance: 100), .trim(tolerance: 100)), (image.flippedHorizontally(), .flipHorizontally()),
            (image.flippedVertically(), .flipVertically()), (image.blurred(radius: 2), .gaussianBlur(radius: 2)),
            (image.sharpened(amount: 1), .sharpen(amount: 1)), (image.grayscale(), .grayscale()),
            (image.inverted(), .invert()), (image.adjusted(contrast: 1.5), .contrast(1.5)),
            (image.adjusted(brightness: 0.2, saturation: 0), .composition([.brightness(0.2), .saturation(0)])),
            (image.roundedCorners(radius: 9, border: line), .roundedCorners(radius: 9, border: line)),
            (image.circle(), .circle()), (image.circle().flattened(), .composition([.circle(), .flatten()])),
            (
                image.overlaying(logo, x: 3, y: -1, opacity: 0.5),
                .overlay(logo, id: "logo", x: 3, y: -1, opacity: 0.5)
            ),
            (image.overlaying(logo, anchor: .top, margin: 2), .overlay(logo, id: "logo", anchor: .top, margin: 2)),
        ]
        for (index, (changed, processor)) in pairs.enumerated() {
            let expected = try image.applyingBlocking([processor])
            // Fused processors may differ by one level.
            let difference = try #require(PlainImage(changed).difference(PlainImage(expected)), "\(index)")
            #expect(difference < 1.01, "\(index)")
            #expect(try processor.process(image).pixels == expected.pixels, "\(index)")
        }
    }

    @Test func `A size that is asked for is reached, also by enlarging`() throws {
        #expect(try image.resized(width: 120).size == PixelSize(width: 120, height: 80))
        #expect(try image.resized(width: 9, height: 90).size == PixelSize(width: 9, height: 90))
        #expect(try image.resized().size == image.size)
        #expect(try image.resized(toFit: 120).size == PixelSize(width: 120, height: 80))
        #expect(try image.resized(to: 80, contentMode: .fill, crop: true).size == PixelSize(80))
        #expect(try image.scaled(by: 0.5).size == PixelSize(width: 30, height: 20))
        #expect(try image.scaled(by: 1e-9).size == PixelSize(1))
        for factor in [0, -1, Double.nan] { #expect(throws: ImageError.self) { try image.scaled(by: factor) } }
        #expect(throws: ImageError.self) { try image.resized(width: 0) }
    }

    @Test func `A rotation is clockwise, and takes only quarter turns`() throws {
        let letters = try Bitmap.labeled(["abc", "def"], format: .rgb8)
        #expect(try letters.rotated(by: 90).labels == ["da", "eb", "fc"])
        #expect(try letters.rotated(by: -90).labels == ["cf", "be", "ad"])
        #expect(try letters.rotated(by: 180).labels == ["fed", "cba"])
        #expect(try letters.rotated(by: -720).labels == letters.labels)
        for degrees in [45, 1, -91, Int.max] {
            let error = #expect(throws: ImageError.self) { try letters.rotated(by: degrees) }
            #expect(error?.fault == .request && error?.stage == .processing)
        }
    }

    @Test func `The text of a hash renders its image, and another text none`() throws {
        let text = "LEHV6nWB2yk8pyo0adR*.7kCMdnj"
        let image = try #require(Bitmap(blurHash: text, width: 16, height: 9))
        #expect(image.pixels == BlurHash(text)?.bitmap(size: PixelSize(width: 16, height: 9))?.pixels)
        #expect(Bitmap(blurHash: text)?.size == PixelSize(32))
        #expect(Bitmap(blurHash: "no hash")?.size == nil && Bitmap(blurHash: text, width: 0, height: 9)?.size == nil)
    }
}
