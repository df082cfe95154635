import ArgumentParser
import Firn
import FirnReport
import FoundationEssentials

/// `firn metadata`: shows the metadata of files, and changes them without encoding anew.
struct MetadataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metadata",
        abstract: "Show, set or remove the metadata of images.",
        discussion: """
            Without --set, --remove and --strip, prints all known fields. Otherwise changes the files in place, or \
            writes the changed file to --out. The coded pixels of jpeg, png, webp, tiff, avif, heic and jxl files stay \
            byte for byte. A file that cannot be changed stays as it is, and the exit status is 1.

            A field is written to XMP, to EXIF data if they have such a field, and to IPTC records if the file has \
            some. Fields are \(Field.allCases.map(\.rawValue).joined(separator: ", ")). Keywords are separated by \
            commas, creators by semicolons. A place is a latitude, a longitude and perhaps an altitude in meters.

            EXAMPLES
              firn metadata photo.jpg
              firn metadata --set title=Harbor --set 'keywords=sea, ship' photo.jpg
              firn metadata --set place=53.54,9.98 --set taken='2026-11-21 19:30:00+01:00' *.heic
              firn metadata --remove place,serials photo.jpg -o shared.jpg
              firn metadata --strip *.png
            """)

    @Option(
        help: ArgumentHelp("Set a field; without a value, remove it. May be repeated.", valueName: "field=value"),
        transform: MetadataCommand.edit)
    var set: [ImageMetadata.Edit] = []

    @Option(
        help: ArgumentHelp(
            "Remove these fields; also 'serials': the owner, serial numbers, maker notes.",
            valueName: "fields"),
        completion: .list(Field.allCases.map(\.rawValue) + ["serials"]), transform: MetadataCommand.removals)
    var remove: [[ImageMetadata.Edit]] = []

    @Flag(help: "Remove all metadata before --set. The color profile and the orientation stay.")
    var strip = false

    @Option(
        name: .out, help: ArgumentHelp("Write the changed image to this file (-: standard output).", valueName: "file"),
        completion: .file())
    var out: String?

    @Option(help: LimitsArgument.help)
    var limits: LimitsArgument?

    @OptionGroup
    var report: ReportOptions

    @Argument(
        help: ArgumentHelp("Files, or - for the standard input.", valueName: "file"), completion: .file())
    var files: [String]

    /// A field that can be set.
    enum Field: String, CaseIterable {
        case title, description, keywords, rating, creator, copyright, taken, digitized, modified, place
    }

    private var edits: [ImageMetadata.Edit] { remove.flatMap(\.self) + set }
    private var changes: Bool { strip || !edits.isEmpty }

    func validate() throws {
        if out != nil, !changes {
            throw ValidationError("--out takes a changed file; name --set, --remove or --strip.")
        }
        if out != nil, files.count > 1 { throw ValidationError("--out takes one file.") }
        if changes, out == nil, files.contains("-") { throw ValidationError("The standard input needs --out.") }
    }

    func run() async throws {
        let reader = SourceReader(limits)
        try await SourceBatch(
            items: SourceList(files: files).items, form: out == "-" ? .nothing : report.form, jobs: report.jobs
        ).run { [self] source, name, _ in
            try await reader.read(source) { try changes ? changed($0, of: source, name) : shown($0, name) }
        }
    }

    private func shown(_ file: ImageFile, _ name: String) -> Finding {
        let metadata = file.properties.metadata
        let lines = metadata.lines.map { "  \($0)" }
        return Finding(
            fields: JSONValue.fields(["format": file.properties.format.rawValue, "metadata": metadata.json]),
            lines: ["\(name): \(CountText.text(lines.count, "field", "fields"))"] + lines)
    }

    private func changed(_ file: ImageFile, of source: LoadSource, _ name: String) throws -> Finding {
        guard let data = file.data() else { throw ImageFault("source", "cannot be read as a whole") }
        if let damage = file.damage { throw ImageFault("data", damage) }
        let new = try ImageMetadata.apply(edits, toFile: data, strips: strip, limits: file.limits)
        guard let path = out ?? source.path else { throw ImageFault("source", "is no file; name --out") }
        if path == "-" {
            if let reason = StandardOutput.write(new) {
                throw ImageFault("source", "cannot write to the standard output: \(reason)")
            }
        } else if new != data || path != source.path {
            let notes = try ImageError.file(path, at: .writing) { try OutputFile.write(new, to: path) }
            StandardError.warn(path, notes)
        }
        return Finding(
            fields: JSONValue.fields(["out": path, "bytes": new.count]),
            lines: ["\(name)\(path == source.path ? "" : " -> \(path)"): \(new == data ? "unchanged" : "changed")"])
    }

    // MARK: Arguments

    private static func edit(_ text: String) throws -> ImageMetadata.Edit {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2, let field = Field(rawValue: parts[0].lowercased()) else {
            throw ValidationError(
                "--set takes FIELD=VALUE; the fields are \(Field.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return try edit(field, parts[1])
    }

    /// - Parameter text: the value; an empty one removes the field.
    private static func edit(_ field: Field, _ text: String) throws -> ImageMetadata.Edit {
        let value = text.isEmpty ? nil : text
        func list(_ separator: Character) -> [String] {
            text.split(separator: separator).map { item in
                String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
        }
        func time() throws -> DateComponents? {
            let time = value.flatMap { ImageMetadata.time(of: $0) }
            if time != nil || value == nil { return time }
            throw ValidationError("\(field) takes a time such as 2026-11-21 19:30:00+01:00.")
        }
        switch field {
        case .title: return .title(value)
        case .description: return .description(value)
        case .keywords: return .keywords(list(","))
        case .creator: return .creators(list(";"))
        case .copyright: return .copyright(value)
        case .taken: return .taken(try time())
        case .digitized: return .digitized(try time())
        case .modified: return .modified(try time())
        case .rating:
            guard let number = Double(value ?? "0"), (-1...5).contains(number) else {
                throw ValidationError("rating takes a number from 0 to 5, or -1 for a rejected image.")
            }
            return .rating(value == nil ? nil : number)
        case .place:
            if value == nil { return .removePlace }
            let numbers = list(",").map { Double($0) ?? .nan }
            guard (2...3).contains(numbers.count), abs(numbers[0]) <= 90, abs(numbers[1]) <= 180,
                numbers.count == 2 || abs(numbers[2]) < 1e6
            else { throw ValidationError("place takes LATITUDE,LONGITUDE[,ALTITUDE], such as 53.54,9.98.") }
            return .place(latitude: numbers[0], longitude: numbers[1], altitude: numbers.count == 3 ? numbers[2] : nil)
        }
    }

    private static func removals(_ text: String) throws -> [ImageMetadata.Edit] {
        try text.lowercased().split(separator: ",").map { word in
            if word == "serials" { return .removeSerials }
            guard let field = Field(rawValue: String(word)) else {
                let names = Field.allCases.map(\.rawValue) + ["serials"]
                throw ValidationError("--remove takes \(names.joined(separator: ", ")), separated by commas.")
            }
            return try edit(field, "")
        }
    }
}
