// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/Recogniser.h"

#include "core/db/sqlserver/AppLockText.h"
#include "core/frameworks/RuleIndex.h"

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype maxKnown = 200'000; ///< keys that were met; with more of them all are forgotten
constexpr qsizetype maxDatabases = 200;

/// Words an uncertain match as such: "key 1 is one that Airflow uses, as another program may".
QString hedged(const QString& evidence, const Framework& framework)
{
    const QString claim = u" is %1's"_s.arg(framework.name);
    const QString text = evidence.endsWith(claim)
        ? evidence.chopped(claim.size()) + u" is one that %1 uses"_s.arg(framework.name)
        : evidence;
    return text + u", as another program may"_s;
}

/// The most certain of them; null if there is none.
FrameworkMatchPtr matchOf(std::vector<Candidate> candidates)
{
    if (candidates.empty())
        return nullptr;
    std::ranges::stable_sort(candidates, std::greater(), &Candidate::weight);
    const Candidate& best = candidates.front();
    auto match = std::make_shared<FrameworkMatch>();
    match->framework = best.framework->id;
    match->lock = best.lock->id;
    match->frameworkName = best.framework->name;
    match->name = best.name;
    match->evidence = best.evidence;
    match->certain = best.weight >= Candidate::certainly;
    match->definition = best.framework;
    match->lockDefinition = best.lock;
    QStringList others;
    for (const Candidate& other : candidates) {
        if (other.framework->id == match->framework || others.contains(other.framework->name))
            continue;
        others << other.framework->name;
        if (other.weight >= Candidate::certainly)
            match->certain = false;
    }
    if (!match->certain)
        match->evidence = hedged(match->evidence, *best.framework);
    if (!others.isEmpty())
        match->evidence += u"; it may be of %1, too"_s.arg(others.join(u", "_s));
    return match;
}

bool isOfTable(ResourceKind kind)
{
    return kind == ResourceKind::Relation || kind == ResourceKind::Row;
}

} // namespace

Recogniser::Recogniser(Engine engine, std::vector<FrameworkPtr> frameworks)
    : m_engine(engine)
    , m_frameworks(std::move(frameworks))
{
}

Recogniser::~Recogniser() = default;

void Recogniser::setFacts(const DatabaseFacts& facts)
{
    if (facts == m_facts)
        return;
    m_facts = facts;
    m_indexes.clear();
    m_known.clear();
}

const RuleIndex& Recogniser::indexOf(const QString& database)
{
    auto found = m_indexes.constFind(database);
    if (found == m_indexes.cend()) {
        if (m_indexes.size() >= maxDatabases)
            m_indexes.clear();
        DatabaseFacts facts = database == m_facts.database ? m_facts : DatabaseFacts{database, {}, {}};
        found = m_indexes.insert(
            database, std::make_shared<const RuleIndex>(m_engine, m_frameworks, std::move(facts)));
    }
    return **found;
}

Recogniser::Known Recogniser::judge(const Resource& resource, const Snapshot& snapshot, bool& mayChange) const
{
    const ResourceKey& key = resource.key;
    const RuleIndex& index = **m_indexes.constFind(resource.database);
    if (isOfTable(key.kind)) {
        const auto* found = m_engine == Engine::SqlServer && key.kind == ResourceKind::Row
            ? index.tablePart(key.entity)
            : index.table(key.entity);
        return found ? Known{matchOf({found->front().candidate}), found->front().modes} : Known();
    }
    if (m_engine == Engine::SqlServer) {
        const auto text = db::parseAppLockText(key.text);
        if (!text || text->name.isEmpty() || db::ownAppLock(text->name))
            return {};
        return {matchOf(index.applicationLock(text->name, text->mayBeCut())), {}};
    }
    const auto tableName = [&](quint32 id) {
        for (const KnownTable& table : m_facts.tables)
            if (table.id == id && resource.database == m_facts.database)
                return table.fullName();
        mayChange = true; // it may be named at the next poll
        for (const Resource& other : snapshot.resources)
            if (other.named && other.key.kind == ResourceKind::Relation && other.key.entity == id
                && other.key.database == key.database)
                return other.name;
        return QString();
    };
    return {matchOf(index.key(key.entity, key.part, tableName)), {}};
}

const Recogniser::Known* Recogniser::known(const Resource& resource, const Snapshot& snapshot)
{
    if (const auto found = m_known.constFind(resource.key); found != m_known.cend())
        return &*found;
    if (m_known.size() >= maxKnown)
        m_known.clear();
    indexOf(resource.database);
    // The name of its database, or of a table, may come with a later poll.
    bool mayChange = resource.database.isEmpty() && resource.key.database != 0;
    Known judged = judge(resource, snapshot, mayChange);
    if (!mayChange)
        return &*m_known.insert(resource.key, judged);
    m_passing = std::move(judged);
    return &m_passing;
}

void Recogniser::recognise(Snapshot& snapshot)
{
    if (m_engine == Engine::Sqlite || m_frameworks.empty())
        return;
    QHash<quint32, Known> byMode;
    for (quint32 i = 0; i < snapshot.resources.size(); ++i) {
        Resource& resource = snapshot.resources[i];
        const bool isSessionLock = resource.key.kind == ResourceKind::ApplicationLock;
        if (!isSessionLock && !isOfTable(resource.key.kind))
            continue;
        // On PostgreSQL a name is known of our own locks only.
        if (resource.internal || (isSessionLock && resource.named && m_engine == Engine::Postgres))
            continue;
        if (!isSessionLock && resource.database != m_facts.database)
            continue;
        const Known* found = known(resource, snapshot);
        if (!found->match)
            continue;
        if (!found->modes.empty()) {
            byMode.insert(i, *found);
            continue;
        }
        resource.framework = found->match;
        if (isSessionLock && !resource.named && found->match->certain) {
            resource.name = found->match->frameworkName + u' ' + found->match->name;
            resource.named = true;
        }
    }
    if (byMode.isEmpty())
        return;
    for (const LockRequest& request : snapshot.requests) {
        const auto found = byMode.constFind(request.resource);
        if (found != byMode.cend() && std::ranges::find(found->modes, request.mode) != found->modes.end())
            snapshot.resources[request.resource].framework = found->match;
    }
}

} // namespace lockscope::frameworks
