import Dispatch
import Firn
import FirnReport
import FoundationEssentials

/// Loads one source and applies the plan to its image.
struct SourceLoad: Sendable {
    let source: LoadSource
    /// Path of the output file without extension; `nil` if there is no choice.
    let stem: String?
    let plan: LoadPlan
    let pipeline: ImagePipeline

    private static let writing = DispatchQueue(label: "firn.write", attributes: .concurrent)

    /// The bytes that were loaded before decoding.
    private struct Original: Sendable {
        let data: Data
        /// The response that states the origin of the bytes.
        let response: ImageResponse?
        let bytes: Int
    }

    func run() async -> LoadOutcome {
        if plan.sheetSize == nil, let path = plan.output?.finished(source, at: stem) { return outcome(.kept(path)) }
        let start = ContinuousClock.now
        do {
            let original = plan.needsBytes(of: source) ? try await original() : nil
            var request = source.request
            if let original { request = ImageRequest(id: "firn:\(source.name)", data: original.data) }
            request.region = plan.region
            request.targetSize = plan.requested(try ownExtent(original?.data))
            request.processors = plan.processors
            let task = pipeline.imageTask(with: request)
            let response = try await task.response
            let duration = start.duration(to: .now)
            let bytes = source.fileSize ?? original?.bytes ?? task.currentProgress.completed
            // Encoding and writing block, so they run on other threads than Swift's.
            let result = await withCheckedContinuation { continuation in
                SourceLoad.writing.async {
                    continuation.resume(returning: finish(response, original, bytes: bytes, duration: duration))
                }
            }
            return outcome(result)
        } catch let error as ImageLoadingError {
            return outcome(
                .failure(failure(error.fault.rawValue, error.message, status: error.status)))
        } catch let fault as ImageFault {
            return outcome(.failure(failure(fault.fault, fault.message)))
        } catch {
            return outcome(.failure(failure("source", "\(error)")))
        }
    }

    /// Returns the source's bytes, loaded by the pipeline with its caches and limits.
    private func original() async throws(ImageLoadingError) -> Original {
        let task = pipeline.dataTask(with: source.request)
        let data = try await task.response.data
        // The cache that had the bytes.
        let response = try await task.work.response
        return Original(data: data, response: response, bytes: task.currentProgress.completed)
    }

    /// Returns the size of the image, or of its region, if the target depends on it.
    private func ownExtent(_ data: Data?) throws(ImageFault) -> ImageExtent? {
        guard plan.needsImageSize else { return nil }
        let whole: ImageExtent?
        if let data {
            whole = try ImageFile(data).properties.extent
        } else {
            whole = try source.path.map { path throws(ImageFault) in try ImageFile(path).properties.extent }
        }
        guard let region = plan.region, let whole else { return whole }
        // A region without a pixel fails in the pipeline, with the reason.
        return region.resolved(in: whole.pixels).map { whole.part($0.size) }
    }

    private func outcome(_ result: LoadOutcome.Result) -> LoadOutcome {
        LoadOutcome(
            name: source.shownName(plan.redaction), jsonName: source.jsonName(plan.redaction), label: source.label,
            result: result)
    }

    private func failure(_ fault: String, _ message: String, status: Int? = nil) -> LoadOutcome.Failure {
        let message = QuotedText.reason(LimitsArgument.naming(message))
        return LoadOutcome.Failure(fault: fault, message: plan.redaction.text(message), status: status)
    }

    private func finish(
        _ response: ImageResponse, _ original: Original?, bytes: Int, duration: Duration
    ) -> LoadOutcome.Result {
        let loaded = original?.response ?? response
        do {
            return .success(
                LoadOutcome.Image(
                    size: response.image.size, format: response.container.format,
                    origin: loaded.cacheType?.rawValue ?? source.place.rawValue,
                    bytes: bytes, duration: duration, metrics: loaded.metrics,
                    written: try write(response, original?.data),
                    cell: try plan.sheetSize.map { try cell(response.image, fitting: $0) }))
        } catch let error as OutputFault {
            return .failure(failure(error.fault, error.message))
        } catch let error as ImageFault {
            return .failure(failure(error.fault, error.message))
        } catch let error as DataFileError {
            return .failure(failure("source", "cannot write \(error.path): \(error.reason)"))
        } catch {
            return .failure(failure("unsupported", "\(error)"))
        }
    }

    private func write(_ response: ImageResponse, _ original: Data?) throws -> ImageOutput.Result? {
        guard let output = plan.output else { return nil }
        let format = response.container.format
        if output.copies(format) {
            if let data = try original ?? source.data ?? bytesOfFile() {
                return try output.copy(data, format: format, of: source, to: stem)
            }
        }
        return try output.write(response.image, format: format, of: source, to: stem)
    }

    private func bytesOfFile() throws(ImageFault) -> Data? {
        guard let path = source.path else { return nil }
        do throws(DataFileError) { return try LocalFileSystem().read(path) } catch { throw ImageFault(error) }
    }

    private func cell(_ image: Bitmap, fitting size: PixelSize) throws -> Bitmap {
        let fitted = TargetSize(size).resolved(for: image.size)
        return fitted == image.size ? image : try image.resized(to: fitted)
    }
}
