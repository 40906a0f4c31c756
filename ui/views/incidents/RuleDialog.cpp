// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ItemDialog.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/Duration.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/record/RecordingReader.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/page/AppContext.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr size_t minLevelRows = 3;
constexpr int foundHeight = 90;
constexpr int maxTrialLines = 200;
constexpr microseconds shortTrial = 1h;
constexpr microseconds longTrial = 24h * 14;

alert::Rule turnedOff(alert::Rule rule)
{
    rule.isOn = false;
    return rule;
}

QString trialText(microseconds length)
{
    return length == shortTrial ? u"hour"_s : u"14 days"_s;
}

QString exampleOf(alert::Condition condition)
{
    return alert::conditionInfo(condition).unit == alert::Unit::Duration ? u"30s"_s : u"3"_s;
}

/// "sessions", "min"; empty for a duration, which has its own.
QString unitOf(alert::Condition condition)
{
    const QString example = alert::valueText(condition, 2);
    return alert::conditionInfo(condition).unit == alert::Unit::Duration ? QString()
                                                                         : example.section(u' ', 1);
}

QString timesText(int count)
{
    return count == 0 ? u"not once"_s : count == 1 ? u"once"_s : u"%L1 times"_s.arg(count);
}

Result<watch::Rehearsal> rehearseAlone(
    const alert::Rule& rule, const watch::RehearsalOptions& options, const std::stop_token& stop)
{
    alert::RuleSet rules;
    rules.rules = {rule};
    return watch::rehearse(rules, options, stop);
}

/// Tries a rule on the last `length` that is recorded, and the rule as it is now unless its count is known.
Result<TrialResult> trialOf(const alert::Rule& edited, const alert::Rule& now, std::optional<int> before,
    watch::RehearsalOptions options, microseconds length, const std::stop_token& stop)
{
    const auto reader = record::RecordingReader::open(options.recording);
    const auto span = reader ? (*reader)->span() : Failure(reader.error());
    if (!span)
        return Failure(span.error());
    options.from = span->last - length;
    options.to = span->last;
    const auto tried = rehearseAlone(edited, options, stop);
    if (!tried)
        return Failure(tried.error());
    if (before)
        return TrialResult{*tried, *before};
    const auto asNow = rehearseAlone(now, options, stop);
    return asNow ? TrialResult{*tried, int(asNow->incidents.size())}
                 : Result<TrialResult>(Failure(asNow.error()));
}

} // namespace

QString TrialResult::toString(const QString& range) const
{
    const auto critical =
        std::ranges::count(rehearsal.incidents, alert::Severity::Critical, &alert::Incident::worst);
    QString text = u"In %1 of %2 it would have fired %3%4. As it is now: %5."_s.arg(range, rehearsal.server,
        timesText(int(rehearsal.incidents.size())),
        critical > 0 ? u", %1 of them critical"_s.arg(critical) : QString(), timesText(before));
    if (rehearsal.unreadable > 0)
        text += u" %1 can't be read."_s.arg(counted(rehearsal.unreadable, u"poll"));
    if (!rehearsal.notTried.isEmpty())
        text += u" A recording does not say enough to try: %1."_s.arg(rehearsal.notTried.join(u", "_s));
    return text;
}

RuleDialog::RuleDialog(const alert::Rule& rule, const QString& recording, QWidget* parent, Purpose purpose)
    : ItemDialog(u"rule"_s, purpose == Purpose::New ? u"New rule"_s : u"Rule “%1”"_s.arg(rule.name),
        u"incidents.md#rules"_s, parent)
    , m_rule(rule)
    , m_recording(recording)
    , m_purpose(purpose)
    , m_isOn(new QCheckBox(u"The rule is &on"_s, this))
    , m_preview(named("rulePreview", wrapped(new QLabel(this))))
    , m_found(named("ruleFound", u"Incidents that the rule would have found"_s, new QListWidget(this)))
    , m_tryLonger(named("tryLonger", pushButton(this)))
    , m_trySoon(new QTimer(this))
{
    m_isOn->setChecked(rule.isOn);
    auto* form = new QFormLayout;
    m_name = addLine(*form, u"&Name:"_s, "ruleName", rule.name, u"a name that no other rule has"_s);
    // A rule that comes with Lockscope is known by its name.
    m_name->setReadOnly(purpose == Purpose::Edit && alert::defaultRules().rule(rule.name));
    addLevels(*form);
    addScope(*form, m_rule.scope);
    m_times = addLine(*form, u"T&imes:"_s, "ruleTimes", alert::timesText(m_rule.scope.times),
        u"always; else as Mon–Fri 22:00–06:00; Sat, Sun"_s);
    m_channels = addLine(
        *form, u"C&hannels:"_s, "ruleChannels", rule.channels.join(u", "_s), u"all; several by commas"_s);
    m_text = addLine(*form, u"A&dvice:"_s, "ruleText", rule.text, u"whom to call, what to do"_s);
    QVBoxLayout* column = dialogColumn(*this);
    addAll(*column,
        {wrapped(new QLabel(QString::fromUtf16(alert::conditionInfo(rule.condition).meaning), this)), m_isOn,
            form});
    addTrial(*column);
    connect(m_isOn, &QCheckBox::toggled, this, &RuleDialog::check);
    finish(*column);
}

