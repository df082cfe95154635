#if GTK
import CFirnAdwaita
import Firn
import FirnGTK
import FirnSystem

/// A change of a file that can be undone.
enum FileChange: Sendable {
    case trashed(Trash.Entry)
    case moved(from: String, to: String)
    case copied(to: String)
    case turned(String, ImageTurn)

    /// The former path of the file; `nil` for a copy.
    var removed: String? {
        switch self {
        case .trashed(let entry): entry.original
        case .moved(let path, _): path
        case .copied, .turned: nil
        }
    }

    /// Moves or copies a file, also to another device. Never replaces a file there. Blocks.
    ///
    /// - Throws: `DataFileError`; the file stays where it is.
    static func make(_ path: String, to new: String, copies: Bool) throws(DataFileError) -> FileChange {
        if !copies {
            do throws(DataFileError) {
                try LocalFileSystem().rename(path, toFree: new)
                return .moved(from: path, to: new)
            } catch {
                if error.code != EXDEV { throw error }
            }
        }
        let files = [path, new].map { $0.withSystemPath { g_file_new_for_path($0) } }
        defer { for file in files { g_object_unref(UnsafeMutableRawPointer(file)) } }
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        let change = copies ? g_file_copy : g_file_move
        guard change(files[0], files[1], G_FILE_COPY_NOFOLLOW_SYMLINKS, nil, nil, nil, &error) != 0 else {
            let codes = [
                G_IO_ERROR_EXISTS.rawValue: EEXIST, G_IO_ERROR_NO_SPACE.rawValue: ENOSPC,
                G_IO_ERROR_PERMISSION_DENIED.rawValue: EACCES,
            ]
            throw DataFileError("copy", new, code: codes[UInt32(bitPattern: error?.pointee.code ?? 0)] ?? EIO)
        }
        return copies ? .copied(to: new) : .moved(from: path, to: new)
    }

    /// Undoes the change. A copy is moved to the trash. Blocks.
    ///
    /// - Throws: `DataFileError`; the change remains.
    func undo(_ trash: Trash) throws(DataFileError) {
        switch self {
        case .trashed(let entry): try trash.restore(entry)
        case .moved(let path, let new): _ = try FileChange.make(new, to: path, copies: false)
        case .copied(let new): _ = try trash.move(new)
        case .turned(let path, let turn): _ = try FileChange.turn(path, turn.inverse)
        }
    }

    /// Makes a change for each item, on the queue of sources.
    static func each<Item: Sendable>(
        _ items: [Item], _ make: @escaping @Sendable (Item) throws(DataFileError) -> FileChange
    ) async -> [Result<FileChange, DataFileError>] {
        await SourceReader.run { items.map { item in Result { () throws(DataFileError) in try make(item) } } }
    }

    /// The most bytes of a file that is turned, which is copied in memory.
    private static let maximumTurnedBytes = 512 << 20

    /// Turns an image by the orientation in its file. The pixels stay as they are. Replaces the file at once. Blocks.
    ///
    /// - Throws: `DataFileError`, with `ENOTSUP` for a file that cannot state an orientation; the file stays as it is.
    static func turn(_ path: String, _ turn: ImageTurn) throws(DataFileError) -> FileChange {
        let files = LocalFileSystem()
        let size = try files.status(path).size
        guard size <= maximumTurnedBytes else { throw DataFileError("turn", path, code: EFBIG) }
        let file = try files.read(path, first: size)
        let decoder = ImageDecoder()
        do { try decoder.setData(file, allDataReceived: true) } catch { throw unsupported(path) }
        guard let properties = decoder.properties,
            let copy = OrientationTag.copy(
                file, properties,
                orientation: properties.orientation.changed(mirrored: turn.isMirrored, quarterTurns: turn.quarterTurns))
        else { throw unsupported(path) }
        try OutputFile.write(copy, to: path)
        return .turned(path, turn)
    }

    private static func unsupported(_ path: String) -> DataFileError {
        DataFileError("turn", path, code: ENOTSUP)
    }

    /// Returns whether a file can have a name.
    static func isName(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && !name.contains("/") && name != "." && name != ".."
    }
}

/// A rotation or reflection of a displayed image, by the name of its action.
enum ImageTurn: String, CaseIterable {
    case right = "rotate.right"
    case left = "rotate.left"
    /// Left to right.
    case across = "flip.across"
    /// Top to bottom.
    case down = "flip.down"

    var isMirrored: Bool { self == .across || self == .down }
    /// The clockwise quarter turns, after the reflection.
    var quarterTurns: Int { self == .right ? 1 : self == .left ? 3 : self == .down ? 2 : 0 }
    var inverse: ImageTurn { self == .right ? .left : self == .left ? .right : self }
}

/// Asks for the new name of a file.
@MainActor
enum RenameDialog {
    static func present(
        over window: UnsafeMutablePointer<GtkWindow>, _ name: String, _ body: @escaping @MainActor (String) -> Void
    ) {
        let dialog: Widget = adw_message_dialog_new(window, tr("Rename"), nil)
        let entry: Widget = gtk_entry_new()
        adw_message_dialog_set_extra_child(dialog.cast(), entry)
        adw_message_dialog_add_response(dialog.cast(), "cancel", tr("_Cancel"))
        adw_message_dialog_add_response(dialog.cast(), "rename", tr("_Rename"))
        adw_message_dialog_set_response_appearance(dialog.cast(), "rename", ADW_RESPONSE_SUGGESTED)
        adw_message_dialog_set_default_response(dialog.cast(), "rename")
        gtk_entry_set_activates_default(entry.cast(), 1)
        let text = { gtk_editable_get_text(entry.opaque).map { String(cString: $0) } ?? "" }
        SignalClosure.connect(entry.object, "changed") {
            let isEnabled = text() != name && FileChange.isName(text())
            adw_message_dialog_set_response_enabled(dialog.cast(), "rename", isEnabled ? 1 : 0)
        }
        SignalClosure.connectObject(dialog.object, "response") {
            if String(cString: UnsafePointer<CChar>($0)) == "rename" { body(text()) }
        }
        gtk_editable_set_text(entry.opaque, name)
        gtk_window_present(dialog.cast())
        gtk_widget_grab_focus(entry)
        gtk_editable_select_region(entry.opaque, 0, gint(clamping: PathText.stem(name).unicodeScalars.count))
    }
}
#endif
