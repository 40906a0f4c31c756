// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/run/Interleaving.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/domain/Engine.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

namespace lockscope::scenario {

using namespace Qt::StringLiterals;

namespace {

constexpr int defaultSessions = 2;
constexpr int maxSessions = 200;
constexpr int maxRounds = 1'000;
constexpr std::size_t maxSteps = 100'000;

int numberOf(QStringView letters)
{
    int number = 0;
    for (const QChar letter : letters)
        number = number * 26 + (letter.unicode() - u'A' + 1);
    return number;
}

Failure unreadable(const QString& what, const QString& hint = {})
{
    return failure(ErrorKind::BadInput, what,
        hint.isEmpty() ? u"It looks like this: lost-update/unsafe: A1 B1 A2 B2*"_s : hint);
}

Result<void> set(Interleaving& into, const QString& name, const QString& value)
{
    bool isNumber = false;
    const uint number = value.toUInt(&isNumber);
    const bool isOwn = name == u"sessions" || name == u"rounds" || name == u"seed";
    if (!isOwn)
        into.parameters[name] = value;
    else if (!isNumber)
        return unreadable(u"\"%1\" is no number for %2."_s.arg(value, name));
    else if (name == u"seed")
        into.seed = number;
    else if (number < 1 || number > uint(name == u"sessions" ? maxSessions : maxRounds))
        return unreadable(u"%1 can't be %2."_s.arg(name, value));
    else
        (name == u"sessions" ? into.sessions : into.rounds) = int(number);
    return {};
}

/// Each session's steps are numbered from 1, without a gap.
Result<void> checkNumbers(const Interleaving& interleaving)
{
    std::map<int, int> last;
    for (const StepRecord& step : interleaving.steps) {
        if (step.session < 1 || step.session > interleaving.sessions)
            return unreadable(
                u"%1 is of no session: there are %2."_s.arg(step.token()).arg(interleaving.sessions));
        if (step.step != ++last[step.session])
            return unreadable(
                u"%1 comes where %2%3 is expected."_s.arg(step.token(), sessionLetter(step.session))
                    .arg(last[step.session]),
                u"The steps of each session are numbered from 1, without a gap."_s);
    }
    return {};
}

Result<StepRecord> stepFrom(const QString& token)
{
    static const QRegularExpression form(u"^([A-Z]{1,2})([0-9]{1,6})(\\*?)$"_s);
    const auto match = form.match(token);
    if (!match.hasMatch())
        return unreadable(u"\"%1\" is no step."_s.arg(token));
    StepRecord step;
    step.session = numberOf(match.capturedView(1));
    step.step = match.capturedView(2).toInt();
    step.isBlocked = !match.capturedView(3).isEmpty();
    return step;
}

QJsonObject toJson(const StepRecord& step)
{
    QJsonObject json{{u"session"_s, sessionLetter(step.session)}, {u"step"_s, step.step},
        {u"label"_s, step.label}, {u"text"_s, step.text}};
    if (step.isBlocked) {
        QJsonArray blockers;
        for (const int blocker : step.blockers)
            blockers.append(sessionLetter(blocker));
        json[u"blocked"_s] = QJsonObject{{u"by"_s, blockers}, {u"on"_s, step.on}};
    }
    if (step.isEnded)
        json[u"outcome"_s] = outcomeKey(step.outcome);
    return json;
}

/// Takes an interleaving apart, and remembers the first thing that is wrong with it.
class JsonReader {
public:
    explicit JsonReader(QString file)
        : m_file(std::move(file))
    {
    }