void RuleDialog::addTrial(QBoxLayout& column)
{
    m_found->setMaximumHeight(foundHeight);
    m_found->setToolTip(u"Enter or a double click goes to that time"_s);
    m_found->hide();
    m_trySoon->setSingleShot(true);
    m_trySoon->setInterval(500ms);
    QHBoxLayout* line = rowOf({{m_preview, 1}, {m_tryLonger, 0, Qt::AlignTop}});
    column.addLayout(line);
    column.addWidget(m_found);
    connect(m_trySoon, &QTimer::timeout, this, [this] { tryOut(shortTrial); });
    connect(m_tryLonger, &QPushButton::clicked, this, [this] {
        if (!m_isTrying)
            return tryOut(longTrial);
        cancelTrial();
        m_isTrying = false;
        m_preview->setText(u"Cancelled."_s);
        check();
    });
    connect(m_found, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        Q_EMIT timeTravelRequested(ServerTime{item->data(Qt::UserRole).toLongLong()});
    });
}

void RuleDialog::tryOut(microseconds length)
{
    const auto made = rule();
    if (!made || !canTry())
        return;
    m_tried = length;
    m_isTrying = true;
    m_preview->setText(u"Trying it on the last %1…"_s.arg(trialText(length)));
    m_tryLonger->setText(u"S&top"_s);
    cancelTrial();
    const auto progress = [to = QPointer(this), asked = m_asked](double part) {
        postTo(to, [asked, part](RuleDialog& dialog) {
            if (asked == dialog.m_asked)
                dialog.m_preview->setText(
                    u"Trying it on the last %1: %2 %"_s.arg(trialText(dialog.m_tried)).arg(int(part * 100)));
        });
    };
    const auto before = m_before.constFind(length.count());
    m_worker.ask(
        this,
        [edited = *made, now = m_purpose == Purpose::New ? turnedOff(m_rule) : m_rule,
            known = before == m_before.cend() ? std::nullopt : std::optional(*before),
            options =
                watch::RehearsalOptions{
                    .recording = m_recording, .passwords = {}, .from = {}, .to = {}, .progress = progress},
            length](
            const std::stop_token& stop) { return trialOf(edited, now, known, options, length, stop); },
        [this, asked = m_asked, length](const Result<TrialResult>& result) {
            if (result)
                m_before.insert(length.count(), result->before);
            if (asked == m_asked)
                showTrial(result);
        });
}

void RuleDialog::cancelTrial()
{
    ++m_asked;
    m_worker.cancel();
}

void RuleDialog::showTrial(const Result<TrialResult>& result)
{
    m_isTrying = false;
    m_preview->setText(result ? result->toString(u"the last "_s + trialText(m_tried))
                              : u"It can't be tried: %1"_s.arg(result.error().toString()));
    m_found->clear();
    for (const alert::Incident& each : result ? result->rehearsal.incidents : QList<alert::Incident>()) {
        if (m_found->count() >= maxTrialLines)
            break;
        auto* item = new QListWidgetItem(
            inOneLine(u"%1, for %2, %3: %4"_s.arg(shortDateTimeText(each.fired),
                durationInWords(each.lasted()), alert::severityName(each.worst), each.title)),
            m_found);
        item->setData(Qt::UserRole, qint64(each.worstAt.isValid() ? each.worstAt.us : each.fired.us));
    }
    m_found->setVisible(m_found->count() > 0);
    check();
}

