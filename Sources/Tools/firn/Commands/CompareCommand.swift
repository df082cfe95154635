struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare the pixels of two images.",
        discussion: """
            Both images are decoded as displayed: upright, in sRGB, with 8 bits per channel, or 16 if one of them has \
            more. Colors are multiplied by alpha. All frames and pages are compared; the figures are those of the \
            worst one, and the sum of different pixels.

            Prints the structural similarity (SSIM: the mean over windows of 8 x 8 pixels of the lightness, 1 for \
            equal images) and the greatest difference of a channel in 8-bit steps. Images of different sizes differ.

            EXAMPLES
              firn compare a.png b.webp
              firn compare photo.jpg copy.avif --min-ssim 0.95
              firn compare before.png after.png --max-difference 2 --quiet && echo same

            EXIT STATUS
              0: equal, or close enough for the options; 1: different; 2: not comparable.
            """)

    @Option(help: ArgumentHelp("Accept this difference of a channel, from 0 to 255. Default: 0.", valueName: "n"))
    var maxDifference: Double?

    @Option(help: ArgumentHelp("Accept this SSIM, up to 1; alone, with any difference of a channel.", valueName: "n"))
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

    func run() async throws {
        let list = SourceList([first, second], headers: options.headers)
        guard list.items.count == 2, !list.isOpen else {
            throw ExitCode.reported("compare takes two images, no folders or lists", status: CompareCommand.notCompared)
        }
        let reader = try SourceReader(list.items, options)
        var sources: [LoadSource] = []
        for source in list.items {
            do {
                if let reason = source.failure { throw ImageFault("source", reason) }
                sources.append(try await reader.local(source))
            } catch { throw failure(source, error) }
        }
        reader.finish()
        let comparison = try await BlockingCall.run { [self, sources] _ in try compared(sources, reader) }
        let isAccepted = accepts(comparison)
        if json {
            let names = sources.map { $0.jsonName(options.redaction) }
            StandardOutput.line(comparison.json(names, isAccepted: isAccepted).text)
        } else if !quiet {
            let names = sources.map { $0.shownName(options.redaction) }
            StandardOutput.line("\(names[0]), \(names[1]): \(comparison.text)")
        }
        if !isAccepted { throw ExitCode.someFailed }
    }

    /// Decodes and compares all frames of two sources. Blocks.
    private func compared(_ sources: [LoadSource], _ reader: SourceReader) throws -> ImageComparison {
        func both<Value>(_ body: (Int) throws -> Value) throws -> [Value] {
            try [0, 1].map { index in
                do { return try body(index) } catch { throw failure(sources[index], error) }
            }
        }
        let files = try both { try reader.file(sources[$0]) }
        var comparison = ImageComparison(
            sizes: files.map(\.properties.displaySize), frames: files.map(\.properties.frameCount))
        guard comparison.sizes[0] == comparison.sizes[1], comparison.frames[0] == comparison.frames[1] else {
            return comparison
        }
        var options = DecodingOptions()
        options.pixelFormat = files.contains { $0.properties.bitDepth > 8 } ? .rgba16Straight : .rgba8Straight
        options.prefersDefaultImage = comparison.frames[0] == 1
        var total: PixelComparison?
        for frame in 0..<max(1, comparison.frames[0]) {
            options.frame = frame
            let images = try both { try files[$0].decode(options) }
            // Pages of one file may differ in size.
            guard let part = PixelComparison(images[0], images[1]) else { return comparison }
            if total?.add(part) == nil { total = part }
        }
        comparison.pixels = total
        return comparison
    }

    private func accepts(_ comparison: ImageComparison) -> Bool {
        guard let pixels = comparison.pixels else { return false }
        if let minSsim, pixels.similarity < minSsim { return false }
        return pixels.greatestDifference <= maxDifference ?? (minSsim == nil ? 0 : 255)
    }

    private func failure(_ source: LoadSource, _ error: any Error) -> ExitCode {
        let message = ImageFault(error, options.redaction).message
        return .reported("\(source.shownName(options.redaction)): \(message)", status: CompareCommand.notCompared)
    }

    /// The status of `cmp` and `diff` for failures.
    private static let notCompared: Int32 = 2
}

/// The comparison of two files by `firn compare`.
private struct ImageComparison {
    let sizes: [PixelSize]
    let frames: [Int]
    /// The differences of the frames that differ most; `nil` if sizes or frame counts differ.
    var pixels: PixelComparison?

    var text: String {
        guard let pixels else {
            return sizes[0] != sizes[1]
                ? "the sizes differ: \(sizes[0]) and \(sizes[1])"
                : frames[0] != frames[1]
                    ? "the numbers of frames differ: \(frames[0]) and \(frames[1])" : "the sizes of the pages differ"
        }
        if pixels.differentPixels == 0 { return "\(sizes[0]), equal" }
        let difference = FixedText.text(pixels.greatestDifference, decimals: pixels.greatestDifference < 1 ? 3 : 1)
        return "\(sizes[0]), SSIM \(FixedText.text(pixels.similarity, decimals: 5)), greatest difference \(difference) "
            + "of 255, \(pixels.differentPixels) of \(pixels.pixels) pixels differ"
    }

    func json(_ names: [String], isAccepted: Bool) -> JSONValue {
        let images = names.indices.map { index -> JSONValue in
            let size = sizes[index]
            return ["path": names[index], "width": size.width, "height": size.height, "frames": frames[index]]
        }
        return [
            "first": images[0], "second": images[1], "equal": pixels?.differentPixels == 0, "accepted": isAccepted,
            "ssim": JSONValue(pixels?.similarity), "greatestDifference": JSONValue(pixels?.greatestDifference),
            "differentPixels": JSONValue(pixels?.differentPixels),
        ]
    }
}
