// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Session.h"

#include <QRegularExpression>
#include <QString>

#include <optional>

namespace lockscope {

/// One text for each machine: "::ffff:10.0.0.5" is "10.0.0.5", "fe80::1%eth0" is "fe80::1", "Web-3" is
/// "web-3".
QString plainAddress(const QString& address);
/// Returns whether each machine calls itself so: "localhost", "127.0.0.2", "<local machine>". An address is
/// to be plain.
bool isOwnName(const QString& plain);

/// The parts of the text in which a row names its holder.
struct HolderParts {
    QString host; ///< a name
    QString address;
    QString owner;
    QString program;
    qint64 processId = 0; ///< 0: unknown
    SessionId session{}; ///< of the server; invalid: unknown
    std::optional<ServerTime> since;

    bool operator==(const HolderParts&) const = default;
};

/// FrameworkRow::holderPattern, compiled once. One thread.
class HolderPattern {
public:
    /// Without a pattern, or with one that is none, nothing can be taken apart.
    explicit HolderPattern(const QString& pattern = {});
    HolderParts partsOf(const QString& text) const;

private:
    QRegularExpression m_whole;
    bool m_isUsable = false;
};

/// The machine that a holder runs on, as its row names it: by name, by address or by both.
class HolderPlace {
public:
    enum class Match : quint8 {
        Other, ///< the session comes from another machine
        Unclear, ///< from this one perhaps: a name can't be compared with an address, machines have several
        Same,
    };

    explicit HolderPlace(const HolderParts& holder);
    bool isKnown() const { return !m_host.isEmpty() || !m_address.isEmpty(); }
    QString name() const { return m_host.isEmpty() ? m_address : m_host; }
    /// Compares by name and by address, as far as both sides have them: where one agrees and the other
    /// doesn't, it is Unclear.
    Match compare(const Session& session) const;

private:
    QString m_host;
    QString m_address;
};

} // namespace lockscope
