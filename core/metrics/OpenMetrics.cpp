// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/metrics/OpenMetrics.h"

#include "core/base/ShownText.h"

#include <QJsonArray>

#include <charconv>
#include <cmath>

namespace lockscope::metrics {

using namespace Qt::StringLiterals;

namespace {

QByteArray numberText(double number)
{
    if (std::isnan(number))
        return "NaN"_qba;
    if (std::isinf(number))
        return number > 0 ? "+Inf"_qba : "-Inf"_qba;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    return {digits.data(), end.ptr - digits.data()};
}

/// Bounds are labels: readers compare their texts, and "1.0" is the one that all agree on.
QByteArray boundText(double bound)
{
    const QByteArray text = numberText(bound);
    return std::isinf(bound) || text.contains('.') || text.contains('e') ? text : text + ".0";
}

QByteArray escaped(QByteArray text, bool quotes)
{
    text.replace('\\', "\\\\").replace('\n', "\\n");
    return quotes ? text.replace('"', "\\\"") : text;
}

QByteArray labelsText(const Labels& labels, const std::optional<QByteArray>& bound = {})
{
    QByteArrayList parts;
    for (const auto& [name, value] : labels)
        parts << name + "=\"" + escaped(inOneLine(value).toUtf8(), true) + '"';
    if (bound)
        parts << "le=\"" + *bound + '"';
    return parts.isEmpty() ? QByteArray() : '{' + parts.join(',') + '}';
}

/// Writes one family: the lines about it, and its samples.
class FamilyText {
public:
    FamilyText(const MetricFamily& family, Format format)
        : m_family(family)
        , m_format(format)
    {
    }

    QByteArray text()
    {
        describe(isOpen() ? m_family.name : m_family.name + suffix(), typeName());
        for (const Sample& sample : m_family.samples) {
            if (m_family.type == MetricType::GaugeHistogram)
                addHistogram(sample);
            else
                addLine(suffix(), labelsText(sample.labels), sample.value, sample.exemplar);
        }
        return m_text;
    }

private:
    bool isOpen() const { return m_format == Format::OpenMetrics; }

    QByteArray suffix() const
    {
        switch (m_family.type) {
        case MetricType::Counter:
            return "_total"_qba;
        case MetricType::Info:
            return "_info"_qba;
        case MetricType::Gauge:
        case MetricType::GaugeHistogram:
            break;
        }
        return {};
    }

    QByteArray typeName() const
    {
        switch (m_family.type) {
        case MetricType::Counter:
            return "counter"_qba;
        case MetricType::Info:
            return isOpen() ? "info"_qba : "gauge"_qba;
        case MetricType::GaugeHistogram:
            return isOpen() ? "gaugehistogram"_qba : "histogram"_qba; // the one that the older format has
        case MetricType::Gauge:
            break;
        }
        return "gauge"_qba;
    }

    void describe(const QByteArray& name, const QByteArray& type)
    {
        m_text += "# TYPE " + name + ' ' + type + '\n';
        if (isOpen() && !m_family.unit.isEmpty())
            m_text += "# UNIT " + name + ' ' + m_family.unit + '\n';
        m_text += "# HELP " + name + ' ' + escaped(m_family.help.toUtf8(), isOpen()) + '\n';
    }

    void addLine(const QByteArray& end, const QByteArray& labels, double value,
        const std::optional<Exemplar>& exemplar = {})
    {
        m_text += m_family.name + end + labels + ' ' + numberText(value);
        if (exemplar && isOpen()) {
            m_text += " # " + labelsText(exemplar->labels) + ' ' + numberText(exemplar->value);
            if (exemplar->at.isValid())
                m_text += ' ' + numberText(double(exemplar->at.us) / 1e6);
        }
        m_text += '\n';
    }

    void addHistogram(const Sample& sample)
    {
        for (const auto& [bound, count] : sample.buckets)
            addLine("_bucket"_qba, labelsText(sample.labels, boundText(bound)), count);
        const double count = sample.buckets.empty() ? 0 : sample.buckets.back().second;
        addLine(isOpen() ? "_gcount"_qba : "_count"_qba, labelsText(sample.labels), count);
        addLine(isOpen() ? "_gsum"_qba : "_sum"_qba, labelsText(sample.labels), sample.value);
    }

    const MetricFamily& m_family;
    const Format m_format;
    QByteArray m_text;
};

} // namespace

QByteArray written(const std::vector<MetricFamily>& families, Format format)
{
    QByteArray text;
    for (const MetricFamily& family : families)
        if (!family.samples.empty())
            text += FamilyText(family, format).text();
    return format == Format::OpenMetrics ? text + "# EOF\n" : text;
}

QJsonObject toJson(const std::vector<MetricFamily>& families)
{
    QJsonArray all;
    for (const MetricFamily& family : families) {
        if (family.samples.empty())
            continue;
        QJsonArray samples;
        for (const Sample& sample : family.samples) {
            QJsonObject labels;
            for (const auto& [name, value] : sample.labels)
                labels.insert(QString::fromLatin1(name), value);
            QJsonObject json{{u"labels"_s, labels}, {u"value"_s, sample.value}};
            QJsonArray buckets;
            for (const auto& [bound, count] : sample.buckets)
                buckets.append(QJsonArray{std::isinf(bound) ? QJsonValue() : QJsonValue(bound), count});
            if (!buckets.isEmpty())
                json.insert(u"buckets"_s, buckets);
            samples.append(json);
        }
        all.append(QJsonObject{{u"name"_s, QString::fromLatin1(family.name)}, {u"help"_s, family.help},
            {u"samples"_s, samples}});
    }
    return {{u"families"_s, all}};
}

QByteArray contentType(Format format)
{
    return format == Format::OpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"_qba
                                         : "text/plain; version=0.0.4; charset=utf-8"_qba;
}

Format formatFor(const QByteArray& accept)
{
    double open = 0;
    std::optional<double> text;
    for (const QByteArray& range : accept.toLower().split(',')) {
        const QByteArrayList parts = range.split(';');
        const QByteArray type = parts.front().trimmed();
        double weight = 1;
        for (const QByteArray& part : parts.sliced(1))
            if (const QByteArray parameter = part.trimmed(); parameter.startsWith("q="))
                weight = parameter.sliced(2).trimmed().toDouble(); // 0 if it is no number
        if (type == contentType(Format::OpenMetrics).split(';').front())
            open = std::max(open, weight);
        else if (type == contentType(Format::Text).split(';').front())
            text = std::max(text.value_or(0), weight);
    }
    return open > 0 && open >= text.value_or(0) ? Format::OpenMetrics : Format::Text;
}

} // namespace lockscope::metrics
