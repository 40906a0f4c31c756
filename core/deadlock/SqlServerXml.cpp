// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/LinePrefix.h"
#include "core/deadlock/SqlServerReport.h"

#include <algorithm>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// The values that an event carries beside the report: `<data name="…"><value>`, `<action …>`.
QString eventValue(const XmlElement& event, QStringView name)
{
    for (const XmlElement& each : event.children)
        if ((each.is(u"data") || each.is(u"action")) && each.attribute(u"name") == name)
            if (const XmlElement* value = each.child(u"value"))
                return value->text.trimmed();
    return {};
}

class XmlReportReader {
public:
    XmlReportReader(const QString& text, const QString& place)
        : m_text(text)
        , m_place(place)
    {
    }

    QList<ReportPtr> run()
    {
        readLenientXml(m_text, {u"event"_s, u"deadlock"_s, u"blocked-process-report"_s},
            [this](const XmlElement& element, const QStringList& mended) {
                m_mended = mended;
                m_whole = &element;
                // One text for all reports that stand in it.
                m_raw = m_text.mid(element.begin, std::min(element.end - element.begin, maxRawCharacters));
                m_event = element.is(u"event") ? &element : nullptr;
                addReportsIn(element);
            });
        return m_reports;
    }

private:
    void addReportsIn(const XmlElement& element)
    {
        if (element.is(u"deadlock"))
            add(readDeadlockElement(element));
        else if (element.is(u"blocked-process-report"))
            add(readBlockedElement(element));
        else if (element.text.contains(u"<deadlock"_s) || element.text.contains(u"<blocked-process-report"_s))
            readText(element.text); // as text: old versions, CDATA
        else
            for (const XmlElement& child : element.children)
                addReportsIn(child);
    }

    void readText(const QString& inner)
    {
        readLenientXml(inner, {u"deadlock"_s, u"blocked-process-report"_s},
            [this](const XmlElement& element, const QStringList& mended) {
                for (const QString& each : mended)
                    if (!m_mended.contains(each))
                        m_mended << each;
                if (element.is(u"deadlock"))
                    add(readDeadlockElement(element));
                else
                    add(readBlockedElement(element));
            });
    }

    void add(DeadlockReport report)
    {
        report.complaints = m_mended + report.complaints;
        report.source.place = m_place;
        report.source.format = m_event ? SourceFormat::EventXml : SourceFormat::DeadlockXml;
        report.source.position = lineOf(m_whole->begin);
        report.raw = m_raw;
        if (m_whole->end - m_whole->begin > maxRawCharacters)
            report.complaints << u"The report's own text is longer than is kept; it is cut."_s;
        if (m_event)
            takeEvent(report);
        if (!report.time.at && report.time.sourceText.isEmpty())
            guessTime(report);
        nameEvent(report);
        m_reports << std::make_shared<const DeadlockReport>(std::move(report));
    }

    void takeEvent(DeadlockReport& report) const
    {
        report.time = readTime(m_event->attribute(u"timestamp"), true);
        // After the clock was set back some events carry times far from now.
        constexpr qint64 oneDay = 86'400'000'000;
        constexpr qint64 year2200 = 7'258'118'400'000'000;
        if (report.time.at && (report.time.at->us > year2200 || report.time.at->us < oneDay))
            report.time.at.reset();
        if (!report.time.at)
            report.complaints << u"The event's time can't be right: %1."_s.arg(report.time.sourceText);
        if (m_place.isEmpty())
            report.source.place = eventValue(*m_event, u"server_name");
        const QString database = eventValue(*m_event, u"database_name");
        for (Participant& one : report.participants)
            if (one.database.isEmpty())
                one.database = database;
    }

    /// Called with places that only grow.
    qint64 lineOf(qsizetype place)
    {
        if (place < m_counted)
            return m_line;
        m_line += countLines(QStringView(m_text).mid(m_counted, place - m_counted));
        m_counted = place;
        return m_line;
    }

    const QString& m_text;
    const QString& m_place;
    QList<ReportPtr> m_reports;
    QStringList m_mended;
    QString m_raw;
    const XmlElement* m_whole = nullptr; ///< the part of the report in m_text
    const XmlElement* m_event = nullptr; ///< the same, if it is an event
    qsizetype m_counted = 0;
    qint64 m_line = 1;
};

} // namespace

QList<ReportPtr> readSqlServerXml(const QString& text, const QString& place)
{
    return XmlReportReader(text, place).run();
}

} // namespace lockscope::deadlock
