import FirnSync

/// How often a process that decodes for this one ended in the middle of an image.
package enum DecoderDeaths {
    private static let number = Locked(0)

    /// Those of all programs since the start of the process.
    package static var count: Int { number.withLock { $0 } }

    static func note() { number.withLock { $0 += 1 } }
}
