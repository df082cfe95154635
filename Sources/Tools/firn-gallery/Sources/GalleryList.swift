#if GTK
import Firn
import FirnSync

/// The images of the gallery in their order: all, or those whose names match the search. A place is the index of an
/// image in that order.
@MainActor
final class GalleryList {
    /// In the order in which they were found.
    private(set) var all: [GalleryImage]
    private(set) var order = GalleryOrder.found
    /// True if the last image of ``order`` is the first.
    private(set) var isReversed = false
    /// Indices in `all` of the shown images, in order; `nil` for all in the order found.
    private var shown: [Int32]?
    /// The search text in lower case; empty for no search.
    private(set) var query = ""
    /// The headings and the numbers of images under them; empty for no headings.
    private(set) var sections: [MonthSection] = []
    /// Recent requests by place, because a cell is bound several times while it scrolls by.
    private var requests: [Int: ImageRequest] = [:]

    /// Changes with each search, sort and removal, so that outdated results are ignored.
    private var generation = 0
    /// Changes when `all` has other indices.
    private(set) var numbering = 0

    /// Called after a removal with the new index of each former one; `nil` for removed images.
    var onRemoval: (([Int32?]) -> Void)?

    private static let maximumRequests = 4_096

    init(_ images: [GalleryImage]) { all = images }

    /// The number of shown images.
    var count: Int { shown?.count ?? all.count }

    var indices: Range<Int> { 0..<count }

    /// The image at a place.
    subscript(_ place: Int) -> GalleryImage { all[index(place)] }

    /// The index in `all` of the image at a place.
    func index(_ place: Int) -> Int { shown.map { Int($0[place]) } ?? place }

    /// Returns the request at a place; `nil` if there is no image.
    func request(_ place: Int) -> ImageRequest? {
        if let request = requests[place] { return request }
        guard indices.contains(place), let request = self[place].request else { return nil }
        if requests.count >= GalleryList.maximumRequests { requests = [:] }
        requests[place] = request
        return request
    }

    func name(_ place: Int) -> String { indices.contains(place) ? self[place].title : "" }

    /// Returns the place of an image; `nil` if it is not shown. Checks its former place first.
    func place(of source: String, near place: Int = 0) -> Int? {
        if indices.contains(place), self[place].source == source { return place }
        return indices.first { self[$0].source == source }
    }

    // MARK: Changes

    /// Sets the order of a list without images.
    func begin(_ order: GalleryOrder, isReversed: Bool = false) {
        guard all.isEmpty else { return }
        (self.order, self.isReversed) = (order, isReversed)
        show(order == .found && query.isEmpty ? nil : [])
    }

    /// Adds images at their places in the order.
    ///
    /// - Returns: the number of added images that are shown.
    @discardableResult
    func append(_ images: [GalleryImage]) -> Int {
        let before = count
        let start = all.count
        all += images
        if shown != nil { insert(from: start) }
        return count - before
    }

    /// Removes images.
    func remove(_ sources: Set<String>) {
        var indices: [Int32?] = []
        var kept: [GalleryImage] = []
        for image in all {
            let isKept = !sources.contains(image.source)
            indices.append(isKept ? Int32(clamping: kept.count) : nil)
            if isKept { kept.append(image) }
        }
        guard kept.count < all.count else { return }
        let places = shown?.compactMap { indices[Int($0)] }
        all = kept
        numbering += 1
        generation += 1
        show(places)
        onRemoval?(indices)
    }

    /// Gives an image another path, and removes another image of this path. Returns `false` if there is no such image.
    @discardableResult
    func rename(_ source: String, to new: String) -> Bool {
        guard var image = all.first(where: { $0.source == source }), source != new else { return false }
        remove([source, new])
        image.source = new
        append([image])
        return true
    }

    /// Removes all images.
    func removeAll() { remove(Set(all.map(\.source))) }

