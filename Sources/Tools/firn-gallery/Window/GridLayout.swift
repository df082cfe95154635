#if GTK
import FirnSync

/// The positions of a grid's cells. Without headings they are those of the images; otherwise each section has a row for
/// its heading and rows of images that end with empty cells.
///
/// GTK's grid has no headings before 4.12. Its rows may have different heights, so a row of small cells serves as one.
struct GridLayout: Equatable {
    /// The contents of a cell.
    enum Slot: Equatable {
        case image(Int)
        /// The first cell of the row of a heading.
        case heading(month: Int)
        /// A cell without an image: the rest of the row of a heading, or of a month's last row.
        case empty(isHeading: Bool)
    }

    let columns: Int
    private let sections: [MonthSection]
    /// For each section the position of its heading and its first image; the end of all as the last element.
    private let starts: [(position: Int, image: Int)]

    /// - Parameter count: the number of images, if there are no sections.
    init(sections: [MonthSection] = [], count: Int, columns: Int) {
        self.columns = max(1, columns)
        self.sections = sections
        var (position, image) = (0, 0)
        var starts: [(position: Int, image: Int)] = []
        for section in sections {
            starts.append((position, image))
            position += (1 + (section.count + self.columns - 1) / self.columns) * self.columns
            image += section.count
        }
        starts.append(sections.isEmpty ? (count, count) : (position, image))
        self.starts = starts
    }

    static func == (a: GridLayout, b: GridLayout) -> Bool {
        a.columns == b.columns && a.sections == b.sections && a.count == b.count
    }

    var hasHeadings: Bool { !sections.isEmpty }

    /// The number of cells.
    var count: Int { starts.last?.position ?? 0 }

    /// Returns what a cell shows.
    func slot(_ position: Int) -> Slot {
        guard (0..<count).contains(position) else { return .empty(isHeading: false) }
        guard hasHeadings else { return .image(position) }
        let section = self.section { starts[$0].position <= position }
        let offset = position - starts[section].position
        if offset == 0 { return .heading(month: sections[section].month) }
        if offset < columns { return .empty(isHeading: true) }
        let place = offset - columns
        return place < sections[section].count ? .image(starts[section].image + place) : .empty(isHeading: false)
    }

    /// Returns the image of a cell; `nil` if it has none.
    func image(_ position: Int) -> Int? {
        if case .image(let image) = slot(position) { image } else { nil }
    }

    /// Returns the position of an image.
    func position(of image: Int) -> Int {
        guard hasHeadings else { return image }
        let section = self.section { starts[$0].image <= image }
        return starts[section].position + columns + image - starts[section].image
    }

    /// Returns the image a step away from another one, by columns or by rows. A step by rows keeps the column if the
    /// row has it.
    func step(from image: Int, columns step: Int = 0, rows: Int = 0) -> Int {
        let most = max(0, (starts.last?.image ?? 0) - 1)
        guard rows != 0 else { return min(max(image + step, 0), most) }
        let from = position(of: image)
        let column = from % columns
        var row = from / columns
        var left = abs(rows)
        while left > 0 {
            row += rows.signum()
            guard row >= 0, row * columns < count else { break }
            // Skips rows of headings.
            guard let first = self.image(row * columns) else { continue }
            left -= 1
            if left == 0 || !hasRow(beyond: row, rows.signum()) {
                var last = first
                while last - first < column, self.image(row * columns + last - first + 1) != nil { last += 1 }
                return last
            }
        }
        return image
    }

    /// Returns the fractional row at an offset of the list.
    func row(at offset: Double, heading: Double, image: Double) -> Double {
        guard heading > 0, image > 0 else { return 0 }
        func top(_ section: Int) -> Double {
            Double(section) * heading + Double(starts[section].position / columns - section) * image
        }
        let first = section { top($0) <= offset }
        let inside = offset - top(first)
        let rows = inside < heading ? inside / heading : 1 + (inside - heading) / image
        return Double(starts[first].position / columns) + rows
    }

    private func hasRow(beyond row: Int, _ direction: Int) -> Bool {
        let next = row + direction
        guard next >= 0, next * columns < count else { return false }
        return image(next * columns) != nil || hasRow(beyond: next, direction)
    }

    /// Returns the last section for which `precedes` is true; the first if there is none.
    private func section(_ precedes: (Int) -> Bool) -> Int {
        (1..<max(1, sections.count)).firstPlace { !precedes($0) } - 1
    }
}
#endif
