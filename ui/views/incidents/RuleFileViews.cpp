// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/incidents/IncidentsPage.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/record/RecordingClient.h"
#include "core/watch/AlertTables.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/incidents/ItemDialog.h"
#include "ui/views/page/AppContext.h"
#include "ui/views/page/Page.h"

#include <QAction>
#include <QBoxLayout>
#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using alert::ChannelSettings;
using alert::MaintenanceWindow;

/// A table of items of the rules file, with a line about the file and buttons below it. Each row is about its
/// item.
class ItemListView : public QWidget {
public:
    struct Words {
        QString id; ///< of the table, of its layout and of its line ("rulesPlace")
        QString title;
        QString item; ///< "Select a rule first."
        QString buttons; ///< end of their names: "editRule"
        QString chapter;
        QString adding; ///< of the button for a new one
        QStringList removing{u"Re&move…"_s}; ///< all that the button ever says, the present one first
        QString emptyTitle{};
        QString emptyHint{};
    };

    ItemListView(RuleFileViews& file, const Words& words, const report::Section& section)
        : QWidget(&file)
        , m_file(file)
        , m_words(words)
        , m_table(new ReportTable(words.id, words.title, section, this))
        , m_place(faint(selectable(wrapped(new QLabel(this)), Qt::TextSelectableByMouse)))
        , m_foot(rowOf({stretch(1)}))
        , m_remove(addButton(u"remove"_s + words.buttons, words.removing))
        , m_edit(addButton(u"edit"_s + words.buttons, {u"&Edit…"_s}))
        , m_new(addButton(u"new"_s + words.buttons, {words.adding}))
    {
        setChapter(*this, words.chapter);
        m_place->setObjectName(words.id + u"Place"_s);
        addAll(*withoutMargins(new QVBoxLayout(this)), {{m_table, 1}, m_place, m_foot});
        setFocusProxy(m_table);
        const auto edit = [this] {
            if (m_table->chosenRow() && m_reasonAgainst.isEmpty())
                editChosen();
        };
        connect(m_table, &TableView::currentRowChanged, this, [this] { updateButtons(); });
        connect(m_table, &TableView::detailRequested, this, edit);
        connect(m_edit, &QPushButton::clicked, this, edit);
        connect(m_new, &QPushButton::clicked, this, [this] { addNew(); });
        connect(m_remove, &QPushButton::clicked, this, [this] {
            if (m_table->chosenRow())
                m_file.askToRemove(chosenItem());
        });
    }

    TableView& table() const { return *m_table; }
    QString layoutKey() const { return u"pages/incidents/"_s + m_words.id; }
    void showList(const IncidentList& list, const std::optional<IncidentBook::UnreadText>& unread)
    {
        m_reasonAgainst = list.rulesError
            ? inLines(sentences({u"Nothing can be saved"_s, list.rulesError->what}))
            : QString();
        m_table->showRows(sectionOf(list));
        if (const QString place = fileText(list.rulesError); place != m_placeShown)
            showAnswer(m_placeShown = place);
        m_table->chooseFirst();
        updateButtons();
        m_table->setEmptyState(
            unread ? unread->title : m_words.emptyTitle, unread ? unread->hint : m_words.emptyHint);
    }

protected:
    virtual report::Section sectionOf(const IncidentList& list) = 0;
    /// Says where the items stand, or why the file can't be used.
    virtual QString fileText(const std::optional<Error>& error) const
    {
        return error
            ? error->toString()
            : u"%1 stand in %2."_s.arg(m_words.title, QDir::toNativeSeparators(alert::ruleFilePath()));
    }
    virtual alert::RuleFileItem chosenItem() const = 0; ///< there is one
    virtual void editChosen() = 0;
    virtual void addNew() { }
    virtual void updateButtons()
    {
        setReason(m_new, m_reasonAgainst);
        setReason(m_edit, reasonAgainstChange());
        setReason(m_remove, reasonAgainstRemoval());
    }
    virtual QString reasonAgainstRemoval() const { return reasonAgainstChange(); }

