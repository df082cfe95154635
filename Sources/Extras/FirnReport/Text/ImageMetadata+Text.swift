package import FirnCodecs

extension ImageMetadata: JSONConvertible {
    /// The present fields that people read most, in the order of display.
    package var fields: [(name: String, text: String)] {
        var fields: [(name: String, text: String)] = []
        func add(_ name: String, _ text: String?) { if let text { fields.append((name, text)) } }
        add("Camera", camera)
        add("Lens", lens)
        add("Taken", takenText)
        add("Exposure", exposureText)
        add("Aperture", aperture.map { "f/\(FixedText.text($0, decimals: 1))" })
        add("Sensitivity", sensitivity.map { "ISO \($0)" })
        add("Focal length", focalLength.map { "\(FixedText.text($0, decimals: 0)) mm" })
        add("Flash", flashFired.map { $0 ? "fired" : "did not fire" })
        if let latitude, let longitude {
            func degrees(_ value: Double) -> String { FixedText.text(abs(value), decimals: 4) }
            let (north, east) = (latitude < 0 ? "S" : "N", longitude < 0 ? "W" : "E")
            add("Place", "\(degrees(latitude))° \(north), \(degrees(longitude))° \(east)")
        }
        add("Title", title)
        add("Description", imageDescription)
        add("Keywords", self["Keywords"])
        add("Artist", self["Creator"])
        add("Copyright", copyright)
        add("Software", software)
        return fields
    }

    /// All present fields by their names in ExifTool, as lines for people.
    package var lines: [String] {
        ImageMetadata.names.compactMap { name in
            if name == "RegionInfo", !regions.isEmpty {
                return "\(name): \(regions.map { $0.name ?? $0.kind ?? "?" }.joined(separator: "; "))"
            }
            return self[name].map { "\(name): \(TerminalText.escaped($0))" }
        }
    }

    /// All present fields by their names in ExifTool, with the values that it prints with `-n -struct`.
    package var json: JSONValue {
        .object(ImageMetadata.names.compactMap { name in values[name].map { (name, ImageMetadata.json($0)) } })
    }

    private static func json(_ value: Value) -> JSONValue {
        switch value {
        case .text(let text): .string(text)
        case .number(let number): Int(exactly: number).map { .int($0) } ?? .double(number)
        case .list(let items): items.json
        case .regions(let regions): ["RegionList": regions]
        }
    }

    private var exposureText: String? {
        guard let seconds = exposureSeconds, seconds < 1e6 else { return nil }
        if seconds >= 0.4 { return "\(FixedText.text(seconds, decimals: 1)) s" }
        let part = 1 / seconds
        return part < 1e7 ? "1/\(FixedText.text(part, decimals: 0)) s" : nil
    }
}

extension ImageMetadata.Region: JSONConvertible {
    package var json: JSONValue {
        let area: JSONValue = ["X": x, "Y": y, "W": width, "H": height, "Unit": "normalized"]
        return ["Name": name, "Type": kind, "Area": area]
    }
}
