import Firn
import FirnReport

/// What `firn info` says of one file.
struct PictureDescription: PictureFinding {
    private let properties: ImageProperties
    private let bytes: Int

    init(path: String) throws(PictureFault) {
        let file = try PictureFile(path)
        properties = file.properties
        bytes = file.bytes
    }

    var fields: [(name: String, value: JSONValue)] {
        let display = properties.displaySize
        return [
            ("format", .string(properties.format.rawValue)),
            ("width", .int(properties.size.width)),
            ("height", .int(properties.size.height)),
            ("displayWidth", .int(display.width)),
            ("displayHeight", .int(display.height)),
            ("orientation", .int(properties.orientation.rawValue)),
            ("frames", .int(properties.frameCount)),
            ("durationsMs", properties.frameDurations.map { .array($0.map { .int($0) }) } ?? .null),
            ("loopCount", JSONValue(properties.loopCount)),
            ("alpha", .bool(properties.hasAlpha)),
            ("bitDepth", .int(properties.bitDepth)),
            ("colorSpace", .string(properties.colorSpace)),
            ("progressive", .bool(properties.isProgressive)),
            ("bytes", .int(bytes)),
        ]
    }

    func text(_ path: String) -> String {
        var parts = ["\(properties.displaySize)", "\(properties.bitDepth)-bit \(properties.colorSpace)"]
        if properties.hasAlpha { parts.append("alpha") }
        if properties.isProgressive { parts.append("progressive") }
        if properties.orientation != .up { parts.append("orientation \(properties.orientation.rawValue)") }
        if properties.frameCount > 1 { parts.append("\(properties.frameCount) frames") }
        if properties.colorProfile != nil { parts.append("colour profile") }
        parts.append(ByteText.text(bytes))
        return "\(path): \(properties.format) \(parts.joined(separator: ", "))"
    }
}
