// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/deadlock/Proof.h"

#include "core/base/Sentences.h"

#include <QJsonArray>

#include <algorithm>
#include <memory>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

QString VariantProof::verdict() const
{
    const qint64 bad = report.broken + report.stuck;
    const QString orders = report.isComplete
        ? u"%1 orders"_s.arg(report.executed)
        : u"the %1 orders that were executed, of at most %2"_s.arg(report.executed)
              .arg(report.atMost, 0, 'f', 0);
    return bad == 0 ? u"0 of %1 deadlock"_s.arg(orders) : u"deadlocks in %1 of %2"_s.arg(bad).arg(orders);
}

bool DeadlockProof::happened() const
{
    return std::ranges::any_of(variants, &VariantProof::isReproduced);
}

bool DeadlockProof::happened(const QString& assumes) const
{
    return std::ranges::any_of(variants,
        [&assumes](const VariantProof& each) { return each.isReproduced() && each.assumes == assumes; });
}

namespace {

/// The change by itself, whatever it assumes.
QString changeOf(const VariantProof& variant)
{
    return variant.variant.section(assumptionMark, 0, 0);
}

/// "a", "a or b", "a, b or c"
QString anyOf(const QStringList& texts)
{
    return texts.size() < 2 ? texts.join(QString())
                            : texts.mid(0, texts.size() - 1).join(u", "_s) + u" or "_s + texts.last();
}

/// Says what the variants of one change show; equal results are one, with all that they assume.
QString shownBy(const std::vector<const VariantProof*>& variants)
{
    QStringList verdicts;
    std::vector<QStringList> assumed;
    for (const VariantProof* const each : variants) {
        const QString verdict = each->verdict();
        const qsizetype known = verdicts.indexOf(verdict);
        if (known < 0) {
            verdicts << verdict;
            assumed.push_back({each->assumes});
        } else {
            assumed[size_t(known)] << each->assumes;
        }
    }
    if (variants.size() == 1 && variants.front()->assumes.isEmpty())
        return verdicts.front();
    QStringList parts;
    for (qsizetype i = 0; i < verdicts.size(); ++i)
        parts << u"%1, if %2"_s.arg(verdicts[i], anyOf(assumed[size_t(i)]));
    return parts.join(u"; "_s);
}

} // namespace

bool DeadlockProof::isEachAssumptionSettled() const
{
    return std::ranges::count_if(variants, [](const VariantProof& each) {
        return each.isReported && each.isSettled();
    }) == assumptions;
}

bool DeadlockProof::cures(const VariantProof& variant) const
{
    // A change that is not offered under an assumption changes nothing there.
    const auto isCuredUnder = [&](const VariantProof& reported) {
        return std::ranges::any_of(variants, [&](const VariantProof& each) {
            return changeOf(each) == changeOf(variant) && each.assumes == reported.assumes && each.isCure();
        });
    };
    return happened(variant.assumes) && variant.isCure() && isEachAssumptionSettled()
        && std::ranges::all_of(
            variants, [&](const VariantProof& each) { return !each.isReproduced() || isCuredUnder(each); });
}

QString DeadlockProof::conclusion(const VariantProof& variant) const
{
    if (variant.isReported)
        return variant.deadlocks()      ? u"it happens"_s
            : variant.report.isComplete ? u"it did not happen"_s
                                        : u"not all were tried"_s;
    if (cures(variant))
        return u"cures the reproduced deadlock"_s;
    if (variant.isCure() && happened(variant.assumes))
        return conditionText({variant.assumes});
    if (variant.deadlocks())
        return u"is no cure"_s;
    return variant.isCure() ? u"proves nothing"_s : u"not all were tried"_s;
}

QString DeadlockProof::conditionText(const QStringList& assumed) const
{
    return (isEachAssumptionSettled() ? u"cures it only if %1"_s : u"cures it if %1; not all were tried"_s)
        .arg(anyOf(assumed));
}

std::vector<ProvedChange> DeadlockProof::changes() const
{
    std::vector<ProvedChange> all;
    QStringList seen;
    for (const VariantProof& first : variants) {
        if (seen.contains(changeOf(first)))
            continue;
        seen << changeOf(first);
        std::vector<const VariantProof*> same;
        QStringList conclusions;
        QStringList curedIf;
        QStringList happensIf;
        for (const VariantProof& each : variants) {
            if (changeOf(each) != changeOf(first))
                continue;
            same.push_back(&each);
            conclusions << conclusion(each);
            if (each.isCure() && happened(each.assumes))
                curedIf << each.assumes;
            if (each.isReproduced())
                happensIf << each.assumes;
        }
        ProvedChange change{.title = first.title,
            .meaning = first.meaning,
            .shown = shownBy(same),
            .so = conclusions.front(),
            .cures = cures(*same.front())};
        if (!first.assumes.isEmpty())
            change.title.chop(u", if "_s.size() + first.assumes.size());
        conclusions.removeDuplicates();
        if (conclusions.size() > 1 && first.isReported)
            change.so =
                happensIf.isEmpty() ? u"not all were tried"_s : u"it happens if %1"_s.arg(anyOf(happensIf));
        else if (conclusions.size() > 1 && !curedIf.isEmpty())
            change.so = conditionText(curedIf);
        else if (conclusions.size() > 1)
            change.so = conclusions.contains(u"is no cure"_s) ? u"is no cure"_s : u"not all were tried"_s;
        all.push_back(change);
    }
    return all;
}

