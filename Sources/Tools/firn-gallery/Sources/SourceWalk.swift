#if GTK
import Dispatch
import Firn
import FirnReport
import FirnSync
import FoundationEssentials

/// Finds the images of files, folders, addresses and lists. Blocks on the disk.
struct SourceWalk {
    /// A result of the search.
    enum Step: Sendable {
        case image(GalleryImage)
        /// An unreadable source with the reason, in one line.
        case fault(String)
        /// The numbers of files in a folder that are no images.
        case leftOut(LeftOutFiles)

        /// Adds the BlurHash of a list to the image.
        func with(_ hash: ListedHash?) -> Step {
            guard let hash, case .image(var image) = self else { return self }
            image.hash = hash
            return .image(image)
        }
    }

    private let files = LocalFileSystem()
    /// True if the folders in folders are searched.
    var isRecursive = true

    /// Calls `body` with each image and each fault, in the order of the sources, until it returns `false`.
    func visit(_ sources: [String], _ body: (Step) -> Bool) {
        for source in sources {
            guard source.hasPrefix("@") ? lines(String(source.dropFirst()), body) : one(source, body) else { return }
        }
    }

    /// Returns all images at once, without unreadable sources.
    static func images(of sources: [String]) -> [GalleryImage] {
        var images: [GalleryImage] = []
        SourceWalk().visit(sources) { step in
            if case .image(let image) = step { images.append(image) }
            return true
        }
        return images
    }

    private func one(_ source: String, _ body: (Step) -> Bool) -> Bool {
        guard let path = SourceWalk.path(of: source) else { return body(.image(GalleryImage(source))) }
        do throws(DataFileError) {
            let status = try files.status(path)
            guard status.isDirectory else {
                if try isImage(path) { return body(.image(GalleryImage(path: path, status))) }
                if path.hasSuffix(".txt") { return lines(path, body) }
                return body(.fault("\(path): \(status.size == 0 ? tr("Empty") : tr("Not an image"))"))
            }
            var isEmpty = true
            var leftOut = LeftOutFiles()
            let goesOn = try FolderScan.visit(path, files: files, isRecursive: isRecursive, leftOut: &leftOut) {
                isEmpty = false
                return body(.image(GalleryImage(path: $0, $1)))
            }
            if leftOut.count > 0, goesOn, !body(.leftOut(leftOut)) { return false }
            return isEmpty ? body(.fault("\(source): \(tr("No images in it"))")) : goesOn
        } catch {
            return body(.fault("\(source): \(FailureText.reason(error.code))"))
        }
    }

    private func isImage(_ path: String) throws(DataFileError) -> Bool {
        ImageFormat(try files.read(path, first: ImageFormat.sniffLength)) != nil
    }

    /// Returns the image of a file; `nil` if there is no such file, or if it is no image.
    func image(at path: String) -> GalleryImage? {
        guard let status = try? files.status(path), status.isRegular, (try? isImage(path)) == true else { return nil }
        return GalleryImage(path: path, status)
    }

    /// Returns whether there is a folder at a path.
    static func isFolder(_ path: String) -> Bool { (try? LocalFileSystem().status(path))?.isDirectory == true }

    /// Returns the absolute path of a source; `nil` for addresses and lists.
    static func path(of source: String) -> String? {
        let address = WebAddress.trimmed(source)
        // File managers pass URLs.
        if address.hasPrefix("file://") { return FileAddress.path(of: address) }
        let isAddress = address.contains("://") || address.hasPrefix("data:") && FileKind(source) == .missing
        guard !isAddress, !source.hasPrefix("@") else { return nil }
        return source.hasPrefix("/") ? source : PathText.join(CurrentFolder.path, source)
    }

    /// Reads a list of paths and addresses, or of JSON objects. Lists in lists are not followed.
    private func lines(_ path: String, _ body: (Step) -> Bool) -> Bool {
        let sources: [String]
        do throws(DataFileError) {
            sources = try ListFile.sources(in: path)
        } catch {
            return body(.fault("\(path): \(FailureText.reason(error.code))"))
        }
        for line in sources {
            guard let listed = ListedImage(line) else {
                let words = tr("A line names no source: %1", String(line.prefix(80)))
                guard body(.fault("\(path): \(words)")) else { return false }
                continue
            }
            guard !listed.source.hasPrefix("@"), !listed.source.hasSuffix(".txt") else { continue }
            guard one(listed.source, { body($0.with(listed.hash)) }) else { return false }
        }
        return true
    }
}

