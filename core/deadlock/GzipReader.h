// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>

#include <zlib.h>

class QIODevice;

namespace lockscope::deadlock {

/// Reads what a file of gzip holds. Files that were joined are one, as rotated logs are. Never holds more of
/// it than is requested: a small file may unpack to any size.
class GzipReader {
public:
    explicit GzipReader(QIODevice& packed); ///< open, and as long in use as this
    ~GzipReader();
    Q_DISABLE_COPY_MOVE(GzipReader)

    static bool isGzip(QIODevice& device); ///< by its first bytes, which stay unread
    QByteArray read(qsizetype size); ///< less is the end, or damage
    bool isDamaged() const { return m_isDamaged; } ///< or cut

private:
    QIODevice& m_packed;
    QByteArray m_block; ///< of m_packed, not unpacked yet
    z_stream m_stream{};
    bool m_isOpen = true; ///< a file that is joined has not ended
    bool m_isDamaged = false;
};

} // namespace lockscope::deadlock
