#if GTK
import Firn

/// The images of the gallery, all or those whose names match the search. Maps positions to images.
@MainActor
final class GalleryList {
    /// In the order in which they were found.
    private(set) var all: [GalleryImage]
    /// Indices in `all` of the matching images; `nil` for all.
    private var found: [Int32]?
    /// The search text in lower case; empty for no search.
    private(set) var query = ""
    /// Recent requests by position: a cell is bound several times while it scrolls by.
    private var requests: [Int: ImageRequest] = [:]

    /// Changes with each search and collection, so that the result of an old search is ignored.
    private var generation = 0

    private static let maximumRequests = 4_096

    init(_ images: [GalleryImage]) { all = images }

    /// The number of shown images.
    var count: Int { found?.count ?? all.count }

    var indices: Range<Int> { 0..<count }

    /// The image at a position.
    subscript(_ place: Int) -> GalleryImage {
        guard let found else { return all[place] }
        return all[Int(found[place])]
    }

    /// Returns the request at a position; `nil` if there is no image.
    func request(_ place: Int) -> ImageRequest? {
        if let request = requests[place] { return request }
        guard indices.contains(place), let request = self[place].request else { return nil }
        if requests.count >= GalleryList.maximumRequests { requests = [:] }
        requests[place] = request
        return request
    }

    func name(_ place: Int) -> String { indices.contains(place) ? String(self[place].name) : "" }

    /// Appends images.
    ///
    /// - Returns: the number of additional shown images.
    func append(_ images: [GalleryImage]) -> Int {
        let before = count
        let start = all.count
        all += images
        if found != nil { found? += GalleryList.places(of: query, in: all, from: start) }
        return count - before
    }

    /// Removes all images.
    func removeAll() {
        all = []
        generation += 1
        requests = [:]
        if found != nil { found = [] }
    }

    /// Shows only images whose names contain a text, or all.
    ///
    /// - Returns: `false` if another search or collection has replaced this one.
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
#endif
