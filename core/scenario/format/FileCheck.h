// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/JsonText.h"
#include "core/scenario/format/ScenarioFile.h"

#include <limits>

namespace lockscope::scenario {

/// Takes the values of one file out of their nodes, and notes what is wrong with them. One file, one thread.
class FileCheck {
public:
    FileCheck(const QByteArray& text, QString file)
        : m_text(text)
        , m_file(std::move(file))
    {
    }

    void note(qsizetype offset, const QString& what, const QString& expected = {});
    void note(const JsonNode& node, const QString& what, const QString& expected = {})
    {
        note(node.offset, what, expected);
    }
    /// Sorted by place.
    FileFaults faults() &&;
    bool isFine() const { return m_faults.empty(); }

    /// An object with these keys and no others.
    bool isObject(const JsonNode& node, const QStringList& keys);
    /// Null and a fault if it is missing.
    const JsonNode* need(const JsonNode& object, const QString& key);

    QString text(const JsonNode& node); ///< not empty
    QString prose(const JsonNode& node); ///< a text, or lines of one
    QString word(const JsonNode& node, const QStringList& choices);
    bool flag(const JsonNode& node);
    qint64 number(const JsonNode& node, qint64 least, qint64 most);
    Amount amount(const JsonNode& node, qint64 least = 0, qint64 most = std::numeric_limits<int>::max());
    /// A name for values, locks and roles; also of tables and columns.
    QString name(const JsonNode& node);

    QString neededText(const JsonNode& object, const QString& key);
    QString optionalText(const JsonNode& object, const QString& key);
    QString neededName(const JsonNode& object, const QString& key);
    QString optionalName(const JsonNode& object, const QString& key, const QString& byDefault = {});
    bool optionalFlag(const JsonNode& object, const QString& key);
    qint64 optionalNumber(
        const JsonNode& object, const QString& key, qint64 byDefault, qint64 least, qint64 most);

    std::set<Engine> engines(const JsonNode& node);
    SqlByEngine sql(const JsonNode& node);
    ScriptByEngine script(const JsonNode& node);

private:
    /// One value for all engines, or an object with one for each.
    template <class Read> auto byEngine(const JsonNode& node, const Read& read);

    static constexpr std::size_t mostFaults = 50;

    const QByteArray& m_text;
    const QString m_file;
    FileFaults m_faults;
};

} // namespace lockscope::scenario
