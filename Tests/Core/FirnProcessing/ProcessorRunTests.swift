import FirnImage
import FirnProcessing
import FirnSync
import Foundation
import Testing

/// Tests what all processors share: errors, limits, cancellation, threads, names.
@Suite struct ProcessorRunTests {
    static let all: [any ImageProcessing] = [
        ImageProcessors.Resize(size: PixelSize(width: 500, height: 300)),
        ImageProcessors.Resize(
            size: PixelSize(width: 300, height: 300), mode: .fill, crop: true, anchor: .top, linearLight: true),
        ImageProcessors.Crop(x: 2, y: 1, width: 590, height: 350), ImageProcessors.Rotate(.right),
        ImageProcessors.Flip(),
        ImageProcessors.Pad(top: 3, left: 5), ImageProcessors.Circle(),
        ImageProcessors.RoundedCorners(
            radius: 40, border: .init(color: SRGBColor(red: 9, green: 8, blue: 7), width: 3)),
        ImageProcessors.GaussianBlur(radius: 2), ImageProcessors.GaussianBlur(radius: 9), ImageProcessors.Sharpen(),
        ImageProcessors.ColorMatrix.sepia(), ImageProcessors.Flatten(),
        ImageProcessors.Blend(color: SRGBColor(red: 1, green: 2, blue: 3, alpha: 99)),
        ImageProcessors.Pixelate(side: 7),
    ]

    /// Counts stripes, and stops the work at one of them.
    private final class WatchedStripes: StripeExecutor {
        let flag: CancellationFlag?
        let count = Locked(0)

        init(stopping flag: CancellationFlag? = nil) { self.flag = flag }

