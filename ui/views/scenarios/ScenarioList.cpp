// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenarioList.h"

#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QDir>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QStyledItemDelegate>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Index: of a scenario; FaultIndex: of a bad file. A row that has neither begins a group.
enum ItemRole { IndexRole = Qt::UserRole, FaultIndexRole, StoryRole, NoteRole, LevelRole, MutedRole };

bool isGroup(const QModelIndex& index)
{
    return !index.data(IndexRole).isValid() && !index.data(FaultIndexRole).isValid();
}

/// The name above, below it what it is, below that the engines.
class ScenarioDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (isGroup(index))
            return {0, option.fontMetrics.height() + 14};
        return {0, option.fontMetrics.height() * 3 + 16};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = theme::colors(option.palette);
        if (isGroup(index))
            return paintGroup(painter, option, index.data().toString());
        const bool isChosen = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        if (isChosen || option.state.testFlag(QStyle::State_MouseOver)) {
            QColor fill = colors.accent;
            fill.setAlphaF(isChosen ? 0.20F : 0.07F);
            painter->fillRect(option.rect, fill);
        }
        if (isChosen)
            painter->fillRect(
                QRect(option.rect.x(), option.rect.y(), 3, option.rect.height()), colors.accent);
        painter->fillRect(QRect(option.rect.x(), option.rect.bottom(), option.rect.width(), 1), colors.grid);
        const QRect area = option.rect.adjusted(12, 7, -8, -7);
        const auto level = static_cast<AgeLevel>(index.data(LevelRole).toInt());
        const bool isMuted = index.data(MutedRole).toBool();
        const auto line = [&](int number, const QFont& font, const QColor& ink, const QString& text) {
            painter->setFont(font);
            painter->setPen(ink);
            theme::paintText(*painter,
                QRect(area.x(), area.y() + number * (option.fontMetrics.height() + 1), area.width(),
                    option.fontMetrics.height()),
                text);
        };
        const QColor title = level != AgeLevel::Normal ? colors.text(level, option.palette)
            : isMuted                                  ? colors.muted
                                                       : option.palette.color(QPalette::Text);
        // "Lost update: read, compute, write back" has a name and what it is; else the story's beginning is.
        const QString name = index.data().toString();
        const bool hasBoth = name.contains(QStringLiteral(": "));
        line(0, theme::scaled(1.0, QFont::DemiBold), title, name.section(QStringLiteral(": "), 0, 0));
        line(1, theme::scaled(0.92), isMuted ? colors.muted : option.palette.color(QPalette::Text),
            hasBoth ? name.section(QStringLiteral(": "), 1) : index.data(StoryRole).toString());
        line(2, theme::scaled(0.86), colors.muted, index.data(NoteRole).toString());
        painter->restore();
    }

private:
    static void paintGroup(QPainter* painter, const QStyleOptionViewItem& option, const QString& name)
    {
        const ThemeColors& colors = theme::colors(option.palette);
        painter->save();
        painter->fillRect(option.rect, colors.sideBar);
        painter->setFont(theme::scaled(0.9, QFont::DemiBold));
        painter->setPen(colors.muted);
        theme::paintText(*painter, option.rect.adjusted(12, 0, -8, 0), name);
        painter->restore();
    }
};

QString firstSentence(const QString& story)
{
    const qsizetype end = story.indexOf(QStringLiteral(". "));
    return end < 0 ? story : story.left(end + 1);
}

} // namespace

ScenarioList::ScenarioList(QWidget* parent)
    : QListWidget(parent)
{
    setObjectName(QStringLiteral("scenarioList"));
    setAccessibleName(u"Scenarios"_s);
    setFrameShape(QFrame::NoFrame);
    setItemDelegate(new ScenarioDelegate(this));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setMouseTracking(true);
    connect(this, &QListWidget::currentRowChanged, this, &ScenarioList::chosen);
}

void ScenarioList::show(const scenario::Library& library)
{
    const auto before = scenario();
    const QString file = before ? before->file : faults().empty() ? QString() : faults().front().file;
    m_scenarios = library.scenarios;
    m_faults.clear();
    for (const scenario::FileFault& fault : library.faults) {
        if (m_faults.empty() || m_faults.back().front().file != fault.file)
            m_faults.emplace_back();
        m_faults.back().push_back(fault);
    }
    {
        const QSignalBlocker quiet(this);
        clear();
        for (std::size_t i = 0; i < m_scenarios.size(); ++i) {
            const QString& group = m_scenarios[i]->group;
            if (i == 0 || group != m_scenarios[i - 1]->group)
                (new QListWidgetItem(group.isEmpty() ? u"Your own"_s : group, this))
                    ->setFlags(Qt::NoItemFlags);
            addScenario(m_scenarios[i], i);
        }
        for (std::size_t i = 0; i < m_faults.size(); ++i)
            addFaults(m_faults[i], i);
    }
    if (!(before && choose(before->id)) && !chooseFile(file))
        setCurrentRow(std::min(1, count() - 1)); // behind the name of its group
    Q_EMIT chosen();
}

