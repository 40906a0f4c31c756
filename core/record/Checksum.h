// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QByteArray>
#include <QString>

#include <initializer_list>

namespace lockscope::record {

/// CRC-32 (that of zlib) of bytes that go on after those of `before`.
quint32 checksumOf(const QByteArray& bytes, quint32 before = 0);
/// Returns the checksum of a row whose number and texts belong together: another row's texts have another
/// one.
quint32 checksumOf(qint64 number, std::initializer_list<QString> texts);

} // namespace lockscope::record