    Result<Interleaving> read(const QJsonObject& json)
    {
        Interleaving all;
        all.scenario = text(json, u"scenario"_s);
        all.variant = text(json, u"variant"_s);
        all.engine = engine(text(json, u"engine"_s));
        all.sessions = int(number(json, u"sessions"_s, 1, maxSessions));
        all.rounds = int(number(json, u"rounds"_s, 1, maxRounds));
        all.seed = quint32(number(json, u"seed"_s, 0, std::numeric_limits<quint32>::max()));
        const QJsonObject parameters = json[u"parameters"_s].toObject();
        for (const QString& name : parameters.keys())
            all.parameters[name] = parameters[name].toVariant().toString();
        const QJsonArray steps = json[u"steps"_s].toArray();
        if (!json[u"steps"_s].isArray() || steps.size() > qsizetype(maxSteps))
            note(u"\"steps\" is no list of at most %1 steps."_s.arg(maxSteps));
        for (const auto& each : steps)
            all.steps.push_back(step(each.toObject()));
        const QJsonObject violations = json[u"violations"_s].toObject();
        for (const RunRule rule : enumerators<RunRule>)
            if (violations.contains(ruleKey(rule)))
                all.violations[rule] = violations[ruleKey(rule)].toInteger();
        if (!m_fault.isEmpty())
            return unreadable(u"%1: %2"_s.arg(m_file, m_fault),
                u"Its form is described in interleaving.schema.json, beside the scenarios."_s);
        LOCKSCOPE_TRY(checkNumbers(all));
        return all;
    }

private:
    void note(const QString& fault)
    {
        if (m_fault.isEmpty())
            m_fault = fault;
    }
    QString text(const QJsonObject& json, const QString& key)
    {
        if (!json[key].isString())
            note(u"\"%1\" is missing, or no text."_s.arg(key));
        return json[key].toString();
    }
    qint64 number(const QJsonObject& json, const QString& key, qint64 least, qint64 maximum)
    {
        const qint64 number = json[key].toInteger(least - 1);
        if (number < least || number > maximum)
            note(u"\"%1\" is missing, or no number from %2 to %3."_s.arg(key).arg(least).arg(maximum));
        return number;
    }
    Engine engine(const QString& key)
    {
        if (const auto engine = engineOfKey(key))
            return *engine;
        note(u"There is no engine \"%1\"."_s.arg(key));
        return {};
    }
    int session(const QString& letters)
    {
        static const QRegularExpression form(u"^[A-Z]{1,2}$"_s);
        if (!form.match(letters).hasMatch())
            note(u"There is no session \"%1\"."_s.arg(letters));
        return numberOf(letters);
    }
    StepRecord step(const QJsonObject& json)
    {
        StepRecord step;
        step.session = session(text(json, u"session"_s));
        step.step = int(number(json, u"step"_s, 1, qint64(maxSteps)));
        step.label = json[u"label"_s].toString();
        step.text = json[u"text"_s].toString();
        step.isBlocked = json[u"blocked"_s].isObject();
        const QJsonObject blocked = json[u"blocked"_s].toObject();
        for (const auto& blocker : blocked[u"by"_s].toArray())
            step.blockers.push_back(session(blocker.toString()));
        step.on = blocked[u"on"_s].toString();
        step.isEnded = json.contains(u"outcome"_s);
        if (step.isEnded) {
            const auto outcome = outcomeFrom(text(json, u"outcome"_s));
            if (!outcome)
                note(u"There is no outcome \"%1\"."_s.arg(json[u"outcome"_s].toString()));
            step.outcome = outcome.value_or(StepOutcome::Done);
        }
        return step;
    }

