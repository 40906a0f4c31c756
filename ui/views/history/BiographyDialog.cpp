// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/history/BiographyDialog.h"

#include "core/base/Duration.h"
#include "core/domain/SnapshotNames.h"
#include "core/record/LockBiography.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/SaveDialog.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/history/BiographyView.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize biographySize{980, 620};

bool isLock(const record::BiographySubject& subject)
{
    return std::holds_alternative<record::RecordedLock>(subject);
}

} // namespace

BiographyDialog::BiographyDialog(const record::RecordingClient& client,
    const record::BiographySubject& subject, ServerTime around, QWidget* parent)
    : RecordingWindow(
        client, u"biographyDialog"_s, u"recording.md#the-history-of-a-lock"_s, biographySize, parent)
    , m_subject(subject)
    , m_around(around)
    , m_title(yielding(demiBold(1.2, plain(new QLabel(this)))))
    , m_span(named("span", u"How much of it"_s, new QComboBox(this)))
    , m_notice(new NoticeBar(NoticeBar::Shape::Card, this))
    , m_notes(faint(wrapped(new QLabel(this))))
    , m_view(new BiographyView(this))
    , m_list(new ReportTable(u"biographyList"_s, u"The same as a list"_s,
          record::historySection({.ofSession = !isLock(subject), .hasKinds = !isLock(subject)}), this))
    , m_export(new ReportExport(u"history"_s, this))
    , m_goToTime(pushButton(u"Go to this time"_s, this))
    , m_other(pushButton(isLock(subject) ? u"History of the session…"_s : u"History of the lock…"_s, this))
{
    const auto* lock = std::get_if<record::RecordedLock>(&subject);
    const QString name = lock ? inOneLine(lock->name)
                              : u"session %1"_s.arg(std::get<record::RecordedSession>(subject).id.value);
    setTitle(u"History of %1"_s.arg(name));
    m_title->setText(name);
    m_span->addItem(u"5 minutes before and after"_s, 5);
    m_span->addItem(u"30 minutes before and after"_s, 30);
    m_span->addItem(u"3 hours before and after"_s, 180);
    m_span->addItem(u"A day before and after"_s, 1'440);
    m_span->addItem(u"All that is recorded"_s, 0);
    m_span->setCurrentIndex(1);
    m_view->setEmptyText(u"Reading the recording…"_s, {});
    m_list->setEmptyState(u"Reading the recording…"_s, {});
    m_goToTime->setToolTip(u"Shows all pages as they were then (Enter)"_s);

    arrange();
    connectParts();
    m_view->setFocus();
    updateButtons();
    read();
}

void BiographyDialog::connectParts()
{
    connect(m_export, &ReportExport::statusMessage, m_notes, &QLabel::setText);
    connect(m_span, &QComboBox::currentIndexChanged, this, &BiographyDialog::read);
    connect(m_view, &BiographyView::timeTravelRequested, this, &BiographyDialog::timeTravelRequested);
    connect(m_view, &BiographyView::lineChosen, this, [this](qsizetype line) {
        if (line != listedLine())
            m_list->selectRow(line < 0 ? -1 : m_list->rows().find(QString::number(line)));
        updateButtons();
    });
    connect(m_list, &TableView::currentRowChanged, this, [this] {
        if (const qsizetype line = listedLine(); line >= 0)
            m_view->choose(line);
        updateButtons();
    });
    const auto goToTime = [this] {
        if (const qsizetype line = listedLine(); line >= 0)
            Q_EMIT timeTravelRequested(timeOfLine(m_biography->lines[line], m_biography->from));
    };
    connect(m_list, &TableView::detailRequested, this, goToTime);
    connect(m_goToTime, &QPushButton::clicked, this, goToTime);
    connect(m_other, &QPushButton::clicked, this, &BiographyDialog::openOther);
    m_list->setRowMenu([this, goToTime](QMenu& menu) {
        if (listedLine() < 0)
            return;
        menu.addAction(u"Go to this time"_s, this, goToTime);
        if (otherSubject())
            menu.addAction(m_other->text(), this, &BiographyDialog::openOther);
    });
}

void BiographyDialog::arrange()
{
    QHBoxLayout* top = rowOf({{m_title, 1}, m_span});
    const QStringList signs{u"◀"_s, u"▶"_s, u"−"_s, u"+"_s, u"All"_s};
    const QList<QAction*> actions = m_view->buttonActions();
    for (qsizetype i = 0; i < actions.size(); ++i)
        top->addWidget(buttonOf(*actions[i], signs[i], this));
    top->addWidget(m_export);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    divide(*splitter, {{m_view, 3}, {m_list, 2}});
    QHBoxLayout* foot = rowOf({{m_notes, 1}, m_other, m_goToTime, closeButton()});
    addAll(*new QVBoxLayout(this), {top, m_notice, {splitter, 1}, foot});
}

BiographyDialog::~BiographyDialog() = default;

void BiographyDialog::read()
{
    const int minutes = m_span->currentData().toInt();
    m_client.ask(
        this,
        [subject = m_subject, around = m_around, minutes](
            record::RecordingReader& reader) -> Result<record::Biography> {
            const auto span = reader.span();
            if (!span)
                return Failure(span.error());
            if (minutes == 0)
                return record::biography(reader, subject, span->first, span->last);
            // Times before the recording began, or after it ended, are not drawn.
            const microseconds half = std::chrono::minutes(minutes);
            const ServerTime middle = std::clamp(around, span->first, span->last);
            return record::biography(
                reader, subject, std::max(middle - half, span->first), std::min(middle + half, span->last));
        },
        [this, question = ++m_asked](const Result<record::Biography>& biography) {
            if (question != m_asked)
                return;
            if (biography)
                return showBiography(*biography);
            m_notice->say(BarNotice::of(biography.error()));
            if (!m_biography) {
                m_view->setEmptyText(u"The recording could not be read"_s, biography.error().what);
                m_list->setEmptyState(u"The recording could not be read"_s, biography.error().what);
            }
            Q_EMIT loaded();
        });
}

void BiographyDialog::showBiography(const record::Biography& biography)
{
    const bool ofLock = isLock(m_subject);
    m_biography = std::make_shared<const record::Biography>(biography);
    if (!biography.lines.isEmpty())
        m_title->setText(inOneLine(biography.title));
    const QString nothing = biography.coverage.polls == 0 ? u"Nothing is recorded of this time"_s
        : ofLock                                          ? u"Nobody was seen to hold it or to wait for it"_s
                                                          : u"It was not seen to hold or wait for any lock"_s;
    const QString hint = u"Choose a longer time above. It misses what came and went between two polls."_s;
    m_view->setEmptyText(nothing, hint);
    m_list->setEmptyState(nothing, hint);
    const auto report = std::make_shared<const report::Report>(toReport(biography));
    m_list->showRows(report->sections.front());
    m_export->show(report);
    m_view->show(m_biography, m_around);
    QStringList notes{u"%1 to %2."_s.arg(dateTimeText(biography.from), dateTimeText(biography.to))};
    if (biography.coverage.polls > 0)
        notes << biography.coverage.toString();
    if (biography.coverage.usualPause.count() > 0)
        notes << u"Polls were %1 apart; dotted: gone at the next one."_s.arg(
            shortDuration(biography.coverage.usualPause.count()));
    if (!biography.coverage.gaps.isEmpty())
        notes << u"Crossed: not recorded."_s;
    m_notes->setText(notes.join(u' '));
    m_notice->clear();
    if (biography.isCut)
        m_notice->say({.level = AgeLevel::Amber,
            .text = u"Only the first %1 lines are shown, up to %2."_s.arg(biography.lines.size())
                        .arg(dateTimeText(biography.to)),
            .detail = u"Choose a shorter time."_s});
    updateButtons();
    Q_EMIT loaded();
}

TableView& BiographyDialog::list() const
{
    return *m_list;
}

QString BiographyDialog::notes() const
{
    return (m_notice->text() + u' ' + m_notes->text()).simplified();
}

qsizetype BiographyDialog::listedLine() const
{
    const report::ReportRow* row = m_list->chosenRow();
    return row ? row->key.toLongLong() : -1;
}

std::optional<record::BiographySubject> BiographyDialog::otherSubject() const
{
    const report::ReportRow* row = m_list->chosenRow();
    return row ? record::subjectOf(*row) : std::nullopt;
}

void BiographyDialog::openOther()
{
    const auto subject = otherSubject();
    const qsizetype line = listedLine();
    if (subject && line >= 0)
        Q_EMIT historyRequested(*subject, timeOfLine(m_biography->lines[line], m_biography->from));
}

void BiographyDialog::updateButtons()
{
    m_goToTime->setEnabled(m_biography && listedLine() >= 0);
    m_other->setEnabled(m_biography && otherSubject().has_value());
}

} // namespace lockscope::ui
