// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlockWordsView.h"

#include "core/base/ShownText.h"
#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/Finding.h"
#include "core/report/Writer.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/scenarios/ScenarioExport.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSizeF minNode{210, 72};
constexpr double maxNodeWidth = 460;
constexpr QSize minPicture{560, 300};
constexpr double outerMargin = 12;

/// Boxes get wide where there is space, so that statements can be read: beside each other in a long ring, and
/// in rows of their own in a ring of two, if the rows leave space for the arrows' words.
QSizeF nodeSizeIn(const QRectF& area, qsizetype links)
{
    constexpr double minGap = 24;
    const bool haveRows = links == 2 && area.height() >= 3 * minNode.height() + 2 * (minGap + outerMargin);
    const double share = haveRows ? 0.36 : 0.24;
    return {std::clamp(area.width() * share, minNode.width(), maxNodeWidth), minNode.height()};
}

/// The places of a ring, clockwise from the left: session, the lock that it waits for, the holder of that,
/// the lock that this one waits for …
struct Ring {
    struct Node {
        QPointF centre;
        bool isSession = false;
        int link = 0; ///< of the cycle: its waiter, or its resource
    };
    QList<deadlock::Link> links;
    QSizeF nodeSize;
    std::vector<Node> nodes;

    Ring(const QRectF& area, const deadlock::Cycle& cycle)
        : links(cycle.links)
        , nodeSize(nodeSizeIn(area, cycle.links.size()))
    {
        const auto count = static_cast<int>(cycle.links.size()) * 2;
        const double halfWidth = std::max(0.0, area.width() / 2 - nodeSize.width() / 2 - outerMargin);
        const double halfHeight = std::max(0.0, area.height() / 2 - nodeSize.height() / 2 - outerMargin);
        for (int i = 0; i < count; ++i) {
            const double angle = std::numbers::pi + 2 * std::numbers::pi * i / count;
            nodes.push_back(
                {area.center() + QPointF(std::cos(angle) * halfWidth, std::sin(angle) * halfHeight),
                    i % 2 == 0, i / 2});
        }
    }
    QRectF box(const Node& node) const
    {
        return {node.centre - QPointF(nodeSize.width() / 2, nodeSize.height() / 2), nodeSize};
    }
    const Node* nodeAt(const QPointF& point) const
    {
        const auto at =
            std::ranges::find_if(nodes, [&](const Node& node) { return box(node).contains(point); });
        return at == nodes.end() ? nullptr : &*at;
    }
};

/// All that are drawn, one below the other.
std::vector<Ring> ringsOf(const QRectF& area, const deadlock::Deadlock& deadlock)
{
    const QList<deadlock::Cycle> drawn = deadlock::drawnRings(deadlock);
    const double height = area.height() / double(drawn.size());
    std::vector<Ring> rings;
    for (const deadlock::Cycle& cycle : drawn)
        rings.emplace_back(
            QRectF(area.left(), area.top() + double(rings.size()) * height, area.width(), height), cycle);
    return rings;
}

/// Returns the point where the line from the box's centre to `target` leaves the box.
QPointF edgePoint(const QRectF& box, const QPointF& target)
{
    const QPointF way = target - box.center();
    const double byWidth = qFuzzyIsNull(way.x()) ? 1e9 : box.width() / 2 / std::abs(way.x());
    const double byHeight = qFuzzyIsNull(way.y()) ? 1e9 : box.height() / 2 / std::abs(way.y());
    return box.center() + way * std::min(byWidth, byHeight);
}

/// A source without held modes, as PostgreSQL's log, only shows that a session blocks.
QString wordOfBlocker(const deadlock::Link& link)
{
    if (link.isQueue)
        return u"ahead in the queue"_s;
    return link.held.isEmpty() ? u"blocks it"_s : u"held: "_s + link.held;
}

class RingPainter {
public:
    RingPainter(QPainter& painter, Ring ring, const deadlock::Deadlock& deadlock, const QPalette& palette)
        : m_painter(painter)
        , m_deadlock(deadlock)
        , m_palette(palette)
        , m_colors(theme::colors(palette))
        , m_ring(std::move(ring))
    {
        m_painter.setRenderHint(QPainter::Antialiasing);
    }

