import FirnData

/// Addresses whose stored responses were invalidated, so that responses that were requested before are not stored
/// afterwards.
///
/// A pure value. Invariant: a response is never taken for newer than an invalidation that followed its request. Of the
/// oldest invalidations only the last number is kept, which then holds for every address.
struct Invalidations {
    /// Maximum number of addresses. An exchange rarely outlives that many invalidations.
    private static let limit = 1024

    /// The number of the latest invalidation. An exchange remembers it when it begins.
    private(set) var latest: UInt64 = 0
    private var numbers: [String: UInt64] = [:]
    /// The number of the latest invalidation whose address is no longer kept.
    private var forgotten: UInt64 = 0

    mutating func add(_ url: String) {
        latest += 1
        numbers[WebAddress.resource(of: url)] = latest
        guard numbers.count > Invalidations.limit else { return }
        // Half at once, so that the cost of sorting is shared by many invalidations.
        let oldest = numbers.sorted { $0.value < $1.value }.prefix(Invalidations.limit / 2)
        for (url, number) in oldest {
            numbers[url] = nil
            forgotten = max(forgotten, number)
        }
    }

    /// Returns whether an address was invalidated after the invalidation of a number.
    func contains(_ url: String, after number: UInt64) -> Bool {
        if number < forgotten { return true }
        guard number < latest else { return false }
        return numbers[WebAddress.resource(of: url)].map { $0 > number } ?? false
    }
}
