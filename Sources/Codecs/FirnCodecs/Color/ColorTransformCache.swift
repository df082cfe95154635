import CFirnCodecs
import FirnImage
import FirnSync

/// An LRU cache of color transforms: creating one costs as much as thousands of pixels, and most images share a few
/// profiles.
final class ColorTransformCache: Sendable {
    /// The cache that all sessions use.
    static let shared = ColorTransformCache(capacity: 16)

    private struct Key: Hashable {
        var source: ColorSource
        var from: SampleLayout
        var to: SampleLayout
        var isRemote: Bool
    }

    private enum Finding {
        /// No conversion is needed.
        case none
        case own(ColorTransform)
        /// Workers convert.
        case remote
    }

    private struct Entry {
        var key: Key
        var finding: Finding
    }

    private let capacity: Int
    /// The entries, least recently used first.
    private let entries = Locked<[Entry]>([])

    init(capacity: Int) { self.capacity = capacity }

    /// Returns the conversion of a source's colors from one layout to another, or `nil` if none is needed.
    ///
    /// - Parameter workers: read profiles; `nil` for this process.
    /// - Throws: ``ImageDecodingError`` if a worker ended.
    func conversion(
        _ source: ColorSource, from: SampleLayout, to: SampleLayout, _ workers: MetadataWorkers?
    ) throws(ImageDecodingError) -> ColorPlan.Conversion? {
        // Descriptions are a few numbers, which no library parses.
        let profile: ProfileTransform? =
            if case .profile(let profile) = source { ProfileTransform(profile: profile, from: from, to: to) } else {
                nil
            }
        let key = Key(source: source, from: from, to: to, isRemote: workers != nil && profile != nil)
        let finding: Finding
        if let known = known(key) { finding = known } else { finding = try make(key, profile, workers) }
        switch finding {
        case .none: return nil
        case .own(let transform): return .own(transform)
        case .remote:
            guard let profile, let workers else { return nil }
            return .remote(RemoteTransform(profile, workers))
        }
    }

    private func known(_ key: Key) -> Finding? {
        entries.withLock { (entries: inout [Entry]) -> Finding? in
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.finding
        }
    }

    private func make(
        _ key: Key, _ profile: ProfileTransform?, _ workers: MetadataWorkers?
    ) throws(ImageDecodingError) -> Finding {
        // Order: created outside the lock. Two threads may create the same transform; one of the two is dropped.
        let finding: Finding
        if let workers, let profile {
            finding = try RemoteTransform.result(profile, workers) == FIRN_COLOR_TRANSFORM ? .remote : .none
        } else {
            let made: ColorTransform? =
                switch key.source {
                case .profile: profile.flatMap { ColorTransform.make($0) }
                case .description(let description): ColorTransform.make(description, from: key.from, to: key.to)
                }
            finding = made.map { .own($0) } ?? .none
        }
        entries.withLock { entries in
            entries.removeAll { $0.key == key }
            entries.append(Entry(key: key, finding: finding))
            if entries.count > capacity { entries.removeFirst() }
        }
        return finding
    }
}
