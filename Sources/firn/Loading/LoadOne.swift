import Dispatch
import Firn
import FirnReport

/// Loads one source and does with the picture what the plan says.
struct LoadOne: Sendable {
    let source: LoadSource
    /// Name of the file to be written, without extension.
    let stem: String
    let plan: LoadPlan
    let pipeline: ImagePipeline

    private static let writing = DispatchQueue(label: "firn.write", attributes: .concurrent)

    func run() async -> LoadOutcome {
        let start = ContinuousClock.now
        var request = source.request
        request.targetSize = plan.requested
        request.processors = plan.processors
        let task = pipeline.imageTask(with: request)
        do throws(ImageLoadingError) {
            let response = try await task.response
            let duration = start.duration(to: .now)
            let bytes = source.fileSize ?? task.currentProgress.completed
            // Encoding and writing block: not on the threads that everything else waits on.
            let result = await withCheckedContinuation { continuation in
                LoadOne.writing.async {
                    continuation.resume(returning: finish(response, bytes: bytes, duration: duration))
                }
            }
            return LoadOutcome(name: source.name, label: source.label, result: result)
        } catch {
            let failure = LoadOutcome.Failure(
                fault: error.fault.rawValue, message: error.message, status: error.status)
            return LoadOutcome(name: source.name, label: source.label, result: .failure(failure))
        }
    }

    private func finish(
        _ response: ImageResponse, bytes: Int, duration: Duration
    ) -> Result<LoadOutcome.Picture, LoadOutcome.Failure> {
        do {
            return .success(
                LoadOutcome.Picture(
                    size: response.image.size, format: response.container.format,
                    origin: response.cacheType?.rawValue ?? source.place.rawValue,
                    bytes: bytes, duration: duration, metrics: response.metrics, written: try write(response),
                    cell: try plan.sheetSize.map { try cell(response.image, fitting: $0) }))
        } catch let error as FileError {
            return .failure(
                LoadOutcome.Failure(fault: "source", message: "cannot write \(error.path): \(error.reason)"))
        } catch {
            return .failure(LoadOutcome.Failure(fault: "unsupported", message: "\(error)"))
        }
    }

    private func write(_ response: ImageResponse) throws -> String? {
        guard let folder = plan.folder else { return nil }
        let format = plan.format ?? OutputFormat(nearest: response.container.format)
        let path = PathText.join(folder, "\(stem).\(format.fileExtension)")
        try OutputFile.write(
            PictureEncoding.data(response.image, as: format.format, quality: plan.quality), to: path)
        return path
    }

    private func cell(_ picture: Bitmap, fitting size: PixelSize) throws -> Bitmap {
        let fitted = TargetSize(size).resolved(for: picture.size)
        return fitted == picture.size ? picture : try picture.resized(to: fitted)
    }
}
