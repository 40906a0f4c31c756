// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Framework.h"
#include "core/frameworks/FrameworkFile.h"

#include <QByteArrayView>
#include <QString>

#include <optional>

namespace lockscope::frameworks {

/// The values of the places in a text that is hashed.
struct KeyNames {
    QString database;
    QString schema;
    QString table;
    QString name;
    quint32 tableId = 0; ///< for the formula "table id"

    bool operator==(const KeyNames&) const = default;
};

/// The number that a formula gives; one that can be any number gives none.
std::optional<qint64> computeKey(const KeyFormula& formula, const KeyNames& names);
/// The table that a key of the formula "table id" stands for: nothing if it can't be undone.
std::optional<quint32> tableIdOf(const KeyFormula& formula, qint64 key);

/// `text` with the names in place of {database}, {schema}, {table} and {name}.
QString filledIn(const QString& text, const KeyNames& names);

/// Java's String.hashCode.
qint32 javaHash(QStringView text);
quint32 crc32Ieee(QByteArrayView bytes);
/// Fowler, Noll and Vo's first, of 32 bits: multiplied before the byte comes in.
quint32 fnv1(QByteArrayView bytes);
/// PostgreSQL's hashtext, of a little-endian machine: hash_bytes in its hashfn.c, which is Jenkins' lookup3
/// with other beginnings.
qint32 pgHashText(QByteArrayView bytes);

/// The name in a pair of keys of the form ascii7: up to nine characters of seven bits each, then one bit 0,
/// and 1 to the end. Nothing if it is none of printable characters.
std::optional<QString> fromAscii7(quint64 key);

/// Reads "keys" and "resources": by what session locks are recognised. One lock, one thread.
class KeyReader {
public:
    explicit KeyReader(FrameworkCheck& check)
        : m_check(check)
    {
    }

    std::vector<AdvisoryKeyRule> keys(const JsonNode& node);
    std::vector<ApplicationLockRule> resources(const JsonNode& node);
    std::vector<HolderKey> holderKeys(const JsonNode& node);
    /// Returns the place of "{table}" in a text that is hashed; null: nowhere.
    const JsonNode* usesTable() const { return m_usesTable; }

private:
    AdvisoryKeyRule key(const JsonNode& node);
    ApplicationLockRule resource(const JsonNode& node);
    KeyFormula part(const JsonNode& node, int bits);
    KeyFormula formula(const JsonNode& node);
    void readDigest(const JsonNode& node, KeyFormula& formula);
    QString hashedText(const JsonNode& node);

    FrameworkCheck& m_check;
    const JsonNode* m_usesTable = nullptr;
};

} // namespace lockscope::frameworks
