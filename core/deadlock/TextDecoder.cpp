// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/deadlock/TextDecoder.h"

#include "core/base/Utf8.h"

#include <algorithm>
#include <utility>

namespace lockscope::deadlock {

using namespace Qt::StringLiterals;

namespace {

/// Returns the form of UTF-16 of a text without a mark: every second byte of plain text is zero.
std::optional<QStringConverter::Encoding> bareUtf16(const QByteArray& bytes)
{
    const qsizetype sampleSize = std::min<qsizetype>(bytes.size(), 512) & ~qsizetype(1);
    qsizetype even = 0;
    qsizetype odd = 0;
    for (qsizetype i = 0; i < sampleSize; i += 2) {
        even += bytes[i] == 0 ? 1 : 0;
        odd += bytes[i + 1] == 0 ? 1 : 0;
    }
    if (sampleSize < 4 || even + odd < sampleSize / 4)
        return std::nullopt;
    if (odd > 0 && even == 0)
        return QStringConverter::Utf16LE;
    if (even > 0 && odd == 0)
        return QStringConverter::Utf16BE;
    return std::nullopt;
}

/// The number of bytes at the end that begin a character and do not end it.
qsizetype openBytes(const QByteArray& bytes)
{
    for (qsizetype back = 1; back <= std::min<qsizetype>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        if (byte < 0x80)
            return 0;
        if (byte >= 0xc0)
            return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    }
    return 0;
}

} // namespace

Result<QString> TextDecoder::decode(const QByteArray& block)
{
    if (!std::exchange(m_isBegun, true)) {
        auto encoding = QStringConverter::encodingForData(block);
        if (!encoding || *encoding == QStringConverter::Utf8)
            if (const auto bare = bareUtf16(block))
                encoding = bare;
        if (encoding && *encoding != QStringConverter::Utf8)
            m_utf16.emplace(*encoding);
        else if (block.left(65'536).contains('\0'))
            return failure(ErrorKind::BadInput, u"%1 is no text."_s.arg(m_place),
                u"A file of extended events (.xel) is read by the server: SELECT CAST(event_data AS xml) FROM sys.fn_xe_file_target_read_file('FILE', NULL, NULL, NULL). Save what that gives."_s);
    }
    if (m_utf16)
        return QString(m_utf16->decode(block)).remove(QChar::ByteOrderMark);
    const QByteArray bytes = std::exchange(m_open, {}) + block;
    const qsizetype open = openBytes(bytes);
    m_open = bytes.right(open);
    return utf8(bytes.chopped(open));
}

QString TextDecoder::rest()
{
    return utf8(std::exchange(m_open, {}));
}

QString TextDecoder::utf8(const QByteArray& bytes)
{
    QStringDecoder strict(QStringConverter::Utf8, QStringConverter::Flag::Stateless);
    QString text = strict.decode(bytes);
    if (strict.hasError())
        text = textFromUtf8({bytes.constData(), size_t(bytes.size())});
    return text.remove(QChar::ByteOrderMark); // also of files that were joined
}

} // namespace lockscope::deadlock
