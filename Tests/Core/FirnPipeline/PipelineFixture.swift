import FirnCache
import FirnCodecs
import FirnImage
import FirnPipeline
import FirnProcessing
import FirnTesting
import FoundationEssentials
import TestSupport

/// A pipeline over a scripted loader and a scripted decoder.
struct PipelineFixture {
    let loader = ScriptedLoader()
    let decoder: ScriptedDecoder
    let pipeline: ImagePipeline
    static let size = PixelSize(width: 40, height: 30)

    init(
        decoder: ScriptedDecoder = ScriptedDecoder(), memory: Bool = false,
        delegate: (any ImagePipeline.Delegate)? = nil,
        _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) {
        self.decoder = decoder
        var configuration = ImagePipeline.Configuration(dataLoader: loader, decoders: [decoder])
        configuration.scheduling.computingLimit = 2
        if memory { configuration.imageCache = ImageCache() }
        change(&configuration)
        pipeline = ImagePipeline(configuration: configuration, delegate: delegate)
    }

    /// Returns an address for which the loader has an image.
    func image(_ name: String, size: PixelSize = PipelineFixture.size) -> String {
        let url = "https://example.org/\(name)"
        loader.respond(to: url, with: ScriptedDecoder.image(size))
        return url
    }

    /// Starts a task whose transfer has begun and waits until the test releases the address.
    func startHeld(_ name: String) async -> (task: ImageTask, url: String) {
        let url = image(name)
        loader.hold(url)
        let task = pipeline.imageTask(with: url)
        _ = await loader.waitForRequest(url)
        return (task, url)
    }

    /// Starts a task whose transfer the test runs by hand.
    func start(_ url: String) async -> (ImageTask, ScriptedTransfer) {
        loader.respondByHand(to: url)
        let task = pipeline.imageTask(with: url)
        return (task, await loader.waitForRequest(url))
    }
}

/// A processor that counts its runs.
struct CountingProcessor: ImageProcessing {
    let identifier: String
    let counter: Counter
    var failure: ImageError?
    /// True if it returns nothing but the pixels.
    var forgets = false

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        counter.add()
        if let failure { throw failure }
        return forgets ? ImageContainer(image: container.image) : container
    }
}

/// A processor that halves an image, and counts its runs.
struct HalvingProcessor: ImageProcessing {
    let identifier = "half"
    let counter: Counter

    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        counter.add()
        var container = container
        let size = container.image.size
        container.image = try container.image.resized(to: PixelSize(width: size.width / 2, height: size.height / 2))
        return container
    }
}

extension ImagePipeline {
    /// Creates a pipeline that reads files in memory with the standard decoders.
    static func reading(
        _ files: InMemoryFileSystem, memory: Bool, _ change: (inout ImagePipeline.Configuration) -> Void
    ) -> ImagePipeline {
        var configuration = ImagePipeline.Configuration(
            dataLoader: ScriptedLoader(), decoders: ImageDecoders.standard)
        configuration.files = files
        configuration.imageCache = memory ? ImageCache() : nil
        change(&configuration)
        return ImagePipeline(configuration: configuration)
    }
}
