import FoundationEssentials

/// One list of fields of a TIFF file.
struct ExifDirectory {
    /// A TIFF file's bytes, in whichever order it has its numbers.
    struct Bytes {
        let bytes: [UInt8]
        let isBigEndian: Bool

        /// `nil` if it does not begin like a TIFF file.
        init?(_ data: Data) {
            bytes = [UInt8](data)
            switch bytes.prefix(4) {
            case [0x49, 0x49, 0x2A, 0]: isBigEndian = false
            case [0x4D, 0x4D, 0, 0x2A]: isBigEndian = true
            default: return nil
            }
        }

        /// A number of up to four bytes; 0 where there are none.
        func number(at offset: Int, length: Int) -> Int {
            guard offset >= 0, offset <= bytes.count - length else { return 0 }
            let part = bytes[offset..<offset + length]
            return isBigEndian
                ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
        }
    }

    /// A field: how its values are stored, how many there are, and where.
    private struct Entry {
        let type: Int
        let count: Int
        let offset: Int
    }

    private let tiff: Bytes
    private var entries: [Int: Entry] = [:]

    /// A directory has no more fields than this, and a field no more values.
    private static let most = 1_000

    /// `nil` if there is none at the offset.
    init?(_ tiff: Bytes, at offset: Int) {
        guard offset >= 8, offset <= tiff.bytes.count - 2 else { return nil }
        self.tiff = tiff
        let count = min(tiff.number(at: offset, length: 2), ExifDirectory.most)
        for number in 0..<count {
            let at = offset + 2 + 12 * number
            guard at + 12 <= tiff.bytes.count else { return }
            let type = tiff.number(at: at + 2, length: 2)
            let values = tiff.number(at: at + 4, length: 4)
            guard let size = ExifDirectory.sizes[type], values > 0, values <= tiff.bytes.count else { continue }
            // Up to four bytes stand in the entry itself.
            let place = values * size <= 4 ? at + 8 : tiff.number(at: at + 8, length: 4)
            guard place <= tiff.bytes.count - values * size else { continue }
            entries[tiff.number(at: at, length: 2)] = Entry(type: type, count: values, offset: place)
        }
    }

    /// Bytes of a value: text, 16 and 32 bits, fractions of two of these.
    private static let sizes = [2: 1, 3: 2, 4: 4, 5: 8]

    /// A text without what fills it up; `nil` for none.
    func text(_ tag: Int) -> String? {
        guard let entry = entries[tag], entry.type == 2 else { return nil }
        let bytes = tiff.bytes[entry.offset..<entry.offset + entry.count].prefix { $0 != 0 }.prefix(ExifDirectory.most)
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.map {
            $0.value < 0x20 || $0.value == 0x7F ? " " : $0
        }
        return String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
    }

    /// A whole number; `nil` for none.
    func number(_ tag: Int) -> Int? {
        guard let entry = entries[tag], entry.type == 3 || entry.type == 4 else { return nil }
        return tiff.number(at: entry.offset, length: entry.type == 3 ? 2 : 4)
    }

    /// A fraction; `nil` for none.
    func ratio(_ tag: Int) -> Double? { ratios(tag).first }

    /// Fractions; those with nothing below the line end the list.
    func ratios(_ tag: Int) -> [Double] {
        guard let entry = entries[tag], entry.type == 5 else { return [] }
        var values: [Double] = []
        for number in 0..<min(entry.count, ExifDirectory.most) {
            let above = tiff.number(at: entry.offset + 8 * number, length: 4)
            let below = tiff.number(at: entry.offset + 8 * number + 4, length: 4)
            guard below > 0 else { break }
            values.append(Double(above) / Double(below))
        }
        return values
    }
}
