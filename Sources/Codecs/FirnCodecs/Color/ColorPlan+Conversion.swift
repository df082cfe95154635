import CFirnCodecs
import FirnImage
import FirnSync

extension ColorPlan.Conversion {
    private struct Key: Equatable {
        var source: ColorSource
        var from: SampleLayout
        var to: SampleLayout
        var isRemote: Bool
    }

    private enum Finding {
        case notNeeded
        case own(ColorTransform)
        /// Workers convert.
        case remote
    }

    /// The transforms used last: creating one costs as much as thousands of pixels, and most images share a few
    /// profiles.
    private static let recent = RecentValues<Key, Finding>(capacity: 16)

    /// Returns the conversion of a source's colors from one layout to another, or `nil` if none is needed.
    ///
    /// - Parameter workers: read profiles; `nil` for this process.
    /// - Throws: ``ImageDecodingError`` if a worker ended.
    static func of(
        _ source: ColorSource, from: SampleLayout, to: SampleLayout, _ workers: CodecWorkers?
    ) throws(ImageDecodingError) -> ColorPlan.Conversion? {
        // Descriptions are a few numbers, which no library parses.
        var profile: ProfileTransform?
        if case .profile(let found) = source { profile = ProfileTransform(profile: found, from: from, to: to) }
        let key = Key(source: source, from: from, to: to, isRemote: workers != nil && profile != nil)
        let finding = try recent.value(for: key) { () throws(ImageDecodingError) in try find(key, profile, workers) }
        switch finding {
        case .notNeeded: return nil
        case .own(let transform): return .own(transform)
        case .remote:
            guard let profile, let workers else { return nil }
            return .remote(RemoteTransform(profile, workers))
        }
    }

    private static func find(
        _ key: Key, _ profile: ProfileTransform?, _ workers: CodecWorkers?
    ) throws(ImageDecodingError) -> Finding {
        if let workers, let profile {
            return try RemoteTransform(profile, workers).result() == FIRN_COLOR_TRANSFORM ? .remote : .notNeeded
        }
        let made: ColorTransform? =
            switch key.source {
            case .profile: profile.flatMap { ColorTransform.make($0) }
            case .description(let description): ColorTransform.make(description, from: key.from, to: key.to)
            }
        return made.map { .own($0) } ?? .notNeeded
    }
}
