// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/SideBar.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/WaitTotals.h"
#include "core/record/postgres/HistoryStore.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ServerSession.h"
#include "ui/views/page/AppContext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int serverRole = Qt::UserRole;
constexpr int badgeRole = Qt::UserRole + 1;
constexpr int badgeLevelRole = Qt::UserRole + 2;
constexpr int plainTipRole = Qt::UserRole + 3;

void paintRowBackground(QPainter* painter, const QStyleOptionViewItem& option)
{
    const ThemeColors& colors = theme::colors(option.palette);
    const QRect box = option.rect.adjusted(6, 1, -6, -1);
    if (option.state.testFlag(QStyle::State_Selected)) {
        QColor fill = colors.accent;
        fill.setAlphaF(colors.dark ? 0.26F : 0.16F);
        theme::paintBox(*painter, box, 5, Qt::NoPen, fill);
        theme::paintBox(
            *painter, QRect(box.left(), box.top() + 6, 3, box.height() - 12), 1.5, Qt::NoPen, colors.accent);
    } else if (option.state.testFlag(QStyle::State_MouseOver)) {
        QColor fill = colors.muted; // weaker than the current row
        fill.setAlphaF(0.07F);
        theme::paintBox(*painter, box, 5, Qt::NoPen, fill);
    }
}

/// Name above, dot and health word below.
class ServerDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {0, option.fontMetrics.height() * 2 + 12};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        paintRowBackground(painter, option);
        const ThemeColors& colors = theme::colors(option.palette);
        const QRect area = option.rect.adjusted(18, 5, -12, -5);
        QFont bold = option.font;
        bold.setWeight(option.state.testFlag(QStyle::State_Selected) ? QFont::DemiBold : QFont::Normal);
        painter->setFont(bold);
        painter->setPen(option.palette.color(QPalette::WindowText));
        theme::paintText(
            *painter, area, index.data().toString(), Qt::ElideMiddle, Qt::AlignLeft | Qt::AlignTop);
        const auto server = index.data(serverRole).value<SideBar::ServerItem>();
        const AgeLevel level = server.waits.isEmpty() ? server.level : server.waitLevel;
        painter->setFont(theme::scaled(0.9));
        painter->setPen(server.open ? colors.sign(level) : colors.muted);
        const int right = paintMark(painter, area, server);
        const QString state = (server.open ? theme::levelSign(level) : QStringLiteral("○")) + QLatin1Char(' ')
            + (server.waits.isEmpty() ? server.health : server.waits);
        theme::paintText(*painter, area.adjusted(0, 0, right - area.right() - 1, 0), state, Qt::ElideRight,
            Qt::AlignLeft | Qt::AlignBottom);
        painter->restore();
    }

private:
    /// Words as short as the row is narrow; its tooltip has them in full. Where they begin.
    static int paintMark(QPainter* painter, const QRect& area, const SideBar::ServerItem& server)
    {
        const QStringList words = server.mark.split(QStringLiteral(" · "), Qt::SkipEmptyParts);
        if (words.isEmpty())
            return area.right();
        QStringList shortWords;
        for (const QString& word : words)
            shortWords << (word == QLatin1String("READ-ONLY") ? u"R/O"_s
                    : word == QLatin1String("RECORDING")      ? u"REC"_s
                                                              : word.left(4));
        painter->save();
        painter->setFont(theme::scaled(0.75, QFont::DemiBold));
        const QString text = shortWords.join(QLatin1Char(' '));
        const QSize size(
            painter->fontMetrics().horizontalAdvance(text) + 10, painter->fontMetrics().height() + 2);
        const QRect chip(area.bottomRight() - QPoint(size.width() - 1, size.height() - 2), size);
        const QColor border = painter->pen().color();
        if (server.color.isValid()) {
            theme::paintBox(*painter, chip, 3, Qt::NoPen, server.color);
            painter->setPen(Qt::white);
        } else {
            theme::paintBox(*painter, chip, 3, border, Qt::NoBrush);
        }
        painter->drawText(chip, Qt::AlignCenter, text);
        painter->restore();
        return chip.left() - 6;
    }
};

class PageDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {0, std::max(34, option.fontMetrics.height() + 16)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        paintRowBackground(painter, option);
        const QRect area = option.rect.adjusted(18, 0, -12, 0);
        const QRect icon(area.left(), area.center().y() - 8, 17, 17);
        index.data(Qt::DecorationRole).value<QIcon>().paint(painter, icon);
        QFont font = option.font;
        if (option.state.testFlag(QStyle::State_Selected))
            font.setWeight(QFont::DemiBold);
        painter->setFont(font);
        painter->setPen(option.palette.color(QPalette::WindowText));
        const int right = paintBadge(painter, option, area, index);
        const QRect words(area.left() + 28, area.top(), right - area.left() - 28, area.height());
        theme::paintText(*painter, words, index.data().toString());
        painter->restore();
    }

