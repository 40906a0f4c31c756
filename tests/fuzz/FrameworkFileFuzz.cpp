// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/FrameworkFile.h"
#include "core/frameworks/Recogniser.h"
#include "tests/fuzz/FaultCheck.h"
#include "tests/fuzz/FuzzTarget.h"
#include <QRegularExpression>
#include <cstddef>
#include <cstdint>

namespace lockscope::test {

using namespace frameworks;

namespace {

void checkLock(const FrameworkLock& lock)
{
    if (lock.engines.isEmpty() || lock.name.isEmpty() || lock.danger.isEmpty())
        qFatal("a lock without words");
    if (lock.kind == FrameworkLockKind::Row && (!lock.table || lock.row.compare.isEmpty()))
        qFatal("a row that can't be told from others");
    for (const ApplicationLockRule& rule : lock.resources)
        if (!wholePattern(rule.pattern).isValid())
            qFatal("a pattern that does not compile");
    for (const AdvisoryKeyRule& rule : lock.keys)
        if (rule.parts.size() > 2)
            qFatal("a key of more than two parts");
}

/// Everything that is accepted must be usable to recognise locks.
void recogniseBy(Framework framework)
{
    const auto shared = std::make_shared<const Framework>(std::move(framework));
    for (const Engine engine : {Engine::Postgres, Engine::SqlServer}) {
        Recogniser recogniser(engine, {shared});
        recogniser.setFacts({QStringLiteral("app"), {QStringLiteral("public")},
            {{QStringLiteral("public"), QStringLiteral("t"), 7, {}}}});
        Snapshot snapshot;
        snapshot.engine = engine;
        for (const quint64 part : {1, 2, 5}) {
            Resource resource;
            resource.key = {ResourceKind::ApplicationLock, 1, quint64(72'707'369) << 32 | 12'345, part,
                QStringLiteral("0:[Flyway--1196356246]:(ea53e177)")};
            resource.database = QStringLiteral("app");
            snapshot.resources.push_back(resource);
        }
        recogniser.recognise(snapshot);
        for (const Resource& resource : snapshot.resources)
            if (resource.framework && resource.framework->evidence.isEmpty())
                qFatal("recognised without evidence");
    }
}

} // namespace

/// Feeds bytes to checkFrameworkFile; aborts if what it refuses has no reason and place, or if what it
/// accepts can't be recognised or read by.
static void fuzzFrameworkFile(const QByteArray& text)
{
    auto framework = checkFrameworkFile(QStringLiteral("fuzz.json"), text);
    if (!framework)
        return checkFaults(framework.error(), text.size() > largestFrameworkFile ? 0 : 1);
    for (const FrameworkLock& lock : framework->locks)
        checkLock(lock);
    recogniseBy(std::move(*framework));
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzFrameworkFile)
