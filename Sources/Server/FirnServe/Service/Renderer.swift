import Firn
import FirnCodecs
import FirnData
import FirnImage
import FirnPipeline
import FoundationEssentials

/// Turns jobs into requests of pipelines: the plan follows from the header of the source, and the encoder is the last
/// step of the request.
struct Renderer: Sendable {
    let pipeline: ImagePipeline
    let limits: ImageLimits
    /// Decodes parts of large files.
    let parts: ImagePipeline
    let partLimits: ImageLimits

    /// Starts the work of a result.
    ///
    /// - Parameters:
    ///   - isRefresh: whether no one waits for the result, and a stored one is of no use.
    ///   - stored: looks for a stored result, on a thread that may block.
    ///   - made: called once with the bytes and the media type, on the thread that has made them.
    /// - Returns: a task whose rendering is what `made` or `stored` returned.
    func task(
        _ job: ResultJob, isRefresh: Bool, stored: @escaping @Sendable () -> ServedResult?,
        made: @escaping @Sendable (Data, String) -> ServedResult
    ) -> ImageTask {
        let limits = job.takesParts ? partLimits : limits
        let rendering = ImageRendering(isRefresh ? "refresh " + job.key : job.key, stored: stored) { source in
            // Other formats may state behind the pixels what they are.
            guard source.isWhole || source.properties.format == .jpeg else { return nil }
            let info = try SourceInfo(source, limits)
            let plan = try job.plan(info)
            guard source.isWhole || !plan.needsWhole else { return nil }
            return try plan.rendering(of: source, info, limits, made)
        }
        return task(job.source, takesParts: job.takesParts, rendering, isRefresh ? .low : .normal)
    }

    /// Starts to describe a source.
    ///
    /// - Parameter takesParts: whether the limits are those of files of which parts are decoded.
    func description(of source: SourceReference, takesParts: Bool) -> ImageTask {
        let limits = takesParts ? partLimits : limits
        let rendering = ImageRendering("describe " + source.key) { source in
            guard source.isWhole else { return nil }
            let info = try SourceInfo(source, limits)
            return RenderingPlan { _ in info }
        }
        return task(source, takesParts: takesParts, rendering, .normal)
    }

    private func task(
        _ source: SourceReference, takesParts: Bool, _ rendering: ImageRendering, _ priority: ImageRequest.Priority
    ) -> ImageTask {
        let request =
            switch source {
            case .file(let path, _): ImageRequest(path: path, priority: priority)
            case .http(let url, _), .s3(let url, _): ImageRequest(url: url, priority: priority)
            }
        return (takesParts ? parts : pipeline).task(for: request, rendering: rendering)
    }
}

extension ImageTask {
    /// Waits for what the rendering of the task has made.
    func rendered<Value: Sendable>(as type: Value.Type = Value.self) async throws(ServeError) -> Value {
        do throws(ImageLoadingError) {
            guard let value = try await response.rendered as? Value else { throw .cancelled }
            return value
        } catch {
            throw ServeError(error)
        }
    }
}
