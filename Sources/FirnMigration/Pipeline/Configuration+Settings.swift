public import Firn
public import Foundation

extension ImagePipeline.Configuration {
    /// Whether the bytes of a transfer that was given up are kept in memory, to go on from there. Default: yes.
    ///
    /// Sets ``/FirnPipeline/ImagePipeline/Scheduling/partialBodyLimit``; bytes on disk are a matter of
    /// `partialDataCache`.
    public var isResumableDataEnabled: Bool {
        get { scheduling.partialBodyLimit > 0 }
        set {
            guard newValue != isResumableDataEnabled else { return }
            scheduling.partialBodyLimit = newValue ? ImagePipeline.Scheduling().partialBodyLimit : 0
        }
    }

    /// True if bursts of transfers that are started and cancelled at once are rate-limited: the setting of
    /// ``/FirnPipeline/ImagePipeline/Scheduling``.
    public var isRateLimiterEnabled: Bool {
        get { scheduling.isRateLimiterEnabled }
        set { scheduling.isRateLimiterEnabled = newValue }
    }

    /// Most bytes of a file; `nil` for as many as can be counted.
    public var maximumResponseDataSize: Int? {
        get { limits.maximumBytes }
        set { limits.maximumBytes = max(0, newValue ?? .max) }
    }

    /// Previews have no fixed interval.
    @available(
        *, unavailable,
        message:
            "previews are made as their cost allows, at most a fifth of a core; see scheduling.previewTimeThreshold"
    )
    public var progressiveDecodingInterval: TimeInterval {
        get { 0 }
        set {}
    }

    /// Previews are not cached.
    @available(
        *, unavailable,
        message: "remove it: previews enter no cache, and a subscriber that joins a load gets its latest preview"
    )
    public var isStoringPreviewsInMemoryCache: Bool {
        get { false }
        set {}
    }

    /// Images are pixels.
    @available(*, unavailable, message: "remove it: images are decoded to pixels in the background")
    public var isDecompressionEnabled: Bool {
        get { true }
        set {}
    }

    /// Images are pixels.
    @available(*, unavailable, message: "remove it: images are decoded to pixels in the background")
    public var isUsingPrepareForDisplay: Bool {
        get { true }
        set {}
    }

    /// Local files have their own way.
    @available(*, unavailable, message: "remove it: the pipeline reads file: and data: addresses itself")
    public var isLocalResourcesSupportEnabled: Bool {
        get { true }
        set {}
    }

    /// An older name.
    @available(*, unavailable, renamed: "keepsAnimationData")
    public var isAnimatedImageDataEnabled: Bool {
        get { keepsAnimationData }
        set { keepsAnimationData = newValue }
    }

    /// Observers measure.
    @available(*, unavailable, message: "set configuration.observers, for example to SpanObserver of FirnTelemetry")
    public static var isSignpostLoggingEnabled: Bool {
        get { false }
        set {}
    }
}
