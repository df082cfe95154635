import FoundationEssentials

/// The page that compares us with other decoders, format by format, and lists every difference.
struct ConformanceDocument {
    private struct Section {
        var format: String
        var judgments: [ImageJudgment]

        func count(_ isCounted: (ImageJudgment) -> Bool) -> Int { judgments.count(where: isCounted) }
    }

    private var sections: [Section] = []

    mutating func add(_ format: String, _ judgments: [ImageJudgment]) {
        sections.append(Section(format: format, judgments: judgments))
    }

    /// The page, in Markdown.
    var text: String {
        var lines = [
            "# Conformance",
            "",
            "Written by `make conformance`; do not edit. Compares the files of a corpus that "
                + "all decoders of its manifest read",
            "(Pillow and one or two of libvips, ImageMagick, ffmpeg, libavif), without hostile files.",
            "",
            "- *described*: format, size, orientation, frames, durations and loops are those of the manifest;",
            "- *same pixels*: of the files for which two other decoders give the same 8-bit "
                + "RGBA, those for which Firn gives it",
            "  too; stored orientation, no color conversion;",
            "- *all frames*: of the animations for which they agree on all composited "
                + "frames, those for which Firn agrees;",
            "- *close*: of the other files, those in which the mean colors of the quarters "
                + "differ by at most 3 levels on average",
            "  and at most 48.",
            "",
            "| format | files | described | same pixels | all frames | close |",
            "|---|---|---|---|---|---|",
        ]
        lines += (sections + [total]).map(row)
        for section in sections { lines += misses(section) }
        return lines.joined(separator: "\n") + "\n"
    }

    private var total: Section { Section(format: "all", judgments: sections.flatMap(\.judgments)) }

    private func row(_ section: Section) -> String {
        func part(_ count: Int, _ all: Int) -> String { all == 0 ? "–" : "\(count) of \(all)" }
        let files = section.judgments.count
        let cells = [
            section.format, "\(files)", part(section.count(\.isDescribedRight), files),
            part(section.count { $0.isExact && $0.pixels == .same }, section.count(\.isExact)),
            part(section.count { $0.hasSameFrames == true }, section.count { $0.hasSameFrames != nil }),
            part(
                section.count { !$0.isExact && $0.pixels == .close },
                section.count { !$0.isExact && $0.pixels != .notCompared }),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func misses(_ section: Section) -> [String] {
        let misses = section.judgments.flatMap(\.misses)
        guard !misses.isEmpty else { return [] }
        let rows = misses.map { miss in
            let cells = [miss.file, miss.what, miss.expected, miss.got, miss.reason ?? "not known"]
            return "| " + cells.map(ConformanceDocument.cell).joined(separator: " | ") + " |"
        }
        return ["", "## \(section.format)", "", "| file | what | expected | got | why |", "|---|---|---|---|---|"]
            + rows
    }

    /// Escapes text for a table cell and shortens long text.
    private static func cell(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        let safe = line.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
        return safe.count > 160 ? safe.prefix(150) + "…" : safe
    }
}

extension ConformanceDocument {
    /// The path of the page; `nil` unless `FIRN_WRITE_CONFORMANCE` is 1 (then beside the other pages) or a path.
    static var destination: String? {
        guard let wish = ProcessInfo.processInfo.environment["FIRN_WRITE_CONFORMANCE"], !wish.isEmpty else {
            return nil
        }
        guard wish == "1" else { return wish }
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appending(path: "Documentation/Formats/conformance.md").path
    }
}