    template <class Item> const Item* chosen() const { return m_table->chosen<Item>(); } ///< null: none is
    QString noneText() const ///< empty: one is chosen
    {
        return m_table->chosenRow() ? QString() : u"Select a %1 first."_s.arg(m_words.item);
    }
    QString reasonAgainstChange() const { return m_reasonAgainst.isEmpty() ? noneText() : m_reasonAgainst; }
    /// Shows something else in the line about the file, until there is news of that.
    void showAnswer(const QString& text) { m_place->setText(inLines(text)); }
    /// A button behind the first `place` ones. `texts`: all that it ever says, the present one first.
    QPushButton* addButton(const QString& name, const QStringList& texts, int place = -1)
    {
        QPushButton* button = pushButton(this);
        button->setObjectName(name);
        int width = 0; // it does not move the others when its text changes
        for (const QString& text : texts) {
            button->setText(text);
            width = std::max(width, button->sizeHint().width());
        }
        button->setMinimumWidth(width);
        button->setText(texts.first());
        m_foot->insertWidget(place < 0 ? -1 : place + 1, button);
        if (place > 0) // else Tab comes to it last, as one reads
            setTabOrder(m_foot->itemAt(place)->widget(), button);
        return button;
    }

    RuleFileViews& m_file;
    const Words m_words;
    ReportTable* m_table;
    QLabel* m_place;
    QString m_placeShown; ///< the last text about the file
    QString m_reasonAgainst; ///< why nothing can be saved into the file; empty: it can
    QHBoxLayout* m_foot;
    QPushButton* m_remove;
    QPushButton* m_edit;
    QPushButton* m_new;
};

namespace {

bool isBuiltIn(const alert::Rule& rule)
{
    return alert::defaultRules().rule(rule.name) != nullptr;
}

/// "long wait 2": a name that no rule has.
QString freshName(const QString& name, const alert::RuleSet& rules)
{
    for (int i = 2;; ++i)
        if (const QString fresh = u"%1 %2"_s.arg(name).arg(i); !rules.rule(fresh))
            return fresh;
}

/// The rules that find incidents: which are on, their levels and what they apply to. Each can be turned off
/// and edited; own ones are added and removed.
class RulesView : public ItemListView {
public:
    explicit RulesView(RuleFileViews& file)
        : ItemListView(file,
            {.id = u"rules"_s,
                .title = u"Rules"_s,
                .item = u"rule"_s,
                .buttons = u"Rule"_s,
                .chapter = u"incidents.md#rules"_s,
                .adding = u"&New rule"_s,
                .removing = {u"Re&move…"_s, u"&Back to the built-in rule…"_s}},
            watch::rulesSection({}))
        , m_turn(addButton(u"turnRule"_s, {u"&Turn off"_s, u"&Turn on"_s}, 1))
        , m_newMenu(new QMenu(this))
    {
        m_new->setMenu(m_newMenu);
        m_new->setProperty("usualTip", u"A rule of your own, beside those that are there"_s);
        m_newMenu->setToolTipsVisible(true);
        connect(m_newMenu, &QMenu::aboutToShow, this, [this] { fillNewMenu(); });
        connect(m_turn, &QPushButton::clicked, this, [this] {
            if (const auto* rule = chosen<alert::Rule>()) {
                alert::Rule other = *rule;
                other.isOn = !other.isOn;
                m_file.change({.before = *rule, .after = other});
            }
        });
    }

protected:
    report::Section sectionOf(const IncidentList& list) override
    {
        m_rules = list.rules;
        m_own.clear();
        for (const alert::Rule& rule : m_rules.rules) {
            const alert::Rule* builtIn = alert::defaultRules().rule(rule.name);
            if (!builtIn || *builtIn != rule)
                m_own << rule.name;
        }
        return watch::rulesSection(m_rules.rules);
    }
    QString fileText(const std::optional<Error>& error) const override
    {
        return error
            ? error->toString() + u" Until then the rules that come with Lockscope are listed."_s
            : u"A rule that you change stands in %1, with a published schema; the others come with Lockscope."_s
                  .arg(QDir::toNativeSeparators(alert::ruleFilePath()));
    }
    alert::RuleFileItem chosenItem() const override { return *chosen<alert::Rule>(); }
    void editChosen() override { m_file.openRule(*chosen<alert::Rule>(), false); }
    void updateButtons() override
    {
        ItemListView::updateButtons();
        const auto* rule = chosen<alert::Rule>();
        m_turn->setText(rule && !rule->isOn ? u"&Turn on"_s : u"&Turn off"_s);
        m_remove->setText(rule && isBuiltIn(*rule) ? m_words.removing[1] : m_words.removing[0]);
        setReason(m_turn, reasonAgainstChange());
    }
    QString reasonAgainstRemoval() const override
    {
        const QString reason = reasonAgainstChange();
        return !reason.isEmpty() || m_own.contains(chosen<alert::Rule>()->name)
            ? reason
            : u"It is as it comes with Lockscope."_s;
    }

private:
    /// A copy of the chosen one, or one for each condition, with the levels that come with Lockscope.
    void fillNewMenu()
    {
        m_newMenu->clear();
        const auto add = [this](const QString& text, alert::Rule rule) {
            QAction* action = m_newMenu->addAction(inMenu(text));
            action->setToolTip(QString::fromUtf16(alert::conditionInfo(rule.condition).meaning));
            rule.name = freshName(rule.name, m_rules);
            connect(action, &QAction::triggered, this, [this, rule] { m_file.openRule(rule, true); });
        };
        if (const auto* rule = chosen<alert::Rule>()) {
            add(u"As a copy of “%1”…"_s.arg(rule->name), *rule);
            m_newMenu->addSeparator();
        }
        for (const QString& key : alert::conditionKeys())
            if (const alert::Rule* rule = alert::defaultRules().rule(key))
                add(key + u'…', *rule);
    }

