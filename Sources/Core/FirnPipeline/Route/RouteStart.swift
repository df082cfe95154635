import FirnImage

/// The start of the work for a task: the root job that it joins, and the steps from there to its image.
struct RouteStart {
    var key: ResourceKey
    var steps: RequestSteps
    /// Reads the image that the work starts with; `nil` to fetch the bytes.
    var work: JobWork?
    /// What the delegate said, which the table must not ask.
    var hasDataCache = false
    var keepsBitmaps = false
    /// The route of the task from now on.
    var route: Route
}
