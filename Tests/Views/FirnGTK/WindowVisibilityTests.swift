#if GTK
import Testing

@testable import FirnGTK

/// Tests when an application is in the background.
@Suite struct WindowVisibilityTests {
    @Test func `The application is hidden with its last visible window and shown with its first`() {
        var windows = WindowVisibility<Int>()
        #expect(windows.set(1, isVisible: false) == nil)
        #expect(windows.set(1, isVisible: true) == true)
        #expect(windows.set(2, isVisible: true) == nil)
        #expect(windows.set(1, isVisible: false) == nil)
        #expect(windows.set(2, isVisible: false) == false)
        #expect(windows.set(2, isVisible: false) == nil)
        #expect(windows.set(2, isVisible: true) == true)
    }

    @Test func `A closed window is not visible`() {
        var windows = WindowVisibility<Int>()
        _ = windows.set(1, isVisible: true)
        _ = windows.set(2, isVisible: true)
        #expect(windows.keep([2, 3]) == nil)
        #expect(windows.keep([3]) == false)
        #expect(windows.keep([]) == nil)
    }
}
#endif
