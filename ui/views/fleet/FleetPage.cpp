// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/fleet/FleetPage.h"

#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "ui/kit/delegates/CellDelegate.h"
#include "ui/kit/models/ColumnInfo.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ServerStrip.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double reasonLetters = 0.6; ///< of the name's
constexpr double lineHeight = 1.25;
constexpr int reasonLines = 2;

/// Letters of a 28th of the height are 23 mm high on a screen of 65 cm: enough for four metres.
constexpr int lettersInHeight = 28;
constexpr int minLetters = 24; // pixels
constexpr int tileGap = 12;

} // namespace

QSize FleetTile::sizeFor(int letters)
{
    const double lines = 2 + (1 + reasonLines) * reasonLetters;
    return {letters * 12, int(letters * lineHeight * lines) + letters};
}

QFont FleetTile::font(double factor, QFont::Weight weight) const
{
    QFont sized = theme::scaled(1, weight);
    sized.setPixelSize(std::max(8, int(m_letters * factor)));
    return sized;
}

QString FleetTile::waitText() const
{
    const watch::ServerStanding& standing = m_row.standing;
    if (!standing.waiting) {
        const auto age = knownFor(standing);
        return age ? u"known %1 ago"_s.arg(durationInWords(*age)) : u"nothing is known"_s;
    }
    if (*standing.waiting == 0)
        return u"nobody waits"_s;
    const QString count = counted(*standing.waiting, u"waits", u"wait");
    return standing.longestWait ? u"%1, %2"_s.arg(count, standing.longestWait->toString()) : count;
}

void FleetTile::show(const FleetRow& row, int letters)
{
    m_row = row;
    m_letters = letters;
    setAccessibleName(
        inOneLine(u"%1: %2, %3"_s.arg(markedName(row.profile), stateName(row.standing.state), waitText())));
    setAccessibleDescription(inOneLine(row.standing.reason));
    setVisible(true);
    update();
}

/// The environment, at the right end of the line, which becomes as much shorter.
void FleetTile::paintMark(QPainter& painter, QRect& line) const
{
    const QString mark = serverMark(m_row.profile);
    if (mark.isEmpty())
        return;
    painter.setFont(font(0.45, QFont::DemiBold));
    const int gap = m_letters / 4;
    const int width = painter.fontMetrics().horizontalAdvance(mark) + 2 * gap;
    const int height = painter.fontMetrics().height() + gap;
    const QRect badge(line.right() - width + 1, line.center().y() - height / 2, width, height);
    const QColor fill = environmentColor(m_row.profile.environment);
    const QColor ink = palette().color(QPalette::WindowText);
    theme::paintBox(painter, badge, gap / 2.0, fill.isValid() ? fill : ink,
        fill.isValid() ? QBrush(fill) : QBrush(Qt::NoBrush));
    painter.setPen(fill.isValid() ? QColor(Qt::white) : ink);
    painter.drawText(badge, Qt::AlignCenter, mark);
    line.setRight(badge.left() - gap);
}

void FleetTile::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const auto [glyph, tone, sign] = appearanceOf(m_row.standing.state);
    const QColor ink = toneColor(tone, palette());
    const QBrush fill = toneFill(tone, palette());
    theme::paintBox(painter, QRectF(rect()).adjusted(1, 1, -1, -1), m_letters / 5.0,
        QPen(ink, tone == Tone::Muted ? 1 : 2, tone == Tone::Muted ? Qt::DashLine : Qt::SolidLine),
        fill == QBrush() ? QBrush(theme::colors(palette()).card) : fill);
    const int margin = m_letters / 2;
    QRect line(margin, margin / 2, width() - 2 * margin, int(m_letters * lineHeight));
    QRect name = line;
    paintMark(painter, name);
    painter.setFont(font(0.9, QFont::Bold));
    painter.setPen(palette().color(QPalette::WindowText));
    theme::paintText(painter, name, m_row.profile.display(), Qt::ElideMiddle);

    line.moveTop(line.bottom() + 1);
    painter.setFont(font(0.75, QFont::DemiBold));
    painter.setPen(ink);
    theme::paintText(painter, line, u"%1 %2 · %3"_s.arg(sign, stateName(m_row.standing.state), waitText()));

    painter.setFont(font(reasonLetters));
    painter.setPen(palette().color(QPalette::WindowText));
    const QRect reason(line.left(), line.bottom() + 1, line.width(), height() - line.bottom() - margin / 2);
    painter.setClipRect(reason);
    painter.drawText(reason, static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | Qt::TextWordWrap,
        inOneLine(m_row.standing.reason));
}

