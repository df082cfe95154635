/// Requests for images in the order in which they were made, and the cache that they are replayed against.
///
/// Images are numbered from 0; `sizes` has the bytes of each.
struct Trace {
    let name: String
    var requests: [Int32] = []
    var sizes: [Int] = []
    /// Most bytes of the cache.
    var capacity = 0

    /// Requests that no cache can answer: the first ones of each image.
    var firsts: Int { Set(requests).count }

    /// The same requests for a cache of another size.
    func scaled(_ factor: Double) -> Trace {
        var other = Trace(name: factor == 1 ? name : "\(name) ×\(factor)", requests: requests, sizes: sizes)
        other.capacity = Int(Double(capacity) * factor)
        return other
    }
}
