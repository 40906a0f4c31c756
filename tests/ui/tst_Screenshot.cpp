// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/DataRows.h"
#include "tests/support/Files.h"
#include "tests/support/MadeDeadlock.h"
#include "tests/support/MadeRecording.h"
#include "tests/support/Programs.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

namespace tst_Screenshot {

using namespace lockscope;

namespace {

struct Ended {
    int code = -1;
    QString errors;
    QString output;
};

Ended run(const QStringList& arguments)
{
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("LOCKSCOPE_PASSWORD"), test::TestServer::shared().password());
    program.setProcessEnvironment(environment);
    program.start(test::programs::lockscope(), arguments);
    if (!program.waitForFinished(90'000)) {
        program.kill();
        program.waitForFinished();
        return {-1, QStringLiteral("did not end"), {}};
    }
    return {program.exitCode(), QString::fromUtf8(program.readAllStandardError()),
        QString::fromUtf8(program.readAllStandardOutput())};
}

/// A picture of one colour shows nothing; a page has text and lines of many.
int colorsIn(const QImage& image)
{
    QSet<QRgb> colors;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3)
            colors.insert(image.pixel(x, y));
    }
    return static_cast<int>(colors.size());
}

} // namespace

class tst_Screenshot : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void showsAPageOfARunningServer_data();
    void showsAPageOfARunningServer();
    void showsAMomentOfARecording();
    void refusesWhatIsNoMomentOfARecording();
    void showsSeveralReports();
    void failsWithoutASnapshot();
    void showsTheErrorIfAllowed();
    void refusesAPageThatIsNotThere();
    void helpNamesTheServers();

private:
    QTemporaryDir m_folder;
};

void tst_Screenshot::showsAPageOfARunningServer_data()
{
    test::addColumns<QString, bool>("theme", "dark");
    test::row("light", "light", false);
    test::row("dark", "dark", true);
}

void tst_Screenshot::showsAPageOfARunningServer()
{
    QFETCH(QString, theme);
    QFETCH(bool, dark);
    const QString file = m_folder.filePath(theme + QStringLiteral(".png"));
    const Ended ended = run({test::TestServer::shared().url().toString(), QStringLiteral("--page"),
        QStringLiteral("overview"), QStringLiteral("--theme"), theme, QStringLiteral("--size"),
        QStringLiteral("1024x700"), QStringLiteral("--screenshot"), file});
    QVERIFY2(ended.code == 0, qPrintable(ended.errors));
    const QImage image(file);
    QCOMPARE(image.size(), QSize(1024, 700));
    QVERIFY(colorsIn(image) > 20);
    QCOMPARE(image.pixelColor(450, 694).lightness() < 128, dark);
}

void tst_Screenshot::showsAMomentOfARecording()
{
    const QString recording = m_folder.filePath(QStringLiteral("shop.lockscope"));
    QVERIFY(test::MadeRecording::write(recording, QStringLiteral("shop")));
    const auto picture = [&](const QStringList& arguments) {
        const QString file = m_folder.filePath(QStringLiteral("moment.png"));
        QFile::remove(file);
        const Ended ended = run(arguments
            + QStringList{
                QStringLiteral("--page"), QStringLiteral("locks"), QStringLiteral("--screenshot"), file});
        return ended.code == 0 ? QImage(file) : QImage();
    };
    const QImage atItsEnd = picture({recording});
    QVERIFY(colorsIn(atItsEnd) > 20);
    const QImage before = picture({QStringLiteral("--recording"), recording, QStringLiteral("--at"),
        QStringLiteral("2026-11-21T03:12:10Z")});
    QVERIFY(colorsIn(before) > 20);
    QVERIFY(before != atItsEnd);
    // The red band across the window.
    QCOMPARE(before.pixelColor(700, 38), QColor(0xb3261e));
}

void tst_Screenshot::refusesWhatIsNoMomentOfARecording()
{
    const Ended noFile = run({QStringLiteral("--at"), QStringLiteral("5min")});
    QCOMPARE(noFile.code, 2);
    QVERIFY2(noFile.errors.contains(QStringLiteral("--recording FILE")), qPrintable(noFile.errors));
    const Ended noTime = run({QStringLiteral("x.lockscope"), QStringLiteral("--at"), QStringLiteral("noon")});
    QCOMPARE(noTime.code, 2);
    QVERIFY2(noTime.errors.contains(QStringLiteral("is no time")), qPrintable(noTime.errors));
    const Ended missing = run({m_folder.filePath(QStringLiteral("none.lockscope")),
        QStringLiteral("--screenshot"), m_folder.filePath(QStringLiteral("none.png"))});
    QCOMPARE(missing.code, 1);
    QVERIFY2(missing.errors.contains(QStringLiteral("none.lockscope")), qPrintable(missing.errors));
}

/// Whatever their names, and without a server.
void tst_Screenshot::showsSeveralReports()
{
    const auto write = [this](const QString& name, const QByteArray& text) {
        return test::makeFile(m_folder.filePath(name), text);
    };
    const QString first = write(QStringLiteral("a.xdl"), test::twoRowsXml());
    const QString second =
        write(QStringLiteral("from-the-ticket"), test::twoRowsXml().replace("spid=\"51\"", "spid=\"71\""));
    const auto picture = [this](const QStringList& reports) {
        const QString file = m_folder.filePath(QStringLiteral("reports.png"));
        QFile::remove(file);
        const Ended ended = run(reports
            + QStringList{
                QStringLiteral("--after"), QStringLiteral("2"), QStringLiteral("--screenshot"), file});
        return ended.code == 0 ? QImage(file) : QImage();
    };
    const QImage both = picture({first, second});
    QVERIFY(colorsIn(both) > 20);
    QVERIFY(both != picture({first}));
    QVERIFY(both != picture({second}));
}

void tst_Screenshot::failsWithoutASnapshot()
{
    const QString file = m_folder.filePath(QStringLiteral("none.png"));
    const Ended ended = run({QStringLiteral("postgresql://nobody@127.0.0.1:1/none"),
        QStringLiteral("--screenshot"), file, QStringLiteral("--after"), QStringLiteral("1")});
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.errors.contains(QStringLiteral("127.0.0.1")), qPrintable(ended.errors));
    QVERIFY(!QFile::exists(file));
}

void tst_Screenshot::showsTheErrorIfAllowed()
{
    const QString file = m_folder.filePath(QStringLiteral("error.png"));
    const Ended ended =
        run({QStringLiteral("postgresql://nobody@127.0.0.1:1/none"), QStringLiteral("--screenshot"), file,
            QStringLiteral("--after"), QStringLiteral("1"), QStringLiteral("--allow-error")});
    QCOMPARE(ended.code, 0);
    QVERIFY(colorsIn(QImage(file)) > 20);
}

void tst_Screenshot::refusesAPageThatIsNotThere()
{
    const Ended ended = run({QStringLiteral("--screenshot"), m_folder.filePath(QStringLiteral("x.png")),
        QStringLiteral("--page"), QStringLiteral("nowhere")});
    QCOMPARE(ended.code, 2);
    QVERIFY(ended.errors.contains(QStringLiteral("overview")));
}

void tst_Screenshot::helpNamesTheServers()
{
    const Ended help = run({QStringLiteral("--help")});
    QCOMPARE(help.code, 0);
    for (const char* scheme : {"sqlserver://", "postgresql://", "sqlite:///", "sandbox:"})
        QVERIFY2(help.output.contains(QLatin1String(scheme)), qPrintable(help.output));
}

LOCKSCOPE_TEST(tst_Screenshot)

} // namespace tst_Screenshot
#include "tst_Screenshot.moc"
