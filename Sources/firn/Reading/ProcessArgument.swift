import ArgumentParser
import Firn

/// A list of processors in the grammar of `ProcessorSyntax`. Images in it are files.
struct ProcessArgument: Sendable {
    let processors: [any ImageProcessing]

    /// - Throws: an error that shows the text and the position of the mistake.
    init(_ text: String) throws {
        let syntax = ProcessorSyntax { path in
            do throws(ImageFault) {
                return try ImageFile(path).decode(DecodingOptions())
            } catch {
                throw ValidationError("\(path): \(error.message)")
            }
        }
        do throws(ProcessorSyntaxError) {
            processors = try syntax.processors(text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
