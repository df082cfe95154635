/// A page of tables: names and values by section. It has no script, no style and loads nothing.
package struct StatusPage: Sendable {
    /// A line of a table.
    package struct Row: Equatable, Sendable {
        /// The heading of the table. Rows of one section need not be neighbors.
        package let section: String
        package let name: String
        package let value: String

        package init(_ section: String, _ name: String, _ value: String) {
            self.section = section
            self.name = name
            self.value = value
        }
    }

    /// The title and first heading.
    package let title: String
    /// The rows, in order. Sections appear in the order of their first rows.
    package let rows: [Row]

    package init(title: String, rows: [Row]) {
        self.title = title
        self.rows = rows
    }

    /// The page with its headers.
    package var resource: PageResource {
        PageResource(
            mediaType: "text/html; charset=utf-8", body: html,
            policy: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            isConstant: false)
    }

    private var html: String {
        var order: [String] = []
        var sections: [String: [Row]] = [:]
        for row in rows {
            if sections[row.section] == nil { order.append(row.section) }
            sections[row.section, default: []].append(row)
        }
        let tables = order.map { Self.table($0, sections[$0] ?? []) }.joined()
        let title = HTMLText.escaped(title)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head><meta charset="utf-8"><title>\(title)</title></head>
            <body>
            <h1>\(title)</h1>
            \(tables)</body>
            </html>

            """
    }

    private static func table(_ section: String, _ rows: [Row]) -> String {
        let lines = rows.map {
            "<tr><th scope=\"row\">\(HTMLText.escaped($0.name))</th><td>\(HTMLText.escaped($0.value))</td></tr>\n"
        }
        return "<h2>\(HTMLText.escaped(section))</h2>\n<table>\n\(lines.joined())</table>\n"
    }
}
