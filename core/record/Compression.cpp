// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/FrameCodec.h"

#include <zstd.h>

#include <memory>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr int level = 3; // the library's own choice: higher ones cost more than they save here
constexpr unsigned long long mostBytes = 256ULL * 1024 * 1024;
constexpr char plain = 0;
constexpr char compressed = 1;

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

} // namespace

QByteArray packed(const QByteArray& bytes)
{
    thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
    const auto size = static_cast<size_t>(bytes.size());
    QByteArray result(static_cast<qsizetype>(ZSTD_compressBound(size)) + 1, Qt::Uninitialized);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    const size_t length = ZSTD_compress2(
        context.get(), result.data() + 1, static_cast<size_t>(result.size()) - 1, bytes.constData(), size);
    if (ZSTD_isError(length) || length >= size)
        return plain + bytes;
    result[0] = compressed;
    result.resize(static_cast<qsizetype>(length) + 1);
    return result;
}

Result<QByteArray> unpacked(const QByteArray& bytes)
{
    const auto damaged = [] {
        return failure(ErrorKind::BadInput, u"A moment of the recording can't be unpacked: it is damaged."_s,
            u"The moments around it may be whole."_s);
    };
    if (bytes.isEmpty() || bytes[0] > compressed || bytes[0] < plain)
        return damaged();
    if (bytes[0] == plain)
        return bytes.mid(1);
    const char* const from = bytes.constData() + 1;
    const auto length = static_cast<size_t>(bytes.size()) - 1;
    const unsigned long long size = ZSTD_getFrameContentSize(from, length);
    if (size > mostBytes) // also where it is not known
        return damaged();
    QByteArray result(static_cast<qsizetype>(size), Qt::Uninitialized);
    const size_t got = ZSTD_decompress(result.data(), static_cast<size_t>(size), from, length);
    if (ZSTD_isError(got) || got != size)
        return damaged();
    return result;
}

} // namespace lockscope::record
