import FirnData
import FoundationEssentials

/// Which answers of an address are kept, where they differ by fields of the request.
///
/// An entry of its own under the address' key; the answers lie under keys made of that key, the index' generation and a number.
/// A new index has a new generation, so that answers of an index that was removed are never found again.
struct VariantIndex: Equatable {
    /// One kept answer.
    struct Variant: Equatable {
        let number: Int
        /// Fields of the request that it is for.
        let selecting: HTTPHeaderFields
    }

    /// Most answers of one address; the oldest gives way.
    static let limit = 16

    let generation: String
    /// The newest first.
    private(set) var variants: [Variant] = []
    private var lastNumber = 0

    init(generation: String) { self.generation = generation }

    /// Reads the entry of an index; `nil` if it is something else.
    init?(_ entry: DataCacheEntry) {
        guard let generation = entry.metadata["http.variants"],
            let last = entry.metadata["http.variants.last"].flatMap({ Int($0) })
        else { return nil }
        self.generation = generation
        lastNumber = last
        // A line is a variant: its number, then names and values by turns.
        for field in entry.headers.fields {
            guard let number = Int(field.name) else { return nil }
            let words = field.value.split(separator: "\u{0}", omittingEmptySubsequences: false).map(String.init)
            let pairs = stride(from: 0, to: words.count - 1, by: 2).map {
                HTTPHeaderFields.Field(name: words[$0], value: words[$0 + 1])
            }
            variants.append(Variant(number: number, selecting: HTTPHeaderFields(pairs)))
        }
    }

    var entry: DataCacheEntry {
        let lines = variants.map { variant in
            let words = variant.selecting.fields.flatMap { [$0.name, $0.value] }
            return HTTPHeaderFields.Field(name: String(variant.number), value: words.joined(separator: "\u{0}"))
        }
        return DataCacheEntry(
            data: .init(), headers: HTTPHeaderFields(lines),
            metadata: ["http.variants": generation, "http.variants.last": String(lastNumber)])
    }

    /// The answers that a request may be given, the newest first.
    func matching(_ request: HTTPHeaderFields) -> [Variant] {
        variants.filter { VaryRule.matches($0.selecting, request) }
    }

    /// Makes room for an answer, in place of one for the same requests.
    ///
    /// - Returns: its variant, and those that have to go.
    mutating func insert(_ selecting: HTTPHeaderFields) -> (variant: Variant, removed: [Variant]) {
        let same = variants.first { $0.selecting == selecting }
        variants.removeAll { $0.selecting == selecting }
        var number = lastNumber
        if let same { number = same.number } else { (lastNumber, number) = (lastNumber &+ 1, lastNumber &+ 1) }
        let variant = Variant(number: number, selecting: selecting)
        variants.insert(variant, at: 0)
        let removed = Array(variants.dropFirst(VariantIndex.limit))
        variants.removeLast(removed.count)
        return (variant, removed)
    }

    /// The key of an answer of the address of `key`.
    func key(_ variant: Variant, of key: String) -> String { "\(key) \(generation).\(variant.number)" }
}
