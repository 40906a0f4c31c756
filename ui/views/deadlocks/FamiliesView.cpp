// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/FamiliesView.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/help/Chapter.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QDateTimeEdit>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString settingsGroup = u"pages/deadlocks/families"_s;

/// "By application: Shop 4, Import 2 and 3 more. By host: …"
QString totalsText(const QList<deadlock::Total>& totals)
{
    QStringList kinds;
    for (qsizetype i = 0; i < totals.size();) {
        const QString by = totals[i].by;
        QStringList names;
        for (; i < totals.size() && totals[i].by == by; ++i)
            names << u"%1 %2"_s.arg(inOneLine(totals[i].name)).arg(totals[i].deadlocks);
        kinds << u"By %1: %2."_s.arg(by, nameList(names));
    }
    return kinds.join(u' ');
}

/// Returns the time of its first or last one; without a zone it is the server's own time.
report::Value timeOf(const deadlock::Family& family, const std::optional<ServerTime>& at)
{
    if (!at)
        return {};
    const bool isZoneKnown =
        std::none_of(family.members.cbegin(), family.members.cend(), [&at](const deadlock::Deadlock& each) {
            return each.report->time.at == at && !each.report->time.isZoneKnown;
        });
    report::Value time(isZoneKnown ? dateTimeText(*at) : dateTimeText(*at).left(19) + u" (server's time)"_s);
    time.order = at->us;
    return time;
}

/// `date`: what Before and From then on are about.
report::Section familiesSection(
    const QList<deadlock::Family>& families, const std::optional<ServerTime>& date)
{
    using enum report::Type;
    report::Section section{.key = u"families"_s,
        .columns = {report::Column(u"what"_s, u"What"_s, u"Tables, and which modes wait for which"_s).wide(3),
            {Count, u"count"_s, u"How often"_s, u"Deadlocks of this family in the list"_s},
            report::Column(Time, u"first"_s, u"First seen"_s, u"As the reports say"_s).yield(1),
            {Time, u"last"_s, u"Last seen"_s, u"As the reports say"_s},
            {Count, u"before"_s, u"Before"_s, u"How many were before the date"_s},
            {Count, u"after"_s, u"From then on"_s, u"How many were at the date or later"_s},
            report::Column(
                u"family"_s, u"Family"_s, u"Equal for deadlocks of the same statements, modes and tables"_s)
                .show(report::Shown::OnRequest)}};
    for (const deadlock::Family& family : families) {
        report::Value before{QString()};
        report::Value after{QString()};
        if (date) {
            before = qint64(family.around(*date).first);
            after = qint64(family.around(*date).second);
            if (before != report::Value(qint64(0)) && after == report::Value(qint64(0)))
                after.mark = report::Mark::Good; // never since
        }
        section.rows.push_back(
            {.cells = {family.title, qint64(family.members.size()), timeOf(family, family.first),
                 timeOf(family, family.last), before, after, family.id},
                .key = family.id,
                .about = family});
    }
    return section;
}

} // namespace

