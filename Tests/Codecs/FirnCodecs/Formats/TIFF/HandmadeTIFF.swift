import FoundationEssentials

/// Writes TIFF files without compression, from strips or tiles in bytes.
struct HandmadeTIFF {
    /// One directory: its entries and its strips or tiles.
    struct Page {
        var width: Int
        var height: Int
        /// 1: gray, 0 is black; 0: gray, 0 is white; 2: RGB; 3: palette; 5: inks.
        var photometric = 1
        /// Bits of each sample.
        var bits: [Int] = [8]
        /// Strips or tiles, in file order.
        var pieces: [[UInt8]]
        /// Rows of a strip; all of them if `nil`.
        var rowsPerStrip: Int?
        /// Width and height of a tile; `nil` for strips.
        var tile: (width: Int, height: Int)?
        /// Further entries of type SHORT.
        var more: [(tag: Int, values: [Int])] = []
        /// Further entries of type RATIONAL.
        var fractions: [(tag: Int, above: Int, below: Int)] = []
        /// Further entries of type ASCII.
        var texts: [(tag: Int, text: String)] = []
        /// A color profile.
        var profile: Data?
    }

    var pages: [Page]
    var isBigEndian = false
    /// The index of the page that the last one links to; `nil` if the chain ends.
    var next: Int?

    /// Creates a file with one page.
    init(_ page: Page, isBigEndian: Bool = false) {
        pages = [page]
        self.isBigEndian = isBigEndian
    }

    /// Creates a file with several pages.
    init(pages: [Page], next: Int? = nil) {
        self.pages = pages
        self.next = next
    }

    var data: Data {
        var bytes: [UInt8] = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(0, 4)
        var pointer = 4
        var directories: [Int] = []
        for page in pages {
            let (directory, link) = append(page, to: &bytes)
            bytes.replaceSubrange(pointer..<pointer + 4, with: number(directory, 4))
            directories.append(directory)
            pointer = link
        }
        if let next { bytes.replaceSubrange(pointer..<pointer + 4, with: number(directories[next], 4)) }
        return Data(bytes)
    }

    /// Appends a page; returns the position of its directory and of the link to the next one.
    private func append(_ page: Page, to bytes: inout [UInt8]) -> (directory: Int, link: Int) {
        var offsets: [Int] = []
        for piece in page.pieces {
            offsets.append(bytes.count)
            bytes += piece
            if bytes.count % 2 == 1 { bytes.append(0) }
        }
        let counts = page.pieces.map(\.count)
        var entries: [(tag: Int, type: Int, values: [Int])] = [
            (256, 4, [page.width]), (257, 4, [page.height]), (258, 3, page.bits), (259, 3, [1]),
            (262, 3, [page.photometric]), (277, 3, [page.bits.count]),
        ]
        if let tile = page.tile {
            entries += [(322, 4, [tile.width]), (323, 4, [tile.height]), (324, 4, offsets), (325, 4, counts)]
        } else {
            entries += [(273, 4, offsets), (278, 4, [page.rowsPerStrip ?? page.height]), (279, 4, counts)]
        }
        entries += page.more.map { ($0.tag, 3, $0.values) }
        entries += page.fractions.map { ($0.tag, 5, [$0.above, $0.below]) }
        entries += page.texts.map { ($0.tag, 2, $0.text.utf8.map { Int($0) } + [0]) }
        if let profile = page.profile { entries.append((34_675, 7, profile.map { Int($0) })) }
        entries.sort { $0.tag < $1.tag }
        var written: [[UInt8]] = []
        for entry in entries {
            let size = entry.type == 3 ? 2 : entry.type == 7 || entry.type == 2 ? 1 : 4
            let count = entry.type == 5 ? 1 : entry.values.count
            var value = entry.values.flatMap { number($0, size) }
            if value.count > 4 {
                let offset = bytes.count
                bytes += value
                value = number(offset, 4)
            }
            value += [UInt8](repeating: 0, count: 4 - value.count)
            written.append(number(entry.tag, 2) + number(entry.type, 2) + number(count, 4) + value)
        }
        if bytes.count % 2 == 1 { bytes.append(0) }
        let directory = bytes.count
        bytes += number(entries.count, 2) + written.flatMap { $0 }
        let link = bytes.count
        bytes += number(0, 4)
        return (directory, link)
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        let little = (0..<size).map { UInt8(value >> ($0 * 8) & 255) }
        return isBigEndian ? little.reversed() : little
    }
}
