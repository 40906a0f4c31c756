// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Database.h"
#include "core/record/Texts.h"

#include <QHash>

namespace lockscope::record {

/// The texts of a recording, read as they are needed and kept up to a limit. Thread-bound like the database.
class StoredTexts final : public TextSource {
public:
    explicit StoredTexts(Database& database)
        : m_database(database)
    {
    }
    std::optional<QString> text(quint64 number) override
    {
        const auto known = m_known.constFind(number);
        if (known != m_known.cend())
            return *known;
        std::optional<QString> found;
        const auto read = m_database.run(
            "recording/recording/text", {static_cast<qint64>(number)}, [&found](const Database::Row& row) {
                found = row.text(0);
                return true;
            });
        if (!read)
            return std::nullopt;
        if (m_known.size() >= mostKnown || m_characters >= mostCharacters) {
            m_known.clear();
            m_characters = 0;
        }
        if (found) {
            m_known.insert(number, *found);
            m_characters += found->size();
        }
        return found;
    }

private:
    static constexpr qsizetype mostKnown = 200'000;
    static constexpr qsizetype mostCharacters = 64 * 1024 * 1024;
    Database& m_database;
    qsizetype m_characters = 0;
    QHash<quint64, QString> m_known;
};

} // namespace lockscope::record
