/// The file name of an entry: a 128-bit hash of its key.
///
/// Keys with the same hash replace each other. They are never confused, since the file contains the full key.
package struct EntryID: Hashable, Sendable {
    static let fileExtension = ".firn"

    let high: UInt64
    let low: UInt64

    /// Creates the ID for a key.
    ///
    /// Source: Documentation/Formats/data-cache.md, "Names".
    init(key: String) {
        self.init(high: XXH64.hash(key, seed: 0), low: XXH64.hash(key, seed: 1))
    }

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads a file name; returns `nil` unless it has exactly the form of ``fileName``.
    init?(fileName: String) {
        let digits = fileName.utf8.dropLast(EntryID.fileExtension.utf8.count)
        guard digits.count == 32, let high = UInt64(String(decoding: digits.prefix(16), as: UTF8.self), radix: 16),
            let low = UInt64(String(decoding: digits.dropFirst(16), as: UTF8.self), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
        guard self.fileName == fileName else { return nil }
    }

    /// The name of the directory: the first digit.
    var shard: String { String(decoding: digits.prefix(1), as: UTF8.self) }

    /// The name of the file: 32 lower-case hexadecimal digits and the extension.
    var fileName: String { String(decoding: digits, as: UTF8.self) + EntryID.fileExtension }

    /// Returns the path of the file below `root`, which ends with a slash.
    func path(below root: [UInt8]) -> String {
        let digits = digits
        var path = root
        path.reserveCapacity(root.count + digits.count + 8)
        path.append(contentsOf: digits.prefix(1))
        path.append(UInt8(ascii: "/"))
        path.append(contentsOf: digits)
        path.append(contentsOf: EntryID.fileExtension.utf8)
        return String(decoding: path, as: UTF8.self)
    }

    private var digits: [UInt8] {
        (0..<32).map { place in
            let digit = UInt8(truncatingIfNeeded: (place < 16 ? high : low) >> UInt64(60 - place % 16 * 4) & 15)
            return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
        }
    }
}
