// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/Reply.h"

#include <QRegularExpression>

namespace lockscope::test::tds {

/// Maps statements to answers. A later registration of the same text replaces an earlier one.
class AnswerTable {
public:
    void add(const QString& text, Handler handler);
    /// Answers a text of schema/ with its {name}s: each stands for any text, which the handler gets.
    void addWithPlaces(const QString& text, Handler handler);
    void addPattern(const QRegularExpression& whole, Handler handler);
    /// A text of schema/ whose last place is another statement: that one is answered, unless the guard says
    /// why not.
    using Guard = std::function<std::optional<ServerMessage>(const Request&)>;
    void addGuarded(const QString& text, Guard guard);

    /// The handler for `request.text`, whose places are put into `request`; null if nobody knows it.
    const Handler* find(Request& request) const;

private:
    struct Pattern {
        QRegularExpression whole;
        Handler handler;
    };
    QHash<QString, Handler> m_texts;
    std::vector<Pattern> m_patterns; // the last one first
    std::vector<std::pair<QRegularExpression, Guard>> m_guarded;
    mutable Handler m_refusal; ///< of the guard that was asked last
};

/// Answers the statements that drivers send by themselves: session settings, USE, transactions.
void addDriverAnswers(AnswerTable& answers);

} // namespace lockscope::test::tds
