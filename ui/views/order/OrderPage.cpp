// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/order/OrderPage.h"

#include "core/base/Sentences.h"
#include "core/base/ServerTime.h"
#include "core/base/ShownText.h"
#include "core/order/OrderTable.h"
#include "core/record/RecordedOrder.h"
#include "core/record/RecordingClient.h"
#include "core/watch/ServerWatch.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int pictureMargin = 10;
constexpr int radius = 6;
constexpr double arrowHead = 9; // of an arrow

/// "63 billing waits for it", on the line from `first` to `second`.
QString lineText(const order::Leg& leg)
{
    const QString times = leg.count == 1 ? u"once"_s : u"%1 times"_s.arg(leg.count);
    return leg.waited > 0 ? u"%1, %2, waiting"_s.arg(leg.witness.who(), times)
                          : u"%1, %2"_s.arg(leg.witness.who(), times);
}

const QString muteText = u"&Mute"_s;
const QString unmuteText = u"Un&mute"_s;

void addWitnessFact(QStringList& lines, const QString& name, const QString& value)
{
    if (!value.isEmpty())
        lines << u"%1: %2"_s.arg(name, value);
}

/// Returns the facts of a session that took two locks in this order. Plain text.
QString witnessText(const order::Leg& leg)
{
    const order::Witness& witness = leg.witness;
    QStringList lines{u"%1, then %2"_s.arg(leg.first, leg.second), legText(leg), QString()};
    addWitnessFact(lines, u"Known by"_s, evidenceName(witness.evidence));
    addWitnessFact(lines, u"Seen"_s,
        leg.count == 1 ? u"once, %1"_s.arg(dateTimeText(witness.at))
                       : u"%1 times from %2 to %3"_s.arg(leg.count).arg(
                           dateTimeText(leg.seenFirst), dateTimeText(leg.seenLast)));
    addWitnessFact(
        lines, u"Modes"_s, u"%1, then %2"_s.arg(witness.first.mode.name(), witness.second.mode.name()));
    addWitnessFact(lines, u"User"_s, witness.user);
    addWitnessFact(lines, u"Program"_s, witness.program);
    addWitnessFact(lines, u"Host"_s, witness.host);
    addWitnessFact(lines, witness.evidence == order::Evidence::Waiting ? u"Statement"_s : u"Statement then"_s,
        witness.statement.trimmed());
    return lines.join(u'\n');
}

} // namespace

OrderPicture::OrderPicture(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(u"orderPicture"_s);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
}

void OrderPicture::show(const std::optional<order::PotentialDeadlock>& found)
{
    m_found = found;
    QStringList words;
    if (found)
        for (const order::Leg& leg : found->legs)
            words << legText(leg);
    setAccessibleName(found ? inOneLine(found->title()) : u"No order is selected"_s);
    setAccessibleDescription(inOneLine(words.join(u' ')));
    updateGeometry();
    update();
}

QSize OrderPicture::minimumSizeHint() const
{
    const int legs = m_found ? int(m_found->legs.size()) : 2;
    return {360, rowHeight() * (legs + 1) + 2 * pictureMargin};
}

void OrderPicture::paintEvent(QPaintEvent*)
{
    if (!m_found || m_found->legs.empty())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColors& colors = theme::colors(palette());
    const auto count = int(m_found->legs.size());
    const int height = rowHeight();
    const double column = double(width() - 2 * pictureMargin) / count;
    const auto boxOf = [&](int lock) {
        return QRectF(pictureMargin + lock * column + 6, pictureMargin, column - 12, height * 0.8);
    };
    for (int i = 0; i < count; ++i) {
        const QRectF box = boxOf(i);
        theme::paintBox(painter, box, radius, QPen(colors.border, 1.2), colors.card);
        painter.setPen(QPen(colors.border, 1, Qt::DotLine));
        painter.drawLine(QPointF(box.center().x(), box.bottom()),
            QPointF(box.center().x(), this->height() - pictureMargin));
        painter.setPen(palette().color(QPalette::WindowText));
        theme::paintText(painter, box.adjusted(6, 0, -6, 0), m_found->legs[std::size_t(i)].first,
            Qt::ElideMiddle, Qt::AlignCenter);
    }
    for (int i = 0; i < count; ++i) {
        const order::Leg& leg = m_found->legs[std::size_t(i)];
        const double y = pictureMargin + height * (i + 1.6);
        const QPointF from(boxOf(i).center().x(), y);
        const QPointF to(boxOf((i + 1) % count).center().x(), y);
        const QColor color = colors.series[std::size_t(i) % colors.series.size()];
        painter.setPen(QPen(color, 2, leg.waited > 0 ? Qt::DashLine : Qt::SolidLine));
        const double way = to.x() > from.x() ? 1 : -1;
        painter.drawLine(from, to - QPointF(way * arrowHead, 0));
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(from, 4, 4);
        painter.drawPolygon(QPolygonF{to, to + QPointF(-way * arrowHead, -arrowHead / 2),
            to + QPointF(-way * arrowHead, arrowHead / 2)});
        painter.setPen(palette().color(QPalette::WindowText));
        const QRectF space(std::min(from.x(), to.x()) + arrowHead, y - height * 0.75,
            std::abs(to.x() - from.x()) - 2 * arrowHead, height * 0.7);
        theme::paintText(painter, space, lineText(leg), Qt::ElideRight, Qt::AlignHCenter | Qt::AlignBottom);
    }
    theme::paintFocus(painter, *this);
}

