// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionProtocol.h"

#include <QDataStream>
#include <QIODevice>

namespace lockscope::scenario {

namespace {

constexpr quint32 maxFrameBytes = 64 << 20;
// Before each frame's fields, so that text, or one's own orders sent back, is not taken for a message. Others
// with every change of the protocol, so that programs of two versions notice it.
constexpr quint32 orderMark = 0x4c53'0300;
constexpr quint32 messageMark = 0x4c53'0401;
constexpr auto streamVersion = QDataStream::Qt_6_4;

/// The fields of a struct that are sent, in their order.
template <class Struct> struct Fields;
template <> struct Fields<Pace> {
    static auto of(auto& it) { return std::tie(it.think, it.rate); }
};
template <> struct Fields<ResumePoint> {
    static auto of(auto& it) { return std::tie(it.rounds, it.draws, it.wasComplete); }
};
template <> struct Fields<Error> {
    static auto of(auto& it)
    {
        return std::tie(it.kind, it.what, it.server, it.detail, it.hint, it.nativeCode);
    }
};
template <> struct Fields<Counts> {
    static auto of(auto& it)
    {
        return std::tie(it.rounds, it.whole, it.idle, it.processed, it.denied, it.waited, it.victims,
            it.conflicts, it.duplicates, it.lost, it.failures, it.deaths);
    }
};
template <> struct Fields<RunEvent> {
    static auto of(auto& it) { return std::tie(it.us, it.kind, it.subject, it.value); }
};
template <> struct Fields<SessionLog::Copy> {
    static auto of(auto& it)
    {
        return std::tie(it.subjects, it.events, it.counts, it.waits, it.dropped, it.latest);
    }
};
template <> struct Fields<SessionTask> {
    static auto of(auto& it)
    {
        return std::tie(it.scenario, it.variant, it.role, it.number, it.name, it.values, it.identifiers,
            it.url, it.password, it.schema, it.lockPrefix, it.seed, it.pace, it.resume);
    }
};
template <> struct Fields<BeginOrder> {
    static auto of(auto& it) { return std::tie(it.start); }
};
template <> struct Fields<EndRoundsOrder> {
    static auto of(auto&) { return std::tie(); }
};
template <> struct Fields<CancelOrder> {
    static auto of(auto&) { return std::tie(); }
};
template <> struct Fields<ConnectedMessage> {
    static auto of(auto&) { return std::tie(); }
};
template <> struct Fields<LogMessage> {
    static auto of(auto& it) { return std::tie(it.log); }
};
template <> struct Fields<CrashMessage> {
    static auto of(auto& it) { return std::tie(it.resume, it.restart); }
};
template <> struct Fields<FailedMessage> {
    static auto of(auto& it) { return std::tie(it.error); }
};
template <> struct Fields<FinishedMessage> {
    static auto of(auto&) { return std::tie(); }
};
template <class T>
concept HasFields = requires(T& it)
{
    Fields<T>::of(it);
};

class FieldWriter {
public:
    explicit FieldWriter(QDataStream& stream)
        : m_stream(stream)
    {
    }

    template <class T> void put(const T& value)
    {
        if constexpr (HasFields<T>)
            std::apply([&](const auto&... each) { (put(each), ...); }, Fields<T>::of(value));
        else if constexpr (std::is_enum_v<T>)
            put(static_cast<quint8>(value));
        else
            m_stream << value;
    }
    void put(milliseconds time) { put(qint64(time.count())); }
    void put(Steady::time_point time)
    {
        put(qint64(std::chrono::nanoseconds(time.time_since_epoch()).count()));
    }
    void put(std::monostate) { }
    void put(ServerTime time) { put(time.us); }
    void put(const db::Param& value)
    {
        put(static_cast<quint8>(value.index()));
        std::visit([this](const auto& held) { put(held); }, value);
    }
    template <class T> void put(const std::optional<T>& value)
    {
        put(value.has_value());
        if (value)
            put(*value);
    }
    void put(const QStringList& list) { putAll(list); }
    template <class T> void put(const std::vector<T>& list) { putAll(list); }
    template <class T> void put(const QHash<QString, T>& hash)
    {
        put(static_cast<quint32>(hash.size()));
        for (auto each = hash.begin(); each != hash.end(); ++each) {
            put(each.key());
            put(each.value());
        }
    }

private:
    template <class List> void putAll(const List& list)
    {
        put(static_cast<quint32>(list.size()));
        for (const auto& each : list)
            put(each);
    }

    QDataStream& m_stream;
};

/// After anything that can't be, the stream has a bad status, and what was read is worth nothing.
class FieldReader {
public:
    explicit FieldReader(QDataStream& stream)
        : m_stream(stream)
    {
    }

    bool isFine() const { return m_stream.status() == QDataStream::Ok; }

