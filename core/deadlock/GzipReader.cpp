// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/GzipReader.h"

#include <QIODevice>

namespace lockscope::deadlock {

GzipReader::GzipReader(QIODevice& packed)
    : m_packed(packed)
{
    constexpr int gzipOnly = 16;
    m_isDamaged = inflateInit2(&m_stream, gzipOnly + MAX_WBITS) != Z_OK;
}

GzipReader::~GzipReader()
{
    inflateEnd(&m_stream);
}

bool GzipReader::isGzip(QIODevice& device)
{
    return device.peek(2) == QByteArrayView("\x1f\x8b");
}

QByteArray GzipReader::read(qsizetype size)
{
    constexpr qint64 blockBytes = 65'536;
    QByteArray text(size, Qt::Uninitialized);
    m_stream.next_out = reinterpret_cast<Bytef*>(text.data());
    m_stream.avail_out = static_cast<uInt>(size);
    while (m_stream.avail_out > 0 && !m_isDamaged) {
        if (m_stream.avail_in == 0) {
            m_block = m_packed.read(blockBytes);
            if (m_block.isEmpty()) {
                m_isDamaged = m_isOpen;
                break;
            }
            m_stream.next_in = reinterpret_cast<Bytef*>(m_block.data());
            m_stream.avail_in = static_cast<uInt>(m_block.size());
        }
        if (!m_isOpen)
            inflateReset(&m_stream);
        const int result = inflate(&m_stream, Z_NO_FLUSH);
        m_isOpen = result != Z_STREAM_END;
        m_isDamaged = m_isOpen && result != Z_OK && result != Z_BUF_ERROR;
    }
    text.chop(m_stream.avail_out);
    return text;
}

} // namespace lockscope::deadlock
