/// The places where a task's image has been looked up. ARCHITECTURE.md has the order of all places.
///
/// A value that changes only together with the work that a task waits for, under the lock of the job table. Each place
/// is tried once, and once more for a ``Reason``.
struct Route: Sendable {
    /// A place whose lookup is a job of its own. All other places are tried by the jobs that lead to them.
    enum Place: Sendable {
        /// The image in the memory cache, or the bytes of the source.
        case source
        /// The task's own image in the data cache.
        case processed
        /// An image in the data cache that lacks some of the processors.
        case part
    }

    /// The place that the present work starts with.
    private(set) var place = Place.source
    /// True if the data cache was tried for the task's own image, and for one that lacks processors.
    private var hasReadProcessed = false
    private var hasReadPart = false
    /// True if the work was repeated because the file had changed, and because stored bytes could not be decoded.
    private(set) var isRenewed = false
    private(set) var isReloaded = false
    /// Distinguishes the loads of one resource whose requests select other responses by the fields that they send. 0
    /// until the task needs another response than that of the load that it has joined.
    private(set) var selection = 0

    /// True if the task's own image in the data cache may be read before the original.
    var mayReadProcessed: Bool { !hasReadProcessed && !hasReadPart }
    var mayReadPart: Bool { !hasReadPart }

    /// Returns whether a processed image may still be tried.
    func mayRead(_ image: ProcessedImage) -> Bool { mayReadPart && !(image.isFinal && hasReadProcessed) }

    /// The route of work that starts at a place.
    func starting(at place: Place) -> Route {
        changed { route in
            route.place = place
            switch place {
            case .source: break
            case .processed: route.hasReadProcessed = true
            case .part: route.hasReadPart = true
            }
        }
    }

    /// The reasons to try a place again. Each counts once for a task, which would otherwise never end for a
    /// file that is written continuously.
    enum Reason {
        /// The file has changed since it was opened.
        case changed
        /// The bytes of the data cache could not be decoded.
        case damaged
    }

    /// The route of a task that starts again; `nil` if it did so before.
    func again(_ reason: Reason) -> Route? {
        switch reason {
        case .changed: isRenewed ? nil : changed { $0.isRenewed = true }
        case .damaged: isReloaded ? nil : changed { $0.isReloaded = true }
        }
    }

    /// The route to another response of the same resource.
    func selecting(_ selection: Int) -> Route { changed { $0.selection = selection } }

    private func changed(_ body: (inout Route) -> Void) -> Route {
        var route = self
        body(&route)
        return route
    }
}

/// A task with the route that it had under the lock of the table.
typealias RoutedTask = (task: ImageTask, route: Route)
