// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/TourPanel.h"

#include "core/base/EnumTable.h"
#include "core/base/PlainFile.h"
#include "core/scenario/run/Interleaving.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::optional<TourStop::Act> actFrom(const QString& word)
{
    return enumeratorNamed<TourStop::Act>(word, [](TourStop::Act act) {
        static constexpr EnumTable<TourStop::Act> words({u"", u"run", u"compare", u"steps"});
        return words[act].toString();
    });
}

/// Returns what the stop lacks; empty if nothing.
QString faultOf(const TourStop& stop)
{
    if (stop.title.isEmpty() || stop.text.isEmpty())
        return u"it needs a title and a text"_s;
    if (stop.act == TourStop::Act::None)
        return {};
    if (stop.button.isEmpty() || stop.textWhenDone.isEmpty())
        return u"what is done needs a button, and something to look at"_s;
    if (stop.scenario.isEmpty())
        return u"it needs a scenario"_s;
    return stop.act == TourStop::Act::Run && stop.variant.isEmpty() ? u"a run needs a variant"_s : QString();
}

Result<TourStop> readStop(const QJsonObject& json, qsizetype number)
{
    const auto fault = [number](const QString& what) {
        return failure(ErrorKind::BadInput, u"Stop %1 of the tour: %2."_s.arg(number).arg(what));
    };
    TourStop stop;
    stop.title = json[u"title"_s].toString();
    stop.text = json[u"text"_s].toString();
    stop.textWhenDone = json[u"look"_s].toString();
    stop.button = json[u"button"_s].toString();
    const auto act = actFrom(json[u"act"_s].toString());
    if (!act)
        return fault(u"\"%1\" can't be done"_s.arg(json[u"act"_s].toString()));
    stop.act = *act;
    stop.scenario = json[u"scenario"_s].toString();
    stop.variant = json[u"variant"_s].toString();
    stop.seconds = json[u"seconds"_s].toDouble(stop.seconds);
    stop.steps = json[u"steps"_s].toString();
    if (stop.act == TourStop::Act::Steps) {
        const auto steps = scenario::interleavingFromText(stop.steps);
        if (!steps)
            return Failure(steps.error());
        stop.scenario = steps->scenario;
    }
    if (const QString what = faultOf(stop); !what.isEmpty())
        return fault(what);
    return stop;
}

} // namespace

Result<Tour> readTour(const QByteArray& json)
{
    QJsonParseError parsed;
    const QJsonObject root = QJsonDocument::fromJson(json, &parsed).object();
    if (parsed.error != QJsonParseError::NoError)
        return failure(ErrorKind::BadInput, u"The tour can't be read: %1."_s.arg(parsed.errorString()));
    Tour tour;
    tour.title = root[u"title"_s].toString();
    const QJsonArray stops = root[u"stops"_s].toArray();
    for (qsizetype i = 0; i < stops.size(); ++i) {
        auto stop = readStop(stops[i].toObject(), i + 1);
        if (!stop)
            return Failure(stop.error());
        tour.stops.push_back(std::move(*stop));
    }
    if (tour.title.isEmpty() || tour.stops.empty())
        return failure(ErrorKind::BadInput, u"The tour needs a title and stops."_s);
    return tour;
}

const Tour& theTour()
{
    static const Tour tour = [] {
        auto read = readTour(builtInFile(u"/resources/tour/tour.json"_s));
        if (!read)
            qFatal("%s", qPrintable(read.error().toString()));
        return *read;
    }();
    return tour;
}

TourPanel::TourPanel(QWidget* parent)
    : QFrame(parent)
    , m_where(named("tourWhere", faint(wrapped(new QLabel(this)))))
    , m_title(named("tourTitle", demiBold(1.25, wrapped(new QLabel(this)))))
    , m_text(sentenceLabel("tourText", this))
    , m_act(named("tourAct", demiBold(1.0, pushButton(this))))
    , m_back(named("tourBack", pushButton(u"&Back"_s, this)))
    , m_next(named("tourNext", pushButton(u"Ne&xt"_s, this)))
    , m_end(named("tourEnd", pushButton(u"End &tour"_s, this)))
{
    setObjectName(QStringLiteral("tour"));
    setChapter(*this, QStringLiteral("tour.md"));
    m_text->setFont(theme::scaled(1.05));
    QHBoxLayout* buttons = withSpacing(rowOf({m_act, stretch(1)}), 8);
    for (QPushButton* each : {m_back, m_next, m_end})
        buttons->addWidget(each);
    addAll(*withMargins(new QVBoxLayout(this), {14, 10, 14, 10}, 5), {m_where, m_title, m_text, buttons});
    connect(m_act, &QPushButton::clicked, this, [this] { Q_EMIT actRequested(stop()); });
    connect(m_back, &QPushButton::clicked, this, [this] { go(m_at - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { go(m_at + 1); });
    connect(m_end, &QPushButton::clicked, this, &TourPanel::end);
    hide();
}

void TourPanel::begin()
{
    m_isOn = true;
    m_isBusy = false;
    show();
    go(0);
    m_act->setFocus();
}

void TourPanel::end()
{
    if (!std::exchange(m_isOn, false))
        return;
    hide();
    Q_EMIT ended();
}

void TourPanel::go(std::size_t to)
{
    m_at = std::min(to, theTour().stops.size() - 1);
    m_isDone = false;
    update();
    Q_EMIT stopChanged();
}

void TourPanel::setReasonAgainst(const QString& reason)
{
    m_reasonAgainst = reason;
    update();
}

void TourPanel::setBusy()
{
    m_isBusy = true;
    update();
}

void TourPanel::setDone(bool isFine)
{
    if (!m_isOn || !std::exchange(m_isBusy, false))
        return;
    m_isDone = isFine;
    update();
    if (isFine)
        m_next->setFocus();
}

void TourPanel::update()
{
    const Tour& tour = theTour();
    const bool isLast = m_at + 1 == tour.stops.size();
    m_where->setText(u"%1  ·  %2 of %3"_s.arg(tour.title).arg(m_at + 1).arg(tour.stops.size()));
    m_title->setText(stop().title);
    QString text = m_isDone ? stop().textWhenDone : stop().text;
    if (stop().act != TourStop::Act::None && !m_reasonAgainst.isEmpty())
        text += QLatin1Char('\n') + m_reasonAgainst;
    m_text->setText(text);
    m_act->setText(m_isDone ? u"&Again"_s : stop().button);
    m_act->setVisible(stop().act != TourStop::Act::None);
    m_act->setEnabled(m_reasonAgainst.isEmpty() && !m_isBusy);
    m_back->setEnabled(m_at > 0 && !m_isBusy);
    m_next->setEnabled(!isLast && !m_isBusy);
    m_next->setVisible(!isLast);
    fitText();
    QFrame::update();
}

/// Keeps the whole text in sight where the page is short: other parts give way.
void TourPanel::fitText()
{
    m_text->setMinimumHeight(std::max(0, m_text->heightForWidth(m_text->width())));
}

void TourPanel::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    fitText();
}

void TourPanel::paintEvent(QPaintEvent*)
{
    const ThemeColors& colors = theme::colors(palette());
    theme::paintCard(*this, colors.accent, colors.infoFill);
}

} // namespace lockscope::ui