QString DeadlockProof::summary() const
{
    const auto sentence = [](const ProvedChange& each) { return u"%1: %2."_s.arg(each.title, each.shown); };
    return textOfEach(changes(), sentence).join(u' ');
}

QString ProofProgress::toString() const
{
    return u"%1 (%2 of %3): %L4 of at most %L5 orders executed; %L6 went wrong."_s.arg(title)
        .arg(number)
        .arg(count)
        .arg(orders.executed)
        .arg(orders.atMost, 0, 'f', 0)
        .arg(orders.broken);
}

QString whereProved(const DeadlockProof& proof, bool isSandbox)
{
    return isSandbox ? proof.product + u", in the sandbox"_s : proof.product;
}

deadlock::ProofSection sectionOf(const deadlock::Deadlock& deadlock, const DeadlockProof& proof,
    const QString& where, deadlock::Disclosure disclosure)
{
    deadlock::ProofSection section;
    section.eventKey = deadlock.report->source.eventKey;
    section.index = deadlock.index;
    section.where = where;
    section.summary = proof.summary();
    for (const ProvedChange& each : proof.changes())
        section.changes << each;
    deadlock::Deadlock shown = deadlock;
    if (disclosure == deadlock::Disclosure::Redacted)
        shown.report = std::make_shared<const deadlock::DeadlockReport>(deadlock::redacted(*deadlock.report));
    if (const auto made = deadlockScenario(shown)) {
        section.leftOut = made->leftOut;
        section.scenario = QString::fromUtf8(made->scenario->text);
    }
    return section;
}

Result<DeadlockProof> prove(const db::Server& server, const ScenarioPtr& scenario, int maxOrders,
    const std::stop_token& stop, const ProofHandler& onProgress)
{
    DeadlockProof proof;
    {
        LOCKSCOPE_TRY_GET(const auto connection, server.connect(db::Purpose::Workload));
        proof.product = connection->serverVersion();
    }
    std::vector<const Variant*> variants;
    for (const Variant& each : scenario->variants)
        if (each.engines.contains(server.engine()))
            variants.push_back(&each);
    proof.assumptions = int(std::ranges::count_if(variants, &Variant::isUnsafe));
    ProofProgress progress{.count = int(variants.size())};
    for (const Variant* const each : variants) {
        const Variant& variant = *each;
        ++progress.number;
        const bool isUnderAssumption = !variant.assumes.isEmpty() && !variant.isUnsafe;
        if (isUnderAssumption && !proof.happened(variant.assumes))
            continue;
        ExploreOrder order;
        order.steps.run.scenario = scenario;
        order.steps.run.variant = variant.id;
        order.maximum = maxOrders;
        progress.title = variant.title;
        LOCKSCOPE_TRY_GET(auto report, explore(server, order, stop, [&](const ExploreProgress& orders) {
            progress.orders = orders;
            if (onProgress)
                onProgress(progress);
        }));
        proof.wasStopped = report.wasStopped;
        proof.variants.push_back({.variant = variant.id,
            .title = variant.title,
            .meaning = variant.meaning,
            .assumes = variant.assumes,
            .isReported = variant.isUnsafe,
            .report = std::move(report)});
        if (proof.wasStopped)
            break;
    }
    return proof;
}

QJsonObject toJson(const DeadlockProof& proof)
{
    QJsonArray variants;
    for (const VariantProof& each : proof.variants) {
        QJsonObject json = toJson(each.report);
        json[u"title"_s] = each.title;
        json[u"assumes"_s] = each.assumes.isEmpty() ? QJsonValue() : QJsonValue(each.assumes);
        json[u"conclusion"_s] = proof.conclusion(each);
        json[u"reported"_s] = each.isReported;
        json[u"cures"_s] = proof.cures(each);
        json[u"proof"_s] = each.verdict();
        variants << json;
    }
    return {{u"happened"_s, proof.happened()}, {u"product"_s, proof.product},
        {u"stopped"_s, proof.wasStopped}, {u"variants"_s, variants}};
}

} // namespace lockscope::scenario
