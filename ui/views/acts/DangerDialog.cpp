// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/acts/DangerDialog.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// Returns the captures of `pattern` in `script`, each once, in its order.
QStringList namesIn(const QString& script, const QString& pattern)
{
    const QRegularExpression expression(
        pattern, QRegularExpression::MultilineOption | QRegularExpression::CaseInsensitiveOption);
    QStringList names;
    for (auto found = expression.globalMatch(script); found.hasNext();) {
        const QString name = found.next().captured(1);
        if (!names.contains(name))
            names << name;
    }
    return names;
}

/// The objects of one kind ("TABLE") that a script creates.
QStringList createdBy(const QString& script, const QString& kind)
{
    return namesIn(script,
        QStringLiteral(R"(^\s*(?:EXEC(?:UTE)?\s*\(N?')?CREATE\s+(?:OR\s+REPLACE\s+)?%1\s+)"
                       R"((?:IF\s+NOT\s+EXISTS\s+)?([\w.\[\]"]+))")
            .arg(kind));
}

constexpr int rememberedReasons = 8;
constexpr int maxFactLength = 400;
constexpr int dangerWidth = 540;
constexpr int scriptWidth = 720;
const QString reasonsKey = QStringLiteral("dialogs/reasons");

QString bullets(const QStringList& lines)
{
    QString html = QStringLiteral("<ul style='margin-left:-22px; margin-top:2px; margin-bottom:0px'>");
    for (const QString& line : lines)
        html += QStringLiteral("<li style='margin-bottom:3px'>%1</li>").arg(htmlText(inOneLine(line)));
    return html + QStringLiteral("</ul>");
}

QLabel* dialogHeading(const QString& text, QWidget* parent)
{
    return demiBold(1.0, new QLabel(text, parent));
}

} // namespace

QStringList describeFired(const admin::FiredCode& fired)
{
    constexpr int shownCount = 10;
    QStringList lines;
    if (!fired.runs.isEmpty())
        lines << u"This also runs code that is kept in the database: %1."_s.arg(
            nameList(fired.runs, shownCount));
    if (fired.isLeftAlone)
        lines << u"Left alone, since others' code could run with your rights: %1."_s.arg(
            nameList(fired.strangers, shownCount));
    else if (!fired.strangers.isEmpty())
        lines
            << u"No statement is offered to copy, since others' code could run with the rights of those who run it: %1."_s
                   .arg(nameList(fired.strangers, shownCount));
    return lines;
}

QString describeMembers(const QString& role, const QStringList& members)
{
    constexpr int shownCount = 20;
    return members.isEmpty() ? u"Nobody is a member of %1."_s.arg(role)
                             : u"Members of %1: %2."_s.arg(role, nameList(members, shownCount));
}

QString describeAdopted(const QString& role, const QStringList& members)
{
    return u"The role %1 is used as it is: who is a member of it has its rights here. "_s.arg(role)
        + describeMembers(role, members);
}

DangerText describeInstall(const QString& script, const QString& where, const QString& user)
{
    DangerText text;
    text.title = u"Install Lockscope's schema"_s;
    text.button = u"Install"_s;
    text.reasoned = false;
    text.script = script;
    text.facts << DangerText::Fact{u"Where"_s, where};
    if (!user.isEmpty())
        text.facts << DangerText::Fact{u"As"_s, user};
    const std::pair<QString, const char*> kinds[]{{u"Schema"_s, "SCHEMA"}, {u"Tables"_s, "TABLE"},
        {u"Sequences"_s, "SEQUENCE"}, {u"Views"_s, "VIEW"}, {u"Functions"_s, "FUNCTION"},
        {u"Procedures"_s, "PROCEDURE"}};
    for (const auto& [name, kind] : kinds) {
        const QStringList created = createdBy(script, QLatin1String(kind));
        if (!created.isEmpty())
            text.facts << DangerText::Fact{name, created.join(QStringLiteral(", "))};
    }
    // Made in a loop on some engines, hence known by their names.
    const QStringList roles = namesIn(script, QStringLiteral(R"(\b(lockscope_(?:reader|operator|admin))\b)"));
    if (!roles.isEmpty())
        text.facts << DangerText::Fact{u"Roles"_s, roles.join(QStringLiteral(", "))};
    text.consequences << u"Programs can take locks by name here, and those that wait are seen."_s
                      << u"Actions of operators are recorded in the audit from now on."_s
                      << u"Nothing else in the database is touched. Running it again changes nothing."_s;
    return text;
}

