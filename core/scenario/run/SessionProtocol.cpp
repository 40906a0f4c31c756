// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/SessionProtocol.h"

#include "core/base/Mutex.h"
#include "core/db/credentials/Secrets.h"
#include "core/scenario/format/ScenarioFile.h"
#include "core/scenario/run/ScenarioSession.h"

#include <QCoreApplication>
#include <QDataStream>
#include <QFile>
#include <QIODevice>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr quint32 maxFrameBytes = 64 << 20;
// Before each frame's fields, so that text, or one's own orders sent back, is not taken for a message. Others
// with every change of the protocol, so that programs of two versions notice it.
constexpr quint32 orderMark = 0x4c53'0300;
constexpr quint32 messageMark = 0x4c53'0401;
constexpr auto streamVersion = QDataStream::Qt_6_4;

/// The fields of a struct that are sent, in their order.
template <class Struct> struct Fields;
template <class Struct>
requires std::is_empty_v<Struct>
struct Fields<Struct> {
    static auto of(auto&) { return std::tie(); }
};
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
template <> struct Fields<LogMessage> {
    static auto of(auto& it) { return std::tie(it.log); }
};
template <> struct Fields<CrashMessage> {
    static auto of(auto& it) { return std::tie(it.resume, it.restart); }
};
template <> struct Fields<FailedMessage> {
    static auto of(auto& it) { return std::tie(it.error); }
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

namespace {

constexpr milliseconds reportEvery{100};
constexpr milliseconds graceToCancel{800}; ///< to cancel what the server is doing for us
constexpr std::size_t maxUnread = 200'000; ///< events, while nobody reads

enum SessionExitCode { Done = 0, Failed = 1, WrongUsage = 2, Orphaned = 3, Crashed = 4 };

/// Reads the orders of the session. One thread.
class OrderReader {
public:
    OrderReader() { std::ignore = m_input.open(0, QIODevice::ReadOnly | QIODevice::Unbuffered); }

    /// Blocks. Nothing once nobody is there any more, or what they say makes no sense.
    std::optional<SessionOrder> next()
    {
        const QByteArray frame = readFrame(m_stream);
        return m_stream.status() == QDataStream::Ok ? orderFrom(frame) : std::nullopt;
    }

private:
    QFile m_input;
    QDataStream m_stream{&m_input};
};

/// Sends the session's events, in their order. Any thread.
class EventWriter {
public:
    explicit EventWriter(SessionLog& log)
        : m_log(log)
    {
        m_isOpen = m_output.open(1, QIODevice::WriteOnly | QIODevice::Unbuffered);
    }

    void tell(const SessionMessage& message)
    {
        const MutexLock guard(m_mutex);
        write(message);
    }
    void sendLog()
    {
        const MutexLock guard(m_mutex);
        write(LogMessage{m_log.take()});
    }
    /// Sends this after all that has happened, and exits.
    [[noreturn]] void sendAndExit(const SessionMessage& message, SessionExitCode code)
    {
        const MutexLock guard(m_mutex);
        write(LogMessage{m_log.take()});
        write(message);
        // Nothing is closed or flushed: the system takes it all back, as after a crash, and faster.
        std::_Exit(code);
    }

private:
    void write(const SessionMessage& message) LOCKSCOPE_REQUIRES(m_mutex)
    {
        const QByteArray frame = toFrame(message);
        if (m_isOpen)
            m_output.write(frame); // who is gone shows on the other side, too
    }

    SessionLog& m_log;
    Mutex m_mutex;
    QFile m_output LOCKSCOPE_GUARDED_BY(m_mutex);
    bool m_isOpen = false; // constant after construction
};

/// The run's context, in this process. Nothing if the task makes no sense.
std::optional<RunContext> contextFrom(const SessionTask& task)
{
    const auto scenario = readScenario(task.scenario, u"scenario"_s);
    const auto url = db::ServerUrl::parse(task.url);
    if (!scenario || !url)
        return std::nullopt;
    RunContext context;
    context.scenario = *scenario;
    context.variant = context.scenario->find(task.variant);
    if (!context.variant || task.role < 0 || task.role >= int(context.variant->roles.size()))
        return std::nullopt;
    context.values = task.values;
    context.identifiers = task.identifiers;
    context.server = db::Server::at(*url, db::fixedPassword(task.password));
    context.schema = task.schema;
    context.lockPrefix = task.lockPrefix;
    context.seed = task.seed;
    context.pace = task.pace;
    return context;
}

/// The process of one session. The main thread runs it, others read orders and write events.
class ProgramSession {
public:
    explicit ProgramSession(const SessionTask& task)
        : m_task(task)
    {
    }

    [[noreturn]] void run(OrderReader& reader)
    {
        std::thread([this, &reader] { listen(reader); }).detach(); // nobody ever returns from here
        auto context = contextFrom(m_task);
        if (!context)
            fail({.kind = ErrorKind::Internal,
                .what = u"The session's program does not understand the scenario."_s,
                .hint = u"Install Lockscope's programs together."_s});
        context->ending = m_soft.get_token();
        context->crash = [this](const ResumePoint& resume, milliseconds restart) {
            m_writer.sendAndExit(CrashMessage{resume, restart}, Crashed);
        };
        runRounds(*context);
        m_writer.sendAndExit(FinishedMessage(), Done);
    }

private:
    void listen(OrderReader& reader)
    {
        auto order = reader.next();
        for (; order && !std::holds_alternative<CancelOrder>(*order); order = reader.next()) {
            if (const auto* begin = std::get_if<BeginOrder>(&*order)) {
                const MutexLock guard(m_mutex);
                m_start = begin->start;
                m_changed.notifyAll();
            } else {
                m_soft.request_stop();
            }
        }
        // Cancelled, or the program that has started us is gone. A cancel may hang in the network: not longer
        // than so.
        std::thread([] {
            std::this_thread::sleep_for(graceToCancel);
            std::_Exit(Orphaned);
        }).detach();
        m_soft.request_stop();
        m_hard.request_stop();
    }

    void runRounds(const RunContext& context)
    {
        ScenarioSession session(context, context.variant->roles[static_cast<std::size_t>(m_task.role)],
            m_task.number, m_task.name, m_log);
        if (auto opened = session.open(); !opened) {
            if (m_soft.stop_requested())
                return; // the stop cancels whatever runs, the set-up of a session among it
            fail(opened.error());
        }
        m_writer.tell(ConnectedMessage());
        const auto start = waitForBegin();
        if (!start)
            return;
        m_log.startAt(*start);
        const std::jthread telling([this](const std::stop_token& stop) { sendMeanwhile(stop); });
        if (auto ran = session.runRounds(*start, m_hard.get_token(), m_task.resume); !ran)
            fail(ran.error());
    }

    /// Returns nothing if the run ends before.
    std::optional<Steady::time_point> waitForBegin()
    {
        const MutexLock lock(m_mutex);
        m_changed.wait(m_mutex, m_soft.get_token(),
            [this]() LOCKSCOPE_REQUIRES(m_mutex) { return m_start.has_value(); });
        return m_soft.stop_requested() ? std::nullopt : m_start;
    }

    void sendMeanwhile(const std::stop_token& stop)
    {
        while (m_log.waitForEvents(stop)) {
            m_writer.sendLog();
            if (!sleepFor(reportEvery, stop))
                return;
        }
    }

    [[noreturn]] void fail(const Error& error) { m_writer.sendAndExit(FailedMessage{error}, Failed); }

    const SessionTask m_task;
    SessionLog m_log{maxUnread};
    EventWriter m_writer{m_log};
    std::stop_source m_soft; ///< no new rounds
    std::stop_source m_hard;
    Mutex m_mutex;
    ConditionVariable m_changed;
    std::optional<Steady::time_point> m_start LOCKSCOPE_GUARDED_BY(m_mutex);
};

/// Ctrl+C on a terminal reaches everybody there; when sessions end is said by who has started them.
void ignoreTheTerminal()
{
    for (const int number : {SIGINT, SIGHUP, SIGPIPE})
        std::signal(number, SIG_IGN); // NOLINT(cert-err33-c): can't fail for these
}

} // namespace

int runSessionProgram(int argc, char** argv)
{
    const QCoreApplication app(argc, argv);
    ignoreTheTerminal();
    // The argument, the session's name, is for people who look at the list of processes.
    OrderReader reader;
    const auto order = argc == 2 ? reader.next() : std::nullopt;
    const auto* const task = order ? std::get_if<SessionTask>(&*order) : nullptr;
    if (!task) {
        std::fputs(
            "lockscope-session runs one session of a scenario; Lockscope's programs start it.\n", stderr);
        return WrongUsage;
    }
    ProgramSession(*task).run(reader);
}

} // namespace lockscope::scenario
