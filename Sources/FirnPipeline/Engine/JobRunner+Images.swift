import FirnData
import FirnImage

// Images that are made outside of the table: on a caller's thread, or for a preview.
extension JobRunner {
    /// The image that a request makes of bytes, made on this thread; `nil` if it cannot be.
    ///
    /// - Parameters:
    ///   - cancellation: once it is set, there is no image.
    ///   - reserve: asked for the memory of the decode; after `false` there is no image.
    func image(
        of bytes: FetchedBytes, for request: ImageRequest, cancellation: CancellationFlag = CancellationFlag(),
        reserve: (Int) -> Bool = { _ in true }
    ) -> ImageContainer? {
        var work = JobWork(fetching: request)
        work.product = .bytes(bytes)
        work.isFinished = true
        let steps = request.steps
        for index in 0..<steps.count {
            work = JobWork(steps[index], of: work, cancellation: cancellation)
            let outcome =
                switch steps[index] {
                case .plainDecode, .decode: DecodeStage(environment: environment).run(work, reserve: reserve)
                case .process: ProcessStage(limits: environment.limits).run(work)
                }
            guard case .finished = outcome else {
                if work.error?.fault == .data { removeDamaged(work) }
                return nil
            }
        }
        return work.image?.container
    }
}
