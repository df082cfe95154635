import FirnData

/// Adding and removing of fields. Nothing else moves, because maker notes hold undocumented offsets: a directory that
/// gets fields is copied to the end. The same serves a whole TIFF file.
///
/// - Source: EXIF 2.32 §4.5, §4.6.3; TIFF 6.0 §2.
extension EXIFDirectories {
    /// A directory, and the tag of its offset in the first one.
    enum Place: Int, CaseIterable {
        case main = 0
        case details = 0x8769
        case gps = 0x8825
    }

    /// A value to write.
    enum NewValue {
        case text(String)
        case bytes([UInt8])
        /// Numbers in millionths, for fractions.
        case fractions([Int])
        /// A directory's offset.
        case long(Int)
        /// A value whose bytes are in the data's order already.
        case field(EXIFField)
    }

    private static let longest = 0xFFFF_0000

    func offset(of place: Place) -> Int? { place == .main ? first : value(place.rawValue, in: first) }

    private func field(_ tag: Int, _ value: NewValue) -> EXIFField {
        switch value {
        case .text(let text):
            let bytes = Array(text.utf8) + [0]
            return EXIFField(tag: tag, type: TIFFKind.text, count: bytes.count, bytes: bytes)
        case .bytes(let bytes): return EXIFField(tag: tag, type: 1, count: bytes.count, bytes: bytes)
        case .long(let number): return EXIFField(tag: tag, type: TIFFKind.long, count: 1, bytes: encoded(number, 4))
        case .field(let field): return field
        case .fractions(let numbers):
            let pairs = numbers.flatMap { number in
                let unit = [1_000_000, 1_000].first { number % $0 == 0 } ?? 1
                return [number / unit, 1_000_000 / unit]
            }
            let bytes = pairs.flatMap { encoded($0, 4) }
            return EXIFField(tag: tag, type: TIFFKind.fraction, count: numbers.count, bytes: bytes)
        }
    }

    /// Removes fields of a directory, with their values, and adds others. A missing directory is made.
    ///
    /// - Returns: false if the directory is damaged, or the data become too long. The data are then useless.
    mutating func edit(_ place: Place, removing tags: Set<Int>, adding values: [Int: NewValue]) -> Bool {
        guard bytes.count < Self.longest, isWhole(first) else { return false }
        let old = offset(of: place)
        guard old == nil || isWhole(old) else { return false }
        var fields = values.map { field($0.key, $0.value) }.sorted { $0.tag < $1.tag }
        fields.removeAll { overwrite($0, in: old) }
        let kept = values.keys.filter { tag in !fields.contains { $0.tag == tag } }
        remove(tags.union(values.keys).subtracting(kept), from: old)
        guard !fields.isEmpty else { return true }
        if bytes.count % 2 == 1 { bytes.append(0) }
        let new = bytes.count
        var rows = entries(old).map { ($0.tag, Array(bytes[$0.offset..<$0.offset + 12])) }
        let next = old.flatMap(link).map { Array(bytes[$0..<$0 + 4]) } ?? [0, 0, 0, 0]
        let start = new + 2 + 12 * (rows.count + fields.count) + 4
        let (added, longer) = EXIFField.table(fields, valuesAt: start, isBig: isBig)
        rows += added
        guard rows.count <= 0xFFF, start + longer.count < Self.longest else { return false }
        bytes += encoded(rows.count, 2) + rows.sorted { $0.0 < $1.0 }.flatMap(\.1) + next + longer
        if let old, let link = link(behind: old) {
            bytes.replaceSubrange(old..<link + 4, with: [UInt8](repeating: 0, count: link + 4 - old))
        }
        if place == .main {
            put(new, at: 4, 4)
            return true
        }
        return edit(.main, removing: [], adding: [place.rawValue: .long(new)])
    }

    /// Replaces a value in its place; returns false if it does not fit.
    private mutating func overwrite(_ field: EXIFField, in directory: Int?) -> Bool {
        let old = entries(directory).filter { $0.tag == field.tag }
        guard old.count == 1, let entry = old.first, let range = values(of: entry)?.range,
            number(entry.offset + 2, 2) == field.type, range.count >= field.bytes.count,
            (range.count > 4) == (field.bytes.count > 4)
        else { return false }
        let rest = [UInt8](repeating: 0, count: range.count - field.bytes.count)
        bytes.replaceSubrange(range, with: field.bytes + rest)
        put(field.count, at: entry.offset + 4, 4)
        return true
    }

