import FirnSync

/// A size: `800x600`, `800`, `800x`, `x600` or `50%`.
enum SizeArgument: ExpressibleByArgument, Hashable, Sendable {
    /// A rectangle to fit into. A side that is nil is not limited.
    case sides(width: Int?, height: Int?)
    /// A percentage of the image's own sides, above 0 and at most 100.
    case percent(Double)

    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), percent > 0, percent <= 100 else { return nil }
            self = .percent(percent)
            return
        }
        let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        let numbers = sides.map { Int($0) }
        guard zip(sides, numbers).allSatisfy({ $0.isEmpty || (1...SizeArgument.longest).contains($1 ?? 0) }) else {
            return nil
        }
        switch numbers.count {
        case 1 where numbers[0] != nil: self = .sides(width: numbers[0], height: numbers[0])
        case 2 where numbers[0] != nil || numbers[1] != nil: self = .sides(width: numbers[0], height: numbers[1])
        default: return nil
        }
    }

    /// No supported format has a longer side.
    private static let longest = 1 << 24

    /// True if ``target(for:mode:)`` needs the size of the image.
    var needsImageSize: Bool { if case .percent = self { true } else { false } }

    /// Returns the target size for a decoder.
    ///
    /// - Parameters:
    ///   - extent: the size of the image. Without it, a percentage has the target `nil`: all pixels.
    ///   - mode: the meaning of a size with both sides. A single side is always fitted into.
    func target(for extent: ImageExtent?, mode: ImageContentMode = .fit) -> TargetSize? {
        switch self {
        case .sides(let width?, let height?): TargetSize(width: width, height: height, mode: mode)
        case .sides(let width, let height): TargetSize(width: width, height: height)
        case .percent(let percent): TargetSize(scaling: extent, by: percent / 100) ?? part(percent, of: extent?.pixels)
        }
    }

    /// Returns the target of a percentage of a bitmap.
    private func part(_ percent: Double, of size: PixelSize?) -> TargetSize? {
        guard let size else { return nil }
        func side(_ length: Int) -> Int { max(1, Int(saturating: (Double(length) * percent / 100).rounded())) }
        // Only the longer side is computed here; the shorter one is rounded later, as for other sizes.
        return TargetSize(
            size.width >= size.height
                ? PixelSize(width: side(size.width), height: size.height)
                : PixelSize(width: size.width, height: side(size.height)))
    }

    var transposed: SizeArgument {
        switch self {
        case .sides(let width, let height): .sides(width: height, height: width)
        case .percent: self
        }
    }

    static var help: ArgumentHelp {
        ArgumentHelp(
            """
            Fit into this size: 800x600, 800 (both sides), 800x (width), x600 (height), or 50%. Only vector images are \
            enlarged. Default of thumbnail: 128.
            """,
            valueName: "size")
    }
}

/// A rotation by quarter turns, in degrees clockwise: 90, 180, 270 or -90.
struct RotateArgument: ExpressibleByArgument {
    let processor: ImageProcessors.Rotate
    var transposes: Bool { processor.turn != .half }

    init?(argument: String) {
        let degrees = Int(argument).map { $0 < 0 ? $0 &+ 360 : $0 }
        guard let turn = degrees.flatMap({ ImageProcessors.Rotate.Turn(rawValue: $0) }) else { return nil }
        processor = ImageProcessors.Rotate(turn)
    }
}

extension PixelSize: ExpressibleByArgument {
    /// Parses `WIDTHxHEIGHT`, both positive.
    public init?(argument: String) {
        guard argument.lowercased().contains("x"),
            case .sides(let width?, let height?)? = SizeArgument(argument: argument)
        else { return nil }
        self.init(width: width, height: height)
    }
}

extension ImageRegion: ExpressibleByArgument {
    /// Parses a region of an image: `100,200,640x480`, or in percent `25%,0%,50%x100%`.
    public init?(argument: String) {
        let fields = argument.lowercased().split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 3 else { return nil }
        let sides = fields[2].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let texts = [fields[0], fields[1], sides[0], sides[1]]
        if texts.allSatisfy({ $0.hasSuffix("%") }) {
            let parts = texts.compactMap { Double($0.dropLast()) }.filter { (0...100).contains($0) }
            guard parts.count == 4, parts[2] > 0, parts[3] > 0 else { return nil }
            self = .fractions(x: parts[0] / 100, y: parts[1] / 100, width: parts[2] / 100, height: parts[3] / 100)
            return
        }
        let numbers = texts.compactMap { Int($0) }.filter { $0 >= 0 }
        guard numbers.count == 4, numbers[2] > 0, numbers[3] > 0 else { return nil }
        self = .pixels(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    static func help(_ part: String) -> ArgumentHelp {
        ArgumentHelp("\(part), as shown: 100,200,640x480 (pixels) or 25%,0%,50%x100%.", valueName: "x,y,wxh")
    }
}

extension NameSpecification {
    static var out: NameSpecification { [.customShort("o"), .long, .customLong("output")] }
    static var size: NameSpecification { [.short, .long, .customLong("resize")] }
}

/// The options for the size of the decoded image.
struct SizeOptions: ParsableArguments {
    @Option(name: .size, help: SizeArgument.help)
    var size: SizeArgument?

    @Option(help: ArgumentHelp("Draw vector images at this many times their own size: 2, 0.5.", valueName: "factor"))
    var scale: Double?

    @Option(help: ArgumentHelp("Draw vector images at this many pixels per inch of their own size.", valueName: "n"))
    var dpi: Double?

    func validate() throws {
        let given = [("--scale", scale != nil), ("--dpi", dpi != nil), ("--size", size != nil)].filter(\.1).map(\.0)
        if given.count > 1 { throw ValidationError("\(given.joined(separator: " and ")) exclude each other.") }
        if let scale, !(scale > 0 && scale <= 1000) { throw ValidationError("--scale takes a number up to 1000.") }
        if let dpi, !(dpi > 0 && dpi <= 96_000) { throw ValidationError("--dpi takes a number up to 96000.") }
    }

    /// The factor of the image's own size; `nil` without an option.
    var factor: Double? { scale ?? dpi.map { $0 / 96 } }
}

extension TargetSize {
    /// Creates the target of a drawing, or of a part of it, at `factor` times its own size; `nil` for a bitmap. The
    /// longer side is rounded, and the shorter side follows from the ratio.
    init?(scaling extent: ImageExtent?, by factor: Double?) {
        guard let factor, let vector = extent?.vector else { return nil }
        let side = Int(
            saturating: max(1, min(max(vector.width, vector.height) * factor, Double(TargetSize.free)).rounded()))
        self.init(
            vector.width >= vector.height
                ? PixelSize(width: side, height: TargetSize.free) : PixelSize(width: TargetSize.free, height: side))
    }

    /// A side that does not limit any image.
    private static let free = 1 << 24
}
