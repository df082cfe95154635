/// Requests for images in order, and the capacity of the cache that replays them.
///
/// Images are numbered from 0; `sizes` has the size of each in bytes.
struct Trace {
    let name: String
    var requests: [Int32] = []
    var sizes: [Int] = []
    /// The capacity of the cache in bytes.
    var capacity = 0

    /// The number of requests that no cache can serve: the first one of each image.
    var firsts: Int { Set(requests).count }

    /// Returns the same requests for a cache of another capacity.
    func scaled(_ factor: Double) -> Trace {
        var other = Trace(name: factor == 1 ? name : "\(name) ×\(factor)", requests: requests, sizes: sizes)
        other.capacity = Int(Double(capacity) * factor)
        return other
    }
}
