// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace lockscope::metrics {

enum class MetricType : quint8 {
    Gauge,
    Counter,
    Info, ///< facts as labels
    GaugeHistogram, ///< how many are in which bucket at present
};

using Labels = std::vector<std::pair<QByteArray, QString>>;

/// Names what a counter was last raised by, such as an incident.
struct Exemplar {
    Labels labels; ///< names and values have 128 characters together at most
    double value = 1;
    ServerTime at;
};

struct Sample {
    Labels labels;
    double value = 0; ///< of a GaugeHistogram the sum of all values
    /// A GaugeHistogram has the upper bound of each bucket, ascending, and how many are not above it. The
    /// last one is infinite.
    std::vector<std::pair<double, double>> buckets{};
    std::optional<Exemplar> exemplar{};
};

/// All samples of one name.
struct MetricFamily {
    QByteArray name; ///< with its unit, without "_total" and the like
    MetricType type = MetricType::Gauge;
    QByteArray unit; ///< "seconds": the last word of the name; empty: none
    QString help;
    std::vector<Sample> samples{};
};

enum class Format : quint8 {
    OpenMetrics, ///< 1.0
    Text, ///< Prometheus' text format 0.0.4, which the node exporter reads from files
};

/// Returns what Prometheus and others read. A family without samples is left out. Labels with the same values
/// must not come twice in a family. Any thread.
QByteArray written(const std::vector<MetricFamily>& families, Format format);

/// The same as JSON: {"families": […]}, of a histogram its sum and its buckets.
QJsonObject toJson(const std::vector<MetricFamily>& families);

QByteArray contentType(Format format);
/// Returns what a reader that sends this Accept header understands: OpenMetrics only if it names it.
Format formatFor(const QByteArray& accept);

/// Says where metrics are asked for, and by whom. A value.
struct ListenSettings {
    QString address = QStringLiteral("127.0.0.1"); ///< of this machine, IPv4 or IPv6
    quint16 port = 9'977; ///< 0: any that is free
    QString certificate{}; ///< a file (PEM); empty: no TLS
    QString key{}; ///< the same
    QString user{}; ///< empty: everybody may ask
    QString password{}; ///< alert::readSecret(): "env:NAME", "file:/path"

    /// Returns true if it names what may change or be wrong outside of the settings.
    bool hasFiles() const { return !certificate.isEmpty() || !password.isEmpty(); }
    bool operator==(const ListenSettings&) const = default;
};

/// BadInput: others than this machine could ask without a password, or hear it without TLS.
Result<void> checkListening(const ListenSettings& settings);

/// Answers GET /metrics by HTTP or HTTPS, and nothing else, on a thread of its own. Readers that are slow,
/// many or not allowed delay nobody.
class MetricsServer {
public:
    using Source = std::function<QByteArray(Format)>;

    /// `source` gives the text, on the server's thread. Blocks on the disk. An error names what is wrong: the
    /// settings, the port, the certificate, the password.
    static Result<std::unique_ptr<MetricsServer>> start(const ListenSettings& settings, Source source);
    ~MetricsServer();
    Q_DISABLE_COPY_MOVE(MetricsServer)

    QString url() const; ///< "http://127.0.0.1:9977/metrics"

private:
    struct Daemon;
    explicit MetricsServer(std::unique_ptr<Daemon> daemon);
    std::unique_ptr<Daemon> m_daemon;
};

} // namespace lockscope::metrics
