public import FirnImage
import FirnSync

extension DecoderIsolation {
    /// The isolation of all decoders that were not given one of their own. Default: ``automatic``.
    ///
    /// A change applies to files whose decode begins later.
    public static var standard: DecoderIsolation {
        get { standardValue.withLock { $0 } }
        set { standardValue.withLock { $0 = newValue } }
    }

    private static let standardValue = Locked<DecoderIsolation>(.automatic)

    /// A choice on a command line.
    package enum Name: String, CaseIterable, Sendable { case all, complex, none }

    /// Creates a choice of a command line.
    package init(_ name: Name) {
        switch name {
        case .all: self = .all
        case .complex: self = .complexFormats
        case .none: self = .none
        }
    }

    /// Checks that the isolation is possible: that `firn-decoder` is there if it is required.
    ///
    /// - Throws: ``/FirnImage/ImageDecodingError/Fault/unsupported`` if it is missing.
    public func check() throws(ImageDecodingError) {
        guard isRequired, !formats.isEmpty || !loadedFormats.isEmpty, WorkerProgram.path(self) == nil else { return }
        throw WorkerProgram.missing
    }

    /// Returns whether a format's decoder runs in another process.
    ///
    /// - Parameter origin: the origin of the file. Default: the program.
    package func isolates(_ format: ImageFormat, from origin: ImageOrigin = .program) -> Bool {
        wants(format, from: origin) && (isRequired || WorkerProgram.path(self) != nil)
    }

    /// Returns whether a format's decoder is to run in another process.
    func wants(_ format: ImageFormat, from origin: ImageOrigin) -> Bool {
        formats.contains(format) || (origin == .loader && loadedFormats.contains(format))
    }
}
