#if GTK
import CGTK4
import FirnGTK

/// Observes files that appear, change and disappear in folders, by the system's notifications.
@MainActor
final class FolderMonitor {
    /// A change of a file.
    enum Event { case written, removed }

    /// Called with the changes of ``pause``, by the paths of the files: the latest of each.
    var onChanges: (([String: Event]) -> Void)?
    /// Called at once with the former and the new path of a renamed file.
    var onRename: ((String, String) -> Void)?
    private var monitors: [String: SignalHandler] = [:]
    private var changes: [String: Event] = [:]
    private var reporting: Task<Void, Never>?

    /// The time for which changes are collected.
    private static let pause = Duration.milliseconds(100)
    /// The maximum number of folders. Each uses one of the user's watches, which other programs need, too.
    private static let maximumFolders = 1_000

    isolated deinit { stop() }

    /// Observes a folder. Does nothing if it is observed already, or if there are too many.
    func watch(_ folder: String) {
        guard monitors[folder] == nil, monitors.count < FolderMonitor.maximumFolders,
            let file = folder.withSystemPath({ g_file_new_for_path($0) })
        else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(file)) }
        guard let monitor = g_file_monitor_directory(file, G_FILE_MONITOR_WATCH_MOVES, nil, nil) else { return }
        typealias File = OpaquePointer
        typealias Body = @MainActor (File?, File?, GFileMonitorEvent) -> Void
        let call: @MainActor @convention(c) (gpointer?, File?, File?, GFileMonitorEvent, gpointer?) -> Void = {
            (SignalClosure.body($4) as Body?)?($1, $2, $3)
        }
        let body: Body = { [weak self] in self?.handle($2, FolderMonitor.path($0), FolderMonitor.path($1)) }
        let object = UnsafeMutableRawPointer(monitor)
        monitors[folder] = SignalHandler(object, SignalClosure.connect(object, "changed", calling: call, with: body))
        g_object_unref(object)
    }

    /// Stops observing all folders.
    func stop() {
        monitors = [:]
        changes = [:]
        reporting?.cancel()
        reporting = nil
    }

    private static func path(_ file: OpaquePointer?) -> String? {
        file.flatMap { GLibText.path(freeing: g_file_get_path($0)) }
    }

    private func handle(_ event: GFileMonitorEvent, _ path: String?, _ other: String?) {
        guard let path else { return }
        switch event {
        case G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT, G_FILE_MONITOR_EVENT_CREATED, G_FILE_MONITOR_EVENT_MOVED_IN:
            changes[path] = .written
        case G_FILE_MONITOR_EVENT_DELETED, G_FILE_MONITOR_EVENT_MOVED_OUT: changes[path] = .removed
        case G_FILE_MONITOR_EVENT_RENAMED:
            changes[path] = .removed
            if let other {
                changes[other] = .written
                onRename?(path, other)
            }
        default: return
        }
        guard reporting == nil else { return }
        reporting = Task { [weak self] in
            try? await Task.sleep(for: FolderMonitor.pause)
            guard !Task.isCancelled, let self else { return }
            self.reporting = nil
            let changes = self.changes
            self.changes = [:]
            self.onChanges?(changes)
        }
    }
}
#endif
