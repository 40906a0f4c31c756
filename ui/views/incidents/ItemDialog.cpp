// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/ItemDialog.h"

#include "core/alert/rules/RuleFile.h"
#include "core/base/ShownText.h"
#include "core/watch/AlertTables.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QDateTimeEdit>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int itemDialogWidth = 600;

constexpr int shownTimes = 3;

/// Today's next full hour.
QDateTime nextHour()
{
    const QDateTime now = QDateTime::currentDateTime();
    return QDateTime(now.date(), QTime(now.time().hour(), 0)).addSecs(3'600);
}

} // namespace

ItemDialog::ItemDialog(const QString& id, const QString& title, const QString& chapter, QWidget* parent)
    : QDialog(parent)
    , m_id(id)
    , m_trouble(wrapped(new QLabel(this)))
{
    setObjectName(id + u"Dialog"_s);
    setWindowTitle(inOneLine(title));
    setMinimumWidth(itemDialogWidth);
    explain(*this, chapter);
    m_trouble->setObjectName(id + u"Trouble"_s);
    theme::setInk(m_trouble, theme::colors().red);
}

QLineEdit* ItemDialog::addLine(
    QFormLayout& form, const QString& label, const char* name, const QString& text, const QString& example)
{
    auto* line = named(name, new QLineEdit(text, this));
    line->setPlaceholderText(example);
    line->setCursorPosition(0);
    form.addRow(label, line);
    return line;
}

void ItemDialog::addScope(QFormLayout& form, const alert::Scope& scope)
{
    static constexpr std::array<QStringView, alert::scopeLists.size()> labels{
        u"Ser&vers:", u"Data&bases:", u"Loc&ks:", u"&Programs:", u"&Users:"};
    for (size_t i = 0; i < m_scope.size(); ++i) {
        const auto& [key, list] = alert::scopeLists[i];
        const QString name = m_id + key[0].toUpper() + key.mid(1).toString();
        m_scope[i] = addLine(form, labels[i].toString(), qPrintable(name), (scope.*list).join(u", "_s),
            u"all; several by commas, * stands for any text"_s);
    }
}

void ItemDialog::takeScope(alert::Scope& scope) const
{
    for (size_t i = 0; i < m_scope.size(); ++i)
        scope.*alert::scopeLists[i].second = namesIn(*m_scope[i]);
}

QStringList ItemDialog::namesIn(const QLineEdit& line)
{
    QStringList names = line.text().split(u',');
    for (QString& name : names)
        name = name.trimmed();
    names.removeAll(QString());
    return names;
}

void ItemDialog::finish(QBoxLayout& column)
{
    QDialogButtonBox* buttons = cancelButtons(*this);
    m_save = buttons->addButton(u"&Save"_s, QDialogButtonBox::ActionRole);
    m_save->setObjectName(u"save"_s + m_id.left(1).toUpper() + m_id.mid(1));
    m_save->setDefault(true);
    column.addWidget(m_trouble);
    column.addWidget(buttons);
    for (const QLineEdit* line : findChildren<QLineEdit*>())
        connect(line, &QLineEdit::textChanged, this, [this] { check(); });
    connect(m_save, &QPushButton::clicked, this, [this] {
        if (!change())
            return;
        m_save->setEnabled(false); // until it is answered, or something else is typed
        save();
    });
    check();
}

void ItemDialog::save()
{
    Q_EMIT saveRequested(*change());
}

void ItemDialog::showCheck(const std::optional<Error>& error, bool hasChanged)
{
    m_trouble->setText(error ? inLines(error->toString()) : QString());
    m_trouble->setVisible(error.has_value());
    m_save->setEnabled(!error && hasChanged);
    m_save->setToolTip(!error && !hasChanged ? u"Nothing has changed."_s : QString());
}

void ItemDialog::takeAnswer(const Result<void>& saved)
{
    if (saved)
        return accept();
    showCheck(saved.error(), true);
    m_save->setEnabled(true); // it may be mended elsewhere
}

