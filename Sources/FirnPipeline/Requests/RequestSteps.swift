/// The steps of a request, in order.
enum RequestSteps: JobSteps {
    /// ``RequestStep/plainDecode`` alone: nothing is allocated, and no count is shared by all requests.
    case plain
    case list([RequestStep])

    var count: Int {
        switch self {
        case .plain: 1
        case .list(let steps): steps.count
        }
    }

    subscript(index: Int) -> RequestStep {
        switch self {
        case .plain: .plainDecode
        case .list(let steps): steps[index]
        }
    }

    func dropFirst(_ number: Int) -> RequestSteps {
        switch self {
        case .plain: number > 0 ? .list([]) : .plain
        case .list(let steps): .list(Array(steps.dropFirst(number)))
        }
    }
}
