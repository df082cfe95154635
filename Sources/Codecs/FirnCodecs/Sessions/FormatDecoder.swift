import CFirnCodecs
package import FoundationEssentials

/// A decoder of the files of one format: `FormatDecoder.png`.
package struct FormatDecoder: ImageDecoding {
    /// The formats that ``/FirnImage/ImageFormat/init(_:)`` finds in such files; usually one.
    package let formats: [ImageFormat]
    /// The isolation of files; `nil` for the standard isolation.
    package var isolation: DecoderIsolation?
    /// The origin of the files.
    private var origin = ImageOrigin.program
    /// The C library that the reader needs.
    let library: firn_codec?
    private let makeReader: @Sendable (ImageLimits, DecoderHost) -> any FormatReader

    /// Creates a decoder.
    ///
    /// - Parameter codec: a library that the reader needs; builds may leave out those behind a package trait.
    init(
        _ formats: ImageFormat..., library codec: firn_codec? = nil,
        reader: @escaping @Sendable (ImageLimits, DecoderHost) -> any FormatReader
    ) {
        self.formats = formats
        library = codec
        makeReader = reader
    }

    /// Creates a decoder that reads the whole file with a library.
    init(_ format: ImageFormat, library codec: firn_codec, access: LibraryReader.Access) {
        self.init(format, library: codec) { limits, host in
            LibraryReader(codec, format: format, access: access, limits: limits, host: host)
        }
    }

    /// Returns the format for content that starts like a file of it, otherwise `nil`.
    package func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat(head).flatMap { formats.contains($0) ? $0 : nil }
    }

    /// Starts decoding one file. If its library is neither in this program nor in the decoder program, the session
    /// throws an error that names the package trait.
    package func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        let host = DecoderHost(isolation, from: origin, DecodingWatch(cancellation))
        return FormatSession(makeReader(limits, host), limits: limits, host: host, failure: missingLibrary(host))
    }

    /// Returns the error of a format whose library is not in this build; `nil` if it is, or is not needed.
    private func missingLibrary(_ host: DecoderHost) -> ImageError? {
        guard let library, !firn_codec_is_built_in(library), !host.isolates(library), let format = formats.first
        else { return nil }
        let trait = KnownFormat.of(format)?.trait ?? ""
        return ImageError(
            .unsupported, at: .decoding, "left out of this build; enable the package trait \(trait)", format: format)
    }
}

extension FormatDecoder: OriginAwareDecoding {
    package func decoder(for origin: ImageOrigin) -> any ImageDecoding {
        var decoder = self
        decoder.origin = origin
        return decoder
    }

    package func isolationProblem(for origin: ImageOrigin) -> String? {
        let isolation = isolation ?? .standard
        guard !isolation.isRequired, formats.contains(where: { isolation.wants($0, from: origin) }),
            WorkerProgram.path(isolation) == nil
        else { return nil }
        return WorkerProgram.problem
    }
}