DangerDialog::DangerDialog(QSettings& settings, QWidget* parent)
    : QDialog(parent)
    , m_settings(settings)
    , m_title(demiBold(1.3, wrapped(new QLabel(this))))
    , m_facts(new QGridLayout)
    , m_consequences(named("consequences", new QLabel(this)))
    , m_script(named("script", u"What will be run"_s, new QPlainTextEdit(this)))
    , m_warning(named("warning", new NoticeBar(NoticeBar::Shape::Card, this)))
    , m_vendor(named("vendorCommand", new NoticeBar(NoticeBar::Shape::Card, this)))
    , m_reasonLabel(new QLabel(u"&Reason (recorded in the audit):"_s, this))
    , m_reason(new QComboBox(this))
    , m_failure(named("failure", new NoticeBar(NoticeBar::Shape::Card, this)))
    , m_progress(new QProgressBar(this))
    , m_answer(named("answer", new NoticeBar(NoticeBar::Shape::Card, this)))
{
    setMinimumWidth(dangerWidth);
    explain(*this, QStringLiteral("freeing.md"));
    m_facts->setHorizontalSpacing(14);
    m_facts->setVerticalSpacing(4);
    m_facts->setColumnStretch(1, 1);
    m_consequences->setWordWrap(true);
    m_consequences->setTextFormat(Qt::RichText);
    m_script->setReadOnly(true);
    m_script->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_script->setFont(theme::monospace());
    m_script->setMinimumSize(scriptWidth, QFontMetrics(theme::monospace()).height() * 12);
    m_script->hide();
    offerReasons();
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(6);
    m_progress->hide();
    arrange();

    connect(m_act, &QPushButton::clicked, this, [this] {
        if (!m_ready || !m_advice.isPossible || (m_reasoned && reason().isEmpty()))
            return;
        if (m_reasoned) {
            QStringList reasons = m_settings.value(reasonsKey).toStringList();
            reasons.removeAll(reason());
            reasons.prepend(reason());
            m_settings.setValue(reasonsKey, reasons.mid(0, rememberedReasons));
        }
        clearFailure();
        Q_EMIT confirmed(reason());
    });
    connect(m_copy, &QPushButton::clicked, this, [this] { copyByButton(*m_copy, m_statement); });
    connect(m_answer, &NoticeBar::actionTriggered, this, [this] {
        m_reason->setFocus(); // its button goes
        Q_EMIT localAuditAllowed();
    });
    connect(m_failure, &NoticeBar::actionTriggered, this, &DangerDialog::remedyChosen);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_reason, &QComboBox::editTextChanged, this, &DangerDialog::updateButton);
    updateButton();
}

void DangerDialog::offerReasons()
{
    m_reason->setEditable(true);
    m_reason->setCompleter(nullptr); // "INC-12" is no beginning of an earlier "INC-123"
    m_reason->setInsertPolicy(QComboBox::NoInsert);
    m_reason->addItems(m_settings.value(reasonsKey).toStringList());
    m_reason->setCurrentIndex(-1);
    m_reason->clearEditText();
    m_reason->lineEdit()->setPlaceholderText(u"Why? A ticket number will do."_s);
    m_reasonLabel->setBuddy(m_reason);
}

