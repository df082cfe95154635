import ArgumentParser
import Firn

/// The options for the metadata of written images.
struct MetadataOptions: ParsableArguments {
    @Option(
        name: [.customLong("keep"), .customLong("metadata")],
        help: ArgumentHelp(
            """
            Metadata to write: none, profile, copyright (profile, creator and rights), or exif (profile and EXIF \
            data). Default: profile; with --strip exif.
            """,
            valueName: "what"))
    var kept: MetadataArgument?

    @Option(
        help: ArgumentHelp(
            """
            Keep EXIF data without these parts: gps (the place), serials (owner, serial numbers, maker notes), or both \
            with a comma.
            """,
            valueName: "parts"),
        completion: .list(EXIFPart.allCases.map(\.rawValue)),
        transform: MetadataOptions.parts)
    var strip: Set<EXIFPart>?

    @Flag(name: .customLong("keep-profile"), help: "Leave colors as they are stored and keep their profile.")
    var keepProfile = false

    /// The metadata to write.
    var policy: MetadataArgument { kept ?? (strip == nil ? .profile : .exif) }

    func validate() throws {
        if keepProfile, policy == .none {
            throw ValidationError("--keep-profile and --keep none contradict each other.")
        }
        if strip != nil, policy != .exif {
            throw ValidationError("--strip and --keep \(policy.rawValue) contradict each other.")
        }
    }

    /// - Throws: a usage error for metadata that a format does not hold.
    func check(for format: OutputFormat) throws {
        if [.exif, .copyright].contains(policy), !format.storesEXIF {
            throw ValidationError("\(format.rawValue.uppercased()) files are written without EXIF data.")
        }
    }

    /// Returns the metadata for an image of a file.
    func metadata(of file: ImageFile) -> EncodingMetadata {
        let properties = file.properties
        switch policy {
        case .none: return EncodingMetadata(keepsColorProfile: false)
        case .profile: return EncodingMetadata()
        case .copyright: return EncodingMetadata(exif: CopyrightNotice(properties) { file.head }?.exif)
        case .exif:
            return EncodingMetadata(exif: properties.exif.flatMap { EXIFPart.removing(strip ?? [], from: $0) })
        }
    }

    private static func parts(_ text: String) throws -> Set<EXIFPart> {
        let parts = text.lowercased().split(separator: ",", omittingEmptySubsequences: false).map {
            EXIFPart(rawValue: String($0))
        }
        guard parts.allSatisfy({ $0 != nil }) else {
            let names = EXIFPart.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--strip takes \(names), separated by commas.")
        }
        return Set(parts.compactMap(\.self))
    }
}

/// The metadata that is copied from a file.
enum MetadataArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case profile
    case copyright
    case exif
}
