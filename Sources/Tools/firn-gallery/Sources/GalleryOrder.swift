#if GTK
import CGTK4
import Firn

/// The order in which images are shown.
enum GalleryOrder: String, CaseIterable {
    /// As they were found: the order of the arguments, of a list, or of a scripted scroll.
    case found
    case name
    /// The newest first, under a heading for each month.
    case date
    /// The largest first.
    case size

    /// Returns whether an image precedes another one.
    func precedes(_ a: GalleryImage, _ b: GalleryImage) -> Bool {
        switch self {
        case .found: false
        case .name: GalleryOrder.compare(a.name, b.name) < 0
        case .date: a.date != b.date ? a.date > b.date : GalleryOrder.compare(a.name, b.name) < 0
        case .size: a.size != b.size ? a.size > b.size : GalleryOrder.compare(a.name, b.name) < 0
        }
    }

    /// Compares names as people count: `2.jpg` precedes `10.jpg`, and letters of both cases are equal. Negative if `a`
    /// precedes `b`.
    static func compare(_ a: Substring, _ b: Substring) -> Int {
        var (a, b) = (a.utf8[...], b.utf8[...])
        while let x = a.first, let y = b.first {
            if isDigit(x), isDigit(y) {
                let (m, n) = (number(&a), number(&b))
                if m.count != n.count { return m.count - n.count }
                if let (p, q) = zip(m, n).first(where: { $0 != $1 }) { return Int(p) - Int(q) }
            } else {
                if lower(x) != lower(y) { return Int(lower(x)) - Int(lower(y)) }
                a = a.dropFirst()
                b = b.dropFirst()
            }
        }
        return (a.isEmpty ? 0 : 1) - (b.isEmpty ? 0 : 1)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    private static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// Takes the digits at the start, and returns them without leading zeros.
    private static func number(_ text: inout Substring.UTF8View.SubSequence) -> Substring.UTF8View.SubSequence {
        let digits = text.prefix(while: isDigit)
        text = text.dropFirst(digits.count)
        return digits.drop { $0 == 0x30 }
    }

    /// Returns the headings of images in this order, with the number of images under each; empty for no headings.
    func sections(_ months: some Sequence<Int>) -> [MonthSection] {
        guard self == .date else { return [] }
        var sections: [MonthSection] = []
        for month in months {
            if sections.last?.month == month {
                sections[sections.count - 1].count += 1
            } else {
                sections.append(MonthSection(month: month, count: 1))
            }
        }
        return sections
    }
}

/// The images of a month.
struct MonthSection: Equatable {
    /// Months since the year 0.
    let month: Int
    var count: Int
}
#endif