QString moreText(const std::vector<FleetRow>& rows, size_t from)
{
    if (from >= rows.size())
        return {};
    const auto counts = countStates(rows, from);
    const QString count = QString::number(rows.size() - from);
    if (counts.size() > 1)
        return u"and %1 more: %2"_s.arg(count, countsText(counts));
    const QString state = stateName(counts.begin()->first);
    return rows.size() - from == 1 ? u"and 1 more, %1"_s.arg(state)
                                   : u"and %1 more, all %2"_s.arg(count, state);
}

FleetTiles::FleetTiles(QWidget* parent)
    : QWidget(parent)
    , m_counts(named("tileCounts", plain(new QLabel(this))))
    , m_more(named("moreTiles", plain(new QLabel(this))))
{
    setObjectName(u"fleetTiles"_s);
    setAccessibleName(u"Servers as tiles, the worst first"_s);
    setFocusPolicy(Qt::StrongFocus);
    m_more->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
}

void FleetTiles::showServers(const std::vector<FleetRow>& rows, const QString& only)
{
    m_rows = rows;
    m_only = only;
    arrange();
}

void FleetTiles::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void FleetTiles::arrange()
{
    const int letters = std::max(minLetters, height() / lettersInHeight);
    const int lineHeight = letters * 3 / 2;
    QFont font = theme::scaled(1, QFont::DemiBold);
    font.setPixelSize(letters * 3 / 4);
    m_counts->setFont(font);
    m_more->setFont(font);
    const QSize least = FleetTile::sizeFor(letters);
    const int columns = std::max(1, (width() + tileGap) / (least.width() + tileGap));
    const int lines = std::max(1, (height() - 2 * lineHeight) / (least.height() + tileGap));
    const size_t shown = std::min(m_rows.size(), size_t(columns) * size_t(lines));
    while (m_tiles.size() < shown)
        m_tiles.push_back(new FleetTile(this));
    const QSize size((width() + tileGap) / columns - tileGap, (height() - 2 * lineHeight) / lines - tileGap);
    for (size_t i = 0; i < m_tiles.size(); ++i) {
        FleetTile& tile = *m_tiles[i];
        tile.setVisible(i < shown);
        if (i >= shown)
            continue;
        const int column = int(i) % columns;
        const int line = int(i) / columns;
        tile.setGeometry(column * (size.width() + tileGap), lineHeight + line * (size.height() + tileGap),
            size.width(), std::min(size.height(), least.height() * 3 / 2));
        tile.show(m_rows[i], letters);
    }
    const QString counts = m_rows.empty() ? u"No server"_s : countsText(countStates(m_rows));
    m_counts->setText(inOneLine(m_only.isEmpty() ? counts : u"%1 · only %2"_s.arg(counts, m_only)));
    m_counts->setGeometry(0, 0, width(), lineHeight);
    m_more->setText(moreText(m_rows, shown));
    m_more->setGeometry(0, height() - lineHeight, width(), lineHeight);
}

using State = watch::ServerStanding::State;

FleetPage::FleetPage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new FleetModel)
    , m_reason(sentenceLabel("reason"))
{
    setUp(m_model);
    m_reason->setFocusPolicy(Qt::NoFocus);
    m_reason->setMinimumHeight(2 * fontMetrics().lineSpacing()); // the rows above do not jump
    layout()->addWidget(m_reason);
    addCounts();
    m_open = addActButton(u"&Open"_s, u"Shows this server"_s);
    m_head = addActButton(
        u"&Head blocker"_s, u"Shows the head blocker there, and the sessions behind it (Enter)"_s);
    m_past =
        addActButton(u"&Past"_s, u"Shows the time in the last hour at which most sessions waited there"_s);
    m_elsewhere = addActButton(
        u"El&sewhere"_s, u"Shows the other server, on which the client of the head blocker seems to wait"_s);
    m_incident = addActButton(u"&Incidents"_s, u"Shows the incidents of this server"_s);
    auto* tiles =
        addActButton(u"&Tiles"_s, u"Shows the servers as tiles on the whole screen, for a wall (F11)"_s);
    connect(tiles, &QPushButton::clicked, this, &FleetPage::toggleTiles);
    addKey(
        *this, u"Fleet"_s, u"Show the servers as tiles on the whole screen; again: back"_s, {Qt::Key_F11},
        [this] { toggleTiles(); }, Qt::WindowShortcut);
    connect(m_open, &QPushButton::clicked, this, [this] { open(u"overview"_s); });
    connect(m_head, &QPushButton::clicked, this, [this] { open(u"blocking"_s); });
    connect(m_past, &QPushButton::clicked, this, [this] {
        if (const FleetRow* const row = chosen())
            Q_EMIT serverRequested(row->key, u"blocking"_s, row->worst);
    });
    connect(m_elsewhere, &QPushButton::clicked, this, [this] {
        if (const FleetRow* const row = chosen())
            Q_EMIT serverRequested(row->elsewhere, u"blocking"_s, std::nullopt);
    });
    connect(m_incident, &QPushButton::clicked, this, [this] { open(u"incidents"_s); });
    connect(&view(), &TableView::detailRequested, this, &FleetPage::openChain);
    view().installEventFilter(this);
    connect(&filter(), &QLineEdit::returnPressed, this, [this] {
        if (!chosen() && m_model->rowCount() > 0)
            view().selectRow(0);
        openChain();
    });
    showCounts();
    updateActs();
}

