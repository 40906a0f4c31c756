// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/agent/AgentFile.h"

#include "core/alert/channels/Channel.h"
#include "core/base/Duration.h"
#include "core/base/Sentences.h"
#include "core/json/FileCheck.h"

#include <QHash>

namespace lockscope::agent {

using namespace Qt::StringLiterals;

using json::JsonNode;

namespace {

constexpr milliseconds minKept = std::chrono::minutes(1); // less is a slip that would cost a whole recording
constexpr milliseconds minInterval{100};
constexpr qint64 largestBudget = 25; // percent
constexpr qint64 minAtOnce = 2; // one of them is for servers that do not answer
constexpr qint64 maxAtOnce = 1'000;
constexpr milliseconds maxInterval{std::chrono::hours(24)};

/// A server and the file as a whole may have these; that of the server counts first.
const QStringList pollingKeys{
    u"interval"_s, u"budget"_s, u"keep"_s, u"redact"_s, u"password"_s, u"history"_s};

class AgentReader {
public:
    AgentReader(json::FileCheck& check, const PlaceOf& placeOf, const CheckOfHistory& checkHistory)
        : m_placeOf(placeOf)
        , m_checkHistory(checkHistory)
        , m_check(check)
    {
    }

    AgentSettings read(const JsonNode& root)
    {
        AgentSettings settings;
        if (!m_check.isObject(root,
                QStringList{u"$schema"_s, u"comment"_s, u"servers"_s, u"at_once"_s, u"alerts"_s, u"metrics"_s}
                    + pollingKeys))
            return settings;
        const AgentServer all = polling(root, {});
        if (const JsonNode* servers = m_check.need(root, u"servers"_s);
            servers && m_check.isList(*servers, u"a list of servers"_s))
            for (const JsonNode& node : servers->items)
                settings.servers.push_back(server(node, all));
        settings.atOnce =
            int(m_check.optionalNumber(root, u"at_once"_s, settings.atOnce, minAtOnce, maxAtOnce));
        if (const JsonNode* alerts = root.find(u"alerts"))
            settings.alerts = m_check.flag(*alerts);
        if (const JsonNode* metrics = root.find(u"metrics"))
            settings.metrics = listening(*metrics);
        checkNames(root, settings);
        return settings;
    }

private:
    AgentServer server(const JsonNode& node, const AgentServer& all)
    {
        AgentServer read = all;
        if (node.is(JsonNode::Type::String)) {
            read.server = m_check.text(node);
        } else if (m_check.isObject(node, QStringList{u"comment"_s, u"server"_s} + pollingKeys)) {
            read = polling(node, all);
            read.server = m_check.neededText(node, u"server"_s);
        }
        return read;
    }

    AgentServer polling(const JsonNode& node, AgentServer read)
    {
        if (const JsonNode* interval = node.find(u"interval"))
            read.interval = duration(*interval);
        read.budget = int(m_check.optionalNumber(node, u"budget"_s, read.budget, 1, largestBudget));
        if (const JsonNode* keep = node.find(u"keep")) {
            const auto retention = record::retentionOf(m_check.text(*keep));
            if (retention && retention->age >= minKept)
                read.keep = *retention;
            else
                m_check.note(*keep, u"'%1' is not how much is kept."_s.arg(keep->text),
                    u"an age of at least a minute, a size, or both: 7d,1G"_s);
        }
        if (const JsonNode* redact = node.find(u"redact"))
            read.redacts = m_check.flag(*redact);
        if (node.find(u"password"))
            read.password = secret(node);
        if (const JsonNode* history = node.find(u"history"))
            read.history = historyOf(*history);
        return read;
    }

