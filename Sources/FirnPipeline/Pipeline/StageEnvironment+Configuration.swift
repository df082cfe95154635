extension StageEnvironment {
    /// What a pipeline of these parts works with.
    convenience init(_ configuration: ImagePipeline.Configuration, choices: (any StageChoices)? = nil) {
        self.init(
            loader: configuration.dataLoader, dataCache: configuration.dataCache, imageCache: configuration.imageCache,
            decoders: configuration.decoders, files: configuration.files, limits: configuration.limits,
            showsPreviews: configuration.isProgressiveDecodingEnabled, choices: choices,
            observers: ObserverList(configuration.observers))
    }
}