void ScenarioList::addScenario(const scenario::ScenarioPtr& scenario, std::size_t index)
{
    auto* item = new QListWidgetItem(scenario->title, this);
    item->setData(IndexRole, static_cast<int>(index));
    item->setData(StoryRole, firstSentence(scenario->story));
    item->setData(NoteRole, enginesText(scenario->engines));
    item->setData(Qt::AccessibleTextRole,
        QStringLiteral("%1. %2 %3").arg(scenario->title, scenario->story, enginesText(scenario->engines)));
    item->setToolTip(scenario->story);
}

void ScenarioList::addFaults(const scenario::FileFaults& faults, std::size_t index)
{
    const scenario::FileFault& first = faults.front();
    auto* item = new QListWidgetItem(
        theme::levelSign(AgeLevel::Red) + QLatin1Char(' ') + QFileInfo(first.file).fileName(), this);
    item->setData(FaultIndexRole, static_cast<int>(index));
    item->setData(LevelRole, static_cast<int>(AgeLevel::Red));
    item->setData(StoryRole, first.what);
    item->setData(NoteRole,
        first.line > 0 ? u"line %1, column %2; can't be run"_s.arg(first.line).arg(first.column)
                       : u"can't be run"_s);
    item->setToolTip(first.toString());
}

void ScenarioList::setEngine(std::optional<Engine> engine)
{
    for (int i = 0; i < count(); ++i) {
        const QVariant index = item(i)->data(IndexRole);
        if (!index.isValid())
            continue;
        const scenario::Scenario& scenario = *m_scenarios[index.value<std::size_t>()];
        const bool runs = !engine || scenario.engines.contains(*engine);
        item(i)->setData(MutedRole, !runs);
        const QString engines = enginesText(scenario.engines);
        item(i)->setData(NoteRole, runs ? engines : u"Not on %1: %2"_s.arg(engineName(*engine), engines));
    }
}

scenario::ScenarioPtr ScenarioList::scenario() const
{
    const QVariant index = currentItem() ? currentItem()->data(IndexRole) : QVariant();
    return index.isValid() ? m_scenarios[index.value<std::size_t>()] : nullptr;
}

scenario::FileFaults ScenarioList::faults() const
{
    const QVariant index = currentItem() ? currentItem()->data(FaultIndexRole) : QVariant();
    return index.isValid() ? m_faults[index.value<std::size_t>()] : scenario::FileFaults();
}

bool ScenarioList::choose(const QString& id)
{
    for (int i = 0; i < count(); ++i) {
        const QVariant index = item(i)->data(IndexRole);
        if (index.isValid() && m_scenarios[index.value<std::size_t>()]->id == id) {
            setCurrentRow(i);
            return true;
        }
    }
    return false;
}

/// Chooses the scenario or the bad file that was read from there.
bool ScenarioList::chooseFile(const QString& file)
{
    for (int i = 0; i < count(); ++i) {
        const QVariant index = item(i)->data(IndexRole);
        const QVariant fault = item(i)->data(FaultIndexRole);
        const QString from = index.isValid() ? m_scenarios[index.value<std::size_t>()]->file
            : fault.isValid()                ? m_faults[fault.value<std::size_t>()].front().file
                                             : QString();
        if (from.isEmpty() || from != file)
            continue;
        setCurrentRow(i);
        return true;
    }
    return false;
}

FaultView::FaultView(QWidget* parent)
    : QScrollArea(parent)
    , m_text(named("faults", selectable(new QLabel(this))))
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setMargin(16);
    m_text->setTextFormat(Qt::RichText);
    setWidget(m_text);
}

void FaultView::show(const scenario::FileFaults& faults)
{
    QString html =
        QStringLiteral("<h3>%1</h3><p>%2</p>")
            .arg(u"This file can't be run"_s, htmlText(QDir::toNativeSeparators(faults.front().file)));
    for (const scenario::FileFault& fault : faults) {
        const QString place =
            fault.line > 0 ? u"Line %1, column %2: "_s.arg(fault.line).arg(fault.column) : QString();
        html += QStringLiteral("<p><b>%1</b>%2").arg(place, htmlText(inOneLine(fault.what)));
        if (!fault.expected.isEmpty())
            html += QLatin1Char(' ') + htmlText(u"Expected: %1."_s.arg(fault.expected));
        html += QStringLiteral("</p>");
    }
    html += QStringLiteral("<p>%1</p>")
                .arg(u"Correct it and press “Reload files”. All other scenarios can be run meanwhile."_s);
    m_text->setText(html);
}

} // namespace lockscope::ui
