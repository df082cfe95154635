// The processors that change the size or position of an image.
extension ProcessorSyntax {
    static let sizes: [Kind] = [
        Kind(
            "resize", "WxH[:fit|fill|exact|crop[:ANCHOR]][:up][:linear][:FILTER] or resize=Wx or resize=xH",
            "Brings an image to a size; 'crop' fills it and cuts the rest off.",
            examples: ["resize=400x300", "resize=400x300:crop:top", "resize=800x", "resize=64x64:exact:box"]
        ) { arguments, _ in try resize(&arguments) },
        Kind(
            "crop", "WxH[:ANCHOR] or crop=X:Y:WxH", "Keeps a part of an image.",
            examples: ["crop=400x300", "crop=200x200:attention", "crop=10:20:300x200"]
        ) { arguments, _ in
            guard let word = arguments.word(where: { $0.contains("x") }) else {
                throw arguments.error(arguments.name, "crop needs a size like 400x300")
            }
            let size = try arguments.size(word)
            guard let column = arguments.word(where: { Int($0) != nil }) else {
                return ImageProcessors.Crop(size: size, anchor: arguments.anchor() ?? .center)
            }
            let x = try arguments.integer(column, 0...ProcessorArguments.longest)
            let y = try arguments.integer(try arguments.required("a row"), 0...ProcessorArguments.longest)
            return ImageProcessors.Crop(x: x, y: y, width: size.width, height: size.height)
        },
        Kind(
            "trim", "[TOLERANCE][:COLOR][:equal][:lines]",
            "Cuts off a border of one color, by default the upper left pixel's; 'equal' cuts opposite edges alike.",
            examples: ["trim", "trim=20:white:equal", "trim=0:lines"]
        ) { arguments, _ in
            let equal = arguments.flag("equal")
            let lines = arguments.flag("lines")
            let tolerance = try arguments.word { Double($0) != nil }.map { try arguments.number($0, 0...255) }
            let color = try arguments.next().map { try arguments.color($0) }
            return ImageProcessors.Trim(
                tolerance: tolerance ?? 10, color: color, equalHorizontal: equal, equalVertical: equal,
                keepsLines: lines)
        },
        Kind(
            "rotate", "90|180|270", "Turns an image clockwise.", examples: ["rotate=90", "rotate=180,flip"]
        ) { arguments, _ in
            let word = try arguments.required("an angle: 90, 180 or 270")
            guard let turn = Int(word.text).flatMap({ ImageProcessors.Rotate.Turn(rawValue: $0) }) else {
                throw arguments.error(word, "'\(word.text)' is none of 90, 180, 270")
            }
            return ImageProcessors.Rotate(turn)
        },
        Kind(
            "flip", "[horizontal|vertical]", "Mirrors an image.", examples: ["flip", "flip=vertical"]
        ) { arguments, _ in
            let axis = try arguments.next().map { try arguments.choice($0, ImageProcessors.Flip.Axis.self) }
            return ImageProcessors.Flip(axis ?? .horizontal)
        },
        Kind(
            "pad", "N[:N:N:N][:COLOR] or pad=WxH[:ANCHOR][:COLOR]",
            "Puts an image on a larger ground: N pixels more at each edge (or top, left, bottom, right), or a size.",
            examples: ["pad=20:white", "pad=0:0:60:0:#222", "resize=400x400,pad=400x400:black"]
        ) { arguments, _ in
            let word = try arguments.required("a number of pixels or a size")
            if word.text.contains("x") {
                let anchor = arguments.anchor() ?? .center
                let color = try arguments.next().map { try arguments.color($0) } ?? .clear
                return ImageProcessors.Pad(to: try arguments.size(word), anchor: anchor, color: color)
            }
            // Three more numbers follow, or none: a single one may be a color.
            let words = [word] + (arguments.words(3) { Int($0) != nil } ?? [word, word, word])
            let edges = try words.map { try arguments.integer($0, 0...ProcessorArguments.longest) }
            let color = try arguments.next().map { try arguments.color($0) } ?? .clear
            return ImageProcessors.Pad(top: edges[0], left: edges[1], bottom: edges[2], right: edges[3], color: color)
        },
    ]

    private static func resize(_ arguments: inout ProcessorArguments) throws -> any ImageProcessing {
        let word = try arguments.required("a size like 400x300, 400x or x300")
        let filter = arguments.first { ResizeFilter(rawValue: $0) } ?? .lanczos3
        let upscale = arguments.flag("up")
        let linear = arguments.flag("linear")
        let sides = word.text.split(separator: "x", omittingEmptySubsequences: false)
        if sides.count == 2, sides[0].isEmpty != sides[1].isEmpty {
            let side = try arguments.integer(
                (String(sides[0] + sides[1]), word.range), 1...ProcessorArguments.longest)
            return sides[1].isEmpty
                ? ImageProcessors.Resize(width: side, upscale: upscale, filter: filter, linearLight: linear)
                : ImageProcessors.Resize(height: side, upscale: upscale, filter: filter, linearLight: linear)
        }
        let size = try arguments.size(word)
        let mode = arguments.first { ["fit", "fill", "crop", "exact"].contains($0) ? $0 : nil } ?? "fit"
        if mode == "exact" {
            return ImageProcessors.Resize(exactly: size, upscale: upscale, filter: filter, linearLight: linear)
        }
        // An anchor applies only to a crop. In other modes it remains, which is an error.
        let anchor = mode == "crop" ? arguments.anchor() : nil
        return ImageProcessors.Resize(
            size: size, mode: mode == "fit" ? .fit : .fill, crop: mode == "crop", anchor: anchor ?? .center,
            upscale: upscale, filter: filter, linearLight: linear)
    }
}

extension ProcessorArguments {
    mutating func anchor() -> ImageProcessingOptions.Anchor? { first { ImageProcessingOptions.Anchor(rawValue: $0) } }
}
