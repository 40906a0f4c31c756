// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Tables of others with locks are chosen from the server, with the columns that matter.

#include "tests/support/FakeKeychain.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/ui/Widgets.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/ConnectDialog.h"

namespace tst_AttachTableDialog {

using namespace lockscope;
using namespace lockscope::ui;
using namespace lockscope::test;

/// A file in which that was run.
static db::ServerProfile fileWith(const QTemporaryDir& folder, const char* script)
{
    const db::ServerProfile profile = profileOf(fileUrl(folder.filePath(u"locks.db"_s)));
    orDie(openFile(profile.url)->executeScript(script));
    return profile;
}

class tst_AttachTableDialog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void attachedTablesAreChosenFromTheServer()
    {
        TestServer& server = TestServer::shared();
        const db::ServerProfile profile = profileOf(server.freshDatabase(), u"x"_s);
        server.run(profile.url,
            u"CREATE SCHEMA jobs; CREATE TABLE jobs.running (id bigint, host text, job_name text, since timestamptz, ended timestamp); CREATE TABLE jobs.numbers (id bigint, at timestamptz)"_s);
        ConnectDialog dialog(profile, nullptr, std::make_shared<FakeKeychain>());
        dialog.show();
        field<QLineEdit>(dialog, "password")->setText(server.password());
        field<QPushButton>(dialog, "attach")->click();
        auto* chooser = dialog.findChild<AttachTableDialog*>();
        QVERIFY(chooser);
        auto* tables = field<QListWidget>(*chooser, "tables");
        TRY_COMPARE(tables->count(), 1); // the other one has no column for a name
        QCOMPARE(tables->item(0)->text(), u"jobs.running"_s);
        const auto* names = field<QComboBox>(*chooser, "nameColumn");
        QCOMPARE(names->count(), 2);
        QCOMPARE(names->currentText(), u"job_name"_s);
        auto* times = field<QComboBox>(*chooser, "timeColumn");
        QCOMPARE(times->currentText(), u"since"_s);
        auto* local = field<QCheckBox>(*chooser, "localTime");
        QVERIFY(!local->isEnabled()); // it knows its zone
        times->setCurrentText(u"ended"_s);
        QVERIFY(local->isEnabled());
        local->setChecked(true);
        field<QLineEdit>(*chooser, "staleAge")->setText(u"5m"_s);
        keepPicture(*chooser, u"attach"_s);
        QTest::keyClick(field<QListWidget>(*chooser, "tables"), Qt::Key_Return);
        QTRY_COMPARE(
            field<QLineEdit>(dialog, "attached")->text(), u"jobs.running(job_name,ended) local stale 5m"_s);
        QCOMPARE(dialog.profile()->attached,
            (QList<db::AttachedTable>{{u"jobs"_s, u"running"_s, u"job_name"_s, u"ended"_s, false, 300s}}));
    }

    void theTablesOfAFileAreThere()
    {
        const QTemporaryDir folder;
        const db::ServerProfile profile =
            fileWith(folder, "CREATE TABLE running (job TEXT, since TEXT); CREATE TABLE n (i INT)");
        AttachTableDialog chooser(db::Server{profile});
        auto* tables = field<QListWidget>(chooser, "tables");
        TRY_COMPARE(tables->count(), 1);
        QCOMPARE(chooser.table().table, u"running"_s);
        QCOMPARE(chooser.table().nameColumn, u"job"_s);
        QCOMPARE(chooser.table().timeColumn, u"since"_s);
    }