/// One potential deadlock: what it means, drawn, and its witnesses side by side.
class OrderView : public QWidget {
public:
    OrderView()
        : m_meaning(named("orderMeaning", wrapped(new QLabel(this))))
        , m_picture(new OrderPicture)
        , m_row(withMargins(new QHBoxLayout, {}, 1))
    {
        setObjectName(u"orderView"_s);
        m_meaning->setContentsMargins(10, 6, 10, 0);
        addAll(*withoutMargins(new QVBoxLayout(this), 4), {m_meaning, m_picture, {m_row, 1}});
        show(std::nullopt);
    }

    void show(const std::optional<order::PotentialDeadlock>& found)
    {
        m_meaning->setText(found ? inLines(explanation(*found)) : QString());
        m_picture->show(found);
        const qsizetype count = found ? qsizetype(found->legs.size()) : 0;
        while (m_witnesses.size() < count) {
            auto* text = new QPlainTextEdit(this);
            text->setReadOnly(true);
            text->setFrameShape(QFrame::NoFrame);
            text->setTabChangesFocus(true);
            m_row->addWidget(text, 1);
            m_witnesses << text;
            text->setObjectName(u"witness%1"_s.arg(m_witnesses.size()));
            text->setAccessibleName(u"Witness %1"_s.arg(m_witnesses.size()));
        }
        for (qsizetype i = 0; i < m_witnesses.size(); ++i) {
            m_witnesses[i]->setVisible(i < count);
            const QString text = i < count ? inLines(witnessText(found->legs[std::size_t(i)])) : QString();
            if (m_witnesses[i]->toPlainText() != text) // or the cursor and what is selected would go
                m_witnesses[i]->setPlainText(text);
        }
    }

private:
    QLabel* m_meaning;
    OrderPicture* m_picture;
    QHBoxLayout* m_row;
    QList<QPlainTextEdit*> m_witnesses;
};

