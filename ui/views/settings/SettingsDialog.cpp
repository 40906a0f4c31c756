// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/settings/SettingsDialog.h"

#include "core/admin/LocalAudit.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QGroupBox>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

int inSeconds(milliseconds duration)
{
    return static_cast<int>(duration.count() / 1'000);
}

QSpinBox* numberBox(QWidget* parent, const char* name, int value, int maximum, const QString& suffix)
{
    auto* box = named(name, new QSpinBox(parent));
    box->setRange(1, maximum);
    box->setSuffix(suffix);
    box->setValue(value);
    return box;
}

} // namespace

SettingsDialog::SettingsDialog(const Preferences& p, QWidget* parent, db::KeychainPtr keychain)
    : QDialog(parent)
    , m_interval(new QComboBox(this))
    , m_theme(named("theme", new QComboBox(this)))
    , m_reopen(named("reopen", new QCheckBox(u"Reopen last session's servers"_s, this)))
    , m_statements(new QCheckBox(u"Read the statements of the sessions"_s, this))
    , m_maxLocks(named("mostLocks", new QSpinBox(this)))
    , m_alertSound(named("alertSound", new QCheckBox(u"Play a sound when an incident fires"_s, this)))
    , m_keepInTray(new QCheckBox(u"Keep watching in the tray when the window is closed"_s, this))
    , m_localAudit(new QCheckBox(
          u"Allow actions without a server audit (servers opened by URL; log to a local file)"_s, this))
    , m_recording(new RecordingFields(p.recording, std::move(keychain), this))
{
    setWindowTitle(u"Settings"_s);
    explain(*this, QStringLiteral("window.md#settings"));
    const int maxSeconds = 7 * 24 * 3'600;
    const QString seconds = u" s"_s;
    m_waitAmber = numberBox(this, "waitAmber", inSeconds(p.ages.wait.amber), maxSeconds, seconds);
    m_waitRed = numberBox(this, "waitRed", inSeconds(p.ages.wait.red), maxSeconds, seconds);
    m_holdAmber = numberBox(this, "holdAmber", inSeconds(p.ages.hold.amber), maxSeconds, seconds);
    m_holdRed = numberBox(this, "holdRed", inSeconds(p.ages.hold.red), maxSeconds, seconds);
    m_staleAmber = numberBox(this, "staleAmber", p.staleAmber, 100'000, {});
    m_staleRed = numberBox(this, "staleRed", p.staleRed, 100'000, {});

    QGroupBox* levels = makeLevels();
    fillIn(p);
    auto* form = new QFormLayout;
    appendRows(*form,
        {{u"Ask the servers every"_s, m_interval}, {u"Appearance"_s, m_theme},
            {u"Locks shown at most"_s, m_maxLocks}});
    for (QCheckBox* box : {m_reopen, m_statements, m_alertSound, m_keepInTray, m_localAudit})
        form->addRow(QString(), box);
    auto* recording = new QGroupBox(u"Recording"_s, this);
    (new QVBoxLayout(recording))->addWidget(m_recording);
    QDialogButtonBox* buttons = acceptButtons(*this);
    addAll(*dialogColumn(*this, 14), {levels, form, recording, stretch(1), buttons});
    QWidget* before = m_waitAmber;
    const QList<QWidget*> first{m_waitRed, m_holdAmber, m_holdRed, m_staleAmber, m_staleRed, m_interval,
        m_theme, m_maxLocks, m_reopen, m_statements, m_alertSound, m_keepInTray, m_localAudit};
    for (QWidget* next : first + m_recording->inOrder() + QList<QWidget*>{buttons}) {
        setTabOrder(before, next);
        before = next;
    }
}

QGroupBox* SettingsDialog::makeLevels()
{
    auto* levels = new QGroupBox(u"Warning thresholds"_s, this);
    auto* grid = new QGridLayout(levels);
    grid->addWidget(new QLabel(u"▲ Amber"_s, levels), 0, 1);
    grid->addWidget(new QLabel(u"■ Red"_s, levels), 0, 2);
    int row = 1;
    const auto addRow = [&](const QString& text, QSpinBox* amber, QSpinBox* red) {
        grid->addWidget(new QLabel(text, levels), row, 0);
        amber->setAccessibleName(text + u": amber from"_s);
        red->setAccessibleName(text + u": red from"_s);
        grid->addWidget(amber, row, 1);
        grid->addWidget(red, row, 2);
        ++row;
    };
    addRow(u"Somebody waits for"_s, m_waitAmber, m_waitRed);
    addRow(u"Somebody holds a lock for"_s, m_holdAmber, m_holdRed);
    addRow(u"Stale lock-table entries"_s, m_staleAmber, m_staleRed);
    return levels;
}

void SettingsDialog::fillIn(const Preferences& p)
{
    for (const int ms : {250, 500, 1'000, 2'000, 5'000, 10'000, 30'000, 60'000})
        m_interval->addItem(ms < 1'000 ? u"%1 ms"_s.arg(ms) : u"%1 s"_s.arg(ms / 1'000), ms);
    m_interval->setCurrentIndex(std::max(0, m_interval->findData(static_cast<int>(p.interval.count()))));
    m_theme->addItem(u"Like the desktop"_s, static_cast<int>(ThemeMode::System));
    m_theme->addItem(u"Light"_s, static_cast<int>(ThemeMode::Light));
    m_theme->addItem(u"Dark"_s, static_cast<int>(ThemeMode::Dark));
    m_theme->setCurrentIndex(m_theme->findData(static_cast<int>(p.theme)));
    m_reopen->setChecked(p.reopen);
    m_statements->setChecked(p.statements);
    m_statements->setToolTip(
        u"Statements can contain personal data. Without them, polls are cheaper, too."_s);

    m_maxLocks->setRange(Preferences::minLocks, Preferences::utmostLocks);
    m_maxLocks->setSingleStep(10'000);
    m_maxLocks->setGroupSeparatorShown(true);
    m_maxLocks->setValue(p.maxLocks);
    m_maxLocks->setToolTip(
        u"Locks that somebody waits for come first; the page Locks says how many more there are. More make each poll slower."_s);

    m_localAudit->setObjectName(QStringLiteral("localAudit"));
    m_localAudit->setChecked(p.localAudit);
    m_localAudit->setToolTip(
        u"Then actions on databases without Lockscope's schema are logged to %1. Without this, they are refused; a server of the list has its own answer, in its settings. A file of the person who acts is no evidence for others."_s
            .arg(admin::LocalAudit::defaultPath()));

    m_alertSound->setChecked(p.alertSound);
    m_alertSound->setToolTip(u"By the desktop's notification, where it can; else a beep"_s);
    m_keepInTray->setObjectName(QStringLiteral("keepInTray"));
    m_keepInTray->setChecked(p.keepInTray);
    m_keepInTray->setToolTip(
        u"Where the desktop has a tray. Quit in the menu of the icon there ends Lockscope then."_s);
}

std::optional<HistoryPassword> SettingsDialog::historyPassword() const
{
    return m_recording->historyPassword();
}

Preferences SettingsDialog::preferences() const
{
    const auto seconds = [](const QSpinBox* box) { return milliseconds(box->value() * 1'000LL); };
    Preferences p;
    p.ages.wait.amber = seconds(m_waitAmber);
    p.ages.wait.red = std::max(p.ages.wait.amber, seconds(m_waitRed));
    p.ages.hold.amber = seconds(m_holdAmber);
    p.ages.hold.red = std::max(p.ages.hold.amber, seconds(m_holdRed));
    p.staleAmber = m_staleAmber->value();
    p.staleRed = std::max(p.staleAmber, m_staleRed->value());
    p.interval = milliseconds(m_interval->currentData().toInt());
    p.theme = static_cast<ThemeMode>(m_theme->currentData().toInt());
    p.reopen = m_reopen->isChecked();
    p.statements = m_statements->isChecked();
    p.maxLocks = m_maxLocks->value();
    p.alertSound = m_alertSound->isChecked();
    p.keepInTray = m_keepInTray->isChecked();
    p.localAudit = m_localAudit->isChecked();
    p.recording = m_recording->recording();
    return p;
}

} // namespace lockscope::ui
