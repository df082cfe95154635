/// The stored responses of an address, one for each combination of request fields.
///
/// Stored as an entry under the address's key. The responses have keys made of that key, the index's generation and a
/// number. A new index has a new generation, so responses of a removed index are never found again.
struct VariantIndex: Equatable {
    struct Variant: Equatable {
        let number: Int
        /// The request fields it was stored for.
        let selecting: HTTPHeaderFields
    }

    /// Maximum number of responses per address. The oldest is dropped.
    static let limit = 16

    let generation: String
    /// Newest first.
    private(set) var variants: [Variant] = []
    private var lastNumber = 0

    init(generation: String) { self.generation = generation }

    /// Reads the entry of an index; returns `nil` for other entries.
    init?(_ entry: DataCacheEntry) {
        guard let generation = entry.metadata["http.variants"],
            let last = entry.metadata["http.variants.last"].flatMap({ Int($0) })
        else { return nil }
        self.generation = generation
        lastNumber = last
        // Each line is a variant: its number, then alternating names and values.
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

    /// Adds a response and replaces one for the same fields.
    ///
    /// - Returns: the variant of the response, and the variants to remove.
    mutating func insert(_ selecting: HTTPHeaderFields) -> (variant: Variant, removed: [Variant]) {
        let same = variants.first { $0.selecting == selecting }
        variants.removeAll { $0.selecting == selecting }
        if same == nil { lastNumber &+= 1 }
        let variant = Variant(number: same?.number ?? lastNumber, selecting: selecting)
        variants.insert(variant, at: 0)
        let removed = Array(variants.dropFirst(VariantIndex.limit))
        variants.removeLast(removed.count)
        return (variant, removed)
    }

    /// Returns the key of a variant; `key` is that of the address.
    func key(_ variant: Variant, of key: String) -> String { "\(key) \(generation).\(variant.number)" }
}
