/// The identity of a request's bytes: method, address, header fields, and the caches that it may read.
///
/// The hash is computed once, when the request is created.
struct ResourceKey: Hashable, Sendable {
    let text: String
    let hash: Int

    init(_ text: String) { self.init(text, hash: text.hashValue) }

    /// - Parameter hash: the hash of the text.
    init(_ text: String, hash: Int) {
        self.text = text
        self.hash = hash
    }

    static func == (a: ResourceKey, b: ResourceKey) -> Bool { a.hash == b.hash && a.text == b.text }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension ResourceKey: JobKey {
    var keyHash: UInt { UInt(bitPattern: hash) }
}