private:
    /// Paints the badge of a page with something new, at the right end. Returns where the words have to end.
    static int paintBadge(
        QPainter* painter, const QStyleOptionViewItem& option, const QRect& area, const QModelIndex& index)
    {
        const QString badge = index.data(badgeRole).toString();
        const auto level = static_cast<AgeLevel>(index.data(badgeLevelRole).toInt());
        if (badge.isEmpty())
            return area.right();
        const ThemeColors& colors = theme::colors(option.palette);
        painter->save();
        painter->setFont(theme::scaled(0.85, QFont::DemiBold));
        const int height = painter->fontMetrics().height() + 2;
        const int width = std::max(height, painter->fontMetrics().horizontalAdvance(badge) + 10);
        const QRect chip(area.right() - width + 1, area.center().y() - height / 2, width, height);
        theme::paintBox(*painter, QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), height / 2.0,
            colors.text(level, option.palette), colors.fill(level));
        painter->drawText(chip, Qt::AlignCenter, badge);
        painter->restore();
        return chip.left() - 6;
    }
};

QListWidget* plainList(QWidget* parent, const char* name)
{
    auto* list = named(name, new QListWidget(parent));
    list->setFrameShape(QFrame::NoFrame);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setMouseTracking(true);
    list->viewport()->setAutoFillBackground(false);
    list->setUniformItemSizes(true);
    return list;
}

QLabel* caption(const QString& text, QWidget* parent)
{
    return demiBold(0.82, faint(new QLabel(text, parent)));
}

} // namespace

SideBar::ServerItem SideBar::ServerItem::of(
    const db::ServerProfile& profile, const ServerSession* session, const LockThresholds& thresholds)
{
    ServerItem row;
    row.name = profile.display();
    row.color = environmentColor(profile.environment);
    if (!session) {
        row.health = u"Not open"_s;
        row.mark = serverMark(profile);
        return row;
    }
    row.open = true;
    if (const OpenedRecording* recording = session->recording()) {
        row.isRecording = true;
        row.open = recording->error.has_value(); // how it is now is not known
        const bool isHistory = record::HistoryPlace::isOne(recording->place);
        row.mark = isHistory ? u"HISTORY"_s : u"RECORDING"_s;
        row.health = recording->error ? u"Can't be read"_s : spanText(recording->span);
        if (isHistory && !recording->identity.writer.isEmpty())
            row.health += u", by %1"_s.arg(recording->identity.writer);
        row.level = recording->error ? AgeLevel::Red : AgeLevel::Normal;
        return row;
    }
    row.mark = serverMark(session->profile());
    row.health = healthWord(session->monitor().health());
    row.level = healthLevel(session->monitor().health());
    // Of one that is not read any more, only that is known.
    if (session->isOld() || !session->monitor().snapshot())
        return row;
    const monitor::Figures& figures = session->figures();
    if (figures.waiters == 0) {
        row.waits = u"nobody waits"_s;
        return row;
    }
    row.waits = u"%1, %2"_s.arg(counted(figures.waiters, u"waits", u"wait"), figures.longestWait.toString());
    row.waitLevel = levelOf(*session->monitor().snapshot(), thresholds.wait);
    return row;
}

SideBar::SideBar(QWidget* parent)
    : QWidget(parent)
    , m_servers(plainList(this, "servers"))
    , m_pages(plainList(this, "pages"))
{
    QToolButton* add = named("addServer", flatButton(u"+"_s, u"Add a server…"_s, this));
    connect(add, &QToolButton::clicked, this, &SideBar::addServerRequested);

    QHBoxLayout* head = withMargins(rowOf({{caption(u"SERVERS"_s, this), 1}, add}), {18, 0, 8, 0});
    auto* pagesHead = withMargins(new QHBoxLayout, {18, 10, 8, 4});
    pagesHead->addWidget(caption(u"PAGES"_s, this));

    addAll(
        *withMargins(new QVBoxLayout(this), {0, 10, 0, 10}, 2), {head, m_servers, pagesHead, {m_pages, 1}});

    m_servers->setItemDelegate(new ServerDelegate(m_servers));
    m_servers->setContextMenuPolicy(Qt::CustomContextMenu);
    m_servers->setAccessibleName(u"Servers"_s);
    m_pages->setItemDelegate(new PageDelegate(m_pages));
    m_pages->setAccessibleName(u"Pages"_s);
    setMinimumWidth(150);

    connect(m_servers, &QListWidget::itemClicked, this,
        [this](QListWidgetItem* item) { Q_EMIT serverChosen(m_servers->row(item)); });
    connect(m_servers, &QListWidget::itemActivated, this,
        [this](QListWidgetItem* item) { Q_EMIT serverChosen(m_servers->row(item)); });
    connect(m_servers, &QWidget::customContextMenuRequested, this, &SideBar::showServerMenu);
    connect(m_pages, &QListWidget::currentRowChanged, this, &SideBar::pageChosen);
}