FamiliesView::FamiliesView(QWidget* parent)
    : QWidget(parent)
    , m_table(new ReportTable(u"familyTable"_s, u"Families of deadlocks"_s, familiesSection({}, {}), this))
    , m_chart(new FamilyChart(this))
    , m_divides(named("familiesDivide", new QCheckBox(u"&Before and after"_s, this)))
    , m_date(named("familiesDate", u"The date that divides before and after, UTC"_s, new QDateTimeEdit(this)))
    , m_says(plain(new QLabel(this)))
    , m_totals(named("familyTotals", wrapped(new QLabel(this))))
{
    setObjectName(u"families"_s);
    m_table->setEmptyState(
        u"No family yet"_s, u"Deadlocks of the same kinds of statements, modes and tables are one family."_s);
    m_divides->setToolTip(u"Counts before a date and from it on: before and after a release, say"_s);
    m_date->setToolTip(u"UTC, or the server's own time where its reports name no zone"_s);
    m_date->setTimeSpec(Qt::UTC);
    m_date->setDisplayFormat(u"yyyy-MM-dd HH:mm 'UTC'"_s);
    m_date->setCalendarPopup(true);
    m_date->setDateTime(QDateTime(QDateTime::currentDateTimeUtc().date(), QTime(0, 0), Qt::UTC));
    m_date->setEnabled(false);
    m_totals->setToolTip(u"In how many deadlocks each took part"_s);

    QHBoxLayout* row = rowOf({m_divides, m_date, {m_says, 1}});
    addAll(*withoutMargins(new QVBoxLayout(this)), {{m_table, 3}, m_totals, row, {m_chart, 1}});
    setFocusProxy(m_table);
    setChapter(*this, u"deadlocks.md#families"_s);

    connect(m_divides, &QCheckBox::toggled, this, [this](bool divides) {
        m_date->setEnabled(divides);
        showFamilies();
    });
    connect(m_date, &QDateTimeEdit::dateTimeChanged, this, &FamiliesView::showFamilies);
    connect(m_chart, &FamilyChart::dateChosen, this, &FamiliesView::setDate);
    connect(m_table, &TableView::currentRowChanged, this, &FamiliesView::showChosen);
    connect(m_table, &TableView::detailRequested, this, [this] {
        if (const report::ReportRow* family = m_table->chosenRow())
            Q_EMIT familyChosen(family->key);
    });
    showFamilies();
}

std::optional<ServerTime> FamiliesView::date() const
{
    if (!m_divides->isChecked())
        return {};
    return ServerTime::fromDateTime(m_date->dateTime());
}

void FamiliesView::setDate(const std::optional<ServerTime>& date)
{
    {
        const QSignalBlocker quiet(m_divides);
        const QSignalBlocker still(m_date);
        m_divides->setChecked(date.has_value());
        m_date->setEnabled(date.has_value());
        if (date)
            m_date->setDateTime(date->toDateTime());
    }
    showFamilies();
}

void FamiliesView::show(const std::vector<DeadlockRow>& rows)
{
    QList<deadlock::FamilyMember> members;
    QList<deadlock::Deadlock> deadlocks;
    for (const DeadlockRow& row : rows) {
        members.append({row.deadlock, row.family, row.title});
        deadlocks.append(row.deadlock);
    }
    m_families = deadlock::familiesOf(members);
    m_totals->setText(totalsText(deadlock::totals(deadlocks)));
    m_totals->setVisible(!m_totals->text().isEmpty());
    showFamilies();
}

void FamiliesView::showFamilies()
{
    m_table->showRows(familiesSection(m_families, date()));
    for (const QString& column : {u"before"_s, u"after"_s})
        m_table->setColumnEmpty(column, !date());
    m_table->chooseFirst();
    int before = 0;
    int after = 0;
    for (const deadlock::Family& family : std::as_const(m_families)) {
        if (date()) {
            before += family.around(*date()).first;
            after += family.around(*date()).second;
        }
    }
    m_says->setText(date()
            ? u"Deadlocks of all families before: %1, from then on: %2"_s.arg(before).arg(after)
            : QString());
    showChosen();
}

void FamiliesView::showChosen()
{
    const auto* family = m_table->chosen<deadlock::Family>();
    m_chart->setDate(date());
    m_chart->show(family ? std::optional(*family) : std::nullopt, FamilySpan::of(m_families));
}

void FamiliesView::saveLayout(QSettings& settings) const
{
    m_table->saveLayout(settings, settingsGroup + u"/table"_s);
    settings.setValue(settingsGroup + u"/date"_s, date() ? QVariant(m_date->dateTime()) : QVariant());
}

void FamiliesView::restoreLayout(QSettings& settings)
{
    m_table->restoreLayout(settings, settingsGroup + u"/table"_s);
    if (const QDateTime date = settings.value(settingsGroup + u"/date"_s).toDateTime(); date.isValid())
        setDate(ServerTime::fromDateTime(date));
}

} // namespace lockscope::ui
