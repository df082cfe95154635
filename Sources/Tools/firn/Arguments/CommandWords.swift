import FoundationEssentials

/// Command lines as users of ImageMagick, vips, curl and other programs write them.
enum CommandWords {
    /// Returns a command line in the grammar of `firn`.
    ///
    /// - Commands of other programs become those of `firn`. Names without a command are converted if one of them can be
    ///   the new image.
    /// - `version`, `-V`, `-v` and `formats` alone print the version. Commands after `--help` name its page.
    /// - Commands that change images are described at ``ChangeWords``, `serve` at ``served(_:)``.
    static func translated(_ words: [String]) -> [String] {
        guard let first = words.first else { return words }
        if ["version", "-V", "-v", "formats"].contains(first), words.count == 1 { return ["--version"] }
        if ["-h", "--help"].contains(first), words.count > 1, !words[1].hasPrefix("-") {
            return translated(["help"] + words.dropFirst())
        }
        for count in [2, 1] {
            let command = value(of: words.prefix(count).joined(separator: " "), in: commands)
            if let command {
                return translated(command.split(separator: " ").map(String.init) + words.dropFirst(count))
            }
        }
        let rest = words.dropFirst()
        let change = ChangeWords.change(first)
        switch first {
        case "help" where rest.first != nil && rest.first != "help":
            return ["help"] + translated(Array(rest)).prefix { !$0.hasPrefix("-") }
        case "serve": return served(words)
        case "convert", "load": return ChangeWords.translated(rest, command: first, nil)
        case "thumbnail": return ChangeWords.translated(rest, command: first, "resize")
        case _ where change != nil && change != "overlay":
            return ChangeWords.translated(rest, command: "convert", change)
        default:
            let isFile = first.contains { "./".contains($0) } && !first.hasPrefix("-")
            let isConverted = isFile && rest.contains { $0 == "-o" || OutputFormat(path: $0) != nil }
            return isConverted ? translated(["convert"] + words) : words
        }
    }

    private static let commands: KeyValuePairs = [
        "identify/describe": "info", "exif/exiftool": "metadata", "fetch/get/download": "load", "diff/ssim": "compare",
        "hash/sha256": "decode --hash", "view/open/show/display": "gallery", "thumb/thumbnails": "thumbnail",
        "blurhash/thumbhash/palette/colors": "placeholder", "magick/compress/encode": "convert",
        "strip": "convert --strip",
        "scale": "resize", "cache list/cache ls/cache size/cache show/cache path/cache dir": "cache stats",
        "clean/clear/cache clean/cache delete/cache purge/cache remove": "cache clear",
    ]

    /// Returns the value of a word in a table whose keys are words between slashes.
    static func value(of word: String, in table: KeyValuePairs<String, String>) -> String? {
        table.first { $0.key.split(separator: "/").contains(word[...]) }?.value
    }

    /// Returns the words of `serve`: `--port` and `--host` are `--listen`; `--root`, `--dir` and a folder after `serve`
    /// are `--local-root`.
    private static func served(_ words: [String]) -> [String] {
        var (result, rest, host, port) = ([String](), words[...], "127.0.0.1", "")
        while let word = rest.popFirst() {
            switch word {
            case "--port" where !rest.isEmpty, "-p" where !rest.isEmpty: port = rest.removeFirst()
            case "--host" where !rest.isEmpty, "--bind" where !rest.isEmpty: host = rest.removeFirst()
            case "--root", "--dir": result.append("--local-root")
            case _ where result == ["serve"] && FileKind(word) == .folder: result += ["--local-root", word]
            default: result.append(word)
            }
        }
        guard !port.isEmpty || host != "127.0.0.1" else { return result }
        return result + ["--listen", "\(host):\(port.isEmpty ? "8080" : port)"]
    }

    /// Returns what to type instead of a word that `firn` does not know; `nil` if no other program has the word.
    ///
    /// - Parameter word: an option, or a command after the commands that it belongs to.
    static func replacement(for word: String) -> String? {
        if let known = value(of: word, in: replacements) { return known }
        return !word.hasPrefix("-") && !word.contains(" ") && word.contains { "./".contains($0) }
            ? "firn info \(word)" : nil
    }

