import Firn
import FirnCache
import FirnCodecs
import FirnData
import FirnHTTP
import FirnImage
import FirnPipeline
import FirnSync
import NIOCore

/// Makes each result once, and keeps it: the way from a request to bytes, for every language.
package final class ImageService: Sendable {
    private let settings: ServeSettings
    private let renderer: Renderer
    private let work = WorkTable<String, ServedResult>()
    private let descriptions = WorkTable<String, SourceInfo>()
    /// What is known of sources, by their keys; at most ``mostDescribed``.
    private let described = Locked<[String: SourceInfo]>([:])
    private static let mostDescribed = 4096
    private let memory: Locked<ResultMemory<String>>
    private let disk: ResultDisk?
    private let admission: Locked<AdmissionQueue>
    private let counters = Locked(ServiceCounters())

    /// Creates a service with a pipeline of its own.
    package init(_ settings: ServeSettings) {
        self.settings = settings
        var loader = DataLoader.Configuration()
        loader.limits = settings.limits
        loader.network = settings.network
        loader.totalTimeout = settings.timeLimit
        var configuration = ImagePipeline.Configuration.standard(
            cacheDirectory: settings.cacheDirectory.map { "\($0)/sources" },
            loader: loader)
        // Results are kept, encoded; images are not.
        configuration.imageCache = nil
        configuration.isProgressiveDecodingEnabled = false
        configuration.automaticPyramidPixels = 0
        renderer = Renderer(
            pipeline: ImagePipeline(configuration: configuration), limits: settings.limits, encoding: EncodingGate())
        memory = Locked(ResultMemory(limit: settings.resultMemory))
        disk = settings.cacheDirectory.map { ResultDisk(directory: "\($0)/results") }
        admission = Locked(AdmissionQueue(limits: settings.admission))
    }

    /// What happened so far.
    package var statistics: ServiceCounters {
        var counters = counters.withLock { $0 }
        counters.running = work.running
        counters.waiting = work.waiting
        counters.admitted = admission.withLock { $0.count }
        counters.memoryBytes = memory.withLock { $0.bytes }
        return counters
    }

    /// Returns a result that is in memory; work is never begun.
    package func cached(_ job: ResultJob) -> ServedResult? {
        guard let result = memory.withLock({ $0.result(for: job.key, at: .now) }) else { return nil }
        counters.withLock { $0.memoryHits += 1 }
        return result
    }

    /// Returns the result of a job: from memory, from disk, or made now, once for all who ask for it.
    ///
    /// - Parameter client: the address of the client, for the limit per client.
    /// - Throws: ``ServeError``: 429 at once if there is too much work, 504 after the time limit, 4xx and 5xx for
    ///   sources.
    package func result(of job: ResultJob, client: String) async throws(ServeError) -> ServedResult {
        if let result = cached(job) { return result }
        let key = job.key
        return try await work.value(for: key, within: settings.timeLimit) { [self] () async throws(ServeError) in
            // Order: equal requests are one work, so the run is counted and not those who wait for it.
            let ticket = try admit(job, client)
            defer { admission.withLock { $0.release(ticket) } }
            if let result = disk?.result(for: key) {
                counters.withLock { $0.diskHits += 1 }
                keep(result, key)
                return result
            }
            // A file is described once for all its results.
            let known: SourceInfo? = if case .file = job.source { try await describe(job.source) } else { nil }
            let made = try await renderer.render(job, known)
            counters.withLock { $0.made += 1 }
            let result = ServedResult(
                body: ByteBuffer(bytes: made.data), mediaType: made.format.mediaType ?? "application/octet-stream",
                entityTag: "\"\(HexadecimalDigest.text(of: made.data).prefix(32))\"")
            keep(result, key)
            disk?.store(result, for: key)
            return result
        }
    }

    private func admit(_ job: ResultJob, _ client: String) throws(ServeError) -> AdmissionQueue.Ticket {
        do throws(AdmissionQueue.Refusal) {
            return try admission.withLock { queue throws(AdmissionQueue.Refusal) in
                try queue.take(client: client, host: job.source.host)
            }
        } catch {
            counters.withLock { $0.refused += 1 }
            throw .busy(error.rawValue)
        }
    }

    /// Describes a source; once, as long as its version stays.
    package func describe(_ source: SourceReference) async throws(ServeError) -> SourceInfo {
        let key = source.key
        if let info = described.withLock({ $0[key] }) { return info }
        return try await descriptions.value(for: key, within: settings.timeLimit) {
            [self] () async throws(ServeError) in
            let info = try await renderer.describe(source)
            described.withLock { described in
                if described.count >= ImageService.mostDescribed { described = [:] }
                described[key] = info
            }
            return info
        }
    }

    private func keep(_ result: ServedResult, _ key: String) {
        memory.withLock { $0.store(result, for: key, until: .now + settings.resultLifetime) }
    }
}
