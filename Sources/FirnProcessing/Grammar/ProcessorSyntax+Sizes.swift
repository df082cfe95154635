internal import FirnImage

// What changes a picture's size or place.
extension ProcessorSyntax {
    static let sizes: [Kind] = [
        Kind(
            "resize", "WxH|Wx|xH[:fit|fill|crop|exact][:ANCHOR][:up][:linear][:FILTER]",
            "Brings a picture to a size; 'crop' fills it and cuts the rest off.",
            examples: ["resize=400x300", "resize=400x300:crop:top", "resize=800x", "resize=64x64:exact:box"]
        ) { arguments, _ in try resize(&arguments) },
        Kind(
            "crop", "WxH[:ANCHOR] or crop=X:Y:WxH", "Keeps a part of a picture.",
            examples: ["crop=400x300", "crop=200x200:attention", "crop=10:20:300x200"]
        ) { arguments, _ in
            if let size = arguments.first({ $0.contains("x") ? $0 : nil }) {
                let parsed = try arguments.size(ProcessorWords.Word(text: size, range: arguments.name.range))
                guard let x = arguments.first({ Int($0) }) else {
                    return ImageProcessors.Crop(size: parsed, anchor: arguments.anchor() ?? .center)
                }
                let y = try arguments.integer(try arguments.required("a row"), 0...ProcessorArguments.longest)
                return ImageProcessors.Crop(x: x, y: y, width: parsed.width, height: parsed.height)
            }
            throw arguments.error(arguments.name, "crop needs a size like 400x300")
        },
        Kind(
            "rotate", "90|180|270", "Turns a picture clockwise.", examples: ["rotate=90", "rotate=180,flip"]
        ) { arguments, _ in
            let word = try arguments.required("an angle: 90, 180 or 270")
            guard let turn = Int(word.text).flatMap({ ImageProcessors.Rotate.Turn(rawValue: $0) }) else {
                throw arguments.error(word, "'\(word.text)' is none of 90, 180, 270")
            }
            return ImageProcessors.Rotate(turn)
        },
        Kind(
            "flip", "[horizontal|vertical]", "Mirrors a picture.", examples: ["flip", "flip=vertical"]
        ) { arguments, _ in
            guard let word = arguments.next() else { return ImageProcessors.Flip() }
            return ImageProcessors.Flip(try arguments.choice(word, ImageProcessors.Flip.Axis.self))
        },
        Kind(
            "pad", "N|WxH[:ANCHOR][:COLOR]",
            "Puts a picture on a larger ground: N pixels more at each edge, or a size.",
            examples: ["pad=20:white", "resize=400x400,pad=400x400:black"]
        ) { arguments, _ in
            let word = try arguments.required("a number of pixels or a size")
            let anchor = arguments.anchor() ?? .center
            let color = try arguments.next().map { try arguments.color($0) } ?? ImageProcessors.Pad.clear
            if word.text.contains("x") {
                return ImageProcessors.Pad(to: try arguments.size(word), anchor: anchor, color: color)
            }
            let edge = try arguments.integer(word, 0...ProcessorArguments.longest)
            return ImageProcessors.Pad(top: edge, left: edge, bottom: edge, right: edge, color: color)
        },
    ]

    private static func resize(_ arguments: inout ProcessorArguments) throws -> any ImageProcessing {
        let word = try arguments.required("a size like 400x300, 400x or x300")
        let filter = arguments.first { ResizeFilter(rawValue: $0) } ?? .lanczos3
        let anchor = arguments.anchor()
        let upscale = arguments.flag("up")
        let linear = arguments.flag("linear")
        let mode = arguments.first { ["fit", "fill", "crop", "exact"].contains($0) ? $0 : nil } ?? "fit"
        let sides = word.text.split(separator: "x", omittingEmptySubsequences: false)
        if sides.count == 2, sides[0].isEmpty != sides[1].isEmpty {
            let side = try arguments.integer(
                ProcessorWords.Word(text: String(sides[0] + sides[1]), range: word.range),
                1...ProcessorArguments.longest)
            return sides[1].isEmpty
                ? ImageProcessors.Resize(width: side, upscale: upscale, filter: filter)
                : ImageProcessors.Resize(height: side, upscale: upscale, filter: filter)
        }
        let size = try arguments.size(word)
        if mode == "exact" {
            return ImageProcessors.Resize(exactly: size, upscale: upscale, filter: filter, linearLight: linear)
        }
        return ImageProcessors.Resize(
            size: size, mode: mode == "fit" ? .fit : .fill, crop: mode == "crop", anchor: anchor ?? .center,
            upscale: upscale, filter: filter, linearLight: linear)
    }
}

extension ProcessorArguments {
    /// The next value that names an anchor.
    mutating func anchor() -> ImageProcessingOptions.Anchor? { first { ImageProcessingOptions.Anchor(rawValue: $0) } }
}