    /// Sets when photographs were taken, by their indices in `all`. Applies at the next ``sort(by:)``.
    func setTaken(_ times: [(index: Int, time: Int64)]) {
        for (index, time) in times where all.indices.contains(index) { all[index].taken = time }
    }

    /// Shows only images whose names contain a text, or all.
    ///
    /// - Returns: `false` if another search, order or collection has replaced this one.
    func search(_ text: String) async -> Bool {
        query = text.lowercased()
        return await arrange()
    }

    /// Sorts the images.
    ///
    /// - Returns: `false` if another search, order or collection has replaced this one.
    func sort(by order: GalleryOrder, isReversed: Bool? = nil) async -> Bool {
        (self.order, self.isReversed) = (order, isReversed ?? self.isReversed)
        return await arrange()
    }

    private func arrange() async -> Bool {
        generation += 1
        let (query, order, isReversed, generation, known) = (query, order, isReversed, generation, all)
        guard !query.isEmpty || order != .found else {
            show(nil)
            return true
        }
        let places = await Task.detached { GalleryList.places(of: query, in: known, from: 0, order, isReversed) }.value
        guard self.generation == generation else { return false }
        shown = places
        insert(from: known.count)
        return true
    }

    private func show(_ places: [Int32]?) {
        shown = places
        requests = [:]
        sections = order.sections(indices.lazy.map { LocalTime.month(self[$0].date) })
    }

    /// Inserts the matching images from an index on into the shown ones.
    private func insert(from start: Int) {
        let more = GalleryList.places(of: query, in: all, from: start, order, isReversed)
        guard let shown else { return }
        var merged: [Int32] = []
        merged.reserveCapacity(shown.count + more.count)
        var next = 0
        for place in more {
            let end = order == .found ? shown.count : end(of: place, in: shown, from: next)
            merged += shown[next..<end]
            merged.append(place)
            next = end
        }
        show(merged + shown[next...])
    }

    /// The end of the shown images that precede an image, or equal it.
    private func end(of place: Int32, in shown: [Int32], from start: Int) -> Int {
        // Images are mostly found in order.
        if let last = shown.last, !order.precedes(all[Int(place)], all[Int(last)], isReversed: isReversed) {
            return shown.count
        }
        return shown[start...].firstPlace { order.precedes(all[Int(place)], all[Int($0)], isReversed: isReversed) }
    }

    /// Returns the indices of the matching images from an index on, in order.
    private nonisolated static func places(
        of query: String, in images: [GalleryImage], from start: Int, _ order: GalleryOrder,
        _ isReversed: Bool
    ) -> [Int32] {
        let range = start..<max(start, images.count)
        let matches = range.filter { query.isEmpty || images[$0].name.lowercased().contains(query) }
        let sorted =
            order == .found
            ? matches : matches.sorted { order.precedes(images[$0], images[$1], isReversed: isReversed) }
        return sorted.map { Int32(clamping: $0) }
    }
}

/// The order in which images are shown.
enum GalleryOrder: String, CaseIterable {
    /// The order of the arguments, of a list, or of a scripted scroll.
    case found
    case name
    /// The newest first, under a heading for each month.
    case date
    /// The largest first.
    case size

    /// Returns whether an image precedes another one.
    func precedes(_ a: GalleryImage, _ b: GalleryImage, isReversed: Bool = false) -> Bool {
        let (a, b) = isReversed ? (b, a) : (a, b)
        return switch self {
        case .found: false
        case .name: GalleryOrder.compare(a.name, b.name) < 0
        case .date: a.date != b.date ? a.date > b.date : GalleryOrder.compare(a.name, b.name) < 0
        case .size: a.size != b.size ? a.size > b.size : GalleryOrder.compare(a.name, b.name) < 0
        }
    }

    /// Compares names in natural order: `2.jpg` precedes `10.jpg`, and case is ignored. Negative if `a` precedes `b`.
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

    /// Removes the digits at the start, and returns them without leading zeros.
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
