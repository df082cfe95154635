/// The options for the metadata of written images.
struct MetadataOptions: ParsableArguments {
    @Option(
        name: [.customLong("keep"), .customLong("metadata")],
        help: ArgumentHelp(
            """
            Metadata to write: none, profile (the default), copyright (profile, creator and rights), all (also EXIF \
            data, XMP and IPTC records), or all-but-place. With profile, all and all-but-place, the stored pixels of a \
            file that keeps its format are copied if nothing else changes.
            """,
            valueName: "what"))
    var keep: EncodingMetadata.Policy?

    var policy: EncodingMetadata.Policy { keep ?? .profile }

    /// - Throws: a usage error for metadata that the format does not support.
    func check(for format: OutputFormat) throws {
        if ![.none, .profile].contains(policy), !format.storesEXIF {
            throw ValidationError("\(format.rawValue.uppercased()) files are written without EXIF data.")
        }
    }

    /// The losses that the options request; empty without them.
    var unwanted: Set<ConversionLoss> {
        switch keep {
        case .some(.none): [.profile, .exif, .xmp, .iptc, .texts, .resolution]
        case .profile, .copyright: [.exif, .xmp, .iptc, .texts]
        case .allButPlace: [.exif]
        case .all, nil: []
        }
    }
}