    /// Returns the fields of a directory for a file of another order of bytes.
    func fields(of place: Place, isBig other: Bool, where isWanted: (Int) -> Bool) -> [Int: NewValue] {
        var fields: [Int: NewValue] = [:]
        for entry in entries(offset(of: place)) where isWanted(entry.tag) {
            guard let (kind, range) = values(of: entry), let length = TIFFKind.lengths[kind] else { continue }
            // A fraction has two numbers.
            let size = [5, 10].contains(kind) ? 4 : length
            let value = Array(bytes[range])
            let swapped = stride(from: 0, to: value.count, by: size).flatMap { value[$0..<$0 + size].reversed() }
            fields[entry.tag] = .field(
                EXIFField(
                    tag: entry.tag, type: kind, count: value.count / length,
                    bytes: other == isBig ? value : swapped))
        }
        return fields
    }
}

extension IPTCRecords {
    /// The most bytes of the texts of some records.
    private static let longest: [UInt8: Int] = [5: 64, 25: 64, 80: 32, 116: 128, 120: 2_000]
    /// The records that are not text: the version, a drawn caption, previews.
    private static let binary: Set<UInt8> = [0, 125, 200, 201, 202]
    /// The name of UTF-8 in record 1:90.
    private static let utf8: [UInt8] = [0x1B, 0x25, 0x47]

    /// Returns a block with other texts of some records of application 2. All texts become UTF-8. Longer texts than the
    /// records allow are cut.
    ///
    /// - Returns: `nil` if the block is damaged.
    static func edited(_ block: Data, _ texts: [UInt8: [String]]) -> Data? {
        let bytes = [UInt8](block)
        var records: [(Int, [UInt8])] = [(1, record(1, 90, utf8))]
        let end = forEachRecord(bytes) { application, number, value in
            if application == 1 && number == 90 || application == 2 && texts[number] != nil { return }
            let isText = application == 2 && !binary.contains(number)
            let value = isText ? Array(String(ofMetadata: value).utf8) : Array(value)
            records.append((Int(application), record(application, number, value)))
        }
        // Zeros fill the block in some files.
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
        for (number, values) in texts.sorted(by: { $0.key < $1.key }) {
            for text in values {
                var text = text
                while text.utf8.count > longest[number] ?? 2_000 { text.unicodeScalars.removeLast() }
                records.append((2, record(2, number, Array(text.utf8))))
            }
        }
        let all = (0...255).flatMap { application in records.filter { $0.0 == application }.flatMap(\.1) }
        return Data(all)
    }

    private static func record(_ application: UInt8, _ number: UInt8, _ value: [UInt8]) -> [UInt8] {
        let value = value.prefix(0x7FFF)
        return [0x1C, application, number] + value.count.bigEndianBytes(2) + value
    }

    /// Returns the resources of Photoshop with another block of records and its digest; `nil` if they are damaged.
    ///
    /// - Parameters:
    ///   - resources: with the name of the segment or without.
    ///   - block: `nil` for none.
    static func resources(_ resources: Data, with block: Data?) -> Data? {
        let bytes = [UInt8](resources)
        let (all, end) = self.resources(bytes)
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { return nil }
        let kept = all.filter { ![0x0404, 0x0425].contains($0.number) }.flatMap { bytes[$0.whole] }
        func resource(_ number: Int, _ content: [UInt8]) -> [UInt8] {
            Array("8BIM".utf8) + number.bigEndianBytes(2) + [0, 0] + content.count.bigEndianBytes(4) + content
                + [UInt8](repeating: 0, count: content.count % 2)
        }
        guard let block else { return Data(kept) }
        let digits = MD5.hexadecimal(of: [UInt8](block)).utf8.compactMap { PercentEncoding.hexadecimalValue($0) }
        let digest = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return Data(kept + resource(0x0404, [UInt8](block)) + resource(0x0425, digest))
    }
}
