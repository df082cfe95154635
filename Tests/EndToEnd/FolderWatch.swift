import FoundationEssentials
import FirnSystem

/// Waits for files by the system's notifications of changes below a folder (inotify), without polling.
final class FolderWatch: Sendable {
    private let root: String
    private let file: Int32

    init(_ root: String) throws {
        self.root = root
        file = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard file >= 0 else { throw ScratchError(message: "no inotify: \(String(cString: strerror(errno)))") }
    }

    deinit { close(file) }

    /// Waits until `isReached` returns true; calls it again after every change below the folder.
    ///
    /// Blocks its thread.
    /// - Returns: whether it returned true within `limit`.
    func wait(atMost limit: Duration = .seconds(300), until isReached: () -> Bool) -> Bool {
        let end = ContinuousClock.now + limit
        while true {
            // Order: the folders are watched before the check, so that no change between is missed.
            watchFolders()
            if isReached() { return true }
            let left = ContinuousClock.now.duration(to: end).components
            guard left.seconds >= 0, left.attoseconds >= 0 else { return false }
            var change = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            poll(&change, 1, Int32(min(left.seconds, 600)) * 1000 + 1)
            takeNotices()
        }
    }

    /// Watches the folder and its subfolders; does nothing for folders that are already watched.
    private func watchFolders() {
        let changes = UInt32(IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR)
        var watched: Set<String> = []
        var paths: Set<String> = [root]
        // Again until nothing is new: a folder may be made after its parent was listed and before that was watched.
        while !paths.isEmpty {
            for path in paths { inotify_add_watch(file, path, changes) }
            watched.formUnion(paths)
            let below = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
            paths = Set(below.map { "\(root)/\($0)" }).subtracting(watched)
        }
    }

    private func takeNotices() {
        var notices = [UInt8](repeating: 0, count: 64 << 10)
        while read(file, &notices, notices.count) > 0 {}
    }
}