MaintenanceDialog::MaintenanceDialog(const std::optional<alert::MaintenanceWindow>& window, QWidget* parent)
    : ItemDialog(u"maintenance"_s, window ? u"Maintenance window"_s : u"New maintenance window"_s,
        u"incidents.md#maintenance"_s, parent)
    , m_before(window)
    , m_next(named("maintenanceNext", wrapped(new QLabel(this))))
{
    const alert::MaintenanceWindow shown = window.value_or(alert::MaintenanceWindow());
    auto* form = new QFormLayout;
    m_why = addLine(*form, u"Wh&y:"_s, "maintenanceWhy", shown.why, u"backup, new disks"_s);
    m_times = addLine(*form, u"Each &week:"_s, "maintenanceTimes", alert::timesText(shown.scope.times),
        u"as Sat 02:00–04:00; Mon–Fri 22:00–06:00"_s);
    const QDateTime begin = nextHour();
    m_from = addEnd(*form, u"&From:"_s, "maintenanceFrom", shown.from, begin);
    m_to = addEnd(*form, u"&To:"_s, "maintenanceTo", shown.to, begin.addSecs(3'600));
    addScope(*form, shown.scope);
    QVBoxLayout* column = dialogColumn(*this);
    auto* meaning = new QLabel(
        u"In a maintenance window nothing is sent. Incidents are still found, listed and kept. Times are by this machine's clock."_s,
        this);
    addAll(*column, {wrapped(meaning), form, m_next});
    finish(*column);
}

MaintenanceDialog::End MaintenanceDialog::addEnd(QFormLayout& form, const QString& label, const char* name,
    const std::optional<QDateTime>& time, const QDateTime& otherwise)
{
    const End end{
        new QCheckBox(label, this), new QDateTimeEdit(time ? time->toLocalTime() : otherwise, this)};
    end.isSet->setObjectName(u"has"_s + QLatin1String(name));
    end.isSet->setChecked(time.has_value());
    end.time->setObjectName(QLatin1String(name));
    end.time->setAccessibleName(QString(label).remove(u'&'));
    end.time->setDisplayFormat(u"yyyy-MM-dd HH:mm"_s);
    end.time->setCalendarPopup(true);
    end.time->setEnabled(time.has_value());
    form.addRow(end.isSet, end.time);
    connect(end.isSet, &QCheckBox::toggled, end.time, &QWidget::setEnabled);
    connect(end.isSet, &QCheckBox::toggled, this, &MaintenanceDialog::check);
    connect(end.time, &QDateTimeEdit::dateTimeChanged, this, &MaintenanceDialog::check);
    return end;
}

Result<alert::MaintenanceWindow> MaintenanceDialog::window() const
{
    alert::MaintenanceWindow made;
    made.why = m_why->text().trimmed();
    const auto times = alert::parseTimes(m_times->text());
    if (!times)
        return Failure(times.error());
    takeScope(made.scope);
    made.scope.times = *times;
    // A time of the file that is not changed keeps its seconds.
    const auto timeOf = [](const End& end, const std::optional<QDateTime>& before) {
        const QDateTime shown = end.time->dateTime();
        const bool isSame = before && before->toLocalTime() == shown;
        return !end.isSet->isChecked() ? std::nullopt : isSame ? before : std::optional(shown);
    };
    made.from = timeOf(m_from, m_before ? m_before->from : std::nullopt);
    made.to = timeOf(m_to, m_before ? m_before->to : std::nullopt);
    if (made.why.isEmpty())
        return failure(
            ErrorKind::BadInput, u"A maintenance window needs a reason, for those who wonder later."_s);
    if (made.from && made.to && *made.to <= *made.from)
        return failure(ErrorKind::BadInput, u"This window ends before it begins."_s);
    if (!made.to && made.scope.times.empty())
        return failure(ErrorKind::BadInput, u"This window has no end. Set one, or times of each week."_s);
    return made;
}

Result<alert::RuleFileChange> MaintenanceDialog::change() const
{
    return changeTo(window(), m_before);
}

void MaintenanceDialog::check()
{
    const auto made = window();
    showCheck(made ? std::nullopt : std::optional(made.error()), made && (!m_before || *made != *m_before));
    const QString next =
        made ? watch::nextTimesText(*made, QDateTime::currentDateTime(), shownTimes) : QString();
    m_next->setText(!made ? u"Next: –"_s : next.isEmpty() ? u"It is over."_s : u"Next: "_s + next);
}

} // namespace lockscope::ui
