import FoundationEssentials

/// Writes raw files as cameras do: directories of any entries, directories below them, and the data that they refer to.
struct HandmadeCameraFile {
    /// The values of an entry.
    enum Value {
        case bytes([Int])
        case text(String)
        case shorts([Int])
        case longs([Int])
        /// The offset of these bytes.
        case offset([UInt8])
        /// The offsets of further directories.
        case directories([Directory])
    }

    struct Directory {
        var entries: [(tag: Int, value: Value)]

        init(_ entries: [(tag: Int, value: Value)]) { self.entries = entries }

        /// A directory whose image is one strip.
        static func strip(
            _ width: Int, _ height: Int, kind: Int?, compression: Int = 1, photometric: Int? = 2, samples: Int = 3,
            _ bytes: [UInt8], more: [(tag: Int, value: Value)] = []
        ) -> Directory {
            var entries: [(tag: Int, value: Value)] = [
                (256, .longs([width])), (257, .longs([height])), (258, .shorts([Int](repeating: 8, count: samples))),
                (259, .shorts([compression])), (273, .offset(bytes)), (277, .shorts([samples])),
                (278, .longs([height])), (279, .longs([bytes.count])),
            ]
            if let kind { entries.append((254, .longs([kind]))) }
            if let photometric { entries.append((262, .shorts([photometric]))) }
            if compression == 7, photometric == 6 { entries.append((530, .shorts([1, 1]))) }
            return Directory(entries + more)
        }

        /// A directory that refers to a JPEG file by its own entries.
        static func jpeg(_ bytes: [UInt8], kind: Int?, more: [(tag: Int, value: Value)] = []) -> Directory {
            var entries: [(tag: Int, value: Value)] = [
                (259, .shorts([6])), (513, .offset(bytes)), (514, .longs([bytes.count])),
            ]
            if let kind { entries.append((254, .longs([kind]))) }
            return Directory(entries + more)
        }
    }

    var chain: [Directory]
    var isBigEndian = false
    /// True if it is a BigTIFF file.
    var isLong = false
    /// The bytes behind the header, as in CR2.
    var mark: [UInt8] = []

    private var offsetSize: Int { isLong ? 8 : 4 }

    var data: Data {
        var bytes: [UInt8] = Array((isBigEndian ? "MM" : "II").utf8) + number(isLong ? 43 : 42, 2)
        if isLong { bytes += number(8, 2) + number(0, 2) }
        let pointer = bytes.count
        bytes += number(0, offsetSize) + mark
        append(chain, pointer: pointer, to: &bytes)
        return Data(bytes)
    }

    private func append(_ chain: [Directory], pointer: Int, to bytes: inout [UInt8]) {
        var pointer = pointer
        for directory in chain {
            let (offset, link) = append(directory, to: &bytes)
            bytes.replaceSubrange(pointer..<pointer + offsetSize, with: number(offset, offsetSize))
            pointer = link
        }
    }

    /// Appends a directory; returns the position of it and of the link to the next one.
    private func append(_ directory: Directory, to bytes: inout [UInt8]) -> (offset: Int, link: Int) {
        var written: [[UInt8]] = []
        for (tag, value) in directory.entries.sorted(by: { $0.tag < $1.tag }) {
            let type: Int
            let size: Int
            var numbers: [Int]
            switch value {
            case .bytes(let values): (type, size, numbers) = (1, 1, values)
            case .text(let text): (type, size, numbers) = (2, 1, text.utf8.map { Int($0) } + [0])
            case .shorts(let values): (type, size, numbers) = (3, 2, values)
            case .longs(let values): (type, size, numbers) = (4, 4, values)
            case .offset(let content):
                (type, size, numbers) = (isLong ? 16 : 4, offsetSize, [place(content, in: &bytes)])
            case .directories(let below):
                (type, size) = (isLong ? 18 : 4, offsetSize)
                numbers = below.map { append($0, to: &bytes).offset }
            }
            var content = numbers.flatMap { number($0, size) }
            if content.count > offsetSize { content = number(place(content, in: &bytes), offsetSize) }
            content += [UInt8](repeating: 0, count: offsetSize - content.count)
            written.append(number(tag, 2) + number(type, 2) + number(numbers.count, offsetSize) + content)
        }
        if bytes.count % 2 == 1 { bytes.append(0) }
        let offset = bytes.count
        bytes += number(written.count, isLong ? 8 : 2) + written.flatMap { $0 }
        let link = bytes.count
        bytes += number(0, offsetSize)
        return (offset, link)
    }

    /// Appends bytes at an even offset, which it returns.
    private func place(_ content: [UInt8], in bytes: inout [UInt8]) -> Int {
        if bytes.count % 2 == 1 { bytes.append(0) }
        defer { bytes += content }
        return bytes.count
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return isBigEndian ? little.reversed() : little
    }
}
