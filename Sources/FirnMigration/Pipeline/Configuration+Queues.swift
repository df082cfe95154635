public import Firn
public import Foundation

// A pipeline schedules by priority over workers of its own: there are no queues.
extension ImagePipeline.Configuration {
    /// There are no queues.
    @available(*, unavailable, message: "use scheduling.transferLimit, or pipeline.scheduling at any time")
    public var dataLoadingQueue: OperationQueue {
        get { OperationQueue() }
        set {}
    }

    /// There are no queues.
    @available(*, unavailable, message: "use scheduling.readingLimit, or pipeline.scheduling at any time")
    public var dataCachingQueue: OperationQueue {
        get { OperationQueue() }
        set {}
    }

    /// There are no queues.
    @available(*, unavailable, message: "use scheduling.computingLimit, or pipeline.scheduling at any time")
    public var imageDecodingQueue: OperationQueue {
        get { OperationQueue() }
        set {}
    }

    /// There are no queues.
    @available(*, unavailable, message: "use scheduling.computingLimit, or pipeline.scheduling at any time")
    public var imageEncodingQueue: OperationQueue {
        get { OperationQueue() }
        set {}
    }

    /// There are no queues.
    @available(*, unavailable, message: "use scheduling.computingLimit, or pipeline.scheduling at any time")
    public var imageProcessingQueue: OperationQueue {
        get { OperationQueue() }
        set {}
    }

    /// There are no queues.
    @available(
        *, unavailable, message: "remove it: there is no decompression after decoding; see scheduling.computingLimit"
    )
    public var imageDecompressingQueue: OperationQueue {
        get { OperationQueue() }
        set {}
    }

    /// There are no queues.
    @available(*, unavailable, message: "use the executor of a call: loadImage(with:on:completion:)")
    public var callbackQueue: DispatchQueue {
        get { .main }
        set {}
    }
}

extension OperationQueue {
    /// There are no queues.
    @available(*, unavailable, message: "use scheduling.transferLimit or scheduling.computingLimit")
    public var maxConcurrentTaskCount: Int {
        get { 0 }
        set {}
    }
}

/// There is no global actor.
@available(*, unavailable, message: "remove it: a pipeline is no actor, and delegate methods are called on any thread")
@globalActor
public actor ImagePipelineActor {
    /// There is no global actor.
    public static let shared = ImagePipelineActor()
}