extension PathText {
    /// Returns the folder of a path without a slash at its end, unless it is the root.
    static func parent(_ path: String) -> String {
        let folder = split(path).folder
        return folder.count > 1 ? String(folder.dropLast()) : folder
    }
}

/// A line of a list: a source, or a JSON object that also has its BlurHash, as `firn placeholder --json` prints it.
struct ListedImage {
    /// A path or an address.
    let source: String
    /// The BlurHash; `nil` for a line without one, or with a damaged one.
    let hash: ListedHash?

    /// The fields that are read; all others are ignored.
    private struct Fields: Decodable {
        let source, path, url: String?
        let blurHash: String?
        let width, height: Int?
    }

    /// Fails for an object that names no source.
    init?(_ line: String) {
        guard line.hasPrefix("{") else {
            source = line
            hash = nil
            return
        }
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line.utf8)),
            let source = fields.source ?? fields.path ?? fields.url, !source.isEmpty
        else { return nil }
        self.source = source
        hash = fields.blurHash.flatMap { ListedHash($0, width: fields.width ?? 0, height: fields.height ?? 0) }
    }
}

/// A BlurHash with the size of its image. A class, because most images have no hash and then store one pointer.
final class ListedHash: Sendable {
    let text: String
    private let size: PixelSize

    /// Fails for a damaged hash.
    init?(_ text: String, width: Int, height: Int) {
        guard BlurHash(text) != nil else { return nil }
        self.text = text
        size = PixelSize(width: max(0, width), height: max(0, height))
    }

    /// The decoded hash in the aspect ratio of the image; `nil` if its size is unknown.
    var shaped: Bitmap? {
        size.isEmpty ? nil : BlurHash(text)?.bitmap(size: TargetSize(ListedHash.side).resolved(for: size))
    }

    /// The longer side of the decoded hash, which is enlarged.
    private static let side = 32
}

/// Reads sources on its own thread and delivers images in batches, so that the first screen appears before the rest is
/// read.
final class SourceReader: Sendable {
    /// The images found since the last batch.
    struct Batch: Sendable {
        var images: [GalleryImage] = []
        var faults: [String] = []
        var leftOut = LeftOutFiles()
    }

    /// The maximum number of images in a batch, which the window handles within a frame.
    static let maximumImages = 2_000
    /// The maximum delay of a batch.
    static let longestWait = Duration.milliseconds(50)

    private let isStopped = Locked(false)
    private static let queue = DispatchQueue(label: "firn.gallery.sources", qos: .userInitiated)

    /// Stops reading. Images found so far are still delivered.
    func stop() { isStopped.withLock { $0 = true } }

    /// Returns the images among files.
    static func images(at paths: [String]) async -> [GalleryImage] {
        await run { paths.compactMap { SourceWalk().image(at: $0) } }
    }

    /// Runs a call that blocks on the thread of the sources.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    /// Returns the images of sources. Blocks no thread of Swift's pool.
    func batches(of sources: [String], isRecursive: Bool = true) -> AsyncStream<Batch> {
        SourceReader.batches(on: SourceReader.queue) { [self] deliver in
            SourceWalk(isRecursive: isRecursive).visit(sources) { step in deliver(step) && !isStopped.withLock { $0 } }
        }
    }

    /// Returns the results of `visit`, which runs on `queue`.
    ///
    /// - Parameter visit: passes each image and fault to its argument, which returns whether to continue.
    static func batches(
        on queue: DispatchQueue, _ visit: @escaping @Sendable (_ deliver: (SourceWalk.Step) -> Bool) -> Void
    ) -> AsyncStream<Batch> {
        AsyncStream { stream in
            let isWanted = Locked(true)
            stream.onTermination = { _ in isWanted.withLock { $0 = false } }
            queue.async {
                var batch = Batch()
                var last = ContinuousClock.now
                // The first batch is one or two screens.
                var most = 200
                visit { step in
                    switch step {
                    case .image(let image): batch.images.append(image)
                    case .fault(let fault): batch.faults.append(fault)
                    case .leftOut(let files): batch.leftOut += files
                    }
                    if batch.images.count >= most || last.duration(to: .now) > SourceReader.longestWait {
                        stream.yield(batch)
                        (batch, most, last) = (Batch(), SourceReader.maximumImages, .now)
                    }
                    return isWanted.withLock { $0 }
                }
                stream.yield(batch)
                stream.finish()
            }
        }
    }
}
#endif
