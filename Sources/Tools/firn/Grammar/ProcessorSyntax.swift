/// Parses a list of processors: `resize=400x300:fill,blur=8,rounded=12:border=2`.
///
/// Commas separate the steps, which run in order. A step's arguments follow `=` and are separated by colons. Values
/// with commas, colons or equals signs need single quotes. ``kinds`` lists all processors with examples.
struct ProcessorSyntax: Sendable {
    struct Kind: Sendable {
        let name: String
        /// The syntax of the arguments; those in brackets are optional.
        let syntax: String
        /// The effect of the processor, in one line.
        let summary: String
        let examples: [String]
        let make: @Sendable (inout ProcessorArguments, ProcessorSyntax) throws -> any ImageProcessing

        init(
            _ name: String, _ syntax: String, _ summary: String, examples: [String],
            make: @escaping @Sendable (inout ProcessorArguments, ProcessorSyntax) throws -> any ImageProcessing
        ) {
            self.name = name
            self.syntax = syntax.isEmpty ? name : "\(name)=\(syntax)"
            self.summary = summary
            self.examples = examples
            self.make = make
        }
    }

    /// Loads the image of an overlay; by default a file. Called on the thread that parses the list.
    var image: @Sendable (String) throws -> Bitmap = { path in
        do {
            return try ImageFile(LoadSource(path: path)).decode(DecodingOptions())
        } catch {
            throw ValidationError("\(path): \(ImageFault(error).message)")
        }
    }

    static let help = ArgumentHelp(
        "Change every image, like 'resize=400x300:crop,blur=8'; see 'firn processors'.", valueName: "list")

    /// Returns the processors that `text` lists.
    ///
    /// - Throws: ``ProcessorSyntaxError``, which holds the range of the wrong characters.
    func processors(_ text: String) throws(ProcessorSyntaxError) -> [any ImageProcessing] {
        var processors: [any ImageProcessing] = []
        for step in try ProcessorWords.steps(of: text) {
            guard let kind = Self.kinds.first(where: { $0.name == step.name.text }) else {
                let names = Self.kinds.map(\.name).joined(separator: ", ")
                throw ProcessorSyntaxError(
                    text: text, range: step.name.range,
                    message: "there is no processor '\(step.name.text)'; there are \(names)")
            }
            var arguments = ProcessorArguments(step, of: text)
            do {
                processors.append(try kind.make(&arguments, self))
            } catch let error as ProcessorSyntaxError {
                throw error
            } catch {
                throw ProcessorSyntaxError(text: text, range: step.name.range, message: "\(error)")
            }
            try arguments.end(kind.syntax)
        }
        return processors
    }

    /// The values that the words in capitals in `Kind.syntax` stand for.
    static let words: [(name: String, values: [String])] = [
        ("ANCHOR", ImageProcessingOptions.Anchor.allCases.map(\.rawValue)),
        ("FILTER", ResizeFilter.allCases.map(\.rawValue)),
        ("MODE", ImageProcessingOptions.BlendMode.allCases.map(\.rawValue)),
        ("COLOR", ["#rgb", "#rrggbb", "#rrggbbaa"] + SRGBColor.named.map(\.key)),
    ]

    /// All processors, in the usual order of use.
    static let kinds: [Kind] = sizes + shapes + colors + mixtures
}

extension SRGBColor {
    fileprivate static let named: KeyValuePairs = [
        "clear": SRGBColor.clear, "black": SRGBColor(0), "white": SRGBColor.white, "gray": SRGBColor(0x80_8080),
        "red": SRGBColor(0xFF_0000), "green": SRGBColor(0x00_8000), "blue": SRGBColor(0x00_00FF),
        "yellow": SRGBColor(0xFF_FF00), "orange": SRGBColor(0xFF_A500),
    ]

    /// Parses a color name, or a number like `#f80`, `#ff8000`, `#ff800080`; the number sign is optional.
    init?(name: String) {
        if let color = SRGBColor.named.first(where: { $0.key == name })?.value {
            self = color
            return
        }
        let digits = name.hasPrefix("#") ? name.dropFirst() : name[...]
        let pairs = digits.utf8.count < 5 ? String(digits.flatMap { [$0, $0] }) : String(digits)
        guard let values = [UInt8](hexadecimal: pairs), (3...4).contains(values.count) else { return nil }
        self.init(red: values[0], green: values[1], blue: values[2], alpha: values.count == 4 ? values[3] : 255)
    }
}