    std::optional<AgentPlace> historyOf(const JsonNode& node)
    {
        AgentPlace history;
        if (node.is(JsonNode::Type::Bool) && !node.boolean)
            return std::nullopt;
        const JsonNode* named = &node;
        if (node.is(JsonNode::Type::Object)) {
            if (!m_check.isObject(node, {u"comment"_s, u"server"_s, u"password"_s}))
                return std::nullopt;
            if (named = m_check.need(node, u"server"_s); !named)
                return std::nullopt;
            if (node.find(u"password"))
                history.password = secret(node);
        } else if (!node.is(JsonNode::Type::String)) {
            m_check.noteOther(node, u"a URL, an object with \"server\" and \"password\", or false"_s);
            return std::nullopt;
        }
        history.server = m_check.text(*named);
        if (const auto checked =
                m_checkHistory && !history.server.isEmpty() ? m_checkHistory(history) : Result<void>();
            !checked)
            m_check.note(
                *named, sentences({checked.error().what, checked.error().detail, checked.error().hint}));
        return history;
    }

    milliseconds duration(const JsonNode& node)
    {
        const auto read = parseDuration(m_check.text(node));
        if (!read || *read < minInterval || *read > maxInterval) {
            m_check.note(
                node, u"'%1' is no pause between polls."_s.arg(node.text), u"a time from 100ms to 1d"_s);
            return maxInterval;
        }
        return *read;
    }

    QString secret(const JsonNode& object)
    {
        const JsonNode& node = *object.find(u"password");
        const QString reference = m_check.text(node);
        if (const auto checked = alert::checkSecretReference(reference); !checked && !reference.isEmpty())
            m_check.note(node, u"This does not say where the password is."_s, u"env:NAME or file:/path"_s);
        return reference;
    }

    metrics::ListenSettings listening(const JsonNode& node)
    {
        metrics::ListenSettings settings;
        if (!m_check.isObject(node,
                {u"comment"_s, u"address"_s, u"port"_s, u"certificate"_s, u"key"_s, u"user"_s,
                    u"password"_s}))
            return settings;
        if (const JsonNode* address = node.find(u"address"))
            settings.address = m_check.text(*address);
        settings.port = quint16(m_check.optionalNumber(node, u"port"_s, settings.port, 0, 65'535));
        settings.certificate = m_check.optionalText(node, u"certificate"_s);
        settings.key = m_check.optionalText(node, u"key"_s);
        settings.user = m_check.optionalText(node, u"user"_s);
        settings.password = m_check.optionalText(node, u"password"_s);
        if (const auto checked = metrics::checkListening(settings); !checked && m_check.isFine())
            m_check.note(node, checked.error().what);
        return settings;
    }

    void checkNames(const JsonNode& root, const AgentSettings& settings)
    {
        QHash<QString, QString> names; // by place
        for (size_t i = 0; i < settings.servers.size(); ++i) {
            const QString& name = settings.servers[i].server;
            if (name.isEmpty())
                continue;
            const JsonNode& entry = root.find(u"servers")->items[i];
            const JsonNode* const inside = entry.find(u"server");
            const JsonNode& node = inside ? *inside : entry;
            const auto place = m_placeOf ? m_placeOf(name) : name;
            if (!place)
                m_check.note(node, sentences({place.error().what, place.error().hint}));
            else if (const auto known = names.constFind(*place); known == names.constEnd())
                names.insert(*place, name);
            else if (*known == name)
                m_check.note(node, u"This server is named twice."_s);
            else
                m_check.note(node, u"This database is named twice: both are %1."_s.arg(*place));
        }
    }

    const PlaceOf& m_placeOf;
    const CheckOfHistory& m_checkHistory;
    json::FileCheck& m_check;
};

} // namespace

tl::expected<AgentSettings, json::FileFaults> checkAgentFile(
    const QString& name, const QByteArray& text, const PlaceOf& placeOf, const CheckOfHistory& checkHistory)
{
    json::FileCheck check(text, name);
    return check.parsed(
        [&](const JsonNode& root) { return AgentReader(check, placeOf, checkHistory).read(root); });
}

} // namespace lockscope::agent
