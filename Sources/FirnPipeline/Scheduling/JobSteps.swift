/// What a task wants done, step by step; what a step is, the table does not know.
protocol JobSteps {
    associatedtype Step: Equatable

    var count: Int { get }

    /// The step at a place from 0 to below `count`.
    subscript(index: Int) -> Step { get }
}

extension Array: JobSteps where Element: Equatable {}
