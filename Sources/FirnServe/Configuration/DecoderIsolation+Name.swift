package import FirnCodecs

extension DecoderIsolation {
    /// Chooses how images are decoded in this process.
    ///
    /// - Parameter name: of the isolation; `nil` for the strictest that is installed.
    package static func use(_ name: String?) throws(ConfigurationError) {
        if let isolation = name.flatMap({ DecoderIsolation.Name(rawValue: $0) }).map(DecoderIsolation.init) {
            do { try isolation.check() } catch { throw ConfigurationError("isolation: \(error)") }
            standard = isolation
        } else if (try? DecoderIsolation.all.check()) != nil {
            // Whatever is decoded here comes from outside.
            standard = .all
        }
    }
}