OrderPage::OrderPage(AppContext& context, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_model(new ReportModel(order::foundSection({})))
    , m_order(new OrderView)
    , m_showsAll(new QCheckBox(u"Muted and &guarded, too"_s))
    , m_followed(named("followedTransactions", faint(wrapped(new QLabel))))
{
    setUp(m_model);
    m_showsAll->setToolTip(
        u"Shows also those that were muted, and those that a common lock keeps from becoming a deadlock"_s);
    addControl(m_showsAll);
    m_mute = addActButton(muteText, u"Don't show this one any more, and don't let lockctl report it"_s);
    divideView(&view(), m_order);
    static_cast<QBoxLayout*>(layout())->insertWidget(1, m_followed);
    m_followed->setTextInteractionFlags(Qt::TextSelectableByMouse);
    connect(m_mute, &QPushButton::clicked, this, &OrderPage::toggleMuted);
    connect(m_showsAll, &QCheckBox::toggled, this, &OrderPage::showList);
    connect(&view(), &TableView::currentRowChanged, this, &OrderPage::showChosen);
    connect(&context, &AppContext::serverChanged, this, &OrderPage::forgetServer);
    showList();
}

void OrderPage::forgetServer()
{
    ++m_question; // what is answered later is of the former one
    m_asked.reset();
    m_recorded.reset();
    m_askedOf = nullptr;
    m_failure.reset();
    showState(nullptr);
    disconnect(m_watched);
    if (const watch::ServerWatch* watch = context().watch())
        m_watched = connect(watch, &watch::ServerWatch::orderChanged, this, [this] {
            if (isVisible() && !context().pastTime())
                showPresent();
        });
}

void OrderPage::showEvent(QShowEvent* event)
{
    TablePage::showEvent(event);
    // lockctl may have changed it
    m_files.ask(
        this, [](const std::stop_token&) { return order::mutedIds(); },
        [this](const Result<QSet<QString>>& ids) { takeMuted(ids); });
}

void OrderPage::takeMuted(const Result<QSet<QString>>& ids)
{
    if (!ids) {
        notice().say({.level = AgeLevel::Amber, .text = ids.error().what, .detail = ids.error().hint});
        return;
    }
    if (m_muted == *ids)
        return;
    m_muted = *ids;
    showList();
}

const order::PotentialDeadlock* OrderPage::chosen() const
{
    const int row = view().currentViewRow();
    return row < 0 ? nullptr : std::any_cast<order::PotentialDeadlock>(&m_model->rowAt(row).about);
}

void OrderPage::toggleMuted()
{
    const auto* chosen = this->chosen();
    if (!chosen)
        return;
    m_files.ask(
        this,
        [id = chosen->id, title = chosen->title(), isMuted = m_muted.contains(chosen->id)](
            const std::stop_token&) -> Result<QSet<QString>> {
            const auto done = isMuted ? order::unmute(id) : order::mute(id, title);
            return done ? order::mutedIds() : Failure(done.error());
        },
        [this](const Result<QSet<QString>>& ids) { takeMuted(ids); });
}

void OrderPage::showState(const order::OrderStatePtr& state)
{
    if (state == m_state)
        return;
    m_state = state;
    showList();
}

void OrderPage::showList()
{
    QList<order::PotentialDeadlock> found;
    if (m_state)
        found = m_state->found.all;
    if (!m_showsAll->isChecked())
        found.removeIf([this](const order::PotentialDeadlock& each) {
            return !each.gate.isEmpty() || m_muted.contains(each.id);
        });
    m_model->show(order::foundSection(found, m_muted));
    updateEmptyState();
    m_followed->setText(m_state ? order::transactionsText(*m_state) : QString());
    m_followed->setVisible(!m_followed->text().isEmpty());
    m_order->setVisible(!found.isEmpty());
    if (view().currentViewRow() < 0 && !found.isEmpty())
        view().selectRow(0);
    showChosen();
    Q_EMIT countTextChanged();
}

void OrderPage::showChosen()
{
    const auto* found = chosen();
    m_order->show(found ? std::optional(*found) : std::nullopt);
    updateActs();
}

void OrderPage::updateActs()
{
    if (!m_mute)
        return; // the constructor is not there yet
    const auto* found = chosen();
    m_mute->setText(found && m_muted.contains(found->id) ? unmuteText : muteText);
    setReason(m_mute, !found ? u"Select one first"_s : QString());
}

void OrderPage::showRows(const SnapshotPtr& snapshot)
{
    if (!snapshot) {
        forgetServer();
        return;
    }
    if (context().pastTime()) {
        askRecording();
        return;
    }
    showPresent();
}

void OrderPage::showPresent()
{
    if (std::exchange(m_failure, std::nullopt))
        notice().clear();
    showState(context().watch() ? context().watch()->order() : nullptr);
}

/// Makes one request at a time; the newest time follows when it is answered.
void OrderPage::askRecording()
{
    record::RecordingClient* const client = context().recording();
    if (!client || !context().pastTime() || !context().pastTime()->at.isValid()) {
        showState(nullptr);
        return;
    }
    if (client != m_askedOf) {
        m_recorded = std::make_shared<record::RecordedOrder>();
        ++m_question; // a client that is gone never answers
        m_asked.reset();
    }
    m_askedOf = client;
    const ServerTime at = context().pastTime()->at;
    if (m_asked)
        return;
    m_asked = at;
    client->ask(
        this,
        [order = m_recorded, at](
            record::RecordingReader& reader) { return order->read(reader, at - pastRead, at); },
        [this, at, question = ++m_question](const Result<order::OrderStatePtr>& state) {
            if (question != m_question)
                return;
            m_asked.reset();
            if (!context().pastTime())
                return; // back in the present: the next snapshot shows that
            m_failure = state ? std::nullopt : std::optional(state.error());
            if (m_failure)
                notice().say(BarNotice::of(*m_failure));
            else
                notice().clear();
            showState(state ? *state : nullptr);
            if (context().pastTime()->at != at)
                askRecording();
        });
}

/// An order that was seen stays true, however the monitor fares.
void OrderPage::showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge)
{
    if (!m_state)
        TablePage::showHealth(health, error, dataAge);
}

TablePage::EmptyText OrderPage::emptyText() const
{
    if (m_failure)
        return {u"The recording can't be read"_s, sentences({m_failure->what, m_failure->hint})};
    const bool isPast = context().pastTime().has_value();
    if (!m_state)
        return {isPast ? u"Reading the hour before that time…"_s : u"Nothing was polled yet"_s,
            u"Here come locks that sessions take in opposite orders."_s};
    const QString seen = u"%L1 polls%2, the order of %L3 pairs of locks."_s.arg(m_state->polls)
                             .arg(isPast ? u" of the hour before that time"_s : QString())
                             .arg(m_state->orders);
    const bool isHidden = !m_state->found.all.isEmpty();
    return {isHidden ? u"All are muted or guarded"_s : u"No locks were taken in opposite orders"_s,
        u"If one session takes orders and then stock, and another one stock and then orders, they may deadlock one day, though each went well by itself. Such pairs come here, with who was seen to do so. "_s
            + seen};
}

void OrderPage::fillRowMenu(QMenu& menu)
{
    addEntry(menu, *m_mute);
}

} // namespace lockscope::ui
