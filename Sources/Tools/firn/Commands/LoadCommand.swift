struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load images from the network, files and folders.",
        discussion: """
            \(SourceOptions.kinds) A source that fails is reported and does not stop the others.

            --out writes the images: the loaded bytes, or images encoded again with --region, --size, --scale, --dpi, \
            --process, --format or --quality. \(WritingOptions.rules)

            EXAMPLES
              firn load https://example.org/a.jpg https://example.org/b.webp -o images
              firn load ~/Images --size 400 -f webp -q 80 -o small
              firn load @urls.txt --sheet sheet.png --cache /tmp/cache --jobs 12
              firn load @urls.txt --trace trace.json --metrics counts.prom
              firn load map.jpg --region 30000,12000,1024x1024 -s 512 -o part.png
              firn load a.jpg --process 'resize=400x300:crop,rounded=12' -o small.png
              curl -s https://example.org/a.png | firn load - -s 50% --format jpeg -o a.jpg

            A transfer fails if it does not connect within 10 s, if no response arrives within 30 s, or if less than 1 \
            KiB a second arrives over 30 s. A source that stalls repeatedly fails within two minutes. --timeout limits \
            each transfer as a whole.

            'firn processors' lists the words of --process. A running command prints its state on SIGUSR1.
            """)

    @Option(help: ImageRegion.help("Load only this part of each image"))
    var region: ImageRegion?

    @OptionGroup(title: "Size")
    var sizing: SizeOptions

    @Option(help: "Meaning of WIDTHxHEIGHT: 'fit' fits the image inside, 'fill' covers the whole rectangle.")
    var mode = ImageContentMode.fit

    @Option(help: ProcessorSyntax.help, transform: { try ProcessorSyntax().processors($0) })
    var process: [any ImageProcessing]?

    @OptionGroup(title: "Writing")
    var writing: WritingOptions

    @Option(help: QualityArgument.help)
    var quality: QualityArgument?

    @Option(
        name: .out,
        help: ArgumentHelp(
            "Write the images into this folder; a single one also to a file, or to the standard output (-, png:-).",
            valueName: "dir|file|-"),
        completion: .file())
    var out: String?

    @Option(help: ArgumentHelp("Write a contact sheet of all images.", valueName: "file.png"), completion: .file())
    var sheet: String?

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @Option(help: ArgumentHelp("Write a trace for Perfetto.", valueName: "file.json"), completion: .file())
    var trace: String?

    @Option(help: ArgumentHelp("Write counts for Prometheus.", valueName: "file.prom"), completion: .file())
    var metrics: String?

    @OptionGroup
    var report: ReportOptions

    @OptionGroup
    var batch: BatchOptions

    mutating func validate() throws {
        try batch.check(report)
        (out, writing.format, batch.sources) = try OutputTarget.completed(
            out, writing.format, batch.sources, takesLast: batch.sources.first?.contains("://") == true)
        if let sheet, OutputFormat(path: sheet) == nil {
            throw ValidationError("The name after --sheet has to end in \(OutputFormat.endings).")
        }
        if out == nil, writing.isGiven || quality != nil {
            throw ValidationError("--format, --quality, --background, --no-clobber and --newer need --out.")
        }
    }

    func run() async throws {
        let list = SourceList(batch.sources, headers: options.headers)
        let record = LoadRecord(trace: trace, metrics: metrics)
        let setting = try LoadEnvironment(options, observers: record.observers, usesTiles: region != nil)
        try await LoadRun(
            title: "Loading", sources: list, setting: setting, options: options, report: report,
            isVerbose: batch.verbose, jobs: report.jobs ?? 6, region: region, size: sizing.size,
            drawingFactor: sizing.factor,
            mode: mode,
            processors: process ?? [], output: try output(for: list), sheet: sheet, record: record
        ).run()
    }

    private func output(for list: SourceList) throws -> ImageOutput? {
        guard let out else { return nil }
        let target = try OutputTarget.named(out, for: list)
        return ImageOutput(
            target: target, places: OutputPlaces(list, purpose: "load", existing: writing.existing),
            format: writing.format ?? target.format, quality: quality?.value, background: writing.background,
            copiesOriginals: region == nil && sizing.size == nil && sizing.factor == nil && process == nil
                && writing.format == nil && quality == nil)
    }
}