/// Leads to what the row says: to the chain where somebody waits, else to the server.
void FleetPage::openChain()
{
    if (const FleetRow* const row = chosen())
        open(row->standing.waiting.value_or(0) > 0 ? u"blocking"_s : u"overview"_s);
}

/// A letter typed in the rows begins a search.
bool FleetPage::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &view() && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<const QKeyEvent*>(event);
        const bool isPlain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
        if (isPlain && key->text().size() == 1 && key->text().front().isLetterOrNumber()) {
            filter().setText(key->text());
            filter().setFocus(Qt::ShortcutFocusReason);
            return true;
        }
    }
    return TablePage::eventFilter(watched, event);
}

/// In a line of their own: beside the buttons there is no space for all of them.
void FleetPage::addCounts()
{
    auto* line = new QHBoxLayout;
    static_cast<QBoxLayout*>(layout())->insertLayout(1, line);
    for (const State state :
        {State::Critical, State::NotReached, State::Warning, State::Unknown, State::Calm, State::NotOpen}) {
        auto* button = new QToolButton;
        button->setObjectName(u"state%1"_s.arg(int(state)));
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setToolTip(
            u"Shows only those that are “%1”, or the others again; what else is filtered stays"_s.arg(
                stateName(state)));
        connect(button, &QToolButton::clicked, this, [this, state] {
            const QString now = filter().text();
            setFilter(RowFilter::has(now, u"state"_s, stateName(state))
                    ? RowFilter::without(now, u"state"_s, false)
                    : RowFilter::with(now, u"state"_s, stateName(state), false));
        });
        line->addWidget(button);
        m_counts[state] = button;
    }
    line->addStretch(1);
    m_groups = named("groups",
        flatButton(
            u"Groups"_s, u"Environments and tags, with how their servers are; shows only those of one"_s));
    m_groups->setFocusPolicy(Qt::TabFocus);
    m_groups->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_groups);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillGroups(*menu); });
    m_groups->setMenu(menu);
    addControl(m_groups);
}

/// Each group with the number of its servers and of those that need somebody.
void FleetPage::fillGroups(QMenu& menu)
{
    struct Group {
        QString filter = {}; ///< shows it
        int servers = 0;
        std::map<State, int> bad = {};
    };
    std::map<std::pair<QString, QString>, Group> groups; // by column and name
    const auto add = [&groups](const QString& column, const QString& name, const QString& filter,
                         const FleetRow& row) {
        Group& group = groups[{column, name}];
        group.filter = filter;
        ++group.servers;
        if (row.standing.state <= State::Unknown)
            ++group.bad[row.standing.state];
    };
    const auto tags = u"tags"_s;
    for (const FleetRow& row : m_model->rows()) {
        const QString environment = db::environmentName(row.profile.environment);
        if (!environment.isEmpty()) // the cell may say more than that
            add(u"environment"_s, environment, u"environment:"_s + environment, row);
        for (const QString& tag : row.profile.tags)
            add(tags, tag, RowFilter::with({}, tags, tag, false), row);
    }
    menu.clear();
    menu.addAction(u"All servers"_s, this, [this] { setFilter({}); });
    for (const auto& [place, group] : groups) {
        QStringList words{u"%1 in all"_s.arg(group.servers)};
        if (!group.bad.empty())
            words << countsText(group.bad);
        const QString text = u"%1: %2"_s.arg(place.second, words.join(u", "_s));
        menu.addAction(inMenu(text), this, [this, only = group.filter] { setFilter(only); });
    }
}

