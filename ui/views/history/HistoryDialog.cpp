// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/HistoryDialog.h"

#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using record::HistoryRecording;

namespace {

constexpr milliseconds refreshEvery{10'000};

}

HistoryDialog::HistoryDialog(
    const QString& url, Passwords passwords, db::KeychainPtr keychain, QWidget* parent)
    : QDialog(parent)
    , m_passwords(std::move(passwords))
    , m_fields(new HistoryFields(u"History"_s, std::move(keychain), this))
    , m_read(named("lookIntoHistory", pushButton(u"Look"_s, this)))
    , m_words(named("historyWords", wrapped(new QLabel(this))))
    , m_view(new ReportTable(u"historyRecordings"_s, u"Recordings in the history"_s,
          record::toReport(QList<HistoryRecording>()).sections.front(), this))
    , m_open(nullptr)
    , m_refresh(named("refreshHistory", new QTimer(this)))
{
    setWindowTitle(u"Open a team's history"_s);
    explain(*this, QStringLiteral("time-travel.md#a-teams-history"));
    resize(940, 460);
    m_refresh->setInterval(refreshEvery);
    m_refresh->setSingleShot(true);
    m_view->setEmptyState(u"Which history?"_s, u"Name it above to see what is recorded there."_s);
    QDialogButtonBox* buttons = cancelButtons(*this, QDialogButtonBox::Open | QDialogButtonBox::Cancel);
    m_open = named("openHistory", buttons->button(QDialogButtonBox::Open));
    QHBoxLayout* address = rowOf({{m_fields, 1}, {m_read, 0, Qt::AlignTop}});
    addAll(*dialogColumn(*this, 12), {address, m_words, {m_view, 1}, buttons});
    m_fields->show(url);
    connect(m_fields, &HistoryFields::changed, this, &HistoryDialog::updateButtons);
    connect(m_fields, &HistoryFields::entered, this, &HistoryDialog::look);
    connect(m_read, &QPushButton::clicked, this, &HistoryDialog::look);
    connect(m_refresh, &QTimer::timeout, this, [this] { ask(std::nullopt); });
    connect(m_view, &TableView::currentRowChanged, this, &HistoryDialog::updateButtons);
    connect(m_view, &TableView::detailRequested, this, &HistoryDialog::choose);
    connect(buttons, &QDialogButtonBox::accepted, this, &HistoryDialog::choose);
    updateButtons();
}

void HistoryDialog::look()
{
    const auto address = m_fields->url();
    if (!address) {
        m_words->setText(address.error().toString());
        return;
    }
    const auto typed = m_fields->password();
    if (typed)
        Q_EMIT passwordEntered(*typed);
    m_recordings.clear();
    m_view->showRows(toReport(m_recordings).sections.front());
    m_asked = *address;
    m_words->clear();
    m_view->setEmptyState(u"Asking the history…"_s, {});
    ask(typed);
    updateButtons();
}

void HistoryDialog::ask(const std::optional<HistoryPassword>& typed)
{
    m_refresh->stop();
    m_worker.cancel();
    m_worker.ask(
        this,
        [server = db::Server::at(m_asked, m_passwords(m_asked.toString()))](
            const std::stop_token&) { return record::recordingsOf(server); },
        [this, typed](const Result<QList<HistoryRecording>>& recordings) {
            if (recordings && typed)
                Q_EMIT passwordTaken(*typed);
            show(recordings);
        });
}

void HistoryDialog::show(const Result<QList<HistoryRecording>>& recordings)
{
    m_recordings = recordings.value_or(QList<HistoryRecording>());
    m_words->setText(recordings ? QString() : recordings.error().toString());
    if (recordings)
        m_view->setEmptyState(u"Nothing was recorded there yet"_s,
            u"“Also into a team's history” in the settings of a recording brings something there."_s);
    else
        m_view->setEmptyState(
            u"The history can't be read"_s, u"The reason stands above. “Look” reads it again."_s);
    m_view->showRows(toReport(m_recordings).sections.front());
    if (!m_recordings.isEmpty() && m_view->currentViewRow() < 0) {
        m_view->selectRow(0);
        m_view->setFocus();
    }
    if (recordings) // a login that was refused is not tried again by itself
        m_refresh->start();
    updateButtons();
}

void HistoryDialog::choose()
{
    const report::ReportRow* row = m_view->chosenRow();
    if (!row)
        return;
    const auto found = std::find_if(m_recordings.begin(), m_recordings.end(),
        [row](const HistoryRecording& each) { return QString::number(each.key) == row->key; });
    if (found == m_recordings.end())
        return;
    Q_EMIT chosen(record::HistoryPlace::of(m_asked, found->identity.id, found->identity.writer));
    accept();
}

void HistoryDialog::updateButtons()
{
    m_read->setEnabled(!m_fields->text().isEmpty());
    m_open->setEnabled(m_view->currentViewRow() >= 0);
}

} // namespace lockscope::ui