    private static let replacements: KeyValuePairs = [
        "mogrify/optimize": "firn convert", "list": "firn --version",
        "overlay/watermark/composite": "firn convert --watermark FILE",
        "completion/completions": "firn --generate-completion-script bash", "-t": "--format",
        "--force/--overwrite/-y": "--out FILE", "--threads/--parallel": "--jobs", "--silent": "--quiet",
        "--no-metadata": "--keep profile", "--exif": "--keep all",
    ]
}

/// Translates the words of `convert`, `load` and `thumbnail`, and of commands that name a change, such as `crop`.
///
/// - Long options may have a single dash if ImageMagick has them. `-q` before a number is `--quality`; otherwise it is
///   `--quiet`. `--strip` is `--keep profile`, and `--crop` of a thumbnail needs no value.
/// - `--width` and `--height` are a `--size`. A size may end in `>`, `!` (stretched) or `^` (covered).
/// - Options and commands with the name of a processor are steps of `--process`, in their order. Crops may be
///   `300x200+10+20`, blurs `0x4`, shares `80%`. `--gravity` is the anchor of crops.
/// - `-i` before a source and `-auto-orient` are skipped.
struct ChangeWords {
    private var result: [String]
    private var steps: [String] = []
    private var width = ""
    private var height = ""
    private var anchor = ""
    /// The change that the command names, until its value is found.
    private var operation: String?

    /// Returns the processor of `--process` for a name in another program; `nil` if there is none.
    static func change(_ name: String) -> String? {
        let name = CommandWords.value(of: name, in: synonyms) ?? name
        return ProcessorSyntax.kinds.contains { $0.name == name } ? name : nil
    }

    private static let synonyms: KeyValuePairs = [
        "grayscale/monochrome": "gray", "flop/mirror": "flip", "negate/negative": "invert",
        "sepia-tone": "sepia", "gaussian-blur": "blur", "unsharp": "sharpen", "extent": "pad", "autocrop": "trim",
        "round/rounded-corners/corner-radius": "rounded", "watermark/composite": "overlay",
    ]
    private static let options: KeyValuePairs = [
        "geometry/thumbnail/resize/s": "size", "to/type": "format", "density": "dpi", "w": "width", "input": "i",
        "output-dir/outdir/destination": "out",
    ]

    /// Returns the command line in the grammar of `firn`.
    ///
    /// - Parameter operation: the change of a command such as `crop`, whose value may be among the words; `resize` for
    ///   `thumbnail`, `nil` for `convert` and `load`.
    static func translated(_ words: ArraySlice<String>, command: String, _ operation: String?) -> [String] {
        var line = ChangeWords(result: [command], operation: operation)
        var rest = words.prefix { $0 != "--" }
        let others = words.dropFirst(rest.count)
        if let at = rest.firstIndex(where: { ["-gravity", "--gravity", "--anchor"].contains($0) }),
            at + 1 < rest.endIndex
        {
            let (given, name) = (rest[at + 1], rest[at + 1].lowercased())
            let names = ["north": "top", "south": "bottom", "west": "Left", "east": "Right"]
            let anchor = names.reduce(name) { $0.replacing($1.key, with: $1.value) }
            line.anchor = anchor == "Left" || anchor == "Right" ? anchor.lowercased() : anchor
            if anchor == name, name != "center" { line.anchor = given }
            rest.removeSubrange(at...at + 1)
        }
        while let word = rest.popFirst() {
            if word.hasPrefix("-"), word.count > 1, Int(word) == nil {
                line.option(word, &rest)
            } else {
                line.name(word)
            }
        }
        return line.finished() + others
    }

    private mutating func finished() -> [String] {
        if result.contains("--help") || result.contains("-h") { return result }
        let size = (width + height).isEmpty ? "" : "\(width)x\(height)"
        if let operation, operation != "resize" {
            steps.append(step(operation, size) ?? operation)
        } else if operation != nil && result[0] == "convert" || !size.isEmpty {
            result.append("--size=\(size)")
        }
        return result + (steps.isEmpty ? [] : ["--process=\(steps.joined(separator: ","))"])
    }

    /// Takes a word that is no option: the value of the command's change, or a source. A number after an option is its
    /// value.
    private mutating func name(_ word: String) {
        let last = result.last ?? ""
        let isNumber = last.hasPrefix("-") && (Double(word) != nil || ["-o", "--out", "--output"].contains(last))
        if let operation, !isNumber, FileKind(word) == .missing,
            operation == "resize" ? size(word) : add(operation, word)
        {
            self.operation = nil
        } else {
            result.append(word)
        }
    }

