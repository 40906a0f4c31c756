// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/servers/ServerDialogs.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/profiles/ProfileFile.h"
#include "core/record/Recording.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/Recordings.h"
#include "ui/views/connect/ConnectDialog.h"
#include "ui/views/connect/ImportDialog.h"
#include "ui/views/deadlocks/DeadlocksPage.h"

#include <QAbstractButton>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMessageBox>
#include <QPointer>

#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

LogInDialog::LogInDialog(
    const db::ServerProfile& profile, db::KeychainPtr keychain, const QString& why, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(u"Log in to %1"_s.arg(inOneLine(profile.display())));
    setMinimumWidth(460);
    explain(*this, QStringLiteral("connecting.md#passwords"));
    auto* text = wrapped(new QLabel(inOneLine(why), this));
    auto* form = new LogInForm(std::move(keychain), this);
    form->setServer(profile);
    QDialogButtonBox* buttons = cancelButtons(*this);
    addAll(*dialogColumn(*this, 14), {text, form, stretch(1), buttons});
    addServerStrip(*this, profile);
    connect(form, &LogInForm::entered, this, [this](const QString& password, bool keep) {
        Q_EMIT entered(password, keep);
        accept();
    });
    form->focusPassword();
}

namespace {

/// Blocks on the disk.
bool beginsAsDatabase(const QString& path)
{
    const PlainFile file(path);
    return !file.reasonAgainst(PlainFile::Others::Anything)
        && file.read(16).value_or(QByteArray()).startsWith("SQLite format 3");
}

} // namespace

ServerDialogs::ServerDialogs(Servers& servers, db::KeychainPtr keychain, QWidget& window)
    : QObject(&window)
    , m_servers(servers)
    , m_keychain(std::move(keychain))
    , m_window(window)
{
}

void ServerDialogs::edit(int row)
{
    if (row >= 0)
        ask(m_servers.profile(row), m_servers.typedPassword(row));
    else
        add();
}

void ServerDialogs::ask(const db::ServerProfile& before, const std::optional<QString>& typed)
{
    auto* dialog = deletedOnClose(new ConnectDialog(before, &m_window, m_keychain, typed));
    connect(dialog, &QDialog::accepted, this, [this, dialog, before] { take(before, *dialog); });
    dialog->open();
}

void ServerDialogs::take(const db::ServerProfile& before, const ConnectDialog& dialog)
{
    const auto profile = dialog.profile();
    if (!profile)
        return;
    int at = -1;
    for (int i = 0; i < m_servers.count(); ++i)
        if (m_servers.profile(i) == before)
            at = i;
    if (at >= 0) {
        m_servers.replace(at, *profile);
    } else {
        m_servers.add(*profile);
        at = m_servers.count() - 1;
    }
    if (const QString password = dialog.newPassword(); !password.isEmpty())
        m_servers.logIn(at, password, dialog.keepsPassword());
    Q_EMIT openRequested(at);
}

void ServerDialogs::logIn(ServerSession& session)
{
    const auto error = session.monitor().lastError();
    auto* dialog = deletedOnClose(
        new LogInDialog(session.profile(), m_keychain, error ? error->toString() : QString(), &m_window));
    connect(dialog, &LogInDialog::entered, this,
        [this, refused = QPointer(&session)](const QString& password, bool keep) {
            if (const int now = m_servers.rowOf(refused); now >= 0)
                m_servers.logIn(now, password, keep);
        });
    // It let us in, or is gone: nothing is asked any more, and a password that is not tried must not be kept.
    connect(&session, &ServerSession::snapshotChanged, dialog, &QDialog::reject);
    connect(&session, &QObject::destroyed, dialog, &QDialog::reject);
    dialog->open();
}

