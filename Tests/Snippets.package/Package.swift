// swift-tools-version: 6.2
import PackageDescription

// What pages say of manifests: read by `Scripts/check-snippets`, never built.
let package = Package(
    name: "snippets",
    dependencies: [
        // snippet.dependency
        .package(url: "https://github.com/OWNER/firn", from: "0.1.0")
        // snippet.end
    ]
)