    QPushButton* m_turn;
    QMenu* m_newMenu;
    alert::RuleSet m_rules;
    QStringList m_own; ///< names of those that stand in the file
};

/// The channels by which incidents are sent out of the machine.
class ChannelsView : public ItemListView {
public:
    explicit ChannelsView(RuleFileViews& file)
        : ItemListView(file,
            {.id = u"channels"_s,
                .title = u"Channels"_s,
                .item = u"channel"_s,
                .buttons = u"Channel"_s,
                .chapter = u"incidents.md#notifications"_s,
                .adding = u"&New channel…"_s,
                .emptyTitle = u"Incidents are shown on this machine only"_s,
                .emptyHint =
                    u"A channel sends them to a chat, a pager, an Alertmanager, by mail, to a program of yours or into the systemd journal. New channel… adds one and sends a test."_s},
            watch::channelsSection({}, {}, {}))
        , m_test(addButton(u"testChosenChannel"_s, {u"Send a &test"_s, u"S&top"_s}, 1))
        , m_tester(new ChannelTester(this))
    {
        connect(m_test, &QPushButton::clicked, this, [this] {
            const auto* channel = chosen<ChannelSettings>();
            if (m_tester->isSending())
                m_tester->stop();
            else if (channel)
                m_tester->send(*channel);
        });
        connect(m_tester, &ChannelTester::started, this, [this] {
            m_test->setText(u"S&top"_s);
            showAnswer(u"Sending a test…"_s);
        });
        connect(m_tester, &ChannelTester::finished, this, [this](bool, const QString& text) {
            m_test->setText(u"Send a &test"_s);
            showAnswer(text);
            updateButtons();
        });
    }

protected:
    report::Section sectionOf(const IncidentList& list) override
    {
        m_rules = list.rules.rules;
        return watch::channelsSection(list.rules.channels, m_rules, list.queue);
    }
    alert::RuleFileItem chosenItem() const override { return *chosen<ChannelSettings>(); }
    void editChosen() override
    {
        m_file.open(new ChannelDialog(*chosen<ChannelSettings>(), rulesOfChosen(), &m_file));
    }
    void addNew() override { m_file.open(new ChannelDialog(std::nullopt, {}, &m_file)); }
    void updateButtons() override
    {
        ItemListView::updateButtons();
        setReason(m_test, m_tester->isSending() ? QString() : noneText(),
            u"Sends a message at once, and shows what its receiver says"_s);
    }
    QString reasonAgainstRemoval() const override
    {
        const QString reason = reasonAgainstChange();
        const QStringList rules = rulesOfChosen();
        return !reason.isEmpty() || rules.isEmpty()
            ? reason
            : inLines(u"The rule “%1” sends to it."_s.arg(rules.first()));
    }

private:
    /// The names of those that send to it.
    QStringList rulesOfChosen() const
    {
        const auto* channel = chosen<ChannelSettings>();
        QStringList names;
        for (const alert::Rule& rule : m_rules)
            if (channel && rule.channels.contains(channel->name))
                names << rule.name;
        return names;
    }