    private mutating func option(_ word: String, _ rest: inout ArraySlice<String>) {
        let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
        let isLong = word.hasPrefix("--")
        let given = String(parts[0].drop { $0 == "-" })
        let name = CommandWords.value(of: given, in: ChangeWords.options) ?? given
        let value = parts.count == 2 ? parts[1] : rest.first ?? ""
        let (isThumbnail, isWord) = (result[0] == "thumbnail", value.allSatisfy { $0.isLetter || $0 == "," })
        let lengths = ["radius", "sigma", "amount", "degrees", "angle", "area", "rect", "size"]
        switch name {
        case "i", "auto-orient": return
        case "strip": return result.append("--keep=profile")
        case "crop" where isThumbnail && (value.isEmpty || !isWord): return result.append("--crop=center")
        // ImageMagick's -flip exchanges top and bottom.
        case "flip" where !isLong: return steps.append("flip=vertical")
        case _ where !isLong && name.hasPrefix("q") && QualityArgument(argument: String(name.dropFirst())) != nil:
            return result.append("--quality=\(name.dropFirst())")
        case "q" where QualityArgument(argument: value) != nil: result.append("--quality=\(value)")
        case "width" where !value.isEmpty: width = value
        case "height" where !value.isEmpty: height = value
        case "process" where !value.isEmpty: steps.append(value)
        case "interlace": result.append("--progressive")
        case "fit" where isThumbnail && value == "cover": result.append("--crop=center")
        case "fit" where value == "contain" || value == "inside": break
        case "colorspace": steps += value.lowercased().hasSuffix("gray") ? ["gray"] : []
        case _ where lengths.contains(name) && operation != "resize" && operation.map { add($0, value) } == true,
            "size" where size(value):
            operation = nil
        default:
            let isOwn = isThumbnail || result[0] == "convert" && name == "rotate" || given.count == 1
            if let change = isOwn ? nil : ChangeWords.change(name) {
                if add(change, value) { break }
                return steps.append(change)
            }
            let isRenamed = name != given || ["quality", "rotate", "format", "background", "crop"].contains(name)
            return result.append(
                isRenamed || isLong ? "--" + ([name] + parts.dropFirst()).joined(separator: "=") : word)
        }
        if parts.count < 2 { rest = rest.dropFirst() }
    }

    /// Adds a step if its value is right.
    private mutating func add(_ change: String, _ value: String) -> Bool {
        guard !value.isEmpty, let step = step(change, value) else { return false }
        steps.append(step)
        return true
    }

    /// Sets the size, which may be that of ImageMagick.
    private mutating func size(_ text: String) -> Bool {
        let size = text.filter { !"!^>".contains($0) }
        guard SizeArgument(argument: size) != nil else { return false }
        let way = text.hasSuffix("!") ? "exact" : text.hasSuffix("^") ? "fill" : nil
        if let way { steps.append("resize=\(size):\(way):up") } else { result.append("--size=\(size)") }
        return true
    }

    /// Returns a step of `--process`; `nil` if the value is wrong.
    private func step(_ change: String, _ text: String) -> String? {
        var value = text
        let parts = text.split { "+,".contains($0) }
        switch change {
        case "rotate": value = Int(text).map { $0 < 0 ? "\($0 &+ 360)" : text } ?? text
        case "blur", "sharpen": value = text.split(separator: "x").last.map(String.init) ?? text
        case "crop" where parts.count == 3:
            value = (text.contains("+") ? [parts[1], parts[2], parts[0]] : parts).joined(separator: ":")
        case "crop" where parts.count == 4: value = "\(parts[0]):\(parts[1]):\(parts[2])x\(parts[3])"
        case "crop" where !anchor.isEmpty, "pad" where !anchor.isEmpty: value += ":\(anchor)"
        case "overlay" where FileKind(text) != .missing: value = "'\(text)'"
        default: if text.hasSuffix("%"), let share = Double(text.dropLast()) { value = "\(share / 100)" }
        }
        let step = value.isEmpty ? change : "\(change)=\(value)"
        return (try? ProcessorSyntax().processors(step)) == nil ? nil : step
    }
}