void SideBar::setServers(const QList<ServerItem>& servers)
{
    while (m_servers->count() > servers.size())
        delete m_servers->takeItem(m_servers->count() - 1);
    while (m_servers->count() < servers.size())
        m_servers->addItem(QString());
    for (int row = 0; row < m_servers->count(); ++row)
        setServer(row, servers[row]);
    fitServers();
}

/// On a small screen fewer servers are on view at a time, so that all pages are.
void SideBar::fitServers()
{
    constexpr int fewest = 3;
    constexpr int most = 6;
    const int rowHeight = fontMetrics().height() * 2 + 12;
    const int pages = m_pages->count() * std::max(1, m_pages->sizeHintForRow(0)) + 2 * m_pages->frameWidth();
    const int heads =
        layout()->minimumSize().height() - m_servers->minimumHeight() - m_pages->minimumSizeHint().height();
    const int space = (height() - pages - std::max(0, heads)) / rowHeight;
    const int rows = std::min(std::max(1, m_servers->count()), std::clamp(space, fewest, most));
    if (const int requested = rows * rowHeight + 4; requested != m_servers->height())
        m_servers->setFixedHeight(requested);
}

void SideBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitServers();
}

void SideBar::setServer(int row, const ServerItem& server)
{
    QListWidgetItem* item = m_servers->item(row);
    item->setText(inOneLine(server.name));
    item->setData(serverRole, QVariant::fromValue(server));
    QStringList all{server.health, server.waits, server.mark};
    all.removeAll(QString());
    item->setToolTip(inOneLine(server.name + QStringLiteral(": ") + all.join(QStringLiteral(" · "))));
    item->setData(Qt::AccessibleTextRole, item->toolTip());
}

void SideBar::setCurrentServer(int row)
{
    const QSignalBlocker quiet(m_servers);
    m_servers->setCurrentRow(row);
}

void SideBar::addPage(const QString& title, const QString& iconName, const QString& shortcut)
{
    auto* item = new QListWidgetItem(theme::icon(iconName), title, m_pages);
    item->setToolTip(u"%1 (%2)"_s.arg(title, shortcut));
    item->setData(plainTipRole, item->toolTip());
}

void SideBar::setPageBadge(int row, const QString& badge, const QString& meaning, AgeLevel level)
{
    QListWidgetItem* item = m_pages->item(row);
    item->setData(badgeLevelRole, static_cast<int>(level));
    item->setData(badgeRole, badge);
    item->setData(Qt::AccessibleDescriptionRole, meaning);
    const QString tip = item->data(plainTipRole).toString();
    item->setToolTip(meaning.isEmpty() ? tip : tip + u'\n' + meaning);
}

void SideBar::setCurrentPage(int row)
{
    const QSignalBlocker quiet(m_pages);
    m_pages->setCurrentRow(row);
}

void SideBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColors& colors = theme::colors(palette());
    painter.fillRect(rect(), colors.sideBar);
}

void SideBar::showServerMenu(const QPoint& at)
{
    QListWidgetItem* item = m_servers->itemAt(at);
    auto* menu = deletedOnClose(new QMenu(this));
    if (item) {
        const int row = m_servers->row(item);
        menu->addAction(u"Open"_s, this, [this, row] { Q_EMIT serverChosen(row); });
        const bool isRecording = item->data(serverRole).value<ServerItem>().isRecording;
        if (!isRecording)
            menu->addAction(u"Edit…"_s, this, [this, row] { Q_EMIT editServerRequested(row); });
        menu->addAction(isRecording ? u"Close the recording"_s : u"Remove from the list…"_s, this,
            [this, row] { Q_EMIT removeServerRequested(row); });
        menu->addSeparator();
    }
    m_addServerActs(*menu);
    menu->popup(m_servers->viewport()->mapToGlobal(at));
}

} // namespace lockscope::ui
