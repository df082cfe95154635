import Firn
import FirnBinding
import FoundationEssentials

/// The code of the article on moving from other libraries.
enum MovingSnippets {
    @MainActor static func view(_ label: PhotoLabel, _ url: URL) -> ViewBinding {
        // snippet.moving-view
        let options = ImageLoadingOptions(
            placeholder: .color(SRGBColor(red: 230, green: 230, blue: 230, alpha: 255)),
            transition: .fadeIn)
        let context = BindingContext(pipeline: .shared, options: options)
        let binding = ViewBinding(view: label, context: context)
        binding.load(ImageRequest(url: url))  // decoded at the size of the view
        // snippet.end
        return binding
    }

    static func transition() -> ImageTransition {
        // snippet.transition
        let duration = Duration.milliseconds(400)
        let slide = ImageTransition.custom("slide", duration: duration) { progress in
            let eased = 1 - (1 - progress) * (1 - progress)
            return ImageTransition.Frame(opacity: eased, x: 0.25 * (1 - eased))
        }
        // snippet.end
        return slide
    }

    static func load(_ url: URL) -> ImageTask {
        // snippet.moving-load
        let request = ImageRequest(url: url, processors: [.roundedCorners(radius: 12)])
        let task = ImagePipeline.shared.loadImage(
            with: request,
            progress: { progress in print(progress.fraction) },
            completion: { result in
                switch result {
                case .success(let response): Screen.show(response.image)
                case .failure(let error): Screen.show(error.message)
                }
            })
        // snippet.end
        return task
    }

    static func configure() {
        // snippet.moving-configure
        ImagePipeline.shared = ImagePipeline {
            $0.imageCache = .memory(limit: 100 << 20)
            $0.dataCache = .disk(path: "/home/me/.cache/images", limit: 500 << 20)
            $0.dataCachePolicy = .storeAll  // originals and processed images
            $0.retries.limit = 3
            $0.scheduling.transferLimit = 4
        }
        // snippet.end
    }

    static func requests(_ url: URL) -> [ImageRequest] {
        // snippet.moving-requests
        var kept = ImageRequest(url: url)
        kept.options = .returnCacheDataDontLoad  // .onlyFromCache, .fromCacheOnly
        var anew = ImageRequest(url: url)
        anew.options = .reloadIgnoringCachedData  // .forceRefresh
        var weekly = ImageRequest(url: url)
        // .diskCacheExpiration(.days(7)), maxDiskAge
        weekly.freshness = .limited(.seconds(7 * 24 * 3600))
        let small = ImageRequest(url: url, targetSize: TargetSize(200))
        // snippet.end
        return [kept, anew, weekly, small]
    }
}
