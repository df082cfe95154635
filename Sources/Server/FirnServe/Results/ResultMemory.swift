package import NIOCore

/// Results in memory, at most a number of bytes: the least recently used go first.
///
/// A value. A look-up and a store take constant time.
package struct ResultMemory<Key: Hashable & Sendable>: Sendable {
    private struct Node {
        let key: Key
        var result: ServedResult
        var previous: Int?
        var next: Int?
    }

    /// What an entry costs apart from its bytes.
    private static var overhead: Int { 256 }

    private let limit: Int
    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var first: Int?
    private var last: Int?
    /// The bytes of all results.
    package private(set) var bytes = 0

    /// - Parameter limit: the most bytes; a result of more than an eighth of it is not kept.
    package init(limit: Int) { self.limit = max(0, limit) }

    package var count: Int { places.count }

    /// Returns a result, and makes it the most recently used.
    package mutating func result(for key: Key) -> ServedResult? {
        guard let place = places[key], let node = nodes[place] else { return nil }
        unlink(place)
        link(place)
        return node.result
    }

    /// Keeps a result, and removes others if it needs their room.
    package mutating func store(_ result: ServedResult, for key: Key) {
        if let place = places[key] { remove(place) }
        let cost = result.count + ResultMemory.overhead
        guard cost <= limit / 8 else { return }
        while bytes > limit - cost, let last { remove(last) }
        let place = free.popLast() ?? nodes.count
        if place == nodes.count { nodes.append(nil) }
        nodes[place] = Node(key: key, result: result)
        places[key] = place
        bytes += cost
        link(place)
    }

    package mutating func removeAll() { self = ResultMemory(limit: limit) }

    private mutating func remove(_ place: Int) {
        guard let node = nodes[place] else { return }
        unlink(place)
        nodes[place] = nil
        free.append(place)
        places[node.key] = nil
        bytes -= node.result.count + ResultMemory.overhead
    }

    private mutating func link(_ place: Int) {
        nodes[place]?.previous = nil
        nodes[place]?.next = first
        if let first { nodes[first]?.previous = place } else { last = place }
        first = place
    }

    private mutating func unlink(_ place: Int) {
        guard let node = nodes[place] else { return }
        if let previous = node.previous { nodes[previous]?.next = node.next } else { first = node.next }
        if let next = node.next { nodes[next]?.previous = node.previous } else { last = node.previous }
    }
}

/// An encoded result, as clients and caches get it.
package struct ServedResult: Sendable, Equatable {
    /// The bytes, which all responses share.
    package let body: ByteBuffer
    /// The media type, like `image/webp`.
    package let mediaType: String
    /// The strong validator, with its quotation marks (RFC 9110 §8.8.3).
    package let entityTag: String

    /// When it was made, in seconds since 1970.
    package let made: Int

    package init(body: ByteBuffer, mediaType: String, entityTag: String, made: Int) {
        self.body = body
        self.mediaType = mediaType
        self.entityTag = entityTag
        self.made = made
    }

    /// The number of bytes.
    package var count: Int { body.readableBytes }
}
