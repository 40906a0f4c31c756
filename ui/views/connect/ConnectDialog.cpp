// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/connect/ConnectDialog.h"

#include "core/base/PostToThread.h"
#include "core/base/ShownText.h"
#include "core/base/Worker.h"
#include "core/db/ConnectionCheck.h"
#include "core/monitor/ServerCheck.h"
#include "core/sandbox/Sandbox.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/connect/AttachTableDialog.h"
#include "ui/views/connect/FieldTexts.h"
#include "ui/views/connect/ServerFields.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using Outcome = db::CheckStep::Outcome;

namespace {

std::pair<QString, QColor> signOf(Outcome outcome, const ThemeColors& colors)
{
    return outcome == Outcome::Good ? std::pair(u"✓"_s, colors.ok)
        : outcome == Outcome::Note  ? std::pair(u"!"_s, colors.amber)
                                    : std::pair(u"✗"_s, colors.red);
}

constexpr int usualWidth = 600;
constexpr int usualFrame = 40;

} // namespace

/// Tries a server step by step, on another thread, and shows what each step found. GUI thread.
class ConnectionTest : public QScrollArea {
public:
    explicit ConnectionTest(QWidget* parent = nullptr)
        : QScrollArea(parent)
        , m_text(named("testReport", selectable(new QLabel, Qt::TextSelectableByMouse)))
    {
        m_text->setWordWrap(true);
        m_text->setTextFormat(Qt::RichText);
        m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        setWidget(m_text);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    }

    void start(const db::Server& server)
    {
        clear();
        m_running = true;
        runningChanged();
        m_worker.ask(
            this,
            [test = QPointer(this), generation = m_generation, server](const std::stop_token& stop) {
                const auto show = [&](const db::CheckStep& step) {
                    QString text = u"%1: %2"_s.arg(step.name, step.finding);
                    if (!step.remedy.isEmpty())
                        text += QStringLiteral(" → ") + step.remedy;
                    text = inFieldWords(text);
                    postTo(test, [generation, text, outcome = step.outcome](ConnectionTest& to) {
                        if (generation == to.m_generation)
                            to.showStep(text, outcome);
                    });
                };
                return monitor::checkServer(server, show, stop);
            },
            [this, generation = m_generation](bool good) {
                if (generation == m_generation)
                    finish(good);
            });
    }
    /// Says that it was stopped.
    void stop()
    {
        m_worker.cancel();
        ++m_generation;
        showStep(u"Stopped."_s, Outcome::Failed);
        finish(false);
    }
    bool isRunning() const { return m_running; }
    /// Instead of a test: why there is none.
    void refuse(const QString& why)
    {
        clear();
        showStep(why, Outcome::Failed);
        finish(false);
    }
    /// Ends the test and empties the report: it was about other values of the fields.
    void forget()
    {
        clear();
        m_running = false;
        runningChanged();
        reportChanged();
    }
    QString report() const ///< HTML
    {
        return m_text->text();
    }
    /// Sets the height that the words need at `width`, up to a limit; hidden without words.
    void fitHeight(int width)
    {
        constexpr int maxLines = 14;
        const int space = width - verticalScrollBar()->sizeHint().width();
        const int report = m_text->text().isEmpty() ? 0 : m_text->heightForWidth(space);
        setVisible(report > 0);
        setFixedHeight(std::min(report, maxLines * fontMetrics().lineSpacing()));
    }
    /// The screen is not high enough; a few lines remain.
    void shrinkBy(int pixels)
    {
        constexpr int minLines = 3;
        if (!isHidden())
            setFixedHeight(std::max(maximumHeight() - pixels, minLines * fontMetrics().lineSpacing()));
    }

    QSize sizeHint() const override ///< as high as it was made, no more and no less
    {
        return {QScrollArea::sizeHint().width(), maximumHeight()};
    }

    std::function<void()> reportChanged;
    std::function<void()> runningChanged;
    std::function<void(bool good)> finished;

private:
    void clear()
    {
        m_worker.cancel();
        ++m_generation;
        m_steps.clear();
        m_text->clear();
    }
    void showStep(const QString& text, db::CheckStep::Outcome outcome)
    {
        const auto [sign, color] = signOf(outcome, theme::colors(palette()));
        m_steps << QStringLiteral("<b style='color:%1'>%2</b> %3")
                       .arg(color.name(), sign, htmlText(inOneLine(text)));
        m_text->setText(m_steps.join(QStringLiteral("<br>")));
        reportChanged();
    }
    void finish(bool good)
    {
        m_running = false;
        runningChanged();
        finished(good);
    }

    QLabel* m_text;
    QStringList m_steps;
    int m_generation = 0; ///< answers to an earlier test are dropped
    bool m_running = false;
    Worker m_worker;
};

