// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/metrics/OpenMetrics.h"

#include <functional>
#include <memory>

namespace lockscope::metrics {

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