    template <class T> void get(T& value)
    {
        if constexpr (HasFields<T>)
            std::apply([&](auto&... each) { (get(each), ...); }, Fields<T>::of(value));
        else
            m_stream >> value;
    }
    void get(milliseconds& time) { time = milliseconds(get<qint64>()); }
    void get(Steady::time_point& time)
    {
        time = Steady::time_point(
            std::chrono::duration_cast<Steady::duration>(std::chrono::nanoseconds(get<qint64>())));
    }
    void get(ErrorKind& kind) { getUpTo(kind, ErrorKind::Internal); }
    void get(EventKind& kind) { getUpTo(kind, EventKind::RowFreed); }
    void get(ServerTime& time) { get(time.us); }
    void get(std::monostate&) { }
    void get(db::Param& value)
    {
        if (!getAlternative(value, get<quint8>()))
            m_stream.setStatus(QDataStream::ReadCorruptData);
    }
    template <class T> void get(std::optional<T>& value)
    {
        value.reset();
        if (get<bool>())
            value = get<T>();
    }
    void get(QStringList& list) { getAll<QString>(list); }
    template <class T> void get(std::vector<T>& list) { getAll<T>(list); }
    template <class T> void get(QHash<QString, T>& hash)
    {
        const auto count = get<quint32>();
        for (quint32 i = 0; i < count && isFine(); ++i) {
            const auto key = get<QString>();
            hash.insert(key, get<T>());
        }
    }
    void get(LogMessage& news)
    {
        get(news.log);
        for (const RunEvent& event : news.log.events)
            if (event.subject >= news.log.subjects.size())
                m_stream.setStatus(QDataStream::ReadCorruptData);
    }

    /// False if there is no such alternative.
    template <std::size_t index = 0, class... Each>
    bool getAlternative(std::variant<Each...>& value, std::size_t requested)
    {
        if constexpr (index < sizeof...(Each)) {
            if (index != requested)
                return getAlternative<index + 1>(value, requested);
            get(value.template emplace<index>());
            return true;
        }
        return false;
    }

private:
    template <class T> T get()
    {
        T value{};
        get(value);
        return value;
    }
    // Not all at once: a wrong number must not claim memory.
    template <class T, class List> void getAll(List& list)
    {
        list.clear();
        const auto count = get<quint32>();
        for (quint32 i = 0; i < count && isFine(); ++i)
            list.push_back(get<T>());
    }
    template <class Enum> void getUpTo(Enum& value, Enum maximum)
    {
        const auto number = get<quint8>();
        if (number > static_cast<quint8>(maximum))
            m_stream.setStatus(QDataStream::ReadCorruptData);
        else
            value = static_cast<Enum>(number);
    }

    QDataStream& m_stream;
};

template <class Message> QByteArray packed(quint32 mark, const Message& message)
{
    QByteArray frame;
    QDataStream fields(&frame, QIODevice::WriteOnly);
    fields.setVersion(streamVersion);
    FieldWriter writer(fields);
    writer.put(mark + static_cast<quint32>(message.index()));
    std::visit([&writer](const auto& each) { writer.put(each); }, message);
    QByteArray sent;
    QDataStream stream(&sent, QIODevice::WriteOnly);
    stream << frame;
    return sent;
}

template <class Message> std::optional<Message> unpacked(quint32 mark, const QByteArray& frame)
{
    QDataStream stream(frame);
    stream.setVersion(streamVersion);
    quint32 kind = 0;
    stream >> kind;
    Message message;
    FieldReader reader(stream);
    if (kind < mark || !reader.getAlternative(message, kind - mark) || !reader.isFine() || !stream.atEnd())
        return std::nullopt;
    return message;
}

} // namespace

QByteArray toFrame(const SessionOrder& order)
{
    return packed(orderMark, order);
}

QByteArray toFrame(const SessionMessage& news)
{
    return packed(messageMark, news);
}

std::optional<SessionOrder> orderFrom(const QByteArray& frame)
{
    return unpacked<SessionOrder>(orderMark, frame);
}

std::optional<SessionMessage> messageFrom(const QByteArray& frame)
{
    return unpacked<SessionMessage>(messageMark, frame);
}

QByteArray readFrame(QDataStream& stream)
{
    quint32 length = 0;
    stream >> length;
    const QIODevice& device = *stream.device();
    if (length > maxFrameBytes)
        stream.setStatus(QDataStream::ReadCorruptData);
    else if (!device.isSequential() && device.bytesAvailable() < qint64(length))
        stream.setStatus(QDataStream::ReadPastEnd); // pieces of a long one are not copied again and again
    if (stream.status() != QDataStream::Ok)
        return {};
    QByteArray frame(qsizetype(length), Qt::Uninitialized);
    if (stream.readRawData(frame.data(), int(length)) != int(length))
        stream.setStatus(QDataStream::ReadPastEnd);
    return frame;
}

std::optional<QByteArray> FrameReader::next()
{
    if (m_isBroken)
        return std::nullopt;
    QDataStream stream(m_bytes);
    stream.startTransaction();
    QByteArray frame = readFrame(stream);
    if (!stream.commitTransaction()) {
        m_isBroken = stream.status() == QDataStream::ReadCorruptData;
        return std::nullopt;
    }
    m_bytes.remove(0, stream.device()->pos());
    return frame;
}

} // namespace lockscope::scenario
