public import ArgumentParser
public import Firn
import FoundationEssentials

/// The options for the colors of written images.
struct ColorOptions: ParsableArguments {
    @Option(
        help: """
            keep: leave the values of images in high dynamic range (PQ, HLG) as they are, in png, avif and jxl. map: \
            tone-map them to SDR. Default: map, or keep with --profile source.
            """)
    var hdr: HDRArgument?

    @Option(
        help: ArgumentHelp(
            """
            The colors of the new image: srgb, p3 (Display P3), adobe (Adobe RGB), source (as stored, with the \
            profile or code points of the source), or an ICC file. Default: srgb.
            """,
            valueName: "profile"),
        completion: .file(), transform: ProfileArgument.init)
    var profile: ProfileArgument?

    @Option(help: "The rule for colors that the profile lacks. Default: perceptual.")
    var intent: ColorProfile.RenderingIntent?

    func validate() throws {
        guard intent != nil else { return }
        if case .target = profile { return }
        throw ValidationError("--intent applies to --profile p3, adobe and ICC files.")
    }

    /// - Throws: a usage error for a format that cannot hold the colors.
    func check(for format: OutputFormat) throws {
        if case .target = profile, !format.format.storesProfiles {
            throw ValidationError("\(format.rawValue.uppercased()) files hold no color profile.")
        }
    }

    var isGiven: Bool { hdr != nil || profile != nil }

    /// True if pixels in standard range are copied as they are stored.
    var keepsStored: Bool { hdr != .map && (profile == nil || profile == .source) }

    /// The losses that the options request.
    var unwanted: Set<ConversionLoss> {
        Set((hdr == .map ? [.hdr] : []) + (profile == .srgb ? [.profile] : []))
    }

    /// Sets the colors of a decode for a file of `format`.
    func apply(to options: inout DecodingOptions, _ properties: ImageProperties, _ format: ImageFormat) {
        let isHDR = properties.isHighDynamicRange
        options.preservesHDR = hdr == .keep && format.storesHDR(properties.light)
        options.renderingIntent = intent ?? .perceptual
        switch profile {
        case .source: options.appliesColorProfile = !properties.keepsColors(in: format) || (isHDR && hdr == .map)
        case .target(let target): options.targetProfile = target
        case .srgb, nil: break
        }
    }
}

/// The treatment of high dynamic range.
enum HDRArgument: String, ExpressibleByArgument, CaseIterable {
    case keep
    case map
}

extension ColorProfile.RenderingIntent: ExpressibleByArgument {}

/// The colors of written images.
enum ProfileArgument: Equatable {
    case srgb
    case source
    case target(ColorProfile)

    /// - Throws: a usage error if the word is neither a name nor an ICC file.
    init(_ text: String) throws {
        let named: ColorProfile?
        switch text.lowercased() {
        case "srgb":
            self = .srgb
            return
        case "source":
            self = .source
            return
        case "p3": named = .displayP3
        case "adobe": named = .adobeRGB
        default:
            guard let data = try? LocalFileSystem().read(text, first: 16 << 20) else {
                throw ValidationError("--profile takes srgb, p3, adobe, source, or an ICC file; \(text) is none.")
            }
            named = ColorProfile(icc: data)
        }
        guard let named, named.isRGB else { throw ValidationError("\(text) is not an ICC profile of RGB colors.") }
        self = .target(named)
    }
}
