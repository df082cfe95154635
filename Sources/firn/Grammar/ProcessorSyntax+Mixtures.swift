import Firn

extension ProcessorSyntax {
    /// The processors that blend an image with a color or another image.
    static let mixtures: [Kind] = [
        Kind(
            "flatten", "[COLOR]", "Puts an image with transparent parts on one color; white, if none is given.",
            examples: ["flatten", "flatten=black"]
        ) { arguments, _ in
            guard let word = arguments.next() else { return ImageProcessors.Flatten() }
            return ImageProcessors.Flatten(background: try arguments.color(word))
        },
        Kind(
            "blend", "COLOR[:MODE]", "Mixes an image with one color.",
            examples: ["blend=#00000080", "blend=orange:multiply"]
        ) { arguments, _ in
            let color = try arguments.color(try arguments.required("a color"))
            guard let word = arguments.next() else { return ImageProcessors.Blend(color: color) }
            return ImageProcessors.Blend(
                color: color, mode: try arguments.choice(word, ImageProcessingOptions.BlendMode.self))
        },
        Kind(
            "overlay", "FILE[:ANCHOR][:MODE][:margin=N][:opacity=0…1]",
            "Lays another image over an image, by default in the lower right corner.",
            examples: ["overlay=logo.png:topLeft:margin=16:opacity=0.5"]
        ) { arguments, syntax in
            let margin = try arguments.value("margin").map {
                try arguments.integer($0, -ProcessorArguments.longest...ProcessorArguments.longest)
            }
            let opacity = try arguments.value("opacity").map { try arguments.number($0, 0...1) }
            let word = try arguments.required("a file")
            let image: Bitmap
            do {
                image = try syntax.image(word.text)
            } catch {
                throw arguments.error(word, "\(error)")
            }
            let anchor = arguments.anchor() ?? .bottomRight
            let mode = try arguments.next().map {
                try arguments.choice($0, ImageProcessingOptions.BlendMode.self)
            }
            return ImageProcessors.Overlay(
                image, id: word.text, anchor: anchor, margin: margin ?? 0, mode: mode ?? .sourceOver,
                opacity: opacity ?? 1)
        },
    ]
}
