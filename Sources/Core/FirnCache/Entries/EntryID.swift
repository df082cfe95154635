import FirnData

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
    var shard: String {
        String(unsafeUninitializedCapacity: 1) { EntryID.write(high, digits: 1, to: $0, at: 0) }
    }

    /// The name of the file: 32 lower-case hexadecimal digits and the extension.
    var fileName: String {
        String(unsafeUninitializedCapacity: 32) { writeDigits(to: $0, at: 0) } + EntryID.fileExtension
    }

    /// Returns the path of the file below `root`, which ends with a slash.
    func path(below root: [UInt8]) -> String {
        let ending = StaticString(".firn")
        return String(unsafeUninitializedCapacity: root.count + 34 + ending.utf8CodeUnitCount) { bytes in
            var end = root.withUnsafeBufferPointer { root in
                bytes.update(fromContentsOf: root)
            }
            end = EntryID.write(high, digits: 1, to: bytes, at: end)
            bytes[end] = UInt8(ascii: "/")
            end = writeDigits(to: bytes, at: end + 1)
            for place in 0..<ending.utf8CodeUnitCount { bytes[end + place] = ending.utf8Start[place] }
            return end + ending.utf8CodeUnitCount
        }
    }

    private func writeDigits(to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int) -> Int {
        let middle = EntryID.write(high, digits: 16, to: bytes, at: start)
        return EntryID.write(low, digits: 16, to: bytes, at: middle)
    }

    /// Writes the leading digits of a number and returns the end position.
    @inline(__always)
    private static func write(
        _ number: UInt64, digits: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Int {
        var rest = number
        for place in start..<(start + digits) {
            let digit = UInt8(truncatingIfNeeded: rest &>> 60)
            bytes[place] = digit < 10 ? 48 + digit : 87 + digit
            rest &<<= 4
        }
        return start + digits
    }
}
