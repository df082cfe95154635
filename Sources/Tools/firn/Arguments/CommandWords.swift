/// Command lines as users of ImageMagick, vips, curl and other programs write them.
enum CommandWords {
    /// Returns a command line in the grammar of `firn`.
    ///
    /// - `version`, `-V` and `-v` alone print the version. Commands after `--help` name its page.
    /// - In the commands that write images, `-q` before a number is `--quality`; otherwise it is `--quiet`. `--crop`
    ///   needs no value, `--strip` is `--keep profile`, `-i` before a source is skipped, and some long options may have
    ///   a single dash.
    static func translated(_ words: [String]) -> [String] {
        guard let first = words.first else { return words }
        if ["version", "-V", "-v"].contains(first), words.count == 1 { return ["--version"] }
        if ["-h", "--help"].contains(first), words.count > 1, !words[1].hasPrefix("-") {
            return ["help"] + words.dropFirst()
        }
        guard ["convert", "load", "thumbnail"].contains(first) else { return words }
        var result: [String] = []
        var rest = words[...]
        while var word = rest.popFirst() {
            if word == "--" { return result + [word] + rest }
            if ["-i", "--input"].contains(word) { continue }
            if ["-quality", "-resize", "-rotate", "-crop", "-strip", "-format"].contains(word) { word = "-\(word)" }
            let number = word == "-q" ? rest.first : word.hasPrefix("-q") ? String(word.dropFirst(2)) : nil
            if let number, QualityArgument(argument: number) != nil {
                if word == "-q" { rest.removeFirst() }
                word = "--quality=\(number)"
            } else if word == "--strip" {
                word = "--keep=profile"
            } else if word == "--crop", rest.first?.allSatisfy({ $0.isLetter || $0 == "," }) != true {
                word = "--crop=center"
            }
            result.append(word)
        }
        return result
    }

    /// Returns what to type instead of a word that `firn` does not know; `nil` if no other program has the word.
    ///
    /// - Parameter word: an option, or a command after the commands that it belongs to.
    static func replacement(for word: String) -> String? {
        if let known = replacements.first(where: { $0.key.split(separator: "/").contains(word[...]) }) {
            return known.value
        }
        return !word.hasPrefix("-") && !word.contains(" ") && word.contains { "./".contains($0) }
            ? "firn info \(word)" : nil
    }

    private static let replacements: KeyValuePairs = [
        "identify/describe": "firn info", "exif/exiftool": "firn metadata",
        "resize/crop/rotate/mogrify/magick/optimize/compress/encode": "firn convert",
        "fetch/get/download": "firn load", "diff/ssim": "firn compare", "hash/sha256": "firn decode --hash",
        "view/open/show/display": "firn gallery", "blurhash/thumbhash/palette/colors": "firn placeholder",
        "formats/list": "firn --version", "completion/completions": "firn --generate-completion-script bash",
        "cache list/cache ls/cache size/cache show": "firn cache stats",
        "clean/clear/cache clean/cache delete/cache purge/cache remove": "firn cache clear",
        "--to/--type/-t": "--format", "--width/-w": "--size 800x", "--height": "--size x600",
        "--crop": "--process crop=400x300", "--flip/--mirror": "--process flip", "--blur": "--process blur=8",
        "--gray/--grayscale": "--process gray", "--sharpen": "--process sharpen",
        "--force/--overwrite/-y": "--out FILE", "--threads/--parallel": "--jobs", "--silent": "--quiet",
        "--no-metadata": "--keep profile", "--exif": "--keep all",
    ]
}
