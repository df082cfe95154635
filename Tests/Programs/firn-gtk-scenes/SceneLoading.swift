#if GTK
import FirnBinding
import FirnCache
import FirnData
import FirnGTK
import FirnImage
import FirnPipeline
import FirnTesting
import FoundationEssentials

/// A pipeline over scripted addresses whose images encode their numbers.
@MainActor
struct SceneLoading {
    let loader = ScriptedLoader()
    let cache: ImageCache
    let pipeline: ImagePipeline
    let context: BindingContext

    init(
        policy: ImageReusePolicy = .cancel, decoders: [any ImageDecoding] = [NumberedImage()],
        options: ImageLoadingOptions? = nil, limits: ImageCacheLimits = ImageCacheLimits(),
        configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) {
        cache = ImageCache(limits: limits)
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: decoders)
        configuration.imageCache = cache
        configuration.scheduling.isRateLimiterEnabled = false
        configure(&configuration)
        pipeline = ImagePipeline(configuration: configuration)
        var fill = options ?? ImageLoadingOptions()
        fill.contentMode = .fill
        context = BindingContext.gtk(pipeline: pipeline, policy: policy, options: fill)
    }

    static func url(_ number: Int) -> String { "https://example.org/\(number)" }

    /// Sets the loader's response to an image.
    func serve(_ number: Int, size: PixelSize = PixelSize(width: 400, height: 400)) {
        loader.respond(to: SceneLoading.url(number), with: NumberedImage.data(number, size))
    }

    func request(_ number: Int) -> ImageRequest { ImageRequest(url: SceneLoading.url(number)) }
}
#endif
