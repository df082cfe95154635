import Firn
import FirnImage
import Foundation
import Testing

@testable import FirnCodecs

/// Tests decodes to other colors than sRGB.
@Suite struct TargetProfileTests {
    private static let pixels: [[UInt8]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [200, 100, 50], [10, 20, 30],
    ]

    /// A PNG of 8 bits with the pixels, in sRGB or with chunks.
    private func file(_ chunks: [(String, [UInt8])] = []) -> Data {
        let row = Array(Self.pixels.joined())
        var png = HandmadePNG(width: Self.pixels.count, height: 1, colorType: 2, rows: [row])
        png.before = chunks
        return png.data
    }

    private func target(
        _ profile: ColorProfile?, _ format: PixelFormat = .rgba8Straight,
        _ intent: ColorProfile.RenderingIntent = .perceptual
    ) -> DecodingOptions {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.targetProfile = profile
        options.renderingIntent = intent
        return options
    }

    /// Converts sRGB through XYZ in double precision.
    ///
    /// - Source: SMPTE RP 431-2 and IEC 61966-2-1 for Display P3; Adobe RGB (1998) §4.3. The matrices follow from the
    ///   primaries and the white point, which all three share.
    private func expected(_ pixel: [UInt8], isAdobe: Bool) -> [Double] {
        let light = pixel.map { LinearLight.decode(Double($0) / 255) }
        let matrix =
            isAdobe
            ? [[0.715_12, 0.284_88, 0], [0, 1, 0], [0, 0.041_17, 0.958_83]]
            : [[0.822_46, 0.177_54, 0], [0.033_19, 0.966_81, 0], [0.017_08, 0.072_40, 0.910_52]]
        return matrix.map { row in
            let value = min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
            return (isAdobe ? pow(value, 256.0 / 563) : LinearLight.encode(value)) * 255
        }
    }

    @Test(arguments: [false, true], ColorProfile.RenderingIntent.allCases)
    func `sRGB becomes Display P3 and Adobe RGB`(isAdobe: Bool, intent: ColorProfile.RenderingIntent) throws {
        let profile = try #require(isAdobe ? ColorProfile.adobeRGB : .displayP3)
        #expect(profile.name == (isAdobe ? "Adobe RGB (1998)" : "Display P3"))
        let image = try session(file()).decode(target(profile, .rgba8Straight, intent))
        #expect(image.colorProfile == profile)
        let deep = try session(file()).decode(target(profile, .rgba16Straight, intent))
        for (index, pixel) in Self.pixels.enumerated() {
            let wanted = expected(pixel, isAdobe: isAdobe)
            for channel in 0..<3 {
                #expect(abs(Double(image.pixels[index][channel]) - wanted[channel]) <= 1, "\(pixel)")
                #expect(abs(Double(deep.words[4 * index + channel]) / 257 - wanted[channel]) <= 0.7, "\(pixel)")
            }
        }
    }

    @Test func `colors of the target stay, and half floats ignore it`() throws {
        let points = file([("cICP", [12, 13, 0, 1])])
        let image = try session(points).decode(target(.displayP3))
        #expect(image.pixels.map { Array($0.prefix(3)) } == Self.pixels)
        #expect(image.colorProfile == .displayP3)
        let halves = try session(file()).decode(target(.displayP3, .rgbaHalfPremultiplied))
        #expect(halves.colorProfile == nil)
        #expect(try packed(halves) == packed(session(file()).decode(target(nil, .rgbaHalfPremultiplied))))
    }

    @Test func `colors that sRGB lacks stay in a wider target`() throws {
        let points = file([("cICP", [9, 13, 0, 1])])
        let wide = try session(points).decode(target(.displayP3)).converted(to: .rgba8Straight)
        let narrow = try session(points).decode(target(nil)).converted(to: .rgba8Straight)
        #expect(wide.pixels[5] != narrow.pixels[5])
        // Both show the same color if sRGB has it.
        let back = try session(PNGEncoder().encode(wide)).decode(target(nil))
        #expect(zip(back.pixels[6], narrow.pixels[6]).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
    }

    @Test func `high dynamic range is tone-mapped to the target`() throws {
        for profile in [ColorProfile.displayP3, .adobeRGB] {
            let source = file([("cICP", [9, 16, 0, 1])])
            let image = try session(source).decode(target(profile, .rgba16Straight))
            #expect(image.colorProfile == profile)
            let back = try session(PNGEncoder().encode(image)).decode(target(nil))
            let plain = try session(source).decode(target(nil))
            // Gray and muted colors are in both.
            for index in [3, 4, 6] {
                #expect(zip(back.pixels[index], plain.pixels[index]).allSatisfy { abs(Int($0) - Int($1)) <= 3 })
            }
        }
    }

    @Test func `a profile that is no target is an error`() throws {
        let gray = try #require(ColorProfile(icc: GrayProfile.data(gamma: 1)))
        var damaged = try #require(ColorProfile.displayP3).icc
        damaged.replaceSubrange(128..<132, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var light = ImageLight()
        (light.primaries, light.transfer) = (9, 16)
        for profile in [gray, ColorProfile(icc: damaged), ColorProfile(light: light)] {
            let profile = try #require(profile)
            let error = #expect(throws: ImageError.self) { try session(file()).decode(target(profile)) }
            #expect(error?.fault == .request)
        }
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webp, .avif, .jxl, .tiff, .gif])
    func `a converter writes the target's profile`(format: ImageFormat) async throws {
        guard ImageEncoders.formats.contains(format) else { return }
        var configuration = ImageConverter.Configuration()
        configuration.targetProfile = .displayP3
        let made = try await ImageConverter(configuration).convert(file(), to: format)
        let found = try #require(try session(made.data).properties())
        // libjxl knows the profile, and stores its name.
        let isNamed = format == .jxl && found.light.primaries == 12
        #expect((isNamed || found.colorProfile?.icc == ColorProfile.displayP3?.icc) == (format != .gif), "\(format)")
        #expect((made.image.colorProfile == nil) == (format == .gif))
    }
}