void ServerDialogs::remove(int row)
{
    if (const ServerSession* session = m_servers.session(row); session && session->recording()) {
        m_servers.remove(row); // the file stays: nothing to be asked
        return;
    }
    auto* question = deletedOnClose(new QMessageBox(QMessageBox::Question, u"Remove from the list"_s,
        u"Remove “%1” from the list? Nothing on the server changes."_s.arg(
            markedName(m_servers.profile(row))),
        QMessageBox::NoButton, &m_window));
    question->setTextFormat(Qt::PlainText);
    question->addButton(u"Remove"_s, QMessageBox::AcceptRole);
    question->addButton(QMessageBox::Cancel);
    connect(question, &QMessageBox::buttonClicked, this, [this, question, row](QAbstractButton* button) {
        if (question->buttonRole(button) == QMessageBox::AcceptRole && row < m_servers.count())
            m_servers.remove(row);
    });
    question->open();
}

void ServerDialogs::importServers()
{
    auto* dialog = deletedOnClose(new ImportDialog(m_servers.saved(), &m_window));
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const auto items = dialog->chosen();
        m_servers.import(items);
        Q_EMIT said(counted(items.size(), u"server is imported.", u"servers are imported."));
    });
    dialog->open();
}

void ServerDialogs::exportServers()
{
    const QList<db::ServerProfile> saved = m_servers.saved();
    if (saved.isEmpty()) {
        Q_EMIT said(u"No server is saved yet."_s);
        return;
    }
    askWhereToSave(m_window, u"Export the saved servers, without passwords"_s, u"Servers (*.json)"_s,
        u"servers.json"_s, [this, saved](const QString& path) {
            const QString done =
                u"%1 in %2."_s.arg(counted(saved.size(), u"server is", u"servers are"), path);
            writeLater(*this, path, profiles::writeProfiles(saved), done,
                [this](const QString& text) { Q_EMIT progressed(text); });
        });
}

void ServerDialogs::openFile()
{
    auto* dialog = deletedOnClose(
        new QFileDialog(&m_window, u"Open a lock file, a recording or reports of deadlocks"_s));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
        for (const QString& file : takeFiles(files)) {
            db::ServerProfile profile;
            profile.url = db::ServerUrl::ofFile(QFileInfo(file).absoluteFilePath());
            Q_EMIT openRequested(m_servers.rowFor(profile));
        }
    });
    dialog->open();
}

/// Takes recordings and reports by their names; returns those that are neither.
QStringList ServerDialogs::takeFiles(const QStringList& files)
{
    QStringList reports;
    QStringList others;
    for (const QString& file : files) {
        if (RecordingOpener::isRecordingName(file))
            Q_EMIT recordingChosen(file);
        else if (ReportDrop::isReportName(file))
            reports << file;
        else
            others << file;
    }
    if (!reports.isEmpty())
        Q_EMIT reportsChosen(reports);
    return others;
}

void ServerDialogs::openRecording()
{
    const QStringList filters{u"All that can be opened (*.lockscope %1)"_s.arg(ReportDrop::namePatterns()),
        u"Recordings (*.lockscope)"_s, ReportDrop::nameFilter(), u"All files (*)"_s};
    auto* dialog = deletedOnClose(named("openRecording",
        new QFileDialog(&m_window, u"Open a recording, or reports of deadlocks"_s, record::recordingsFolder(),
            filters.join(u";;"_s))));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, &ServerDialogs::takeAnyFiles);
    dialog->open();
}

/// A file of another name is a recording if it begins as one, else reports. It may be on a network.
void ServerDialogs::takeAnyFiles(const QStringList& files)
{
    const QStringList unknown = takeFiles(files);
    if (unknown.isEmpty())
        return;
    Q_EMIT progressed(u"Opening %1…"_s.arg(counted(unknown.size(), u"file")));
    m_files.ask(
        this,
        [unknown](const std::stop_token&) {
            QStringList recordings;
            for (const QString& path : unknown)
                if (beginsAsDatabase(path))
                    recordings << path;
            return recordings;
        },
        [this, unknown](const QStringList& recordings) {
            QStringList reports = unknown;
            reports.removeIf([&recordings](const QString& path) { return recordings.contains(path); });
            for (const QString& path : recordings)
                Q_EMIT recordingChosen(path);
            if (!reports.isEmpty())
                Q_EMIT reportsChosen(reports);
        });
}

} // namespace lockscope::ui
