import ArgumentParser
import Firn
import FirnReport

/// `firn compare`: compares the pixels of two images.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare the pixels of two images.",
        discussion: """
            Both images are decoded as they are shown: upright, in sRGB, with 8 bits a
            channel, or 16 if one of them has more. Colors are multiplied by alpha. All
            frames and pages are compared; the figures are those of the worst one, and the
            sum of different pixels.

            Prints the structural similarity (SSIM: the mean over windows of 8 x 8 pixels
            of the lightness, 1 for equal images) and the greatest difference of a channel
            in steps of 8 bits. Images of different sizes differ.

            EXAMPLES
              firn compare a.png b.webp
              firn compare photo.jpg copy.avif --min-ssim 0.95
              firn compare before.png after.png --max-difference 2 --quiet && echo same

            EXIT STATUS
              0: the images are equal, or as near as the options ask for;
              1: they differ; 2: they could not be compared.
            """)

    @Option(
        help: ArgumentHelp("Accept this difference of a channel, from 0 to 255. Default: 0.", valueName: "n"))
    var maxDifference: Double?

    @Option(
        help: ArgumentHelp(
            "Accept this structural similarity, from 0 to 1. Alone, it accepts any difference of a channel.",
            valueName: "n"))
    var minSsim: Double?

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print failures only.")
    var quiet = false

    @OptionGroup
    var isolation: IsolationOptions

    @Argument(
        help: ArgumentHelp("A file, a URL, or - for the standard input.", valueName: "first"), completion: .file())
    var first: String

    @Argument(help: ArgumentHelp("The other image.", valueName: "second"), completion: .file())
    var second: String

    func validate() throws {
        if let maxDifference, !(0...255).contains(maxDifference) {
            throw ValidationError("--max-difference takes a number from 0 to 255.")
        }
        if let minSsim, !(-1...1).contains(minSsim) { throw ValidationError("--min-ssim takes a number up to 1.") }
    }

    func run() throws {
        let list = SourceList([first, second])
        guard list.items.count == 2, !list.isOpen else {
            StandardError.line("firn: compare takes two images, no folders or lists")
            throw CompareCommand.notCompared
        }
        let reader = try SourceReader(list.items, options)
        var files: [ImageFile] = []
        var names: [(shown: String, json: String)] = []
        for item in list.items {
            switch item {
            case .failure(let name, let reason): throw failure(QuotedText.of(options.redaction.address(name)), reason)
            case .source(let source):
                let name = source.shownName(options.redaction)
                names.append((name, source.jsonName(options.redaction)))
                do throws(ImageFault) {
                    files.append(try reader.file(source))
                } catch {
                    throw failure(name, error.message)
                }
            }
        }
        reader.finish()
        let comparison: ImageComparison
        do throws(ImageComparison.Failure) {
            comparison = try ImageComparison(files[0], files[1])
        } catch {
            throw failure(names[error.isSecond ? 1 : 0].shown, error.fault.message)
        }
        let isAccepted = accepts(comparison)
        if json {
            StandardOutput.line(comparison.json(names[0].json, names[1].json, isAccepted: isAccepted).text)
        } else if !quiet {
            StandardOutput.line("\(names[0].shown), \(names[1].shown): \(comparison.text)")
        }
        if !isAccepted { throw ExitCode.someFailed }
    }

    private func accepts(_ comparison: ImageComparison) -> Bool {
        guard let pixels = comparison.pixels else { return false }
        if let minSsim, pixels.similarity < minSsim { return false }
        return pixels.greatestDifference <= maxDifference ?? (minSsim == nil ? 0 : 255)
    }

    private func failure(_ name: String, _ reason: String) -> ExitCode {
        StandardError.line("firn: \(name): \(reason)")
        return CompareCommand.notCompared
    }

    /// As of `cmp` and `diff`.
    private static let notCompared = ExitCode(2)
}
