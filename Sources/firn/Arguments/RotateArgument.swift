import ArgumentParser
import Firn

/// A rotation by quarter turns, in degrees clockwise: 90, 180, 270 or -90.
struct RotateArgument: ExpressibleByArgument {
    let processor: ImageProcessors.Rotate
    /// Whether width and height change places.
    var transposes: Bool { processor.turn != .half }

    init?(argument: String) {
        let degrees = argument == "-90" ? 270 : argument == "-180" ? 180 : argument == "-270" ? 90 : Int(argument)
        guard let turn = degrees.flatMap({ ImageProcessors.Rotate.Turn(rawValue: $0) }) else { return nil }
        processor = ImageProcessors.Rotate(turn)
    }
}