void DangerDialog::arrange()
{
    auto* buttons = new QDialogButtonBox(this);
    m_copy = named("copyStatement", buttons->addButton(u"&Copy statement"_s, QDialogButtonBox::HelpRole));
    m_copy->hide();
    m_act = buttons->addButton(QString(), QDialogButtonBox::ActionRole);
    m_cancel = buttons->addButton(QDialogButtonBox::Cancel);
    for (QPushButton* button : {m_copy, m_act, m_cancel})
        button->setAutoDefault(false);
    m_reason->installEventFilter(this);
    m_reason->lineEdit()->installEventFilter(this);
    m_act->installEventFilter(this);

    QVBoxLayout* layout = dialogColumn(*this, 10);
    layout->addWidget(m_title);
    layout->addWidget(m_answer); // without the right, the grant comes before all else
    addAll(*layout,
        {m_facts, spacer(4), dialogHeading(u"What will follow"_s, this), m_consequences, {m_script, 1},
            spacer(4), m_warning, m_vendor, m_reasonLabel, m_reason, m_failure, m_progress, stretch(),
            buttons});
}

void DangerDialog::setText(const DangerText& text)
{
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    setWindowTitle(inOneLine(text.title));
    m_title->setText(inOneLine(text.title));
    for (const DangerText::Fact& fact : text.facts) {
        const int row = m_facts->rowCount();
        auto* name = faint(wrapped(new QLabel(inOneLine(fact.name), this)));
        const int widest = std::max(dangerWidth / 3, name->fontMetrics().horizontalAdvance(u'w') * 14);
        name->setMinimumWidth(std::min(name->fontMetrics().horizontalAdvance(name->text()) + 2, widest));
        name->setMaximumWidth(widest);
        const QString shown = inOneLine(fact.value);
        auto* value = new QLabel(
            shown.size() > maxFactLength ? shown.left(maxFactLength) + QStringLiteral("…") : shown, this);
        selectable(wrapped(value), Qt::TextSelectableByMouse);
        m_facts->addWidget(name, row, 0, Qt::AlignTop);
        m_facts->addWidget(value, row, 1);
    }
    m_said = text.consequences;
    showConsequences();
    m_warning->say({.level = AgeLevel::Amber, .text = text.warning});
    m_vendor->say(text.vendorCommand.isEmpty() ? BarNotice{}
                                               : BarNotice{.level = AgeLevel::Normal,
                                                   .text = u"%1's own command:"_s.arg(text.vendorName),
                                                   .detail = text.vendorNote,
                                                   .copyable = inOneLine(text.vendorCommand)});
    m_act->setText(text.button);
    m_refusal = text.refusal;
    m_cancel->setText(m_refusal);
    m_script->setPlainText(inLines(text.script));
    m_script->setVisible(!text.script.isEmpty());
    m_reasoned = text.reasoned;
    m_statement = text.statement;
    m_copy->setVisible(!m_statement.isEmpty() && m_advice.offersStatement);
    m_copy->setToolTip(toolTipText(m_statement.left(maxFactLength)));
    showReason(m_reasoned);
    m_ready = true;
    m_progress->hide();
    m_reason->setEnabled(true);
    m_reason->setFocus();
    updateButton();
    // As high as its words need at this width: labels that wrap ask for too much by themselves.
    const QMargins margins = layout()->contentsMargins();
    const int needed = text.script.isEmpty() ? dangerWidth : scriptWidth + margins.left() + margins.right();
    setMinimumWidth(needed);
    if (!isVisible())
        resize(needed, layout()->totalHeightForWidth(needed));
}

void DangerDialog::setAdvice(const ActAdvice& advice)
{
    m_advice = advice;
    m_answer->say(
        {.level = advice.level, .text = advice.text, .detail = advice.detail, .copyable = advice.grant});
    m_answer->setAction(advice.needsConsent ? u"Record in a file from now on"_s : QString());
    m_copy->setVisible(m_ready && !m_statement.isEmpty() && m_advice.offersStatement);
    updateButton();
}

void DangerDialog::setMore(const QStringList& consequences)
{
    m_more = consequences;
    showConsequences();
}

void DangerDialog::showConsequences()
{
    m_consequences->setText(bullets(m_said + m_more));
}

