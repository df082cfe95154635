import Firn

/// The images of the gallery: all, or those whose names contain the search text. Maps places to images.
@MainActor
final class GalleryList {
    /// In the order in which they were found.
    private(set) var all: [GalleryImage]
    /// Places in `all` of those that are shown; `nil` for all.
    private var found: [Int32]?
    /// What is searched for, in small letters; empty for nothing.
    private(set) var query = ""
    /// Requests that were asked for lately, by place: a cell is bound several times while it scrolls by.
    private var requests: [Int: ImageRequest] = [:]

    /// Another one with each search and each collection, so that the answer to an old search is not shown.
    private var generation = 0

    private static let mostRequests = 4_096

    init(_ images: [GalleryImage]) { all = images }

    /// How many are shown.
    var count: Int { found?.count ?? all.count }

    var indices: Range<Int> { 0..<count }

    /// The image at a place.
    subscript(_ place: Int) -> GalleryImage {
        guard let found else { return all[place] }
        return all[Int(found[place])]
    }

    /// What a place loads; `nil` for one that is not there.
    func request(_ place: Int) -> ImageRequest? {
        if let request = requests[place] { return request }
        guard indices.contains(place), let request = self[place].request else { return nil }
        if requests.count >= GalleryList.mostRequests { requests = [:] }
        requests[place] = request
        return request
    }

    func name(_ place: Int) -> String { indices.contains(place) ? String(self[place].name) : "" }

    /// Adds images at the end.
    ///
    /// - Returns: how many more are shown.
    func append(_ images: [GalleryImage]) -> Int {
        let before = count
        let start = all.count
        all += images
        if found != nil { found? += GalleryList.places(of: query, in: all, from: start) }
        return count - before
    }

    /// Shows no image any more.
    func removeAll() {
        all = []
        generation += 1
        requests = [:]
        if found != nil { found = [] }
    }

    /// Shows only images whose names contain a text, or all.
    ///
    /// - Returns: `false` if there was another search or another collection meanwhile.
    func search(_ text: String) async -> Bool {
        query = text.lowercased()
        generation += 1
        let (query, generation) = (query, generation)
        guard !query.isEmpty else {
            show(nil)
            return true
        }
        let known = all
        let found = await GalleryList.find(query, in: known)
        guard self.generation == generation else { return false }
        show(found + GalleryList.places(of: query, in: all, from: known.count))
        return true
    }

    private func show(_ places: [Int32]?) {
        found = places
        requests = [:]
    }

    @concurrent
    private static func find(_ query: String, in images: [GalleryImage]) async -> [Int32] {
        places(of: query, in: images, from: 0)
    }

    private nonisolated static func places(of query: String, in images: [GalleryImage], from start: Int) -> [Int32] {
        (start..<max(start, images.count)).filter { images[$0].name.lowercased().contains(query) }
            .map { Int32(clamping: $0) }
    }
}