    void paint()
    {
        const auto count = m_ring.nodes.size();
        for (size_t i = 0; i < count; ++i) {
            const Ring::Node& from = m_ring.nodes[i];
            const Ring::Node& to = m_ring.nodes[(i + 1) % count];
            const deadlock::Link& link = m_ring.links[from.link];
            if (from.isSession)
                paintArrow(from, to,
                    link.awaited.isEmpty() ? u"waits"_s
                        : link.converts    ? u"waits for more: "_s + link.awaited
                                           : u"waits for "_s + link.awaited,
                    Qt::DashLine);
            else
                paintArrow(from, to, wordOfBlocker(link), link.isQueue ? Qt::DotLine : Qt::SolidLine);
        }
        for (const Ring::Node& node : m_ring.nodes)
            node.isSession ? paintSession(node) : paintResource(node);
    }

private:
    void paintArrow(const Ring::Node& from, const Ring::Node& to, const QString& word, Qt::PenStyle style)
    {
        const QPointF start = edgePoint(m_ring.box(from), to.centre);
        const QPointF end = edgePoint(m_ring.box(to), from.centre);
        const QColor ink = style == Qt::SolidLine ? m_palette.color(QPalette::Text) : m_colors.red;
        m_painter.setPen(QPen(ink, 1.8, style));
        m_painter.drawLine(start, end);
        const QPointF way = end - start;
        const double length = std::hypot(way.x(), way.y());
        if (length > 1) {
            const QPointF along = way / length * 9;
            const QPointF across(-along.y() / 2, along.x() / 2);
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(ink);
            m_painter.drawPolygon(QPolygonF{end, end - along + across, end - along - across});
        }
        const QFont font = theme::scaled(0.9, QFont::DemiBold);
        const QFontMetricsF metrics(font);
        const QString shown = metrics.elidedText(inOneLine(word), Qt::ElideRight, minNode.width());
        const QSizeF size(metrics.horizontalAdvance(shown) + 8, metrics.height() + 2);
        const QRectF label((start + end) / 2 - QPointF(size.width() / 2, size.height() / 2), size);
        theme::paintBox(m_painter, label, 3, Qt::NoPen, m_palette.color(QPalette::Base));
        m_painter.setFont(font);
        m_painter.setPen(ink);
        m_painter.drawText(label, Qt::AlignCenter, shown);
    }

    void paintLines(const QRectF& box, QStringList lines, const QColor& first)
    {
        lines.removeAll(QString());
        const QRectF area = box.adjusted(10, 6, -10, -6);
        const double height = area.height() / static_cast<double>(lines.size());
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const QFont font = i == 0 ? theme::scaled(1.0, QFont::DemiBold) : theme::scaled(0.9);
            m_painter.setFont(font);
            m_painter.setPen(i == 0 ? first : m_colors.muted);
            const QRectF line(
                area.left(), area.top() + static_cast<double>(i) * height, area.width(), height);
            m_painter.drawText(line, static_cast<int>(Qt::AlignCenter) | Qt::TextDontClip,
                QFontMetricsF(font).elidedText(
                    inOneLine(lines[i]), i > 0 ? Qt::ElideRight : Qt::ElideMiddle, area.width()));
        }
    }

    void paintSession(const Ring::Node& node)
    {
        const int participant = m_ring.links[node.link].waiter;
        const deadlock::Participant& session = m_deadlock.participant(participant);
        const bool isVictim = m_deadlock.isVictim(participant);
        const QRectF box = m_ring.box(node);
        theme::paintBox(m_painter, box, 6, isVictim ? QPen(m_colors.red, 2.2) : QPen(m_colors.border, 1.4),
            isVictim ? m_colors.redFill : m_colors.card);
        if (isVictim) {
            m_painter.setPen(QPen(m_colors.red, 1.4));
            m_painter.drawLine(box.topLeft() + QPointF(6, 6), box.topLeft() + QPointF(16, 16));
            m_painter.drawLine(box.topLeft() + QPointF(16, 6), box.topLeft() + QPointF(6, 16));
        }
        const QString name = u"Session %1"_s.arg(session.label()) + (isVictim ? u" · victim"_s : QString());
        paintLines(box,
            {name, session.program.isEmpty() ? session.user : session.program,
                deadlock::shortStatement(session.statement)},
            isVictim ? m_colors.red : m_palette.color(QPalette::Text));
    }

    void paintResource(const Ring::Node& node)
    {
        const deadlock::LockedThing& resource = m_deadlock.resource(m_ring.links[node.link].resource);
        const QRectF box = m_ring.box(node);
        theme::paintBox(m_painter, box, box.height() / 2, QPen(m_colors.accent, 1.4), m_colors.infoFill);
        const QString table = resource.table.isEmpty() ? resource.name : resource.table;
        const QString part = (resource.index + u' ' + resource.part).trimmed();
        paintLines(box.adjusted(10, 0, -10, 0),
            {table, resource.table.isEmpty() ? resourceKindName(resource.kind) : part},
            m_palette.color(QPalette::Text));
    }

    QPainter& m_painter;
    const deadlock::Deadlock& m_deadlock;
    const QPalette& m_palette;
    const ThemeColors& m_colors;
    Ring m_ring;
};

} // namespace

DeadlockPicture::DeadlockPicture(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"deadlockPicture"_s);
}

void DeadlockPicture::show(const std::optional<deadlock::Deadlock>& deadlock)
{
    m_deadlock = deadlock;
    setAccessibleName(u"Picture of the deadlock"_s);
    setAccessibleDescription(deadlock ? inOneLine(deadlock::summaryOf(*deadlock)) : QString());
    updateGeometry();
    update();
}

QSize DeadlockPicture::paperSize(const deadlock::Deadlock& deadlock)
{
    // A ring needs space for its boxes side by side.
    qsizetype links = 0;
    const QList<deadlock::Cycle> rings = deadlock::drawnRings(deadlock);
    for (const deadlock::Cycle& ring : rings)
        links = std::max(links, ring.links.size());
    const auto count = static_cast<int>(links);
    return {std::max(minPicture.width(), 320 * count),
        std::max(minPicture.height(), 150 * count) * static_cast<int>(rings.size())};
}

