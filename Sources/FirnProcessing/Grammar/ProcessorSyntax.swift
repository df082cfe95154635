public import FirnImage

/// A list of processors as text: `resize=400x300:fill,blur=8,rounded=12:border=2`.
///
/// Steps are separated by commas and done in order; what belongs to a step comes behind `=`, separated by colons; values with
/// commas, colons or equals signs stand in single quotes. ``kinds`` has all processors with examples.
public struct ProcessorSyntax: Sendable {
    /// One processor as it is written.
    public struct Kind: Sendable {
        /// Its name.
        public let name: String
        /// How it is written; what is in brackets may be left out.
        public let syntax: String
        /// What it does, in one line.
        public let summary: String
        /// Lists with it.
        public let examples: [String]
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

    /// What stands for a word in capitals of a syntax.
    public struct Words: Sendable {
        /// The word in capitals.
        public let name: String
        /// What may stand for it.
        public let values: [String]

        var list: String { values.joined(separator: ", ") }
    }

    /// Reads the images that overlays name.
    let image: @Sendable (String) throws -> Bitmap

    /// A reader of lists.
    ///
    /// - Parameter image: reads an image that is named in a list, on the thread that reads the list. Default: there
    ///   are none.
    public init(
        image: @escaping @Sendable (String) throws -> Bitmap = {
            throw ImageProcessingError(.parameter, in: "overlay", "no image is known as \($0)")
        }
    ) {
        self.image = image
    }

    /// The processors that `text` lists.
    ///
    /// - Throws: ``ProcessorSyntaxError``, which points at the place.
    public func processors(_ text: String) throws(ProcessorSyntaxError) -> [any ImageProcessing] {
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

    /// The words in capitals that stand for one of several.
    public static let words = [
        Words(name: "ANCHOR", values: ImageProcessingOptions.Anchor.allCases.map(\.rawValue)),
        Words(name: "FILTER", values: ResizeFilter.allCases.map(\.rawValue)),
        Words(name: "MODE", values: ImageProcessingOptions.BlendMode.allCases.map(\.rawValue)),
        Words(name: "COLOR", values: ["#rgb", "#rrggbb", "#rrggbbaa"] + SRGBColor.names),
    ]

    /// All processors that have a name, in the order in which they are commonly used.
    public static let kinds: [Kind] = sizes + shapes + colors + mixtures
}