bool DangerDialog::eventFilter(QObject* watched, QEvent* event)
{
    // Shown as the default while Enter presses it.
    if (watched == m_act && (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut))
        m_act->setDefault(event->type() == QEvent::FocusIn);
    if (event->type() == QEvent::KeyPress) {
        const auto* const press = static_cast<QKeyEvent*>(event);
        if (press->key() == Qt::Key_Return || press->key() == Qt::Key_Enter) {
            if (watched == m_act)
                return press->isAutoRepeat(); // a key held down since the reason acts on nothing
            if (!press->isAutoRepeat()
                && m_act->isEnabled()) // from the reason to its button, never to Cancel
                m_act->setFocus(Qt::TabFocusReason);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

void DangerDialog::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter)
        return QDialog::keyPressEvent(event);
    // The button that has the focus, by a press of its own.
    auto* const button = qobject_cast<QPushButton*>(focusWidget());
    if (button && !event->isAutoRepeat())
        button->click();
}

void DangerDialog::showReason(bool shown)
{
    m_reasonLabel->setVisible(shown);
    m_reason->setVisible(shown);
}

QString DangerDialog::reason() const
{
    return m_reason->currentText().simplified();
}

void DangerDialog::updateButton()
{
    const bool possible = m_ready && m_advice.isPossible && (!m_reasoned || !reason().isEmpty());
    // Qt gives the focus of what is disabled to the next: that would be Cancel, which a second Enter presses.
    if (!possible && focusWidget() == m_act)
        takeFocus();
    m_act->setEnabled(possible);
    m_act->setToolTip(possible || !m_ready ? QString()
            : m_advice.isPossible          ? u"Give a reason first."_s
                                           : inOneLine(m_advice.text));
}

/// Takes the focus to where Enter presses nothing.
void DangerDialog::takeFocus()
{
    if (m_ready && m_reasoned && m_reason->isEnabled())
        m_reason->setFocus();
    else
        setFocus();
}

void DangerDialog::setBusy(const QString& what)
{
    const QString doing = inOneLine(what);
    m_ready = false;
    m_progress->setAccessibleName(doing);
    m_progress->setToolTip(doing);
    m_progress->show();
    if (const QWidget* at = focusWidget(); at == m_act || at == m_reason || at == m_reason->lineEdit())
        takeFocus();
    m_reason->setEnabled(false);
    m_cancel->setText(u"Close"_s);
    if (m_title->text().isEmpty())
        m_title->setText(doing);
    updateButton();
}

void DangerDialog::showProgress(const QString& text, std::optional<int> percent)
{
    setBusy(text);
    m_progress->setRange(0, percent ? 100 : 0);
    m_progress->setValue(percent.value_or(0));
    m_title->setText(inOneLine(text));
    m_failure->clear();
    m_act->hide();
    m_copy->hide();
    m_answer->clear();
    m_warning->clear();
    m_vendor->clear();
    showReason(false);
}

void DangerDialog::showProgressUnknown(const QString& text, const Error& error)
{
    showProgress(text, {});
    const QString why = sentences({error.what, error.detail, error.hint});
    m_failure->say({.level = AgeLevel::Amber,
        .text = u"How far it is can't be seen at present. Asking again…"_s,
        .detail = why});
}

void DangerDialog::clearFailure()
{
    m_failure->clear();
    m_failure->setAction({});
}

void DangerDialog::showFailure(const Error& error, const QString& remedy)
{
    m_progress->hide();
    m_ready = true;
    m_reason->setEnabled(true);
    m_cancel->setText(m_refusal);
    m_failure->say({.level = AgeLevel::Red,
        .text = asSentence(error.what),
        .detail = sentences({error.detail, error.hint})});
    m_failure->setAction(remedy);
    m_reason->setFocus();
    updateButton();
}

void DangerDialog::showNothingToDo(const QString& why)
{
    m_progress->hide();
    m_ready = false;
    m_title->setText(inOneLine(why));
    m_consequences->setText(u"Nothing will be changed."_s);
    m_act->hide();
    m_copy->hide();
    m_answer->clear();
    showReason(false);
    m_cancel->setText(u"Close"_s);
}

} // namespace lockscope::ui
