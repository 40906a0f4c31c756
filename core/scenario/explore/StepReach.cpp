// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/explore/StepReach.h"

#include "core/db/Dialect.h"

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

Tie tieOf(const Step& step, Engine engine)
{
    if (const auto* const transaction = std::get_if<TransactionStep>(&step.act))
        // In a file, it takes the lock on that.
        return transaction->act == TransactionStep::Act::Begin
                && db::Dialect::of(engine).can(db::Capability::LogIn)
            ? Tie::WithNext
            : Tie::None;
    if (const auto* const sql = std::get_if<SqlStep>(&step.act)) {
        // Settings are the session's own.
        const auto text = sql->sql.find(engine);
        const bool isSetting = text != sql->sql.end() && text->second.text().startsWith(u"SET ");
        return isSetting ? Tie::WithNext : Tie::None;
    }
    if (const auto* const critical = std::get_if<CriticalStep>(&step.act))
        // The longest stay overlaps whatever a shorter one would.
        return critical->begins ? Tie::WithPrevious : Tie::WithNext;
    return Tie::None;
}

StepReach reachOf(const Step& step, Engine engine, const StepReach& held)
{
    if (const auto* const transaction = std::get_if<TransactionStep>(&step.act))
        return transaction->act == TransactionStep::Act::Begin ? StepReach() : held;
    if (const auto* const sql = std::get_if<SqlStep>(&step.act)) {
        if (tieOf(step, engine) == Tie::WithNext)
            return {};
        return sql->touches ? StepReach{QSet<QString>(sql->touches->cbegin(), sql->touches->cend())}
                            : StepReach{std::nullopt};
    }
    if (const auto* const acquire = std::get_if<AcquireStep>(&step.act)) {
        const bool isNamed = acquire->kind == locks::LockKind::Application && acquire->name.isFixed()
            && acquire->waitMs.name.isEmpty() && acquire->waitMs.number < 0;
        return isNamed ? StepReach{QSet<QString>{u"lock "_s + acquire->name.text()}}
                       : StepReach{std::nullopt};
    }
    if (std::holds_alternative<ReleaseStep>(step.act))
        return held;
    return std::holds_alternative<EndStep>(step.act) ? StepReach() : StepReach{std::nullopt};
}

bool isReducible(const Variant& variant, Engine engine)
{
    bool isKnown = db::Dialect::of(engine).can(db::Capability::LogIn);
    eachStep(variant, [&](const Step& step) { isKnown &= reachOf(step, engine, {}).names.has_value(); });
    return isKnown;
}

} // namespace lockscope::scenario