    QPushButton* m_test;
    ChannelTester* m_tester;
    std::vector<alert::Rule> m_rules;
};

/// The times in which nothing is sent.
class MaintenanceView : public ItemListView {
public:
    explicit MaintenanceView(RuleFileViews& file)
        : ItemListView(file,
            {.id = u"maintenance"_s,
                .title = u"Maintenance windows"_s,
                .item = u"window"_s,
                .buttons = u"Maintenance"_s,
                .chapter = u"incidents.md#maintenance"_s,
                .adding = u"&New window…"_s,
                .emptyTitle = u"No maintenance window"_s,
                .emptyHint =
                    u"In a maintenance window nothing is sent: while a backup runs each Saturday night, say. Incidents are still found, listed and kept."_s},
            watch::maintenanceSection({}, {}))
    {
    }

protected:
    report::Section sectionOf(const IncidentList& list) override
    {
        return watch::maintenanceSection(list.rules.maintenance, QDateTime::currentDateTime());
    }
    alert::RuleFileItem chosenItem() const override { return *chosen<MaintenanceWindow>(); }
    void editChosen() override { m_file.open(new MaintenanceDialog(*chosen<MaintenanceWindow>(), &m_file)); }
    void addNew() override { m_file.open(new MaintenanceDialog(std::nullopt, &m_file)); }
};

} // namespace

RuleFileViews::RuleFileViews(AppContext& context, IncidentBook& book, QWidget* parent)
    : QTabWidget(parent)
    , m_context(context)
    , m_book(book)
    , m_lists{new RulesView(*this), new ChannelsView(*this), new MaintenanceView(*this)}
{
    setObjectName(u"ruleFile"_s);
    setDocumentMode(true);
    addTab(m_lists[0], u"Rules"_s);
    addTab(m_lists[1], u"Channels"_s);
    addTab(m_lists[2], u"Maintenance"_s);
    setTabToolTip(1, u"The ways by which incidents are sent out of this machine"_s);
    setTabToolTip(2, u"Times in which nothing is sent"_s);
    connect(this, &QTabWidget::currentChanged, this, [this] { setFocusProxy(currentWidget()); });
    setFocusProxy(currentWidget());
}

void RuleFileViews::show(const IncidentListPtr& list)
{
    for (ItemListView* const each : m_lists)
        each->showList(list ? *list : IncidentList(), m_book.unreadText());
}

void RuleFileViews::openRule(const alert::Rule& rule, bool isNew)
{
    const record::RecordingClient* recording = m_context.recording();
    auto* form = new RuleDialog(rule, recording ? recording->place() : QString(), this,
        isNew ? RuleDialog::Purpose::New : RuleDialog::Purpose::Edit);
    connect(form, &RuleDialog::timeTravelRequested, this, &RuleFileViews::timeTravelRequested);
    open(form);
}

/// Beside the window, in which the finds of a rule are looked at.
void RuleFileViews::open(ItemDialog* form)
{
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &ItemDialog::saveRequested, this, [this, form](const alert::RuleFileChange& change) {
        m_book.changeRules(change, form, [form](const Result<void>& saved) { form->takeAnswer(saved); });
    });
    form->show();
}

void RuleFileViews::askToRemove(const alert::RuleFileItem& item)
{
    const auto* rule = std::get_if<alert::Rule>(&item);
    const bool isReplaced = rule && isBuiltIn(*rule);
    const QString title = inOneLine(alert::titleOf(item));
    auto* question =
        new QMessageBox(QMessageBox::Question, isReplaced ? u"Back to the built-in rule"_s : u"Remove"_s,
            isReplaced ? u"Replace the %1 by the one that comes with Lockscope?"_s.arg(title)
                       : u"Remove the %1?"_s.arg(title),
            QMessageBox::Cancel, this);
    question->setObjectName(u"removeItem"_s);
    question->setTextFormat(Qt::PlainText);
    question->setInformativeText(u"Its text in the rules file is lost, also its comment."_s);
    question->setAttribute(Qt::WA_DeleteOnClose);
    question->addButton(isReplaced ? u"&Replace"_s : u"&Remove"_s, QMessageBox::AcceptRole)
        ->setObjectName(u"removeItemNow"_s);
    connect(question, &QMessageBox::accepted, this, [this, item] { m_book.changeRules({.before = item}); });
    question->open();
}

void RuleFileViews::saveLayout(QSettings& settings) const
{
    for (const ItemListView* const each : m_lists)
        each->table().saveLayout(settings, each->layoutKey());
}

void RuleFileViews::restoreLayout(QSettings& settings)
{
    for (const ItemListView* const each : m_lists)
        each->table().restoreLayout(settings, each->layoutKey());
}

} // namespace lockscope::ui