    /// Other columns of a table besides name and time can be chosen, too.
    void holderEndAndStateCanBeChosen()
    {
        const QTemporaryDir folder;
        const db::ServerProfile profile = fileWith(
            folder, "CREATE TABLE running (job TEXT, since TEXT, who TEXT, until TEXT, state INTEGER)");
        AttachTableDialog chooser(db::Server{profile});
        chooser.show();
        auto* tables = field<QListWidget>(chooser, "tables");
        TRY_COMPARE(tables->count(), 1);
        const auto choose = [&chooser](const QString& name, const QString& column) {
            auto* box = chooser.findChild<QComboBox*>(name);
            QVERIFY2(box && box->findText(column) > 0, qPrintable(name));
            box->setCurrentText(column);
        };
        QCOMPARE(chooser.table().holderColumn, QString());
        auto* save = field<QPushButton>(chooser, "saveAsFile");
        QVERIFY(save->isEnabled());
        QVERIFY(field<QLineEdit>(chooser, "staleAge")->isEnabled());
        choose(u"holderColumn"_s, u"who"_s);
        choose(u"expiresColumn"_s, u"until"_s);
        QVERIFY(!field<QLineEdit>(chooser, "staleAge")->isEnabled()); // the row has it
        choose(u"heldColumn"_s, u"state"_s);
        QVERIFY(!save->isEnabled()); // with which value?
        field<QLineEdit>(chooser, "heldValue")->setText(u" 1 "_s);
        QVERIFY(save->isEnabled());
        const db::AttachedTable table = chooser.table();
        QCOMPARE(table.holderColumn, u"who"_s);
        QCOMPARE(table.expiresColumn, u"until"_s);
        QCOMPARE(table.heldColumn, u"state"_s);
        QCOMPARE(table.heldValue, u"1"_s);
        QVERIFY(!field<QLabel>(chooser, "known")->isVisible());
        keepPicture(chooser, u"attach-all"_s);
        const Variable own("LOCKSCOPE_FRAMEWORK_DIR", folder.filePath(u"frameworks"_s));
        save->click();
        QVERIFY(!save->isEnabled()); // a double click asks once for a name
        QTRY_VERIFY(chooser.findChild<QFileDialog*>());
        QVERIFY(save->isEnabled());
        ConnectDialog dialog(profile);
        field<QLineEdit>(dialog, "attached")
            ->setText(u"running(job,since) holder who until until held state=1"_s);
        QCOMPARE(dialog.profile()->attached, QList<db::AttachedTable>{table});
    }

    void aNameThatTheFieldCanNotTakeIsNotAttached()
    {
        const QTemporaryDir folder;
        const db::ServerProfile profile = fileWith(folder,
            "CREATE TABLE \"running; (old)\" (job TEXT, \"job, by\" TEXT, since TEXT);CREATE TABLE running (job TEXT, \"job, by\" TEXT, since TEXT, until TEXT)");
        AttachTableDialog chooser(db::Server{profile});
        auto* tables = field<QListWidget>(chooser, "tables");
        TRY_COMPARE(tables->count(), 2);
        const auto* buttons = chooser.findChild<QDialogButtonBox*>();
        const QAbstractButton* attach = nullptr;
        for (QAbstractButton* button : buttons->buttons())
            attach = buttons->buttonRole(button) == QDialogButtonBox::AcceptRole ? button : attach;
        QVERIFY(attach);
        tables->setCurrentItem(tables->findItems(u"running; (old)"_s, Qt::MatchExactly).first());
        QVERIFY(!attach->isEnabled());
        QVERIFY(attach->toolTip().contains(u"must be without"_s));
        tables->setCurrentItem(tables->findItems(u"running"_s, Qt::MatchExactly).first());
        QVERIFY(attach->isEnabled());
        auto* name = field<QComboBox>(chooser, "nameColumn");
        name->setCurrentText(u"job, by"_s);
        QVERIFY(!attach->isEnabled());
        name->setCurrentText(u"job"_s);
        field<QLineEdit>(chooser, "staleAge")->setText(u"soon"_s);
        QVERIFY(!attach->isEnabled());
        // If a column has the end, nobody can correct it, nor needs to.
        field<QComboBox>(chooser, "timeColumn")->setCurrentText(u"since"_s);
        auto* expires = field<QComboBox>(chooser, "expiresColumn");
        expires->setCurrentText(u"until"_s);
        QVERIFY(attach->isEnabled());
        // Each lock would be stale from its beginning.
        expires->setCurrentText(u"since"_s);
        QVERIFY(!attach->isEnabled());
        VERIFY_CONTAINS(attach->toolTip(), u"does not end at the time"_s);
    }
};

LOCKSCOPE_TEST(tst_AttachTableDialog)

} // namespace tst_AttachTableDialog
#include "tst_AttachTableDialog.moc"