ConnectDialog::ConnectDialog(const db::ServerProfile& profile, QWidget* parent, db::KeychainPtr keychain,
    const std::optional<QString>& typed)
    : QDialog(parent)
    , m_before(profile.url)
    , m_typed(typed)
    , m_keychain(std::move(keychain))
    , m_form(new QFormLayout)
    , m_fields(new ServerFields(m_form, m_keychain, this))
    , m_note(named("engineNote", faint(wrapped(new QLabel(this)))))
    , m_test(new ConnectionTest(this))
    , m_testButton(named("test", new QPushButton(u"Test"_s, this)))
{
    setWindowTitle(
        profile.name.isEmpty() ? u"Connect to a server"_s : u"Server %1"_s.arg(inOneLine(profile.name)));
    explain(*this, QStringLiteral("connecting.md#the-dialog"));

    QDialogButtonBox* buttons = acceptButtons(*this, QDialogButtonBox::Save | QDialogButtonBox::Cancel);
    buttons->addButton(m_testButton, QDialogButtonBox::ActionRole);
    buttons->button(QDialogButtonBox::Save)->setText(u"&Save and open"_s);
    connect(m_testButton, &QPushButton::clicked, this, &ConnectDialog::runTest);
    connect(m_fields, &ServerFields::rowsChanged, this, [this] {
        m_note->setText(m_fields->note());
        m_note->setVisible(!m_note->text().isEmpty());
        fitHeight();
    });
    connect(m_fields, &ServerFields::addressChanged, m_test, [this] { m_test->forget(); });
    connect(m_fields, &ServerFields::attachRequested, this, &ConnectDialog::chooseTable);
    m_test->reportChanged = [this] { fitHeight(); };
    m_test->runningChanged = [this] { m_testButton->setText(m_test->isRunning() ? u"Stop"_s : u"Test"_s); };
    m_test->finished = [this](bool good) { Q_EMIT testFinished(good); };

    QVBoxLayout* column = dialogColumn(*this, 14);
    column->addLayout(m_form);
    // Not a row of the form: Qt 6.4's QFormLayout gives rows no height if one wraps its words and another was
    // hidden.
    addAll(*column, {m_note, m_test, stretch(1), buttons});
    setMinimumWidth(usualWidth);
    orderTabs(buttons);
    m_fields->fill(profile, typed.has_value());
}

ConnectDialog::~ConnectDialog() = default;

/// Orders them as the rows are read: SQL Server's were made after the others.
void ConnectDialog::orderTabs(QWidget* last)
{
    QWidget* before = nullptr;
    const auto next = [&before](QWidget* field) {
        if (before)
            setTabOrder(before, field);
        before = field;
    };
    for (int row = 0; row < m_form->rowCount(); ++row) {
        QWidget* const field = m_form->itemAt(row, QFormLayout::FieldRole)->widget();
        const auto parts = field->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly);
        if (field->focusPolicy() != Qt::NoFocus) {
            next(field);
            continue;
        }
        for (QWidget* part : parts)
            if (part->focusPolicy() != Qt::NoFocus)
                next(part);
    }
    next(last);
}

/// Sets the height that the words need at this width – labels that wrap ask for too much by themselves – but
/// once the user sees it, it only grows.
void ConnectDialog::fitHeight()
{
    const int requested = isVisible() ? width() : usualWidth;
    const QMargins margins = layout()->contentsMargins();
    m_test->fitHeight(requested - margins.left() - margins.right());
    m_form->invalidate();
    layout()->invalidate();
    const int space = screen()->availableGeometry().height() - usualFrame;
    if (const int tooHigh = layout()->totalHeightForWidth(requested) - space; tooHigh > 0)
        m_test->shrinkBy(tooHigh);
    const int needed = layout()->totalHeightForWidth(requested);
    resize(requested, isVisible() ? std::max(height(), needed) : needed);
}

Result<db::ServerProfile> ConnectDialog::profile() const
{
    return m_fields->profile();
}

db::PasswordProvider ConnectDialog::passwords() const
{
    if (!newPassword().isEmpty())
        return db::fixedPassword(newPassword());
    const auto now = profile();
    return m_typed && now && now->url == m_before ? db::fixedPassword(*m_typed)
                                                  : db::defaultPasswords(m_keychain);
}

QString ConnectDialog::newPassword() const
{
    return m_fields->password();
}

bool ConnectDialog::keepsPassword() const
{
    return m_fields->keepsPassword();
}

/// Among those that the server has: it has to be reachable for that.
void ConnectDialog::chooseTable()
{
    const auto checked = profile();
    if (!checked) {
        m_test->refuse(inFieldWords(checked.error().toString()));
        return;
    }
    auto* dialog = deletedOnClose(new AttachTableDialog({*checked, passwords(), sandbox::resolve}, this));
    connect(dialog, &QDialog::accepted, this, [this, dialog] { m_fields->attach(dialog->table()); });
    dialog->open();
}

QString ConnectDialog::testReport() const
{
    return m_test->report();
}

void ConnectDialog::accept()
{
    const auto checked = profile();
    if (checked)
        QDialog::accept();
    else
        m_test->refuse(inFieldWords(checked.error().toString()));
}

void ConnectDialog::runTest()
{
    if (m_test->isRunning()) {
        m_test->stop();
        return;
    }
    const auto checked = profile();
    if (checked)
        m_test->start(db::Server{*checked, passwords(), sandbox::resolve});
    else
        m_test->refuse(inFieldWords(checked.error().toString()));
}

} // namespace lockscope::ui