void RuleDialog::addLevels(QFormLayout& form)
{
    const bool isLessWorse = alert::conditionInfo(m_rule.condition).isLessWorse;
    const QString unit = unitOf(m_rule.condition);
    const size_t rows = std::max(minLevelRows, m_rule.levels.size() + 1);
    for (size_t i = 0; i < rows; ++i) {
        const alert::RuleLevel* level = i < m_rule.levels.size() ? &m_rule.levels[i] : nullptr;
        const LevelRow row{new QComboBox(this), new QLineEdit(this), new QLineEdit(this)};
        row.severity->addItems({u"–"_s, alert::severityName(alert::Severity::Warning),
            alert::severityName(alert::Severity::Critical)});
        row.severity->setCurrentIndex(level ? 1 + int(level->severity) : 0);
        row.severity->setAccessibleName(u"Severity of level %1"_s.arg(i + 1));
        row.severity->setObjectName(u"severity%1"_s.arg(i + 1));
        row.from->setText(level ? alert::levelText(m_rule.condition, level->from) : QString());
        row.from->setPlaceholderText(exampleOf(m_rule.condition));
        row.from->setObjectName(u"from%1"_s.arg(i + 1));
        row.from->setAccessibleName(u"Number of level %1"_s.arg(i + 1));
        row.hold->setText(level ? durationText(level->hold) : QString());
        row.hold->setPlaceholderText(u"0s"_s);
        row.hold->setObjectName(u"hold%1"_s.arg(i + 1));
        row.hold->setAccessibleName(u"Hold of level %1"_s.arg(i + 1));
        QHBoxLayout* line = rowOf({row.severity, new QLabel(isLessWorse ? u"down from"_s : u"from"_s, this),
            {row.from, 1}, new QLabel(unit, this), new QLabel(u"for"_s, this), {row.hold, 1}});
        form.addRow(i == 0 ? u"Levels:"_s : QString(), line);
        connect(row.severity, &QComboBox::currentIndexChanged, this, &RuleDialog::check);
        m_levels.push_back(row);
    }
    m_clearBelow = addLine(form, isLessWorse ? u"C&lear above:"_s : u"C&lear below:"_s, "clearBelow",
        m_rule.clearBelow ? alert::levelText(m_rule.condition, *m_rule.clearBelow) : QString(),
        u"the level itself"_s);
    m_keepFiring =
        addLine(form, u"&Keep firing for:"_s, "keepFiring", durationText(m_rule.keepFiring), u"1m"_s);
}

Result<std::vector<alert::RuleLevel>> RuleDialog::levels() const
{
    std::vector<alert::RuleLevel> levels;
    for (const LevelRow& row : m_levels) {
        if (row.severity->currentIndex() == 0)
            continue;
        const auto from = alert::parseLevel(m_rule.condition, row.from->text().trimmed());
        if (!from)
            return Failure(from.error());
        const QString hold = row.hold->text().trimmed();
        const auto length = hold.isEmpty() ? Result<milliseconds>(0ms) : parseDuration(hold);
        if (!length)
            return Failure(length.error());
        levels.push_back({alert::Severity(row.severity->currentIndex() - 1), *from, *length});
    }
    if (levels.empty())
        return failure(
            ErrorKind::BadInput, u"A rule needs a level, or never fires. To have none, turn it off."_s);
    return levels;
}

Result<alert::Rule> RuleDialog::rule() const
{
    alert::Rule made = m_rule;
    made.name = m_name->text().trimmed();
    if (made.name.isEmpty())
        return failure(ErrorKind::BadInput, u"A rule needs a name."_s);
    const auto read = levels();
    if (!read)
        return Failure(read.error());
    made.levels = *read;
    made.clearBelow.reset();
    if (const QString clear = m_clearBelow->text().trimmed(); !clear.isEmpty()) {
        const auto value = alert::parseLevel(m_rule.condition, clear);
        if (!value)
            return Failure(value.error());
        made.clearBelow = *value;
    }
    const auto keep = parseDuration(m_keepFiring->text().trimmed());
    if (!keep)
        return Failure(keep.error());
    made.keepFiring = *keep;
    takeScope(made.scope);
    const auto times = alert::parseTimes(m_times->text());
    if (!times)
        return Failure(times.error());
    made.scope.times = *times;
    made.channels = namesIn(*m_channels);
    made.text = m_text->text().trimmed();
    made.isOn = m_isOn->isChecked();
    return made;
}

Result<alert::RuleFileChange> RuleDialog::change() const
{
    return changeTo(rule(), m_purpose == Purpose::New ? std::nullopt : std::optional(m_rule));
}

void RuleDialog::check()
{
    const auto made = rule();
    showCheck(made ? std::nullopt : std::optional(made.error()),
        m_purpose == Purpose::New || (made && *made != m_rule));
    m_tryLonger->setText(m_isTrying ? u"S&top"_s : u"&Try on 14 days"_s);
    m_tryLonger->setEnabled(made && canTry());
    if (!canTry())
        m_preview->setText(
            u"To try the rule on what was recorded, show a server that is recorded, or open a recording."_s);
    for (const LevelRow& row : m_levels)
        for (QLineEdit* line : {row.from, row.hold})
            line->setEnabled(row.severity->currentIndex() > 0);
    if (made && *made != m_triedRule) {
        m_triedRule = *made;
        m_trySoon->start();
    }
}

} // namespace lockscope::ui
