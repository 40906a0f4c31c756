// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>

#include <memory>

namespace lockscope::deadlock {

/// The text of a report as its source has it. A value; those of many reports may lie in one compressed block,
/// and are then unpacked each time that they are requested. Any thread.
class RawText {
public:
    RawText() = default;
    RawText(QString text) // NOLINT(google-explicit-constructor)
        : m_plain(std::move(text))
        , m_size(m_plain.size())
    {
    }

    QString text() const;
    operator QString() const { return text(); } // NOLINT(google-explicit-constructor)
    qsizetype size() const { return m_size; } ///< characters
    bool operator==(const RawText& other) const { return m_size == other.m_size && text() == other.text(); }

private:
    friend class RawTexts;
    struct Block {
        QByteArray bytes; ///< UTF-8
        bool isPacked = false;
    };

    QString m_plain;
    std::shared_ptr<const Block> m_block;
    qsizetype m_size = 0;
    qsizetype m_begin = 0; ///< in the block, unpacked: bytes
    qsizetype m_length = 0;
};

/// Packs the texts of a large file's reports together: statements, names and the words of the form repeat.
/// One thread; texts may be requested by others once pack() has been called.
class RawTexts {
public:
    RawText add(const QString& text);
    void pack(); ///< after the last one

private:
    std::shared_ptr<RawText::Block> m_open;
};

} // namespace lockscope::deadlock
