// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/DeadlockReports.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QtWidgets>

namespace tst_Screenshot {

using namespace lockscope;

struct Ended {
    int code = -1;
    QString errors;
    QString output;
};

static Ended run(const QStringList& arguments)
{
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    environment.insert(u"LOCKSCOPE_PASSWORD"_s, test::TestServer::shared().password());
    program.setProcessEnvironment(environment);
    program.start(test::programPath("lockscope"), arguments);
    if (!program.waitForFinished(90'000)) {
        program.kill();
        program.waitForFinished();
        return {-1, u"did not end"_s, {}};
    }
    return {program.exitCode(), QString::fromUtf8(program.readAllStandardError()),
        QString::fromUtf8(program.readAllStandardOutput())};
}

/// A picture of one colour shows nothing; a page has text and lines of many.
static int colorsIn(const QImage& image)
{
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3)
            colors.insert(image.pixel(x, y));
    }
    return static_cast<int>(colors.size());
}

class tst_Screenshot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsAPageOfARunningServer_data()
    {
        test::addColumns<QString, bool>("theme", "dark");
        test::row("light", "light", false);
        test::row("dark", "dark", true);
    }
    void showsAPageOfARunningServer()
    {
        QFETCH(QString, theme);
        const QString file = m_folder.filePath(theme + u".png"_s);
        const Ended ended = run({test::TestServer::shared().url().toString(), u"--page"_s, u"overview"_s,
            u"--theme"_s, theme, u"--size"_s, u"1024x700"_s, u"--screenshot"_s, file});
        QVERIFY2(ended.code == 0, qPrintable(ended.errors));
        const QImage image(file);
        QCOMPARE(image.size(), QSize(1024, 700));
        QVERIFY(colorsIn(image) > 20);
        QTEST(image.pixelColor(450, 694).lightness() < 128, "dark");
    }

    void showsATimeOfARecording()
    {
        const QString recording = m_folder.filePath(u"shop.lockscope"_s);
        QVERIFY(test::MadeRecording::write(recording, u"shop"_s));
        const auto picture = [&](const QStringList& arguments) {
            const QString file = m_folder.filePath(u"moment.png"_s);
            QFile::remove(file);
            const Ended ended =
                run(arguments + QStringList{u"--page"_s, u"locks"_s, u"--screenshot"_s, file});
            return ended.code == 0 ? QImage(file) : QImage();
        };
        const QImage atItsEnd = picture({recording});
        QVERIFY(colorsIn(atItsEnd) > 20);
        const QImage before = picture({u"--recording"_s, recording, u"--at"_s, u"2026-11-21T03:12:10Z"_s});
        QVERIFY(colorsIn(before) > 20);
        QVERIFY(before != atItsEnd);
        // The red band across the window.
        QCOMPARE(before.pixelColor(700, 38), QColor(0xb3261e));
    }

    void refusesWhatIsNoTimeOfARecording()
    {
        const Ended noFile = run({u"--at"_s, u"5min"_s});
        QCOMPARE(noFile.code, 2);
        VERIFY_CONTAINS(noFile.errors, u"--recording FILE"_s);
        const Ended noTime = run({u"x.lockscope"_s, u"--at"_s, u"noon"_s});
        QCOMPARE(noTime.code, 2);
        VERIFY_CONTAINS(noTime.errors, u"is no time"_s);
        const Ended missing = run(
            {m_folder.filePath(u"none.lockscope"_s), u"--screenshot"_s, m_folder.filePath(u"none.png"_s)});
        QCOMPARE(missing.code, 1);
        VERIFY_CONTAINS(missing.errors, u"none.lockscope"_s);
    }

    /// Files of any name work, without a server.
    void showsSeveralReports()
    {
        const auto write = [this](const QString& name, const QByteArray& text) {
            return test::makeFile(m_folder.filePath(name), text);
        };
        const QString first = write(u"a.xdl"_s, test::twoRowsXml());
        const QString second =
            write(u"from-the-ticket"_s, test::twoRowsXml().replace("spid=\"51\"", "spid=\"71\""));
        const auto picture = [this](const QStringList& reports) {
            const QString file = m_folder.filePath(u"reports.png"_s);
            QFile::remove(file);
            const Ended ended = run(reports + QStringList{u"--after"_s, u"2"_s, u"--screenshot"_s, file});
            return ended.code == 0 ? QImage(file) : QImage();
        };
        const QImage both = picture({first, second});
        QVERIFY(colorsIn(both) > 20);
        QVERIFY(both != picture({first}));
        QVERIFY(both != picture({second}));
    }

    void failsWithoutASnapshot()
    {
        const QString file = m_folder.filePath(u"none.png"_s);
        const Ended ended =
            run({u"postgresql://nobody@127.0.0.1:1/none"_s, u"--screenshot"_s, file, u"--after"_s, u"1"_s});
        QCOMPARE(ended.code, 1);
        VERIFY_CONTAINS(ended.errors, u"127.0.0.1"_s);
        QVERIFY(!QFile::exists(file));
    }

    void showsTheErrorIfAllowed()
    {
        const QString file = m_folder.filePath(u"error.png"_s);
        const Ended ended = run({u"postgresql://nobody@127.0.0.1:1/none"_s, u"--screenshot"_s, file,
            u"--after"_s, u"1"_s, u"--allow-error"_s});
        QCOMPARE(ended.code, 0);
        QVERIFY(colorsIn(QImage(file)) > 20);
    }

    void refusesAPageThatIsNotThere()
    {
        const Ended ended =
            run({u"--screenshot"_s, m_folder.filePath(u"x.png"_s), u"--page"_s, u"nowhere"_s});
        QCOMPARE(ended.code, 2);
        QVERIFY(ended.errors.contains(u"overview"_s));
    }

    void helpNamesTheServers()
    {
        const Ended help = run({u"--help"_s});
        QCOMPARE(help.code, 0);
        for (const char* scheme : {"sqlserver://", "postgresql://", "sqlite:///", "sandbox:"})
            VERIFY_CONTAINS(help.output, QLatin1String(scheme));
    }

private:
    QTemporaryDir m_folder;
};

LOCKSCOPE_TEST(tst_Screenshot)

} // namespace tst_Screenshot
#include "tst_Screenshot.moc"
