import FirnSync
import FoundationEssentials

extension ImagePipeline {
    /// Returns a decoder of all frames of the animation whose first frame was loaded. The decoder reads the bytes that
    /// arrived with the first frame, or the local file; nothing is loaded again.
    ///
    /// ```swift
    /// let response = try await pipeline.imageTask(with: request).response
    /// if let decoder = pipeline.animationDecoder(for: response) {
    ///     let animation = AnimatedImage(decoder: decoder, processors: request.processors)
    ///     let viewer = animation.makeViewer { print("there is another frame") }
    ///     if let frame = viewer.frame() { Screen.show(frame) }
    /// }
    /// ```
    /// May open a local file and read its first bytes, so do not call it on the drawing thread.
    ///
    /// - Returns: `nil` for a still image or a preview, if the file has changed or is gone, or if the bytes were not
    ///   kept (see ``/FirnPipeline/ImagePipeline/Configuration/keepsAnimationData``).
    public func animationDecoder(for response: ImageResponse) -> ImageDecoder? {
        let container = response.container
        guard container.isAnimated, !container.isPreview else { return nil }
        if let data = container.data {
            guard let decoder = decoder(data.prefix(ImageFormat.sniffLength), response) else { return nil }
            do throws(ImageError) { try decoder.setData(data, allDataReceived: true) } catch { return nil }
            return decoder
        }
        guard let file = openFile(of: response),
            let head = try? file.read(at: 0, count: min(ImageFormat.sniffLength, file.status.size)),
            let decoder = decoder(head, response)
        else { return nil }
        do throws(ImageError) { try decoder.append(contentsOf: file) } catch { return nil }
        decoder.finish()
        return decoder
    }

    /// Calls `done` with the decoder of an animation (``animationDecoder(for:)``), on one of the threads that decode
    /// animations. Passes `nil` for a file of one frame, too.
    package func makeAnimationDecoder(for response: ImageResponse, done: @escaping @Sendable (ImageDecoder?) -> Void) {
        WorkerQueue.animations.run {
            let decoder = self.animationDecoder(for: response)
            done(decoder.flatMap { $0.frameCount > 1 ? $0 : nil })
        } refused: {
            done(nil)
        }
    }

    /// Returns a decoder for content that starts with `head`, chosen as for the load.
    private func decoder(_ head: Data, _ response: ImageResponse) -> ImageDecoder? {
        decoder(of: head, for: response).map { ImageDecoder(decoders: [$0], limits: configuration.limits) }
    }
}

extension WorkerQueue {
    /// The threads that decode animations: two, or one on a single core, so that animations delay neither each other
    /// nor a pipeline. An animation queues one frame decode at a time, so animations take turns.
    static let animations = WorkerQueue(count: min(2, Machine.cores))
}
