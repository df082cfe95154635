#if GTK
import CGTK4
import Testing

@testable import firn_gallery

/// Tests drops on the gallery's window.
@Suite(.timeLimit(.minutes(5))) @MainActor
struct DropZoneTests {
    /// Drops a value as GTK does, by the signal of a drop target; returns what the gallery receives.
    private static func drop(_ value: inout GValue) -> [String]? {
        final class Told { var sources: [String]? }
        let told = Told()
        guard let target = DropZone.target({ told.sources = $0 }) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(target)) }
        var values = [GValue(), GValue(), GValue(), GValue()]
        var result = GValue()
        g_value_init(&result, GType(5 << 2))
        g_value_init(&values[0], gtk_drop_target_get_type())
        g_value_set_object(&values[0], UnsafeMutableRawPointer(target))
        // The second argument of the signal is a value itself.
        g_value_init(&values[1], g_value_get_type())
        withUnsafePointer(to: &value) { g_value_set_boxed(&values[1], UnsafeRawPointer($0)) }
        for index in 2...3 { g_value_init(&values[index], GType(15 << 2)) }
        g_signal_emitv(values, g_signal_lookup("drop", gtk_drop_target_get_type()), 0, &result)
        let isTaken = g_value_get_boolean(&result) != 0
        for index in values.indices { g_value_unset(&values[index]) }
        return isTaken ? told.sources : nil
    }

    @Test func `Files and folders are recognized by their paths, remote images by their addresses`() {
        let addresses = ["file:///tmp/an%20image.png", "file:///tmp/folder", "https://example.org/b.jpg"]
        var files = addresses.map { UnsafeMutableRawPointer(g_file_new_for_uri($0)).map { OpaquePointer($0) } }
        defer { for file in files { if let file { g_object_unref(UnsafeMutableRawPointer(file)) } } }
        let list = gdk_file_list_new_from_array(&files, gsize(files.count))
        var value = GValue()
        g_value_init(&value, gdk_file_list_get_type())
        g_value_take_boxed(&value, UnsafeRawPointer(list))
        defer { g_value_unset(&value) }
        #expect(DropZoneTests.drop(&value) == ["/tmp/an image.png", "/tmp/folder", "https://example.org/b.jpg"])
    }

    @Test func `The lines of a text that are addresses or paths become sources`() {
        var value = GValue()
        g_value_init(&value, GType(16 << 2))
        g_value_set_string(
            &value, "# from a browser\r\nhttps://example.org/1.png\r\nfile:///tmp/2.png\nwords\n/tmp/3.png\n")
        defer { g_value_unset(&value) }
        #expect(DropZoneTests.drop(&value) == ["https://example.org/1.png", "/tmp/2.png", "/tmp/3.png"])
    }

    @Test func `A text without addresses has no sources`() {
        #expect(DropZone.sources(ofText: "just\nwords") == [])
    }
}
#endif
