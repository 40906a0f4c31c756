// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Store.h"
#include "core/record/Texts.h"

#include <QHash>

namespace lockscope::record {

/// The texts of a recording, read as they are needed and kept up to a limit. Thread-bound like the store.
class StoredTexts final : public TextSource {
public:
    explicit StoredTexts(Store& store)
        : m_store(store)
    {
    }
    std::optional<QString> text(quint64 number) override
    {
        const auto known = m_known.constFind(number);
        if (known != m_known.cend())
            return *known;
        if (m_known.size() >= mostKnown || m_characters >= mostCharacters) {
            m_known.clear();
            m_characters = 0;
        }
        const qint64 many = m_store.textsAtOnce();
        const qint64 first = static_cast<qint64>(number) / many * many; // neighbours came up together
        const auto read = m_store.run(
            "recording/recording/texts_between", {first, first + many - 1}, [this](const Store::Row& row) {
                const QString text = row.isNull(1) ? QString::fromUtf8(row.bytes(2)) : row.text(1);
                m_known.insert(static_cast<quint64>(row.number(0)), text);
                m_characters += text.size();
                return true;
            });
        const auto found = m_known.constFind(number);
        return read && found != m_known.cend() ? std::optional(*found) : std::nullopt;
    }

private:
    static constexpr qsizetype mostKnown = 200'000;
    static constexpr qsizetype mostCharacters = 64 * 1024 * 1024;
    Store& m_store;
    qsizetype m_characters = 0;
    QHash<quint64, QString> m_known;
};

} // namespace lockscope::record
