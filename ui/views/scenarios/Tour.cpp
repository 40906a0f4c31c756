// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/Tour.h"

#include "core/base/PlainFile.h"
#include "core/scenario/run/Interleaving.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

std::optional<TourStop::Act> actFrom(const QString& word)
{
    if (word.isEmpty())
        return TourStop::Act::None;
    if (word == u"run"_s)
        return TourStop::Act::Run;
    if (word == u"compare"_s)
        return TourStop::Act::Compare;
    if (word == u"steps"_s)
        return TourStop::Act::Steps;
    return std::nullopt;
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

} // namespace lockscope::ui
