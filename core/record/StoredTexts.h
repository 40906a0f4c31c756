// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/record/Damage.h"
#include "core/record/FrameCodec.h"
#include "core/record/Store.h"

#include <QHash>

#include <optional>
#include <utility>

namespace lockscope::record {

/// The texts of a recording, read as they are needed and kept up to a limit. Thread-bound like the store.
class StoredTexts final : public TextSource {
public:
    explicit StoredTexts(Store& store)
        : m_store(store)
    {
    }
    /// Returns nothing, too, if its checksum is another one.
    std::optional<QString> text(quint64 number) override
    {
        const auto known = m_known.constFind(number);
        if (known != m_known.cend())
            return *known;
        return readText(number);
    }
    /// Returns why a text could not be read since this was asked last; nothing: there is none, or it is
    /// damaged.
    std::optional<Error> takeError() { return std::exchange(m_error, std::nullopt); }

private:
    std::optional<QString> readText(quint64 number)
    {
        if (m_known.size() >= maxKnown || m_characters >= maxCharacters) {
            m_known.clear();
            m_characters = 0;
        }
        const qint64 many = m_store.textsAtOnce();
        const qint64 first = static_cast<qint64>(number) / many * many; // neighbours came up together
        bool isDamaged = false;
        const auto read = m_store.run(
            "recording/recording/texts_between", {first, first + many - 1}, [&](const Store::Row& row) {
                const QString text = row.isNull(1) ? QString::fromUtf8(row.bytes(2)) : row.text(1);
                if (!row.isNull(3) && row.number(3) != checksumOf(row.number(0), {text})) {
                    isDamaged = true;
                    return true;
                }
                m_known.insert(static_cast<quint64>(row.number(0)), text);
                m_characters += text.size();
                return true;
            });
        if (!read)
            m_error = read.error();
        if (isDamaged)
            m_store.noteDamage(otherChecksum(QStringLiteral("A text of the recording")).value());
        const auto found = m_known.constFind(number);
        return read && found != m_known.cend() ? std::optional(*found) : std::nullopt;
    }

    static constexpr qsizetype maxKnown = 200'000;
    static constexpr qsizetype maxCharacters = 64 * 1024 * 1024;
    Store& m_store;
    qsizetype m_characters = 0;
    QHash<quint64, QString> m_known;
    std::optional<Error> m_error;
};

} // namespace lockscope::record
