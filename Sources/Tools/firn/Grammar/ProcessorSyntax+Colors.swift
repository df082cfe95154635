extension ProcessorSyntax {
    /// The processors that change the outline of an image.
    static let shapes: [Kind] = [
        Kind(
            "rounded", "R[:R:R:R][:border=N][:color=COLOR]",
            "Rounds the corners: all, or top left, top right, bottom left, bottom right.",
            examples: ["rounded=12", "rounded=24:24:0:0", "rounded=12:border=2:color=white"]
        ) { arguments, _ in
            let border = try arguments.border()
            var radii = [try arguments.number(try arguments.required("a radius"), 0...1e6)]
            while let word = arguments.next() { radii.append(try arguments.number(word, 0...1e6)) }
            guard radii.count == 1 || radii.count == 4 else {
                throw arguments.error(arguments.name, "rounded takes one radius or four, not \(radii.count)")
            }
            return radii.count == 1
                ? ImageProcessors.RoundedCorners(radius: radii[0], border: border)
                : ImageProcessors.RoundedCorners(
                    topLeft: radii[0], topRight: radii[1], bottomLeft: radii[2], bottomRight: radii[3], border: border)
        },
        Kind(
            "circle", "[border=N][:color=COLOR]", "Cuts the largest circle out of the middle.",
            examples: ["circle", "resize=200x200:crop,circle=border=4:color=white"]
        ) { arguments, _ in ImageProcessors.Circle(border: try arguments.border()) },
    ]

    /// The processors that change colors or sharpness.
    static let colors: [Kind] = [
        Kind(
            "blur", "RADIUS", "Blurs by a Gaussian of that standard deviation, in pixels.", examples: ["blur=8"]
        ) { arguments, _ in
            let most = ImageProcessors.GaussianBlur.largestRadius
            return ImageProcessors.GaussianBlur(radius: try arguments.number(arguments.required("a radius"), 0...most))
        },
        Kind(
            "sharpen", "[AMOUNT][:radius=R]", "Strengthens details.", examples: ["sharpen", "sharpen=1.2:radius=2"]
        ) { arguments, _ in
            let radius = try arguments.value("radius").map {
                try arguments.number($0, 0...ImageProcessors.GaussianBlur.largestRadius)
            }
            let amount = try arguments.next().map {
                try arguments.number($0, 0...ImageProcessors.Sharpen.largestAmount)
            }
            return ImageProcessors.Sharpen(amount: amount ?? 0.6, radius: radius ?? 1)
        },
        Kind(
            "pixelate", "SIDE", "Shows squares of that side in pixels, each in the mean of its colors.",
            examples: ["pixelate=12"]
        ) { arguments, _ in
            let most = ImageProcessors.Pixelate.longestSide
            return ImageProcessors.Pixelate(side: try arguments.integer(arguments.required("a side"), 1...most))
        },
        matrix("gray", "Takes the colors out.", 0...1, usual: 1) { .grayscale($0) },
        matrix("sepia", "The brown of old photographs.", 0...1, usual: 1) { .sepia($0) },
        Kind(
            "tint", "COLOR[:AMOUNT]", "Shades of one color.", examples: ["tint=#3060c0", "tint=orange:0.4"]
        ) { arguments, _ in
            let color = try arguments.color(try arguments.required("a color"))
            let amount = try arguments.next().map { try arguments.number($0, 0...1) }
            return ImageProcessors.ColorMatrix.tint(color, amount ?? 1)
        },
        matrix("brightness", "Adds to all colors.", -1...1, usual: nil) { .brightness($0) },
        matrix("contrast", "Moves colors away from the middle gray; 1 changes nothing.", 0...10, usual: nil) {
            .contrast($0)
        },
        matrix("saturation", "Makes colors stronger; 1 changes nothing.", 0...10, usual: nil) { .saturation($0) },
        matrix("hue", "Moves colors around the wheel of colors, by degrees.", -360...360, usual: nil) {
            .hue(degrees: $0)
        },
        Kind("invert", "", "The negative.", examples: ["invert"]) { _, _ in ImageProcessors.ColorMatrix.inverted },
    ]

    /// The processors that blend an image with a color or another image.
    static let mixtures: [Kind] = [
        Kind(
            "flatten", "[COLOR]", "Puts an image with transparent parts on one color; white, if none is given.",
            examples: ["flatten", "flatten=black"]
        ) { arguments, _ in
            ImageProcessors.Flatten(background: try arguments.next().map { try arguments.color($0) } ?? .white)
        },
        Kind(
            "blend", "COLOR[:MODE]", "Mixes an image with one color.",
            examples: ["blend=#00000080", "blend=orange:multiply"]
        ) { arguments, _ in
            let color = try arguments.color(try arguments.required("a color"))
            return ImageProcessors.Blend(color: color, mode: try arguments.mode() ?? .sourceOver)
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
            let mode = try arguments.mode() ?? .sourceOver
            guard let gap else {
                return ImageProcessors.Overlay(
                    image, id: word.text, anchor: anchor ?? .bottomRight, margin: margin ?? 0, mode: mode,
                    opacity: opacity ?? 1)
            }
            if margin != nil { throw arguments.error(arguments.name, "tiled images have a gap, no margin") }
            return ImageProcessors.Overlay(
                tiling: image, id: word.text, horizontalGap: gap, verticalGap: gap, mode: mode, opacity: opacity ?? 1)
        },
    ]

    private static func matrix(
        _ name: String, _ summary: String, _ range: ClosedRange<Double>, usual: Double?,
        _ make: @escaping @Sendable (Double) -> ImageProcessors.ColorMatrix
    ) -> Kind {
        let least = ProcessorName.number(range.lowerBound)
        let most = ProcessorName.number(range.upperBound)
        let example = ["brightness": "0.1", "contrast": "1.3", "saturation": "1.5", "hue": "90"][name] ?? "0.6"
        return Kind(
            name, usual == nil ? "\(least)…\(most)" : "[\(least)…\(most)]", summary, examples: ["\(name)=\(example)"]
        ) { arguments, _ in
            if let word = arguments.next() { return make(try arguments.number(word, range)) }
            guard let usual else {
                throw arguments.error(arguments.name, "\(name) needs a number from \(least) to \(most)")
            }
            return make(usual)
        }
    }
}

extension ProcessorArguments {
    /// Removes the arguments of a border and returns it, if there is one.
    fileprivate mutating func border() throws(ProcessorSyntaxError) -> ImageProcessingOptions.Border? {
        let color = try value("color").map { word throws(ProcessorSyntaxError) in try self.color(word) }
        guard let width = value("border") else {
            if color != nil { throw error(name, "a color is of use only with border=N") }
            return nil
        }
        return ImageProcessingOptions.Border(color: color ?? .white, width: try number(width, 0...1e6))
    }

    /// Removes the mode of blending and returns it, if there is one.
    fileprivate mutating func mode() throws -> ImageProcessingOptions.BlendMode? {
        try next().map { try choice($0, ImageProcessingOptions.BlendMode.self) }
    }

    /// Removes the gap of tiled images and returns it; 0 if there is none.
    fileprivate mutating func gap() throws -> Int { try value("gap").map { try integer($0, 0...65_535) } ?? 0 }
}
