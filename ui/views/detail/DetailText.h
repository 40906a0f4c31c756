// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/FrameworkText.h"
#include "core/domain/Snapshot.h"
#include "core/domain/Thresholds.h"
#include "ui/views/page/Actions.h"

#include <QList>
#include <QString>

namespace lockscope::ui {

/// The text of the detail pane about one row: a value, so that it can be tested without a window.
struct DetailText {
    struct Line {
        QString label;
        QString value;
        SessionKey session; ///< a click on the value leads there; invalid = no link
        bool operator==(const Line&) const = default;
    };
    struct Section {
        QString heading;
        QList<Line> lines;
        /// Appends a line, unless its value is empty.
        void add(const QString& label, const QString& value, SessionKey link = {})
        {
            if (!value.isEmpty())
                lines.append({label, value, link});
        }
        bool operator==(const Section&) const = default;
    };
    struct Button {
        QString text; ///< with an ellipsis: a dialog follows
        Action action;
    };

    QString title;
    QString subtitle;
    AgeLevel level = AgeLevel::Normal;
    QString state; ///< the one-line diagnosis
    bool isGone = false; ///< its subject is not in the snapshot
    QString remedy; ///< "What resolves it"
    QString statement; ///< whole; monospaced
    QString statementNote; ///< why there is none
    /// A waiter has that of its head blocker beside it, a head blocker that of its longest waiter.
    QString otherHeading; ///< "Statement of 51, which blocks it"
    QString otherStatement;
    QList<Section> sections;
    QList<Button> buttons;
    SessionKey planOf; ///< the session whose plan may be requested; invalid: there is no button for it
    FrameworkMatchPtr framework; ///< of the lock; null: not known
    QString vendorCommand; ///< by which the framework itself frees it
    QString vendorNote; ///< the difference from ours
    QString helpPage; ///< of the framework, in the manual
    QString noPlan; ///< why there can be none at present; empty: ask the server

    QString toPlainText() const; ///< for Copy
};

/// Returns the text of the subject. It says so if the subject is not in `snapshot` any more.
DetailText detailOf(const DetailSubject& subject, const Snapshot& snapshot, const LockThresholds& thresholds);

/// A script for a person to see how PostgreSQL would plan the statement of another session. We don't run it:
/// to plan a statement the server may call functions in it, with the rights of the session that asks, and
/// unqualified names depend on that session's search_path, which no other session can see.
struct ExplainByHand {
    QString text; ///< for psql; empty if there is none
    QString reasonAgainst; ///< why
};
ExplainByHand explainByHand(const Session& session);

/// "Whose lock is this": what is done under it, when it ends, who holds it, what can go wrong when it is
/// freed. Also what `text` offers besides: the vendor's command and the page of the manual. Nothing without a
/// match.
void addFramework(DetailText& text, const Snapshot& snapshot, const LockTableEntry& entry);
void addFramework(DetailText& text, const Snapshot& snapshot, const FrameworkRole& role);
/// Sets title, state and what resolves it, of the row of a framework: the rules of its lease are the file's.
void addState(DetailText& text, const LockTableEntry& entry);

} // namespace lockscope::ui
