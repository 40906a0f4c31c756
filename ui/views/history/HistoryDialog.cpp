// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/HistoryDialog.h"

#include "core/base/ShownText.h"
#include "core/domain/EngineKey.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/models/ReportModel.h"
#include "ui/kit/tables/TableView.h"
#include "ui/views/page/MomentText.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using record::HistoryRecording;

namespace {

std::vector<ColumnInfo> columns()
{
    return {{u"server"_s, u"Server"_s, u"As the watcher calls it."_s},
        {u"writer"_s, u"Written by"_s,
            u"The login that wrote it: the history's server says so, and not the watcher."_s},
        {u"last"_s, u"Up to"_s, u"The last snapshot that is there, by the watched server's clock, UTC."_s},
        {u"watcher"_s, u"Watcher"_s, u"The computer that watches, as that says."_s},
        {u"place"_s, u"Is"_s, u"Which server that is, as the watcher says."_s},
        {u"began"_s, u"Began"_s, u"When the recording was begun, by the watcher's clock."_s}};
}

ReportRow rowOf(const HistoryRecording& recording)
{
    const record::Identity& identity = recording.identity;
    const auto words = [](const QString& text) {
        return ReportCell{inOneLine(text), {}, Tone::Normal, Glyph::None};
    };
    const auto time = [](std::optional<ServerTime> at) {
        return at ? ReportCell{shortMomentText(*at), at->us, Tone::Normal, Glyph::None}
                  : ReportCell{u"nothing yet"_s, qint64(0), Tone::Muted, Glyph::None};
    };
    ReportRow row;
    row.key = QString::number(recording.key);
    row.cells = {words(identity.server), words(identity.writer), time(recording.last), words(recording.host),
        words(identity.place.isEmpty() ? engineKey(identity.engine) : identity.place), time(identity.began)};
    row.tip = identity.redacted ? u"Values in statements are left out."_s : QString();
    return row;
}

} // namespace

HistoryDialog::HistoryDialog(
    const QString& url, Passwords passwords, db::KeychainPtr keychain, QWidget* parent)
    : QDialog(parent)
    , m_passwords(std::move(passwords))
    , m_fields(new HistoryFields(u"History"_s, std::move(keychain), this))
    , m_look(new QPushButton(u"Look"_s, this))
    , m_words(new QLabel(this))
    , m_model(new ReportModel(columns(), this))
    , m_view(new TableView(*m_model, this))
    , m_open(nullptr)
{
    setWindowTitle(u"Open a team's history"_s);
    explain(*this, QStringLiteral("time-travel.md#a-teams-history"));
    resize(820, 460);
    m_look->setObjectName(QStringLiteral("lookIntoHistory"));
    m_words->setObjectName(QStringLiteral("historyWords"));
    m_words->setTextFormat(Qt::PlainText);
    m_words->setWordWrap(true);
    m_view->setObjectName(QStringLiteral("historyRecordings"));
    m_view->setAccessibleName(u"Recordings in the history"_s);
    m_view->setEmptyState(u"Which history?"_s, u"Name it above, and look what is recorded there."_s);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
    m_open = buttons->button(QDialogButtonBox::Open);
    m_open->setObjectName(QStringLiteral("openHistory"));
    auto* address = new QHBoxLayout;
    address->addWidget(m_fields, 1);
    address->addWidget(m_look, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(12);
    column->addLayout(address);
    column->addWidget(m_words);
    column->addWidget(m_view, 1);
    column->addWidget(buttons);
    m_look->setAutoDefault(false);
    m_fields->show(url);
    connect(m_fields, &HistoryFields::changed, this, &HistoryDialog::updateButtons);
    connect(m_fields, &HistoryFields::entered, this, &HistoryDialog::look);
    connect(m_look, &QPushButton::clicked, this, &HistoryDialog::look);
    connect(m_view, &TableView::currentRowChanged, this, &HistoryDialog::updateButtons);
    connect(m_view, &TableView::detailRequested, this, &HistoryDialog::choose);
    connect(buttons, &QDialogButtonBox::accepted, this, &HistoryDialog::choose);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    updateButtons();
}

QString HistoryDialog::url() const
{
    return m_fields->text();
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
    m_model->show({});
    m_asked = *address;
    m_words->clear();
    m_view->setEmptyState(u"Asking the history…"_s, {});
    m_worker.cancel();
    m_worker.ask(
        this,
        [server = db::Server::at(*address, m_passwords(address->toString()))](
            const std::stop_token&) { return record::recordingsOf(server); },
        [this, typed](const Result<QList<HistoryRecording>>& recordings) {
            if (recordings && typed)
                Q_EMIT passwordTaken(*typed);
            show(recordings);
        });
    updateButtons();
}

void HistoryDialog::show(const Result<QList<HistoryRecording>>& recordings)
{
    m_recordings = recordings.value_or(QList<HistoryRecording>());
    m_words->setText(recordings ? QString() : recordings.error().toString());
    if (recordings)
        m_view->setEmptyState(u"Nothing was recorded there yet"_s,
            u"“Also into a team's history” in the settings of a recording brings something there."_s);
    else
        m_view->setEmptyState(u"The history can't be read"_s, {});
    std::vector<ReportRow> rows;
    rows.reserve(static_cast<std::size_t>(m_recordings.size()));
    for (const HistoryRecording& each : m_recordings)
        rows.push_back(rowOf(each));
    m_model->show(std::move(rows));
    if (!m_recordings.isEmpty()) {
        m_view->selectRow(0);
        m_view->setFocus();
    }
    updateButtons();
}

void HistoryDialog::choose()
{
    const int row = m_view->currentViewRow();
    if (row < 0)
        return;
    const QString key = m_model->rowAt(row).key;
    const auto found = std::find_if(m_recordings.begin(), m_recordings.end(),
        [&key](const HistoryRecording& each) { return QString::number(each.key) == key; });
    if (found == m_recordings.end())
        return;
    Q_EMIT chosen(record::HistoryPlace::of(m_asked, found->identity.id, found->identity.writer));
    accept();
}

void HistoryDialog::updateButtons()
{
    m_look->setEnabled(!m_fields->text().isEmpty());
    m_open->setEnabled(m_view->currentViewRow() >= 0);
}

} // namespace lockscope::ui