QSize DeadlockPicture::minimumSizeHint() const
{
    if (!m_deadlock)
        return {200, 120};
    // Three rows of boxes for each ring, and lines between them: that fits into the smallest window.
    const auto rings = deadlock::drawnRings(*m_deadlock);
    const bool isWide =
        std::ranges::any_of(rings, [](const deadlock::Cycle& ring) { return ring.links.size() > 2; });
    return {isWide ? 720 : 560, 230 * std::max(1, int(rings.size()))};
}

void DeadlockPicture::paint(
    QPainter& painter, const QRectF& area, const deadlock::Deadlock& deadlock, const QPalette& palette)
{
    for (Ring& ring : ringsOf(area, deadlock))
        RingPainter(painter, std::move(ring), deadlock, palette).paint();
    painter.setPen(theme::colors(palette).muted);
    painter.drawText(area, Qt::AlignRight | Qt::AlignBottom, deadlock::undrawnRings(deadlock));
}

void DeadlockPicture::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (m_deadlock) {
        paint(painter, rect(), *m_deadlock, palette());
        return;
    }
    painter.setPen(theme::colors(palette()).muted);
    painter.drawText(rect(), Qt::AlignCenter, u"Select a deadlock: it is drawn here."_s);
}

bool DeadlockPicture::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !m_deadlock)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    for (const Ring& ring : ringsOf(rect(), *m_deadlock))
        if (const Ring::Node* const node = ring.nodeAt(help->pos())) {
            const deadlock::Link& link = ring.links[node->link];
            text = node->isSession ? deadlock::sentenceOf(*m_deadlock, link)
                                   : m_deadlock->resource(link.resource).name;
        }
    if (text.isEmpty()) {
        QToolTip::hideText();
        return true;
    }
    QToolTip::showText(help->globalPos(), toolTipText(text), this);
    return true;
}

DeadlockExportButton::DeadlockExportButton(QWidget* parent)
    : ExportMenu(u"exportDeadlock"_s,
        u"The selected deadlock as a page, a picture or a file for other tools"_s, parent)
{
    const auto add = [this](const QString& text, Form form) { addEntry(text, [this, form] { ask(form); }); };
    add(u"&Page without values, users and hosts (HTML)…"_s, Form::Html);
    add(u"Picture as &SVG…"_s, Form::Svg);
    add(u"Picture as P&NG…"_s, Form::Png);
    addSeparator();
    add(u"Deadlock graph (&XDL)…"_s, Form::Xdl);
    add(u"As &text…"_s, Form::Text);
    add(u"As &Markdown…"_s, Form::Markdown);
    add(u"Tables (&CSV)…"_s, Form::Csv);
    add(u"For programs (&JSON)…"_s, Form::Json);
}

void DeadlockExportButton::show(const std::optional<deadlock::Deadlock>& deadlock)
{
    m_deadlock = deadlock;
    setEnabled(deadlock.has_value());
}

void DeadlockExportButton::ask(Form form)
{
    if (!m_deadlock)
        return;
    // That one, though another may be selected by the time of the answer.
    askWhereTo(form, u"deadlock"_s,
        [this, made = content(form, *m_deadlock)](const QString& path) { write(path, made); });
}

void DeadlockExportButton::exportTo(Form form, const QString& path)
{
    if (m_deadlock)
        write(path, content(form, *m_deadlock));
}

/// Pictures are drawn here, with the fonts and colours of the window; all else is made where it is written.
ExportMenu::Content DeadlockExportButton::content(Form form, const deadlock::Deadlock& shown) const
{
    const QSize size = DeadlockPicture::paperSize(shown);
    const auto paint = [&](QPainter& painter) {
        DeadlockPicture::paint(painter, QRectF(QPointF(), size), shown, palette());
    };
    if (form == Form::Svg)
        return [svg = drawingSvg(size, deadlock::summaryOf(shown), paint)]() -> Result<QByteArray> {
            return svg;
        };
    if (form == Form::Png)
        return [png = drawingPng(size, palette().color(QPalette::Base), paint)]() -> Result<QByteArray> {
            if (!png.isEmpty())
                return png;
            return failure(
                ErrorKind::Unsupported, u"The ring is too large for a picture."_s, u"Export an SVG."_s);
        };
    if (form == Form::Html)
        return [shown, proof = m_proof ? m_proof() : std::nullopt]() -> Result<QByteArray> {
            const QList<deadlock::ProofSection> proofs =
                proof ? QList<deadlock::ProofSection>{*proof} : QList<deadlock::ProofSection>();
            return deadlock::toHtml({shown.report}, deadlock::Disclosure::Redacted, proofs);
        };
    if (form == Form::Xdl)
        return [shown] { return deadlock::toXdl({shown.report}); };
    return [shown, form]() -> Result<QByteArray> {
        return rendered(deadlock::toReport({shown.report}), reportForm(form)).toUtf8();
    };
}

} // namespace lockscope::ui
