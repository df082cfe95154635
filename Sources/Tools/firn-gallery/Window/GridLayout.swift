#if GTK
import FirnSync

/// The positions of a grid's cells. With headings, each heading has a row of its own before the rows of its images, and
/// a row may end with empty cells.
///
/// GTK's grid has no headings before 4.12. Its rows may differ in height, so a heading is a row of low cells.
struct GridLayout {
    /// The contents of a cell.
    enum Slot: Equatable {
        case image(Int)
        /// The first cell of the row of a heading.
        case heading(month: Int)
        /// A cell without an image: the rest of a heading's row or of a month's last row.
        case empty(isHeading: Bool)
    }

    let columns: Int
    private let sections: [MonthSection]
    /// The position of each section's heading and its first image; last the ends of both.
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

    var hasHeadings: Bool { !sections.isEmpty }

    /// The number of cells.
    var count: Int { starts.last?.position ?? 0 }

    /// Returns the content of a cell.
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

    /// Returns the image that a step sideways or by rows leads to. Keeps the column as far as the row has it.
    func step(from image: Int, columns step: Int = 0, rows: Int = 0) -> Int {
        let most = max(0, (starts.last?.image ?? 0) - 1)
        guard rows != 0 else { return min(max(image + step, 0), most) }
        let from = position(of: image)
        var row = from / columns
        for _ in 0..<abs(rows) {
            // Skips the row of a heading.
            let next = [1, 2].map { row + $0 * rows.signum() }.first { self.image($0 * columns) != nil }
            guard let next else { break }
            row = next
        }
        let first = row * columns
        return (first...first + from % columns).reversed().lazy.compactMap { self.image($0) }.first ?? image
    }

    /// Returns the row at an offset of the list, with its fraction above the offset.
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

    /// Returns the last section that satisfies `precedes`; the first if none does.
    private func section(_ precedes: (Int) -> Bool) -> Int {
        (1..<max(1, sections.count)).firstPlace { !precedes($0) } - 1
    }
}
#endif
