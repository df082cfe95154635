/// The steps of a task. The table does not know their meaning.
protocol JobSteps {
    associatedtype Step: Equatable

    var count: Int { get }

    /// The step at an index from 0 to below `count`.
    subscript(index: Int) -> Step { get }
}

extension Array: JobSteps where Element: Equatable {}
