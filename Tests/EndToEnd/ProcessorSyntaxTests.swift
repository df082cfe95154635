import FirnImage
import FirnProcessing
import Testing

@testable import firn

@Suite struct ProcessorSyntaxTests {
    private func read(_ text: String) throws -> [String] {
        try ProcessorSyntax { name in
            guard name == "a,b.png" || name == "logo.png" else {
                throw ImageError(.request, at: .processing, "overlay: no \(name)")
            }
            return try Bitmap(size: PixelSize(width: 2, height: 2)) { _ in }
        }.processors(text).map(\.identifier)
    }

    @Test func `Lists mean the processors that they name`() throws {
        let white = SRGBColor(red: 255, green: 255, blue: 255)
        let cases: [(String, [any ImageProcessing])] = [
            (
                "resize=400x300:fill,blur=8,rounded=12:border=2",
                [
                    ImageProcessors.Resize(size: PixelSize(width: 400, height: 300), mode: .fill),
                    ImageProcessors.GaussianBlur(radius: 8),
                    ImageProcessors.RoundedCorners(radius: 12, border: .init(color: white, width: 2)),
                ]
            ),
            ("resize=80x:up", [ImageProcessors.Resize(width: 80, upscale: true)]),
            ("resize=x80", [ImageProcessors.Resize(height: 80)]),
            ("resize=80x:linear:box", [ImageProcessors.Resize(width: 80, filter: .box, linearLight: true)]),
            ("pad=1:2:3:4", [ImageProcessors.Pad(top: 1, left: 2, bottom: 3, right: 4)]),
            (
                "pad=7:222",
                [
                    ImageProcessors.Pad(
                        top: 7, left: 7, bottom: 7, right: 7, color: SRGBColor(red: 34, green: 34, blue: 34))
                ]
            ),
            ("crop=5x6:attention", [ImageProcessors.Crop(size: PixelSize(width: 5, height: 6), anchor: .attention)]),
            ("resize=8x9:exact:box", [ImageProcessors.Resize(exactly: PixelSize(width: 8, height: 9), filter: .box)]),
            (
                "resize=8x9:crop:attention:linear",
                [
                    ImageProcessors.Resize(
                        size: PixelSize(width: 8, height: 9), mode: .fill, crop: true, anchor: .attention,
                        linearLight: true)
                ]
            ),
            ("crop=5:6:7x8", [ImageProcessors.Crop(x: 5, y: 6, width: 7, height: 8)]),
            ("rotate=270 , flip=vertical", [ImageProcessors.Rotate(.left), ImageProcessors.Flip(.vertical)]),
            (
                "pad=9x9:top:#f80",
                [
                    ImageProcessors.Pad(
                        to: PixelSize(width: 9, height: 9), anchor: .top,
                        color: SRGBColor(red: 255, green: 136, blue: 0))
                ]
            ),
            ("tint=#00ff0080:0.5", [ImageProcessors.ColorMatrix.tint(SRGBColor(red: 0, green: 255, blue: 0), 0.5)]),
            ("pixelate=12", [ImageProcessors.Pixelate(side: 12)]),
            ("trim", [ImageProcessors.Trim()]),
            (
                "trim=20:white:equal:lines",
                [
                    ImageProcessors.Trim(
                        tolerance: 20, color: white, equalHorizontal: true, equalVertical: true, keepsLines: true)
                ]
            ),
            (
                "blend=black:multiply",
                [ImageProcessors.Blend(color: SRGBColor(red: 0, green: 0, blue: 0), mode: .multiply)]
            ),
        ]
        for (text, processors) in cases { #expect(try read(text) == processors.map(\.identifier)) }
        #expect(
            try read("overlay='a,b.png':center:xor:opacity=0.5") == ["firn/overlay?a=center,g=0,m=xor,o=0.5,a,b.png"])
        #expect(
            try read("overlay=logo.png:tiled:gap=9,overlay=logo.png:multiply:tiled") == [
                "firn/overlay?t=9x9,m=sourceOver,o=1,logo.png", "firn/overlay?t=0x0,m=multiply,o=1,logo.png",
            ])
    }

    @Test func `Every example of every processor can be read`() throws {
        #expect(Set(ProcessorSyntax.kinds.map(\.name)).count == ProcessorSyntax.kinds.count)
        for kind in ProcessorSyntax.kinds {
            #expect(!kind.examples.isEmpty && !kind.summary.isEmpty)
            for example in kind.examples {
                #expect(throws: Never.self, "\(example)") { try read(example) }
                #expect(example.contains(kind.name))
            }
        }
    }

    @Test(arguments: [
        ("blurr=8", 0..<5, "no processor 'blurr'"), ("flip,blur=x", 10..<11, "'x' is no number"),
        ("blur", 0..<4, "blur needs a radius"), ("blur=", 5..<5, "a value is missing"),
        ("", 0..<0, "name of a processor is missing"),
        ("flip,,blur=2", 5..<5, "missing"), ("flip:2", 4..<5, "comes '=' or ','"),
        ("resize=400:fit", 7..<10, "no size like 400x300"),
        ("resize=0x5", 7..<10, "no size"), ("resize=5x5:wide", 11..<15, "no use for 'wide'"),
        ("blur=nan", 5..<8, "'nan' is no number"),
        ("blur=inf", 5..<8, "is no number"), ("blur=2000", 5..<9, "from 0 to 1000"),
        ("rounded=3:4", 0..<7, "one radius or four"),
        ("tint=mauve", 5..<10, "no color"), ("tint=#12345", 5..<11, "no color"), ("overlay='x.png", 8..<14, "no end"),
        ("overlay=x.png", 8..<13, "no x.png"), ("rotate=45", 7..<9, "none of 90, 180, 270"),
        ("resize=5x5:nearest", 11..<18, "FILTER is box, bilinear"), ("resize=5x:crop", 10..<14, "no use for 'crop'"),
        ("resize=5x5:fill:top", 16..<19, "crop[:ANCHOR]"), ("crop=-3:0:5x5", 5..<7, "no whole number"),
        ("crop=1:1:0x5", 9..<12, "no size"), ("pad=1:2:3", 6..<7, "no color"),
        ("sharpen=1:speed=3", 10..<15, "no use for 'speed'"),
        ("overlay=logo.png:gap=3", 17..<20, "no use for 'gap'"), ("trim=300", 5..<8, "from 0 to 255"),
        ("overlay=logo.png:tiled:margin=3", 0..<7, "no margin"), ("pixelate=0", 9..<10, "no whole number"),
        ("circle=color=red", 0..<6, "only with border"), ("flip=sideways", 5..<13, "none of horizontal, vertical"),
    ])
    func `Errors point at the place`(text: String, range: Range<Int>, message: String) throws {
        let error = try #require(#expect(throws: ProcessorSyntaxError.self) { try read(text) })
        #expect(error.range == range)
        #expect(error.message.contains(message), "\(error.message)")
        #expect(error.description.hasSuffix("^"))
    }
}
