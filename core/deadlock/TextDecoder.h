// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"

#include <QByteArray>
#include <QStringDecoder>

#include <optional>

namespace lockscope::deadlock {

/// Decodes a file of text in blocks: UTF-8, UTF-16 with a mark or without; bytes that are no UTF-8 stay
/// visible, as textFromUtf8() shows them.
class TextDecoder {
public:
    explicit TextDecoder(QString place)
        : m_place(std::move(place))
    {
    }

    /// BadInput if the first block is no text.
    Result<QString> decode(const QByteArray& block);
    QString rest(); ///< a character that the end has cut

private:
    QString utf8(const QByteArray& bytes);

    QString m_place;
    bool m_isBegun = false;
    std::optional<QStringDecoder> m_utf16;
    QByteArray m_open; ///< the first bytes of a character of UTF-8
};

} // namespace lockscope::deadlock
