"""A window around QtWebEngine, which has none: `qtwebengine.py <folder> <url>`."""

import os, sys
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
from PyQt6.QtCore import QUrl
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile
from PyQt6.QtWebEngineWidgets import QWebEngineView
from PyQt6.QtWidgets import QApplication
folder, url = sys.argv[1:]
app = QApplication(sys.argv[:1])
profile = QWebEngineProfile("crossfarm")
profile.setPersistentStoragePath(folder)
profile.setCachePath(folder)
view = QWebEngineView()
view.setPage(QWebEnginePage(profile, view))
view.load(QUrl(url))
view.show()
app.exec()