    const QString m_file;
    QString m_fault;
};

} // namespace

QString sessionLetter(int number)
{
    QString letters;
    for (; number > 0; number = (number - 1) / 26)
        letters.prepend(QChar(u'A' + (number - 1) % 26));
    return letters;
}

QString sessionLetters(const std::vector<int>& numbers)
{
    return textOfEach(numbers, sessionLetter).join(u" and "_s);
}

QString StepRecord::token() const
{
    return sessionLetter(session) + QString::number(step) + (isBlocked ? u"*"_s : QString());
}

int Interleaving::switches() const
{
    int count = 0;
    for (std::size_t i = 1; i < steps.size(); ++i)
        count += steps[i].session != steps[i - 1].session ? 1 : 0;
    return count;
}

QString toText(const Interleaving& interleaving)
{
    QString text = interleaving.scenario + u'/' + interleaving.variant;
    if (interleaving.sessions != defaultSessions)
        text += u" sessions=%1"_s.arg(interleaving.sessions);
    if (interleaving.rounds != 1)
        text += u" rounds=%1"_s.arg(interleaving.rounds);
    if (interleaving.seed != 1)
        text += u" seed=%1"_s.arg(interleaving.seed);
    QStringList names = interleaving.parameters.keys();
    names.sort();
    for (const QString& name : names)
        text += u" %1=%2"_s.arg(name, interleaving.parameters[name]);
    text += u':';
    for (const StepRecord& step : interleaving.steps)
        text += u' ' + step.token();
    return text;
}

Result<Interleaving> interleavingFromText(const QString& text)
{
    const qsizetype colon = text.indexOf(u':');
    if (colon < 0)
        return unreadable(u"This is no interleaving: it has no colon after the scenario and its variant."_s);
    const QStringList head = text.left(colon).simplified().split(u' ', Qt::SkipEmptyParts);
    const QStringList tokens = text.mid(colon + 1).simplified().split(u' ', Qt::SkipEmptyParts);
    const QStringList ids = head.value(0).split(u'/');
    if (ids.size() != 2 || ids[0].isEmpty() || ids[1].isEmpty())
        return unreadable(u"\"%1\" is no scenario and variant."_s.arg(head.value(0)));
    Interleaving all;
    all.scenario = ids[0];
    all.variant = ids[1];
    all.sessions = defaultSessions;
    for (const QString& part : head.mid(1)) {
        const qsizetype equals = part.indexOf(u'=');
        if (equals < 1)
            return unreadable(u"\"%1\" is not NAME=VALUE."_s.arg(part));
        LOCKSCOPE_TRY(set(all, part.left(equals), part.mid(equals + 1)));
    }
    if (tokens.size() > qsizetype(maxSteps))
        return unreadable(u"More than %1 steps are too many."_s.arg(maxSteps));
    for (const QString& token : tokens) {
        LOCKSCOPE_TRY_GET(auto step, stepFrom(token));
        all.steps.push_back(std::move(step));
    }
    LOCKSCOPE_TRY(checkNumbers(all));
    return all;
}

QJsonObject toJson(const Interleaving& interleaving)
{
    QJsonObject parameters;
    for (const QString& name : interleaving.parameters.keys())
        parameters[name] = interleaving.parameters[name];
    QJsonArray steps;
    for (const StepRecord& step : interleaving.steps)
        steps.append(toJson(step));
    return {{u"scenario"_s, interleaving.scenario}, {u"variant"_s, interleaving.variant},
        {u"engine"_s, engineKey(interleaving.engine)}, {u"sessions"_s, interleaving.sessions},
        {u"rounds"_s, interleaving.rounds}, {u"seed"_s, qint64(interleaving.seed)},
        {u"parameters"_s, parameters}, {u"steps"_s, steps},
        {u"violations"_s, toJson(interleaving.violations)}, {u"text"_s, toText(interleaving)}};
}

Result<Interleaving> interleavingFromJson(const QByteArray& json, const QString& file)
{
    QJsonParseError fault;
    const auto document = QJsonDocument::fromJson(json, &fault);
    if (!document.isObject())
        return unreadable(u"%1 is no JSON object: %2."_s.arg(file, fault.errorString()));
    return JsonReader(file).read(document.object());
}

Result<Interleaving> readInterleaving(const QByteArray& content, const QString& file)
{
    if (content.trimmed().startsWith('{'))
        return interleavingFromJson(content, file);
    return interleavingFromText(QString::fromUtf8(content));
}

} // namespace lockscope::scenario
