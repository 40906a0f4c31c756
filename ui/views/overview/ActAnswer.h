// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Session.h"
#include "ui/views/page/ActAdvice.h"

#include <QObject>

#include <chrono>
#include <optional>

namespace lockscope::ui {

class AppContext;

/// "Can I end this session?", asked of the server when another session is meant, and again after a while: the
/// right may have been granted meanwhile. After a refused login there is no further try from here. One
/// request at a time. GUI thread; never waits.
class ActAnswer : public QObject {
    Q_OBJECT

public:
    explicit ActAnswer(AppContext& context, QObject* parent = nullptr);

    /// Asks if nothing is known about that session, or not lately; nothing where acts are refused anyway.
    void askFor(const Session& session);
    /// Returns what is known about it; its text is empty while nothing is.
    ActAdvice adviceFor(const Session& session) const;

Q_SIGNALS:
    void changed();

private:
    void forget();
    bool isRefused() const;

    AppContext& m_context;
    std::optional<SessionKey> m_about;
    std::optional<Result<admin::ActRights>> m_rights;
    std::chrono::steady_clock::time_point m_askedAt;
    quint64 m_asked = 0; ///< the questions so far: an answer to an earlier one is dropped
    bool m_isAsking = false;
};

} // namespace lockscope::ui
