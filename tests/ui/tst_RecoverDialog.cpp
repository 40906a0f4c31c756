// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A recording that is opened and is damaged: the window offers to recover what is whole.

#include "tests/support/Environment.h"
#include "tests/support/FakeKeychain.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"
#include "ui/MainWindow.h"
#include "ui/timetravel/RecoverDialog.h"

#include <QDir>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>

using namespace lockscope;
using namespace lockscope::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience = 20'000;

/// Lacks its last third.
void writeDamaged(const QString& path)
{
    {
        auto writer = test::writeRecording(path);
        test::RandomSnapshots random(10);
        for (int i = 0; i < 300; ++i) {
            const SnapshotPtr snapshot = test::toRecord(random.next());
            if (!writer || !writer->append(snapshot, snapshot->takenAt))
                qFatal("not recorded");
        }
    }
    if (!QFile::resize(path, QFile(path).size() * 2 / 3))
        qFatal("not cut");
}

} // namespace

class tst_RecoverDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theWindowOffersIt()
    {
        const QTemporaryDir folder;
        const test::Variable state("XDG_STATE_HOME", folder.path());
        QSettings settings(folder.filePath(u"test.ini"_s), QSettings::IniFormat);
        MainWindow::Options options;
        options.keychain = std::make_shared<test::FakeKeychain>();
        MainWindow window(settings, options);
        window.show();
        const QString path = folder.filePath(u"shop.lockscope"_s);
        const QString made = folder.filePath(u"made.lockscope"_s);
        writeDamaged(path);
        window.openRecording(path);
        auto* button = window.findChild<QPushButton*>(u"recover"_s);
        QVERIFY(button);
        QTRY_VERIFY_WITH_TIMEOUT(button->isVisible(), patience);
        button->click();
        auto* dialog = window.findChild<RecoverDialog*>();
        QVERIFY(dialog);
        dialog->saveTo(made);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->text().contains(u"are whole"_s), patience);
        QVERIFY2(dialog->text().contains(u"could not be read"_s), qPrintable(dialog->text()));
        auto* open = [&]() -> QPushButton* {
            for (QPushButton* each : dialog->findChildren<QPushButton*>()) {
                if (each->text() == u"&Open it"_s)
                    return each;
            }
            return nullptr;
        }();
        QVERIFY(open);
        open->click();
        QTRY_VERIFY_WITH_TIMEOUT(window.snapshot(), patience);
        QVERIFY(!button->isVisible());
        QVERIFY(test::readRecording(made)->verify()->damaged.isEmpty());
    }

    void whatCantBeMadeIsSaid()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"shop.lockscope"_s);
        writeDamaged(path);
        RecoverDialog dialog(path);
        dialog.saveTo(path);
        QTRY_VERIFY_WITH_TIMEOUT(dialog.text().contains(u"is there already"_s), patience);
    }

    /// Whatever it has come to by then.
    void closingItLeavesNothingHalf()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"shop.lockscope"_s);
        const QString made = folder.filePath(u"made.lockscope"_s);
        writeDamaged(path);
        {
            RecoverDialog dialog(path);
            dialog.saveTo(made);
            dialog.reject();
        }
        QVERIFY(BackgroundThread::waitForDetached(std::chrono::seconds(20)));
        QVERIFY(QDir(folder.path()).entryList({u"*.part*"_s}).isEmpty());
        QVERIFY(!QFile::exists(made) || test::readRecording(made)->verify()->damaged.isEmpty());
    }
};

LOCKSCOPE_TEST(tst_RecoverDialog)
#include "tst_RecoverDialog.moc"
