// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/Mutex.h"
#include "core/record/Damage.h"
#include "core/record/FrameCodec.h"

#include <QtEndian>

#include <zstd.h>

#include <memory>
#include <vector>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

constexpr int level = 3; // the library's own choice: higher ones cost more than they save here
constexpr unsigned long long maxBytes = 256ULL * 1024 * 1024;
constexpr char plain = 0;
constexpr char compressed = 1;

Failure damagedFrame()
{
    return damaged(u"A snapshot of the recording can't be unpacked: it is damaged."_s);
}

quint32 sealOf(const QByteArray& bytes, qint64 number, qint64 keyFrame)
{
    return checksumOf(bytes, checksumOf(QByteArray::number(number) + ' ' + QByteArray::number(keyFrame)));
}

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
using Context = std::unique_ptr<ZSTD_CCtx, FreeContext>;

/// A context takes a quarter of a megabyte: there are as many as compress at one time, and not one for each
/// of the threads that record.
class Contexts {
public:
    Context take()
    {
        const MutexLock lock(m_mutex);
        if (m_free.empty())
            return Context(ZSTD_createCCtx());
        Context context = std::move(m_free.back());
        m_free.pop_back();
        return context;
    }
    void giveBack(Context context)
    {
        const MutexLock lock(m_mutex);
        m_free.push_back(std::move(context));
    }

private:
    Mutex m_mutex;
    std::vector<Context> m_free LOCKSCOPE_GUARDED_BY(m_mutex);
};

} // namespace

QByteArray sealed(const QByteArray& bytes, qint64 number, qint64 keyFrame)
{
    QByteArray seal(sizeof(quint32), Qt::Uninitialized);
    qToBigEndian(sealOf(bytes, number, keyFrame), seal.data());
    return seal + bytes;
}

Result<QByteArray> unsealed(const QByteArray& bytes, qint64 number, qint64 keyFrame)
{
    const QByteArray inner = bytes.mid(sizeof(quint32));
    if (bytes.size() < qsizetype(sizeof(quint32))
        || qFromBigEndian<quint32>(bytes.constData()) != sealOf(inner, number, keyFrame))
        return otherChecksum(u"A snapshot of the recording"_s);
    return inner;
}

QByteArray packed(const QByteArray& bytes)
{
    static Contexts& contexts = *new Contexts; // a thread may outlive main()
    Context context = contexts.take();
    const auto size = static_cast<size_t>(bytes.size());
    QByteArray result(static_cast<qsizetype>(ZSTD_compressBound(size)) + 1, Qt::Uninitialized);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
    const size_t length = ZSTD_compress2(
        context.get(), result.data() + 1, static_cast<size_t>(result.size()) - 1, bytes.constData(), size);
    contexts.giveBack(std::move(context));
    if (ZSTD_isError(length) || length >= size)
        return plain + bytes;
    result[0] = compressed;
    result.resize(static_cast<qsizetype>(length) + 1);
    return result;
}

Result<QByteArray> unpacked(const QByteArray& bytes)
{
    if (bytes.isEmpty() || bytes[0] > compressed || bytes[0] < plain)
        return damagedFrame();
    if (bytes[0] == plain)
        return bytes.mid(1);
    const char* const from = bytes.constData() + 1;
    const auto length = static_cast<size_t>(bytes.size()) - 1;
    const unsigned long long size = ZSTD_getFrameContentSize(from, length);
    if (size > maxBytes) // also where it is not known
        return damagedFrame();
    QByteArray result(static_cast<qsizetype>(size), Qt::Uninitialized);
    const size_t got = ZSTD_decompress(result.data(), static_cast<size_t>(size), from, length);
    if (ZSTD_isError(got) || got != size)
        return damagedFrame();
    return result;
}

} // namespace lockscope::record
