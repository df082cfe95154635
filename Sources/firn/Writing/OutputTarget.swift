import ArgumentParser
import Firn
import FirnReport

/// Where a command writes its images.
enum OutputTarget: Sendable {
    /// Into a folder, named after the sources; below it the tree of a folder that was given, if `keepsTree`.
    case folder(String, keepsTree: Bool)
    /// One image to a file.
    case file(String)
    /// One image to the standard output.
    case standardOutput
    /// Beside each source, named after it.
    case beside
    /// By a pattern in which `%s` is the source's name without extension.
    case pattern(String)

    /// What an option says: `-`, a file if there is a single source and the name ends like an image's, else a folder.
    ///
    /// - Parameter isSingle: whether there is one source, and no folder or list that could have had more.
    init(_ text: String, isSingle: Bool) {
        let isFolder = (try? LocalFileSystem().status(text).isDirectory) ?? text.hasSuffix("/")
        if text == "-" {
            self = .standardOutput
        } else if isSingle, !isFolder, OutputFormat(path: text) != nil {
            self = .file(text)
        } else {
            self = .folder(text, keepsTree: false)
        }
    }

    /// The format that the name of the file, or the pattern, asks for.
    var format: OutputFormat? {
        switch self {
        case .file(let path): OutputFormat(path: path)
        case .pattern(let pattern): OutputFormat(path: pattern)
        case .folder, .standardOutput, .beside: nil
        }
    }

    /// The path of a source's image without extension; `nil` where there is nothing to choose.
    func stem(for source: LoadSource) -> String? {
        let name = OutputNames.stem(for: source)
        switch self {
        case .file, .standardOutput: return nil
        case .folder(let folder, let keepsTree):
            return PathText.join(PathText.join(folder, keepsTree ? source.branch : ""), name)
        case .beside: return PathText.join(folder(of: source), name)
        case .pattern(let pattern):
            let (start, end) = PathText.split(pattern)
            let stem = start + (OutputFormat(path: pattern) == nil ? end : PathText.stem(end))
            let (folder, last) = PathText.split(stem.replacing("%s", with: name))
            // An absolute pattern drops the folders of its sources but for the tree of a folder that was given.
            let base = folder.hasPrefix("/") ? folder + source.branch : PathText.join(self.folder(of: source), folder)
            return PathText.join(base, last)
        }
    }

    /// The usage error for several images and the standard output.
    static var severalToStandardOutput: ValidationError {
        ValidationError("The standard output takes a single image; name one source, or a folder after --out.")
    }

    /// Makes a folder that the user named.
    ///
    /// - Throws: `ExitCode` if that cannot be; the reason has been told.
    static func makeFolder(_ path: String) throws {
        do throws(FileError) {
            try LocalFileSystem().createDirectory(path)
        } catch {
            StandardError.line("firn: \(path): cannot make the folder: \(error.reason)")
            throw ExitCode.someFailed
        }
    }

    /// The folder of a file; the current one for all else.
    private func folder(of source: LoadSource) -> String {
        source.path.map { PathText.split($0).folder } ?? ""
    }
}
