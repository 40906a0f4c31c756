// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/deadlock/Proof.h"

#include <QJsonArray>

#include <algorithm>
#include <functional>
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
    return std::any_of(variants.begin(), variants.end(), std::mem_fn(&VariantProof::isReproduced));
}

bool DeadlockProof::happened(const QString& assumes) const
{
    return std::any_of(variants.begin(), variants.end(),
        [&assumes](const VariantProof& each) { return each.isReproduced() && each.assumes == assumes; });
}

namespace {

/// The change by itself, whatever it assumes.
QString changeOf(const VariantProof& variant)
{
    return variant.variant.section(assumptionMark, 0, 0);
}

} // namespace

bool DeadlockProof::cures(const VariantProof& variant) const
{
    // A change that is not offered under an assumption changes nothing there.
    const auto isCuredUnder = [&](const VariantProof& reported) {
        return std::any_of(variants.begin(), variants.end(), [&](const VariantProof& each) {
            return changeOf(each) == changeOf(variant) && each.assumes == reported.assumes && each.isCure();
        });
    };
    return happened(variant.assumes) && variant.isCure()
        && std::all_of(variants.begin(), variants.end(),
            [&](const VariantProof& each) { return !each.isReproduced() || isCuredUnder(each); });
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
        return u"cures it only if %1"_s.arg(variant.assumes);
    if (variant.deadlocks())
        return u"is no cure"_s;
    return variant.isCure() ? u"proves nothing"_s : u"not all were tried"_s;
}

QString DeadlockProof::summary() const
{
    QStringList sentences;
    for (const VariantProof& each : variants)
        sentences << u"%1: %2."_s.arg(each.title, each.verdict());
    if (!product.isEmpty() && !sentences.isEmpty())
        sentences << u"Executed on %1."_s.arg(product);
    return sentences.join(u' ');
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
    for (const VariantProof& each : proof.variants)
        section.changes.append({each.title, each.verdict(), proof.conclusion(each), proof.cures(each)});
    const deadlock::Deadlock shown = disclosure == deadlock::Disclosure::Redacted
        ? deadlock::Deadlock{std::make_shared<const deadlock::Report>(deadlock::redacted(*deadlock.report)),
            deadlock.index}
        : deadlock;
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
        const auto connection = server.connect(db::Purpose::Workload);
        if (!connection)
            return Failure(connection.error());
        proof.product = (*connection)->serverVersion();
    }
    for (const Variant& variant : scenario->variants) {
        const bool isUnderAssumption = !variant.assumes.isEmpty() && !variant.isUnsafe;
        if (!variant.engines.contains(server.engine())
            || (isUnderAssumption && !proof.happened(variant.assumes)))
            continue;
        ExploreOrder order;
        order.steps.run.scenario = scenario;
        order.steps.run.variant = variant.id;
        order.maximum = maxOrders;
        auto report = explore(server, order, stop, [&](const ExploreProgress& progress) {
            if (onProgress)
                onProgress(variant.id, progress);
        });
        if (!report)
            return Failure(report.error());
        proof.wasStopped = report->wasStopped;
        proof.variants.push_back({.variant = variant.id,
            .title = variant.title,
            .assumes = variant.assumes,
            .isReported = variant.isUnsafe,
            .report = std::move(*report)});
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