        func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
            for index in 0..<count {
                self.count.withLock { $0 += 1 }
                flag?.cancel()
                body(index)
            }
        }
    }

    private struct ManyThreads: StripeExecutor {
        func perform(_ count: Int, _ body: @Sendable (Int) -> Void) {
            DispatchQueue.concurrentPerform(iterations: count) { body($0) }
        }
    }

    @Test(arguments: [PixelFormat.bgra8Premultiplied])
    func `Large images are processed in stripes; cancellation takes effect at the next`(format: PixelFormat) throws {
        let source = try Bitmap(size: PixelSize(width: 1200, height: 800), format: format) { _ in }
        for processor in Self.all {
            let watched = WatchedStripes()
            _ = try processor.apply(source, ImageProcessingContext(stripes: watched))
            let stripes = watched.count.withLock { $0 }
            #expect(stripes >= 2, "\(processor.identifier)")
            let flag = CancellationFlag()
            let stopped = WatchedStripes(stopping: flag)
            let error = #expect(throws: ImageError.self, "\(processor.identifier)") {
                try processor.apply(source, ImageProcessingContext(cancellation: flag, stripes: stopped))
            }
            #expect(error?.fault == .cancelled)
        }
    }

    @Test func `Any number of threads gives the same image`() throws {
        // Wide and flat, or narrow and high: many stripes of few pixels.
        for (size, format) in [((40, 5_000), PixelFormat.bgra8Premultiplied), ((900, 250), .rgba8Straight)] {
            let image = try Bitmap.test(PixelSize(width: 16, height: 16), format)
                .resized(to: PixelSize(width: size.0, height: size.1), filter: .box)
            for processor in Self.all {
                let one = try processor.apply(image)
                let many = try processor.apply(image, ImageProcessingContext(stripes: ManyThreads()))
                #expect(one.packedBytes == many.packedBytes, "\(processor.identifier)")
            }
        }
    }

    @Test func `A cancelled processor does not start`() throws {
        let flag = CancellationFlag()
        flag.cancel()
        let source = try Bitmap(size: PixelSize(width: 8, height: 8)) { _ in }
        for processor in Self.all + [ImageProcessors.Composition([ImageProcessors.Flip()])] {
            let error = #expect(throws: ImageError.self, "\(processor.identifier)") {
                try processor.apply(source, ImageProcessingContext(cancellation: flag))
            }
            #expect(error?.fault == .cancelled)
        }
    }

    @Test func `A side of 0 of a resize is free`() {
        for mode in [ImageContentMode.fit, .fill] {
            #expect(
                ImageProcessors.Resize(size: PixelSize(width: 0, height: 5), mode: mode, crop: true)
                    == ImageProcessors.Resize(height: 5))
            #expect(
                ImageProcessors.Resize(size: PixelSize(width: 5, height: 0), mode: mode, upscale: true)
                    == ImageProcessors.Resize(width: 5, upscale: true))
        }
    }

    @Test func `Invalid parameters are errors, and nothing traps`() throws {
        let source = try Bitmap.test(PixelSize(width: 9, height: 7), .bgra8Premultiplied)
        func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }
        let white = SRGBColor(red: 255, green: 255, blue: 255)
        var bad: [any ImageProcessing] = [
            ImageProcessors.Resize(size: size(0, 0)), ImageProcessors.Resize(size: size(-1, Int.min)),
            ImageProcessors.Resize(exactly: size(5, 0)), ImageProcessors.Resize(width: 0),
            ImageProcessors.Resize(height: -4),
            ImageProcessors.Crop(x: 0, y: 0, width: 0, height: 5),
            ImageProcessors.Crop(x: 9, y: 0, width: 5, height: 5),
            ImageProcessors.Crop(x: Int.max, y: Int.min, width: Int.max, height: Int.max),
            ImageProcessors.Crop(x: 0, y: 0, width: Int.min, height: 3), ImageProcessors.Crop(size: size(0, 0)),
            ImageProcessors.Crop(size: size(0, 0), anchor: .attention), ImageProcessors.Pad(top: -1),
            ImageProcessors.Pad(left: Int.max), ImageProcessors.Pad(to: size(0, 9)),
            ImageProcessors.Pixelate(side: 0), ImageProcessors.Pixelate(side: Int.min),
            ImageProcessors.Pixelate(side: Int.max), ImageProcessors.Overlay(source, id: "", x: Int.max, y: 0),
            ImageProcessors.Overlay(tiling: source, id: "", horizontalGap: -1),
            ImageProcessors.Overlay(tiling: source, id: "", verticalGap: Int.max),
        ]
        for value in [Double.nan, .infinity, -.infinity, -1, 1e300] {
            bad += [
                ImageProcessors.RoundedCorners(radius: value), ImageProcessors.RoundedCorners(topRight: value),
                ImageProcessors.RoundedCorners(radius: 2, border: .init(color: white, width: value)),
                ImageProcessors.Circle(border: .init(color: white, width: value)),
                ImageProcessors.GaussianBlur(radius: value),
                ImageProcessors.Sharpen(amount: value), ImageProcessors.Sharpen(radius: value),
                ImageProcessors.ColorMatrix.brightness(value == -1 ? 1001 : value),
                ImageProcessors.ColorMatrix.hue(degrees: value == -1 || value == 1e300 ? .nan : value),
                ImageProcessors.Overlay(source, id: "", opacity: value), ImageProcessors.Trim(tolerance: value),
                ImageProcessors.Overlay(tiling: source, id: "", opacity: value),
                ImageProcessors.Resize(size: size(5, 5), unit: .points(scale: value)),
                ImageProcessors.Resize(size: size(0, 5), unit: .points(scale: value), crop: true),
                ImageProcessors.Resize(width: 5, unit: .points(scale: value)),
                ImageProcessors.Crop(size: size(5, 5), unit: .points(scale: value)),
            ]
        }
        for processor in bad {
            #expect(throws: ImageError.self, "\(processor.identifier)") { try processor.apply(source) }
            #expect(throws: ImageError.self) {
                try ImageProcessors.Composition([processor, ImageProcessors.Flip()]).apply(source)
            }
        }
    }

    @Test func `A result beyond the limits fails before memory is allocated`() throws {
        let source = try Bitmap(size: PixelSize(width: 100, height: 100)) { _ in }
        let huge = PixelSize(width: 1 << 24, height: 1 << 24)
        let processors: [any ImageProcessing] = [
            ImageProcessors.Resize(size: huge, upscale: true), ImageProcessors.Resize(exactly: huge, upscale: true),
            ImageProcessors.Resize(exactly: PixelSize(width: Int.max, height: Int.max), upscale: true),
            ImageProcessors.Resize(exactly: PixelSize(width: 1 << 24, height: 1), upscale: true),
            ImageProcessors.Pad(to: huge), ImageProcessors.Pad(top: 1 << 30, right: 1 << 30),
        ]
        for processor in processors {
            let error = #expect(throws: ImageError.self, "\(processor.identifier)") {
                try processor.apply(source)
            }
            #expect(error?.fault == .limit)
        }
        var limits = ImageLimits()
        limits.maximumPixels = 9_999
        #expect(throws: ImageError.self) {
            try ImageProcessors.Flip().apply(source, ImageProcessingContext(limits: limits))
        }
    }

    @Test func `Equal processors have equal names, different ones different names`() {
        let white = SRGBColor(red: 255, green: 255, blue: 255)
        let different: [any ImageProcessing] =
            Self.all + [
                ImageProcessors.Crop(size: PixelSize(width: 1, height: 2)),
                ImageProcessors.Crop(x: 0, y: 0, width: 1, height: 2),
                ImageProcessors.Rotate(.left), ImageProcessors.Flip(.vertical),
                ImageProcessors.RoundedCorners(radius: 4),
                ImageProcessors.RoundedCorners(topLeft: 4),
                ImageProcessors.RoundedCorners(radius: 4, border: .init(color: white)),
                ImageProcessors.Circle(border: .init(color: white)), ImageProcessors.Sharpen(amount: 1),
                ImageProcessors.Sharpen(radius: 2),
                ImageProcessors.ColorMatrix.hue(degrees: 4),
                ImageProcessors.Flatten(background: SRGBColor(red: 0, green: 0, blue: 0)),
                ImageProcessors.Composition([ImageProcessors.Flip(), ImageProcessors.Rotate(.left)]),
                ImageProcessors.Composition([]), ImageProcessors.Pixelate(side: 8), ImageProcessors.Trim(),
                ImageProcessors.Trim(tolerance: 3), ImageProcessors.Trim(color: white),
                ImageProcessors.Trim(equalHorizontal: true), ImageProcessors.Trim(equalVertical: true),
                ImageProcessors.Trim(keepsLines: true),
                ImageProcessors.Resize(exactly: PixelSize(width: 500, height: 300)),
            ]
        #expect(Set(different.map(\.identifier)).count == different.count)
        #expect(
            ImageProcessors.Composition([ImageProcessors.Flip()]).identifier == ImageProcessors.Flip().identifier)
        #expect(
            ImageProcessors.GaussianBlur(radius: 4).identifier
                == ImageProcessors.GaussianBlur(radius: 2, unit: .points(scale: 2)).identifier)
        #expect(ImageProcessors.Pad(color: .clear) == ImageProcessors.Pad())
        #expect(
            ImageProcessors.ColorMatrix.brightness(-0.0).identifier
                == ImageProcessors.ColorMatrix.brightness(0).identifier)
        #expect(
            ImageProcessors.Resize(size: PixelSize(width: 50, height: 40), unit: .points(scale: 2))
                == ImageProcessors.Resize(size: PixelSize(width: 100, height: 80)))
    }

    @Test func `Every processor takes an image of one pixel in every layout`() throws {
        for format in PixelFormat.allCases {
            let source = try Bitmap.test(PixelSize(width: 1, height: 1), format)
            for processor in Self.all where !(processor is ImageProcessors.Crop) {
                let result = try processor.apply(source)
                #expect(!result.size.isEmpty && result.isValid, "\(processor.identifier) \(format)")
            }
        }
    }

    @Test func `The container's other properties and the color space are kept`() throws {
        let profile = try #require(ColorProfile.made())
        let image = try Bitmap(size: PixelSize(width: 12, height: 12), format: .rgba8Straight, colorProfile: profile) {
            _ in
        }
        let container = ImageContainer(
            image: image, format: .png, isPreview: true, originalSize: PixelSize(width: 99, height: 9))
        for processor in Self.all {
            guard !(processor is ImageProcessors.Crop) else { continue }
            let result = try processor.process(container, context: ImageProcessingContext())
            #expect(result.format == .png && result.isPreview && result.originalSize == container.originalSize)
            #expect(result.image.colorProfile == profile, "\(processor.identifier)")
        }
    }
}
