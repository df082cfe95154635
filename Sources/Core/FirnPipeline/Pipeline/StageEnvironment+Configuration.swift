import FirnData

extension StageEnvironment {
    /// The parts of a pipeline as it works with them.
    convenience init(_ configuration: ImagePipeline.Configuration, choices: (any StageChoices)? = nil) {
        let loader = configuration.dataLoader
        self.init(
            loader: configuration.dataLoader, dataCache: configuration.dataCache,
            partialDataCache: configuration.partialDataCache, dataCachePolicy: configuration.dataCachePolicy,
            encoder: configuration.imageEncoder, imageCache: configuration.imageCache,
            decoders: configuration.decoders, files: configuration.files, limits: configuration.limits,
            showsPreviews: configuration.isProgressiveDecodingEnabled, choices: choices,
            retries: configuration.retries,
            failures: configuration.failureTimes.count > 0 ? FailureCache(configuration.failureTimes) : nil,
            observers: ObserverList(configuration.observers), bitmapStore: configuration.bitmaps,
            freshness: configuration.responseCachePolicy.map {
                FreshnessRules(policy: $0, mode: configuration.freshness, now: configuration.now) { request, varies in
                    guard let sent = request.dataRequest else { return nil }
                    guard let choices else { return loader.completed(sent) }
                    let prepared = varies ? choices.preparedAtOnce(sent, for: request) : sent
                    return choices.loader(for: request).completed(prepared)
                }
            }, keepsAnimationData: configuration.keepsAnimationData,
            isTaskCoalescingEnabled: configuration.isTaskCoalescingEnabled,
            unknownContentLimit: configuration.unknownContentLimit,
            automaticPyramidPixels: configuration.automaticPyramidPixels,
            pyramidLimits: configuration.pyramidLimits, decoderChoice: configuration.decoderChoice,
            encoderChoice: configuration.encoderChoice)
    }
}
