// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/ScenarioList.h"

#include "ui/theme/Theme.h"

#include <QFileInfo>
#include <QPainter>
#include <QStyledItemDelegate>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

enum Role { IdRole = Qt::UserRole, StoryRole, NoteRole, LevelRole, MutedRole, EnginesRole };

/// The title above, below it the first sentence of the story, below that the engines.
class ScenarioDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {0, option.fontMetrics.height() * 3 + 16};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const ThemeColors& colors = theme::colors(option.palette);
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
            const QFontMetrics metrics(font);
            painter->drawText(QRect(area.x(), area.y() + number * (option.fontMetrics.height() + 1),
                                  area.width(), option.fontMetrics.height()),
                static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                metrics.elidedText(text, Qt::ElideRight, area.width()));
        };
        const QColor title = level != AgeLevel::Normal ? colors.text(level, option.palette)
            : isMuted                                  ? colors.muted
                                                       : option.palette.color(QPalette::Text);
        line(0, theme::scaled(1.0, QFont::DemiBold), title, index.data().toString());
        line(1, theme::scaled(0.92), isMuted ? colors.muted : option.palette.color(QPalette::Text),
            index.data(StoryRole).toString());
        line(2, theme::scaled(0.86), colors.muted, index.data(NoteRole).toString());
        painter->restore();
    }
};

QString firstSentence(const QString& story)
{
    const qsizetype end = story.indexOf(QStringLiteral(". "));
    return end < 0 ? story : story.left(end + 1);
}

} // namespace

QString enginesText(const std::set<Engine>& engines)
{
    QStringList names;
    for (const Engine engine : engines)
        names << engineName(engine);
    return names.join(QStringLiteral(", "));
}

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
    setUniformItemSizes(true);
    connect(this, &QListWidget::currentRowChanged, this, &ScenarioList::chosen);
}

void ScenarioList::show(const scenario::Library& library)
{
    const auto before = scenario();
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
        for (const auto& each : m_scenarios) {
            auto* item = new QListWidgetItem(each->title, this);
            item->setData(IdRole, each->id);
            item->setData(StoryRole, firstSentence(each->story));
            item->setData(NoteRole, enginesText(each->engines));
            item->setData(Qt::AccessibleTextRole,
                QStringLiteral("%1. %2 %3").arg(each->title, each->story, enginesText(each->engines)));
            item->setToolTip(each->story);
        }
        for (const scenario::FileFaults& faults : m_faults) {
            const scenario::FileFault& first = faults.front();
            auto* item = new QListWidgetItem(
                theme::levelSign(AgeLevel::Red) + QLatin1Char(' ') + QFileInfo(first.file).fileName(), this);
            item->setData(LevelRole, static_cast<int>(AgeLevel::Red));
            item->setData(StoryRole, first.what);
            item->setData(NoteRole,
                first.line > 0 ? u"line %1, column %2; can't be run"_s.arg(first.line).arg(first.column)
                               : u"can't be run"_s);
            item->setToolTip(first.toString());
        }
    }
    if (!before || !choose(before->id))
        setCurrentRow(count() > 0 ? 0 : -1);
    Q_EMIT chosen();
}

void ScenarioList::setEngine(std::optional<Engine> engine)
{
    for (std::size_t i = 0; i < m_scenarios.size(); ++i) {
        const bool runs = !engine || m_scenarios[i]->engines.contains(*engine);
        QListWidgetItem* const row = item(static_cast<int>(i));
        row->setData(MutedRole, !runs);
        const QString engines = enginesText(m_scenarios[i]->engines);
        row->setData(NoteRole, runs ? engines : u"Not on %1: %2"_s.arg(engineName(*engine), engines));
    }
}

scenario::ScenarioPtr ScenarioList::scenario() const
{
    const auto row = static_cast<std::size_t>(currentRow());
    return currentRow() >= 0 && row < m_scenarios.size() ? m_scenarios[row] : nullptr;
}

scenario::FileFaults ScenarioList::faults() const
{
    const qsizetype row = currentRow() - std::ssize(m_scenarios);
    return row >= 0 && row < std::ssize(m_faults) ? m_faults[static_cast<std::size_t>(row)]
                                                  : scenario::FileFaults();
}

bool ScenarioList::choose(const QString& id)
{
    for (std::size_t i = 0; i < m_scenarios.size(); ++i) {
        if (m_scenarios[i]->id == id) {
            setCurrentRow(static_cast<int>(i));
            return true;
        }
    }
    return false;
}

} // namespace lockscope::ui
