import Dispatch
import Firn
import FirnReport
import FirnSync
import FoundationEssentials

/// Reads sources for commands that decode by themselves: files from disk, addresses through a pipeline.
struct SourceReader: Sendable {
    private let setting: LoadEnvironment?
    private let redaction: AddressRedaction
    private let limits: ImageLimits

    /// Creates a reader for these sources. It has a pipeline only if one of them is not a file.
    init(_ items: [SourceList.Item], _ options: SourceOptions) throws {
        let needsPipeline = items.contains { $0.source.map { $0.path == nil && $0.data == nil } ?? false }
        setting = needsPipeline ? try LoadEnvironment(options) : nil
        redaction = options.redaction
        limits = ImageFile.limits(options.limits)
    }

    /// Returns a source's file, with its header read. Blocks.
    func file(_ source: LoadSource) throws(ImageFault) -> ImageFile {
        if source.path != nil || source.data != nil { return try source.file(limits: limits) }
        return try ImageFile(try loaded(source), limits: limits)
    }

    /// Writes staged cache entries.
    func finish() {
        setting?.cache?.flush()
        if let failure = setting?.cache?.failure {
            StandardError.line("firn: cache: \(redaction.text(failure.message))")
        }
    }

    private func loaded(_ source: LoadSource) throws(ImageFault) -> Data {
        guard let pipeline = setting?.pipeline else { throw ImageFault("source", "cannot be read here") }
        let isDone = DispatchSemaphore(value: 0)
        let result = Locked<Result<Data, ImageFault>?>(nil)
        pipeline.loadData(with: source.request, on: .immediate) { loaded in
            let outcome = loaded.map(\.data).mapError {
                ImageFault($0.fault.rawValue, redaction.text($0.message))
            }
            result.withLock { $0 = outcome }
            isDone.signal()
        }
        // Blocks one of the command's own threads, none of the pipeline's.
        isDone.wait()
        guard let outcome = result.withLock({ $0 }) else { throw ImageFault("source", "nothing was loaded") }
        return try outcome.get()
    }
}
