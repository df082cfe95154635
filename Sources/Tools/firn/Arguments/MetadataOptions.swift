/// The options for the metadata of written images.
struct MetadataOptions: ParsableArguments {
    @Option(
        name: [.customLong("keep"), .customLong("metadata")],
        help: ArgumentHelp(
            """
            Metadata to write: none, profile, copyright (profile, creator and rights), or exif (profile and EXIF \
            data). Default: profile, or exif with --strip gps or serials.
            """,
            valueName: "what"))
    var keep: MetadataArgument?

    @Option(
        help: ArgumentHelp(
            """
            Keep EXIF data without these parts: gps (the place), serials (owner, serial numbers, maker notes), or both \
            with a comma. 'all', also without a value, keeps none. The stored pixels of jpeg, png and webp are copied \
            if nothing else changes.
            """,
            valueName: "parts"),
        completion: .list(EXIFPart.allCases.map(\.rawValue) + [StrippedMetadata.nameOfAll]),
        transform: StrippedMetadata.init)
    var strip: StrippedMetadata?

    var policy: MetadataArgument { keep ?? strip?.policy ?? .profile }

    func validate() throws {
        if let strip, policy != strip.policy {
            throw ValidationError("--strip and --keep \(policy.rawValue) contradict each other.")
        }
    }

    /// - Throws: a usage error for metadata that the format does not support.
    func check(for format: OutputFormat) throws {
        if [.exif, .copyright].contains(policy), !format.storesEXIF {
            throw ValidationError("\(format.rawValue.uppercased()) files are written without EXIF data.")
        }
    }

    /// The losses that the options request; empty without them.
    var unwanted: Set<ConversionLoss> {
        guard keep != nil || strip != nil else { return [] }
        switch policy {
        case .none: return [.profile, .exif, .xmp, .iptc, .texts, .resolution]
        case .profile, .copyright: return [.exif, .xmp, .iptc, .texts]
        case .exif: return strip?.parts?.isEmpty == false ? [.exif] : []
        }
    }

    func metadata(of properties: ImageProperties) -> EncodingMetadata {
        switch policy {
        case .none: return EncodingMetadata(keepsColorProfile: false)
        case .profile: return EncodingMetadata()
        case .copyright: return EncodingMetadata(exif: CopyrightNotice(properties)?.exif)
        case .exif:
            return EncodingMetadata(exif: properties.exif.flatMap { EXIFPart.removing(strip?.parts ?? [], from: $0) })
        }
    }
}

/// The metadata that `--strip` removes. The color profile always stays.
struct StrippedMetadata {
    static let nameOfAll = "all"

    /// The removed parts of EXIF data; `nil` for all.
    let parts: Set<EXIFPart>?

    var policy: MetadataArgument { parts == nil ? .profile : .exif }

    init(_ text: String) throws {
        guard text.lowercased() != StrippedMetadata.nameOfAll else {
            self.parts = nil
            return
        }
        let words = text.lowercased().split(separator: ",", omittingEmptySubsequences: false)
        let parts = words.compactMap { EXIFPart(rawValue: String($0)) }
        guard parts.count == words.count else {
            let names = EXIFPart.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--strip takes \(names), separated by commas, or \(StrippedMetadata.nameOfAll).")
        }
        self.parts = Set(parts)
    }
}

/// The metadata that are copied from a file.
enum MetadataArgument: String, ExpressibleByArgument, CaseIterable {
    case none
    case profile
    case copyright
    case exif
}
