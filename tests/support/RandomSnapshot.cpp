// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/RandomSnapshot.h"

#include "core/record/FrameValues.h"

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

template <class Tuple, class Each> void forEachField(Tuple&& fields, Each each)
{
    std::apply([&each](auto&&... field) { (each(field), ...); }, fields);
}

/// Any value of each type of field.
class RandomValue {
public:
    RandomValue(std::mt19937& dice, Engine engine)
        : m_dice(dice)
        , m_engine(engine)
    {
    }

    void set(bool& value) { value = pick(2) == 1; }
    void set(double& value) { value = pick(10'000) / 7.0; }
    void set(ServerTime& value) { value.us = 1'795'387'821'000'000 + number() % 100'000'000; }
    template <class T>
    requires std::is_integral_v<T>
    void set(T& value) { value = static_cast<T>(number()); }
    void set(Engine& value) { value = m_engine; }
    void set(SessionState& value) { value = SessionState(pick(int(SessionState::Hidden) + 1)); }
    void set(ResourceKind& value) { value = ResourceKind(pick(int(ResourceKind::SafeSnapshot) + 1)); }
    void set(RequestState& value) { value = RequestState(pick(3)); }
    void set(LockOwner& value) { value = LockOwner(pick(3)); }
    void set(WaitEdge::Kind& value) { value = WaitEdge::Kind(pick(2)); }
    void set(Limitation::Kind& value) { value = Limitation::Kind(pick(6)); }
    void set(HolderLife::Verdict& value) { value = HolderLife::Verdict(pick(4)); }
    template <class Rep, class Period> void set(std::chrono::duration<Rep, Period>& value)
    {
        value = std::chrono::duration<Rep, Period>(number() % 1'000'000);
    }
    template <class T> void set(std::optional<T>& value)
    {
        value.reset();
        if (pick(3) > 0)
            set(value.emplace());
    }
    void set(QString& value)
    {
        static const QStringList texts{{}, u""_s, u"app"_s, u"Ünïcode 🔒"_s, u"SELECT 'it''s'\n-- x"_s,
            u"public.orders"_s, QString(300, u'x')};
        value = pick(3) == 0 ? QString::number(number()) : texts[pick(static_cast<int>(texts.size()))];
    }
    void set(QStringList& value)
    {
        value.clear();
        for (int left = pick(4); left > 0; --left)
            set(value.emplace_back());
    }
    void set(FrameworkMatchPtr& value)
    {
        value.reset();
        if (pick(4) == 0)
            value = std::make_shared<FrameworkMatch>(FrameworkMatch{.framework = u"prisma"_s,
                .lock = u"migrate"_s,
                .frameworkName = u"Prisma"_s,
                .name = u"migrate"_s,
                .evidence = u"key %1 is Prisma's"_s.arg(pick(5)),
                .certain = pick(2) == 1});
    }
    template <class Text> void set(record::StatementField<Text> field) { set(field.text); }
    template <class Mode> void set(record::ModeField<Mode> field)
    {
        const auto all = LockMode::all(m_engine);
        field.mode = pick(10) == 0 ? LockMode::fromText(m_engine, u"Odd%1"_s.arg(pick(3)))
                                   : all[static_cast<size_t>(pick(static_cast<int>(all.size())))];
    }

    int pick(int count) { return std::uniform_int_distribution(0, count - 1)(m_dice); }

private:
    qint64 number()
    {
        const int bits = pick(64);
        return static_cast<qint64>((quint64(m_dice()) << 32 | m_dice()) >> (63 - bits))
            * (pick(4) == 0 ? -1 : 1);
    }

    std::mt19937& m_dice;
    Engine m_engine;
};

template <class T> bool sameValue(const T& a, const T& b)
{
    return a == b;
}
bool sameValue(const QString& a, const QString& b)
{
    return a == b && a.isNull() == b.isNull();
}
bool sameValue(const FrameworkMatchPtr& a, const FrameworkMatchPtr& b)
{
    if (!a || !b)
        return !a && !b;
    return a->framework == b->framework && a->lock == b->lock && a->frameworkName == b->frameworkName
        && a->name == b->name && a->evidence == b->evidence && a->certain == b->certain;
}

template <class Row> bool sameRow(const Row& a, const Row& b)
{
    const auto x = record::fieldsOf(a);
    const auto y = record::fieldsOf(b);
    return [&]<size_t... I>(std::index_sequence<I...>)
    {
        return (sameValue(std::get<I>(x), std::get<I>(y)) && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(x)>>());
}

template <class Row>
QString differenceOfLists(const char* name, const std::vector<Row>& a, const std::vector<Row>& b)
{
    if (a.size() != b.size())
        return u"%1: %2 rows and %3"_s.arg(QLatin1StringView(name)).arg(a.size()).arg(b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        if (!sameRow(a[i], b[i]))
            return u"%1: row %2"_s.arg(QLatin1StringView(name)).arg(i);
    }
    return {};
}

} // namespace

RandomSnapshots::RandomSnapshots(quint32 seed, Order order)
    : m_dice(seed)
    , m_order(order)
{
    m_now.engine = seed % 2 == 0 ? Engine::Postgres : Engine::SqlServer;
    m_now.takenAt = {1'795'387'821'000'000};
    m_now.server = u"db1"_s;
}

template <class Row> Row RandomSnapshots::randomRow()
{
    Row row;
    RandomValue random(m_dice, m_now.engine);
    forEachField(record::fieldsOf(row), [&random](auto& field) { random.set(field); });
    return row;
}

template <class Row> void RandomSnapshots::change(std::vector<Row>& rows, int usual)
{
    RandomValue random(m_dice, m_now.engine);
    std::erase_if(rows, [this](const Row&) { return chance(m_order.changes / 2); });
    for (Row& row : rows) {
        if (!chance(m_order.changes))
            continue;
        forEachField(record::fieldsOf(row), [&](auto& field) {
            if (random.pick(6) == 0)
                random.set(field);
        });
    }
    while (static_cast<int>(rows.size()) < usual)
        rows.insert(rows.begin() + random.pick(static_cast<int>(rows.size()) + 1), randomRow<Row>());
    if (rows.size() > 1 && chance(m_order.changes))
        std::rotate(
            rows.begin(), rows.begin() + 1, rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2));
}

Snapshot RandomSnapshots::next()
{
    const auto resources = m_now.resources;
    m_now.takenAt = m_now.takenAt + std::chrono::seconds(1);
    ++m_now.number;
    change(m_now.sessions, m_order.sessions);
    change(m_now.resources, std::max(3, m_order.requests / 2));
    change(m_now.requests, m_order.requests);
    change(m_now.waits, m_order.requests / 4);
    change(m_now.entries, m_order.requests / 5);
    change(m_now.entryWaiters, m_order.requests / 5);
    change(m_now.limitations, 2);
    change(m_now.unreadTables, 2);
    // Requests stay with their resource, wherever that stands now.
    QHash<ResourceKey, quint32> places;
    for (size_t i = 0; i < m_now.resources.size(); ++i)
        places.insert(m_now.resources[i].key, static_cast<quint32>(i));
    const auto follow = [&](auto& row) {
        const auto place =
            row.resource < resources.size() ? places.constFind(resources[row.resource].key) : places.cend();
        row.resource =
            place != places.cend() ? *place : m_dice() % static_cast<quint32>(m_now.resources.size());
    };
    std::for_each(m_now.requests.begin(), m_now.requests.end(), follow);
    std::for_each(m_now.waits.begin(), m_now.waits.end(), follow);
    m_now.cost.rows = static_cast<qint64>(m_now.requests.size());
    m_now.cost.roundTrip = microseconds(m_dice() % 5'000);
    Snapshot result = m_now;
    result.index();
    return result;
}

QString differenceOf(const Snapshot& a, const Snapshot& b)
{
    if (a.takenAt != b.takenAt || !sameRow(a, b))
        return u"the head"_s;
    for (const QString& difference : {differenceOfLists("resources", a.resources, b.resources),
             differenceOfLists("sessions", a.sessions, b.sessions),
             differenceOfLists("requests", a.requests, b.requests),
             differenceOfLists("waits", a.waits, b.waits), differenceOfLists("entries", a.entries, b.entries),
             differenceOfLists("waiters", a.entryWaiters, b.entryWaiters),
             differenceOfLists("limitations", a.limitations, b.limitations),
             differenceOfLists("unread tables", a.unreadTables, b.unreadTables)}) {
        if (!difference.isEmpty())
            return difference;
    }
    return {};
}

} // namespace lockscope::test
