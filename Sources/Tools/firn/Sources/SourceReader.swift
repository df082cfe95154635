import Firn
import FoundationEssentials

/// Reads sources for commands that decode by themselves: files from disk, addresses through a pipeline.
struct SourceReader: Sendable {
    private let setting: LoadEnvironment?
    private let limits: ImageLimits

    /// Creates a reader for these sources. It has a pipeline only if one of them is an address.
    init(_ sources: [LoadSource], _ options: SourceOptions) throws {
        setting = sources.allSatisfy(\.isLocal) ? nil : try LoadEnvironment(options)
        limits = options.limits?.limits ?? ImageLimits()
    }

    init(_ limits: LimitsArgument?) {
        setting = nil
        self.limits = limits?.limits ?? ImageLimits()
    }

    /// Returns a source that is a file or has its bytes.
    func local(_ source: LoadSource) async throws -> LoadSource {
        guard let setting, !source.isLocal else { return source }
        var source = source
        source.data = try await setting.pipeline.data(for: source.request).0
        return source
    }

    /// Opens the file of a local source, with its header read. Blocks.
    func file(_ source: LoadSource, previews: ImageFile.Previews? = nil) throws -> ImageFile {
        try ImageFile(source, limits: limits, previews: previews)
    }

    /// Reads a source, and works on its file on one of Firn's threads.
    func read<Value: Sendable>(
        _ source: LoadSource, _ body: @escaping @Sendable (ImageFile) throws -> Value
    ) async throws -> Value {
        let source = try await local(source)
        return try await BlockingCall.run { _ in try body(file(source)) }
    }

    /// Writes staged cache entries, and reports a failure of the cache.
    func finish() { setting?.finish() }
}