void FleetPage::showServers(const std::vector<FleetRow>& rows)
{
    m_model->showServers(rows);
    const auto hideIfNone = [&](const QString& column, auto hasIt) {
        view().setColumnEmpty(column, std::none_of(rows.begin(), rows.end(), hasIt));
    };
    hideIfNone(u"environment"_s, [](const FleetRow& row) { return !serverMark(row.profile).isEmpty(); });
    hideIfNone(u"tags"_s, [](const FleetRow& row) { return !row.profile.tags.isEmpty(); });
    hideIfNone(u"incidents"_s,
        [](const FleetRow& row) { return row.standing.criticals + row.standing.warnings > 0; });
    hideIfNone(u"role"_s, [](const FleetRow& row) { return row.standing.isReplica.value_or(false); });
    m_groups->setVisible(std::ranges::any_of(rows, [](const FleetRow& row) {
        return row.profile.environment != db::Environment::Unmarked || !row.profile.tags.isEmpty();
    }));
    showCounts();
    updateEmptyState();
    updateActs();
    showTiles();
}

void FleetPage::toggleTiles()
{
    if (m_wall)
        return endTiles();
    m_wall = new Presentation(*this, std::nullopt);
    m_tiles = new FleetTiles;
    connect(m_wall, &Presentation::left, this, &FleetPage::endTiles);
    showTiles();
    m_wall->present(*m_tiles, *m_tiles);
}

void FleetPage::endTiles()
{
    if (!m_wall)
        return;
    m_wall->hide();
    m_wall->deleteLater();
    m_wall.clear();
    window()->activateWindow();
}

/// Those on view, the worst first, however the table is sorted.
void FleetPage::showTiles()
{
    if (!m_wall)
        return;
    std::vector<FleetRow> rows;
    for (int row = 0; row < m_model->rowCount(); ++row)
        rows.push_back(m_model->rowAt(row));
    std::ranges::stable_sort(
        rows, [](const FleetRow& a, const FleetRow& b) { return isWorse(a.standing, b.standing); });
    m_tiles->showServers(rows, filter().text());
}

void FleetPage::showCounts()
{
    std::map<State, int> counts = countStates(m_model->rows());
    for (const auto& [state, button] : m_counts) {
        button->setText(u"%1 %2"_s.arg(QString::number(counts[state]), stateName(state)));
        button->setVisible(counts[state] > 0);
    }
}

void FleetPage::open(const QString& page)
{
    if (const FleetRow* const row = chosen())
        Q_EMIT serverRequested(row->key, page, std::nullopt);
}

const FleetRow* FleetPage::chosen()
{
    const int row = view().chosenViewRow();
    return row < 0 ? nullptr : &m_model->rowAt(row);
}

void FleetPage::updateActs()
{
    const FleetRow* const chosen = this->chosen();
    const FleetRow* const shown = chosen || m_model->rowCount() == 0 ? chosen : &m_model->rowAt(0);
    m_reason->setText(
        shown ? inLines(u"%1: %2"_s.arg(shown->profile.display(), shown->standing.reason)) : QString());
    const QString none = chosen ? QString() : u"Select a server first."_s;
    setReason(m_open, none);
    setReason(m_head,
        !chosen || chosen->standing.waiting.value_or(0) > 0 ? none : u"Nobody is known to wait there."_s);
    setReason(m_past,
        !chosen || chosen->worst ? none : u"Nobody is known to have waited there in the last hour."_s);
    setReason(m_elsewhere,
        !chosen || !chosen->elsewhere.isEmpty() ? none
                                                : u"No client there is seen to wait on another server."_s);
    setReason(m_incident,
        !chosen || chosen->standing.criticals + chosen->standing.warnings > 0
            ? none
            : u"No incident fires there."_s);
}

void FleetPage::fillRowMenu(QMenu& menu)
{
    for (QPushButton* const button : {m_open, m_head, m_past, m_elsewhere, m_incident})
        addEntry(menu, *button);
}

TablePage::EmptyText FleetPage::emptyText() const
{
    return {u"No server yet"_s,
        u"All servers of the list stand here beside each other, the worst first, with the reason. Add one at the left."_s};
}

void FleetPage::showEvent(QShowEvent* event)
{
    TablePage::showEvent(event);
    Q_EMIT wasShown();
}

} // namespace lockscope::ui
