// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/domain/LockMode.h"

#include <QHash>
#include <QStringList>

#include <functional>
#include <vector>

namespace lockscope::db {
class Dialect;
}

namespace lockscope::scenario {

/// The values that a session of a scenario knows by name: parameters, and values that its steps have read or
/// drawn.
using Values = QHash<QString, db::Param>;

/// A statement of a scenario file with places: ":name" is a bound value, "{name}" an identifier, which is
/// checked and quoted. Both are left alone in texts, quoted names, comments and dollar quotes; "::" is a
/// cast.
class SqlTemplate {
public:
    SqlTemplate() = default;
    explicit SqlTemplate(const QString& text);

    const QString& text() const { return m_text; }
    QStringList valueNames() const; ///< in the order of the text, each place
    QStringList identifierNames() const;

    /// The statement for one engine, and the names of the values to bind, in their order.
    struct Filled {
        db::Statement statement;
        QStringList values;
    };
    /// `title` names the statement in error messages. `identifiers`: quoted already.
    Filled filled(
        Engine engine, const QString& title, const std::function<QString(const QString&)>& identifiers) const;
    /// Returns it for people: values and identifiers in their places; an unknown value stays ":name".
    QString shown(const Values& values, const std::function<QString(const QString&)>& identifiers) const;

private:
    struct Piece {
        enum class Kind { Plain, Value, Identifier };
        Kind kind = Kind::Plain;
        QString text;
    };
    void add(Piece::Kind kind, const QString& text);
    QStringList namesOf(Piece::Kind kind) const;

    QString m_text;
    std::vector<Piece> m_pieces;
};

/// Returns the values to bind to a filled statement; unknown names are NULL.
std::vector<db::Param> paramsOf(const SqlTemplate::Filled& filled, const Values& values);

/// A name put together from values, "customer/:customer"; "::" is a colon.
class NameTemplate {
public:
    NameTemplate() = default;
    explicit NameTemplate(const QString& text);

    const QString& text() const { return m_text; }
    const QStringList& valueNames() const { return m_values; }
    bool isFixed() const { return m_values.isEmpty(); }
    QString filled(const Values& values) const;
    /// The same for people: a value that nobody knows yet stays ":name".
    QString shown(const Values& values) const;

private:
    QString m_text;
    QStringList m_plain; ///< one more than values: before, between and after them
    QStringList m_values;
};

/// Returns the value as in a statement: a text is quoted.
QString literalOf(const db::Param& value);
/// Returns the value as people would write it.
QString textOf(const db::Param& value);
/// Returns the value of a column's text: a number if it is one.
db::Param valueOf(const QString& text);
/// [A-Za-z_][A-Za-z0-9_]*, at most 63 characters: every engine can keep it, nothing has to be escaped.
bool isPlainIdentifier(QStringView text);

} // namespace lockscope::scenario
