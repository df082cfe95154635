import Firn
import FirnBinding
import FoundationEssentials
import TerminalViews

/// Plays an animation in a view of another toolkit: `own-view FILE OUT.png`. The animation shows FILE, then FILE
/// rotated by 180°.
@main
@MainActor
struct OwnView {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: own-view FILE OUT.png") }
        let animation = arguments[2] + ".gif"
        try turning(Data(contentsOf: URL(filePath: arguments[1]))).write(to: URL(filePath: animation))
        defer { try? FileManager.default.removeItem(atPath: animation) }

        let context = BindingContext(pipeline: ImagePipeline())
        context.options.placeholder = .color(SRGBColor(red: 128, green: 128, blue: 128))
        let view = TerminalView(context: context)
        view.show(ImageRequest(path: animation))
        guard let last = await view.play() else { return print("the animation cannot be shown") }
        try ImageEncoders.png().encode(last).write(to: URL(filePath: arguments[2]))
    }

    /// Returns a GIF that shows an image and then the same image rotated, once, for 200 ms each.
    private static func turning(_ data: Data) throws -> Data {
        let decoder = ImageDecoder()
        try decoder.setData(data, allDataReceived: true)
        let image = try decoder.frame(at: 0).image()
        let animation = try ImageEncoders.gif().makeAnimation(size: image.size, repetitions: .once)
        for frame in [image, try image.oriented(.down)] {
            try animation.append(frame, duration: .milliseconds(200))
        }
        return try animation.finish()
    }
}
