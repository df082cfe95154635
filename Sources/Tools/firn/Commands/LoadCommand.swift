import ArgumentParser
import Firn
import FirnReport

struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load images from the network, files and folders.",
        discussion: """
            A source is a URL, a file, a folder (searched for images, by content),
            @list.txt with a source a line, @- for such a list on the standard input, or -
            for an image on the standard input. A source that fails is reported and does
            not stop the rest.

            With --out, images are written: the bytes that were loaded, or, with --region,
            --size, --scale, --dpi, --process, --format or --quality, encoded again. A
            source is never overwritten. An existing file stays, and the new name gets a
            number, unless the file was made from the same source before (extended attribute
            user.firn.source) or is equal. --newer and --no-clobber go on with an earlier
            run: they load nothing whose output is there.

            EXAMPLES
              firn load https://example.org/a.jpg https://example.org/b.webp -o images
              firn load ~/Images --size 400 --format webp --quality 80 -o small
              firn load @urls.txt --sheet sheet.png --cache /tmp/cache --jobs 12
              firn load ~/Images --json | jq .width
              firn load @urls.txt --trace trace.json --metrics counts.prom
              firn load map.jpg --region 30000,12000,1024x1024 -s 512 -o part.png
              firn load a.jpg --process 'resize=400x300:crop,rounded=12' -o small.png
              curl -s https://example.org/a.png | firn load - -s 50% --format jpeg -o a.jpg

            A transfer fails if it does not connect within 10 s, if no response comes
            within 30 s, or if its body brings less than 1 KiB a second over 30 s. A source
            that stalls repeatedly fails within two minutes. --timeout limits each whole
            transfer.

            'firn processors' lists the words of --process. A running command prints its state on SIGUSR1.
            """)

    @Option(help: ImageRegion.help("Load only this part of each image"))
    var region: ImageRegion?

    @Option(name: .shortAndLong, help: SizeArgument.help)
    var size: SizeArgument?

    @OptionGroup(title: "Drawings")
    var drawing: DrawingOptions

    @Option(help: "Meaning of WIDTHxHEIGHT: 'fit' fits the image inside, 'fill' covers the whole rectangle.")
    var mode = ImageContentMode.fit

    @Option(help: ProcessArgument.help, transform: { try ProcessArgument($0) })
    var process: ProcessArgument?

    @OptionGroup(title: "Writing")
    var writing: WritingOptions

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Write the images into this folder; a single one also to a file, or to the standard output (-).",
            valueName: "dir|file|-"),
        completion: .file())
    var out: String?

    @Option(
        help: ArgumentHelp("Write a contact sheet of all images to this file.", valueName: "file.png"),
        completion: .file())
    var sheet: String?

    @OptionGroup(title: "Sources")
    var options: SourceOptions

    @Option(
        help: ArgumentHelp("Write a trace for Perfetto or chrome://tracing.", valueName: "file.json"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp("Write counts for Prometheus.", valueName: "file.prom"),
        completion: .file())
    var metrics: String?

    @OptionGroup
    var batch: BatchOptions

    func validate() throws {
        try drawing.check(size: size)
        if let sheet, OutputFormat(path: sheet) == nil {
            throw ValidationError("The name after --sheet has to end in \(OutputFormat.endings).")
        }
        if out == nil, writing.isGiven {
            throw ValidationError(
                "--format, --quality, --background, --no-clobber and --newer have a meaning only with --out.")
        }
        if let out, let format = writing.format, batch.sources.count == 1,
            OutputFormat(path: out).map({ $0 != format }) == true
        {
            throw ValidationError("--format \(format.rawValue) and the name \(out) contradict each other.")
        }
    }

    func run() async throws {
        let list = SourceList(batch.sources)
        let record = LoadRecord(trace: trace, metrics: metrics)
        let setting = try LoadEnvironment(options, observers: record.observers, usesTiles: region != nil)
        try await LoadRun(
            title: "Loading", sources: list, setting: setting, options: options, batch: batch,
            jobs: batch.report.jobs ?? 6, region: region, size: size, drawingFactor: drawing.factor, mode: mode,
            processors: process?.processors ?? [], output: try output(for: list), sheet: sheet, record: record
        ).run()
    }

    private func output(for list: SourceList) throws -> ImageOutput? {
        guard let out else { return nil }
        let target = try OutputTarget.named(out, for: list)
        return ImageOutput(
            target: target, places: OutputPlaces(list, purpose: "load", existing: writing.existing.rule),
            format: writing.format ?? target.format, quality: writing.quality?.value, background: writing.background,
            copiesOriginals: region == nil && size == nil && drawing.factor == nil && process == nil
                && writing.format == nil && writing.quality == nil)
    }
}
