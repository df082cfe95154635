"""Qt Quick's `Image` in a GridView, asynchronous and with the size to decode at: what Qt itself offers."""
import os
import sys

os.environ.setdefault("QT_QUICK_BACKEND", "software")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QMetaObject, QStringListModel, QTimer, QUrl  # noqa: E402
from PySide6.QtGui import QGuiApplication  # noqa: E402
from PySide6.QtQuick import QQuickView  # noqa: E402

import scroll_drive  # noqa: E402

QML = b"""
import QtQuick

GridView {
    id: grid
    property int side: 180
    cellWidth: Math.floor(width / Math.max(1, Math.floor(width / (side + 6))))
    cellHeight: side + 6
    interactive: false
    // What is on the screen: how many cells, how many of them right, how many with another's image.
    property int seenCount: 0
    property int rightCount: 0
    property int wrongCount: 0
    function look() {
        var seen = 0, right = 0, wrong = 0
        for (var i = 0; i < contentItem.children.length; ++i) {
            var cell = contentItem.children[i]
            if (cell.wanted === undefined || !cell.visible) continue
            if (cell.y + cell.height <= contentY || cell.y >= contentY + height) continue
            seen += 1
            if (cell.source.toString() !== cell.wanted) wrong += 1
            else if (cell.status === Image.Ready) right += 1
        }
        seenCount = seen; rightCount = right; wrongCount = wrong
    }
    delegate: Image {
        property string wanted: "file://" + display
        width: grid.side; height: grid.side
        asynchronous: true
        sourceSize { width: grid.side; height: grid.side }
        fillMode: Image.PreserveAspectCrop
        source: wanted
    }
}
"""

options = scroll_drive.arguments()
application = QGuiApplication(sys.argv[:1])
view = QQuickView()
view.setResizeMode(QQuickView.ResizeMode.SizeRootObjectToView)
view.resize(*scroll_drive.WINDOW)
path = os.path.join(os.path.dirname(options.images), "grid.qml")
with open(path, "wb") as file:
    file.write(QML)
model = QStringListModel(options.paths)
view.setInitialProperties({"model": model, "side": options.cell})
view.setSource(QUrl.fromLocalFile(path))
grid = view.rootObject()
if grid is None:
    sys.exit("the grid could not be made: " + "; ".join(error.toString() for error in view.errors()))
count = scroll_drive.columns(options)


def is_right():
    QMetaObject.invokeMethod(grid, "look")
    return grid.property("seenCount") >= count and grid.property("rightCount") == grid.property("seenCount")


def count_wrong():
    QMetaObject.invokeMethod(grid, "look")
    return grid.property("wrongCount")


drive = scroll_drive.Drive(options, is_right, count_wrong)


def frame():
    place = drive.step()
    if place is None:
        print(drive.report())
        application.quit()
        return
    if drive.start is not None:
        grid.setProperty("contentY", place * grid.property("cellHeight"))


frames, beats = QTimer(), QTimer()
frames.timeout.connect(frame)
beats.timeout.connect(drive.beat)
frames.start(16)
beats.start(4)
view.show()
application.exec()
