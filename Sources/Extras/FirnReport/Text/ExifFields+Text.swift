package import FirnCodecs

extension ExifFields: JSONConvertible {
    package struct Field: Sendable {
        package let name: String
        package let text: String
        /// The name in JSON.
        package let key: String
        /// The value in JSON: numbers in the unit that the key names.
        package let value: JSONValue
    }

    /// The present fields, in the order of display.
    package var fields: [Field] {
        var fields: [Field] = []
        func add(_ name: String, _ key: String, _ text: String?, _ value: (any JSONConvertible)? = nil) {
            guard let text else { return }
            fields.append(Field(name: name, text: text, key: key, value: value?.json ?? .string(text)))
        }
        add("Camera", "camera", camera)
        add("Lens", "lens", lens)
        add("Taken", "taken", takenText, takenText.map { $0.replacing(" ", with: "T") + (takenZone ?? "") })
        add("Exposure", "exposureSeconds", exposureText, exposureSeconds)
        add("Aperture", "aperture", aperture.map { "f/\(FixedText.text($0, decimals: 1))" }, aperture)
        add("Sensitivity", "iso", sensitivity.map { "ISO \($0)" }, sensitivity)
        add("Focal length", "focalLengthMm", focalLength.map { "\(FixedText.text($0, decimals: 0)) mm" }, focalLength)
        add("Flash", "flash", flashFired.map { $0 ? "fired" : "did not fire" }, flashFired)
        if let latitude, let longitude {
            func degrees(_ value: Double) -> String { FixedText.text(abs(value), decimals: 4) }
            let (north, east) = (latitude < 0 ? "S" : "N", longitude < 0 ? "W" : "E")
            add(
                "Place", "place", "\(degrees(latitude))° \(north), \(degrees(longitude))° \(east)",
                ["latitude": latitude, "longitude": longitude] as JSONValue)
        }
        add("Description", "description", imageDescription)
        add("Artist", "artist", artist)
        add("Copyright", "copyright", copyright)
        add("Software", "software", software)
        return fields
    }

    package var json: JSONValue { .object(fields.map { ($0.key, $0.value) }) }

    private var exposureText: String? {
        guard let seconds = exposureSeconds, seconds < 1e6 else { return nil }
        if seconds >= 0.4 { return "\(FixedText.text(seconds, decimals: 1)) s" }
        let part = 1 / seconds
        return part < 1e7 ? "1/\(FixedText.text(part, decimals: 0)) s" : nil
    }
}
