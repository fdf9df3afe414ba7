"""Makes the window and Qt's own dialogs speak the language of the settings."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from forensicviewer.app.language.words import ENGLISH, languages, spoken_language, use_language
from forensicviewer.app.settings import LANGUAGE, Settings
from forensicviewer.core.problem import Problem


def speak(settings: Settings, application: QCoreApplication) -> tuple[Problem, ...]:
    """Choose the language before the first widget is made; tells what kept it from being used."""
    chosen = settings.of(LANGUAGE)
    code = language_among(QLocale.system().uiLanguages()) if chosen == "system" else chosen
    problems = use_language(code)
    speak_as_qt(application)
    return problems


def speak_as_qt(application: QCoreApplication) -> None:
    """Give fields for numbers, file dialogs and standard buttons the language in use."""
    code = spoken_language()
    # Fields write thousands together and decimals as ``words.decimal`` does.
    QLocale.setDefault(QLocale(code))
    if code == ENGLISH:
        return
    translator = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    # Without Qt's file its dialogs stay English, which is no reason to say anything.
    if translator.load(f"qtbase_{code}", folder):
        application.installTranslator(translator)


def language_among(wanted: Iterable[str]) -> str:
    """The first language somebody wants that the window speaks: ``de-AT`` is German."""
    codes = (name.replace("_", "-").split("-")[0].casefold() for name in wanted)
    return next((code for code in codes if code in languages()), ENGLISH)
