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
            "overlay",
            "FILE[:ANCHOR][:MODE][:margin=N][:opacity=0…1] or overlay=FILE:tiled[:MODE][:gap=N][:opacity=0…1]",
            "Lays another image over an image, by default in the lower right corner; 'tiled' repeats it.",
            examples: ["overlay=logo.png:topLeft:margin=16:opacity=0.5", "overlay=logo.png:tiled:gap=40"]
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
            let gap = try arguments.flag("tiled") ? arguments.gap() : nil
            let anchor = gap == nil ? arguments.anchor() : nil
            let mode = try arguments.next().map {
                try arguments.choice($0, ImageProcessingOptions.BlendMode.self)
            }
            if let gap {
                guard margin == nil else { throw arguments.error(arguments.name, "tiled images have a gap, no margin") }
                return ImageProcessors.Overlay(
                    tiling: image, id: word.text, horizontalGap: gap, verticalGap: gap, mode: mode ?? .sourceOver,
                    opacity: opacity ?? 1)
            }
            return ImageProcessors.Overlay(
                image, id: word.text, anchor: anchor ?? .bottomRight, margin: margin ?? 0, mode: mode ?? .sourceOver,
                opacity: opacity ?? 1)
        },
    ]
}

extension ProcessorArguments {
    /// Removes the gap of tiled images and returns it; 0 if there is none.
    fileprivate mutating func gap() throws -> Int {
        guard let word = value("gap") else { return 0 }
        return try integer(word, 0...65_535)
    }
}
