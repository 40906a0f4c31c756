// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/DifferenceWindow.h"

#include "core/base/Sentences.h"
#include "core/record/RecordingReader.h"
#include "core/report/SnapshotTables.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/widgets/ReportExport.h"
#include "ui/views/page/DateTimeText.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize differenceSize{1'000, 520};

} // namespace

DifferenceWindow::DifferenceWindow(
    const record::RecordingClient& shown, ServerTime first, ServerTime second, QWidget* parent)
    : RecordingWindow(
        shown, u"differenceWindow"_s, u"recording.md#two-snapshots-side-by-side"_s, differenceSize, parent)
    , m_before(std::min(first, second))
    , m_after(std::max(first, second))
    , m_title(demiBold(1.1, plain(new QLabel(this))))
    , m_view(new ReportTable(u"differences"_s, u"What changed"_s, report::differenceSection(), this))
    , m_export(new ReportExport(u"differences"_s, this))
    , m_showBefore(pushButton(u"Show the &first"_s, this))
    , m_showAfter(pushButton(u"Show the &second"_s, this))
{
    setTitle(u"What changed"_s);
    m_title->setText(u"Reading the recording…"_s);
    m_view->setEmptyState(u"Reading the recording…"_s, {});
    QHBoxLayout* foot = rowOf({stretch(1), m_export});
    for (QPushButton* button : {m_showBefore, m_showAfter}) {
        button->setEnabled(false);
        foot->addWidget(button);
    }
    foot->addWidget(closeButton());
    addAll(*new QVBoxLayout(this), {m_title, {m_view, 1}, foot});
    connect(m_export, &ReportExport::statusMessage, m_title, &QLabel::setText);
    connect(m_showBefore, &QPushButton::clicked, this, [this] { Q_EMIT timeTravelRequested(m_before); });
    connect(m_showAfter, &QPushButton::clicked, this, [this] { Q_EMIT timeTravelRequested(m_after); });
    m_view->setFocus();
    m_client.ask(
        this,
        [from = m_before, to = m_after](record::RecordingReader& reader) { return read(reader, from, to); },
        [this](const Result<Pair>& pair) {
            if (pair) {
                showPair(*pair);
            } else {
                m_title->setText(pair.error().what);
                m_view->setEmptyState(u"The recording could not be read"_s, pair.error().toString());
            }
        });
}

Result<DifferenceWindow::Pair> DifferenceWindow::read(
    record::RecordingReader& reader, ServerTime first, ServerTime second)
{
    const auto before = reader.at(first);
    const auto after = reader.at(second);
    if (!before || !after)
        return Failure(before ? after.error() : before.error());
    return Pair{*before, *after, differencesBetween(**before, **after)};
}

void DifferenceWindow::showPair(const Pair& pair)
{
    m_before = pair.before->takenAt;
    m_after = pair.after->takenAt;
    m_title->setText(u"%1, compared with %2: %3"_s.arg(shortDateTimeText(m_before),
        shortDateTimeText(m_after), counted(qint64(pair.differences.size()), u"difference")));
    const auto report =
        std::make_shared<const report::Report>(report::toReport(*pair.before, *pair.after, pair.differences));
    m_view->showRows(report->sections.front());
    m_export->show(report);
    m_view->setEmptyState(
        u"Nothing changed"_s, u"Sessions, locks and waits are the same in both snapshots."_s);
    m_view->chooseFirst();
    m_showBefore->setEnabled(true);
    m_showAfter->setEnabled(true);
    m_showBefore->setToolTip(u"Shows all pages as they were at %1"_s.arg(shortDateTimeText(m_before)));
    m_showAfter->setToolTip(u"Shows all pages as they were at %1"_s.arg(shortDateTimeText(m_after)));
}

} // namespace lockscope::ui
