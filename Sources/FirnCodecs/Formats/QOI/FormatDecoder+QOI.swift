import FirnImage

extension FormatDecoder {
    /// Decodes QOI, with and without alpha.
    ///
    /// - Source: QOI specification 1.0; Documentation/Formats/qoi.md.
    package static let qoi = FormatDecoder(.qoi) { limits, _ in QOIReader(limits: limits) }
}
