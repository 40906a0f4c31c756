// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/RawText.h"

namespace lockscope::deadlock {

QString RawText::text() const
{
    if (!m_block)
        return m_plain;
    if (!m_block->isPacked)
        return QString::fromUtf8(m_block->bytes.mid(m_begin, m_length));
    // Who reads all texts reads those of one block one after the other.
    thread_local std::shared_ptr<const Block> lastBlock;
    thread_local QByteArray unpacked;
    if (lastBlock != m_block) {
        unpacked = qUncompress(m_block->bytes);
        lastBlock = m_block;
    }
    return QString::fromUtf8(unpacked.constData() + m_begin, m_length);
}

RawText RawTexts::add(const QString& text)
{
    constexpr qsizetype blockBytes = 65'536; // unpacked in a fraction of a millisecond
    if (!m_open)
        m_open = std::make_shared<RawText::Block>();
    RawText raw;
    raw.m_block = m_open;
    raw.m_size = text.size();
    raw.m_begin = m_open->bytes.size();
    m_open->bytes += text.toUtf8();
    raw.m_length = m_open->bytes.size() - raw.m_begin;
    if (m_open->bytes.size() >= blockBytes)
        pack();
    return raw;
}

void RawTexts::pack()
{
    if (!m_open)
        return;
    m_open->bytes = qCompress(m_open->bytes, 1);
    m_open->bytes.squeeze(); // it has room for the whole
    m_open->isPacked = true;
    m_open.reset();
}

} // namespace lockscope::deadlock
