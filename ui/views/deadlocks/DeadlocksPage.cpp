// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/deadlocks/DeadlocksPage.h"

#include "core/base/PlainFile.h"
#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/deadlock/Deadlock.h"
#include "core/deadlock/Finding.h"
#include "core/scenario/deadlock/Proof.h"
#include "core/scenario/format/ScenarioFile.h"
#include "ui/kit/tables/TableView.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/NoticeBar.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/views/deadlocks/DeadlockWordsView.h"
#include "ui/views/deadlocks/FamiliesView.h"
#include "ui/views/deadlocks/ProofPanel.h"

#include <QBoxLayout>
#include <QBuffer>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

/// Returns the facts of each of its sessions.
QString deadlockSessions(const deadlock::Deadlock& deadlock);

namespace {

void addFact(QStringList& lines, const QString& name, const QString& value)
{
    if (!value.isEmpty())
        lines << u"  %1: %2"_s.arg(name, value);
}

QStringList factsOf(const deadlock::Participant& session)
{
    QStringList lines;
    addFact(lines, u"User"_s, session.user);
    addFact(lines, u"Program"_s, session.program);
    addFact(lines, u"Host"_s, session.host);
    addFact(lines, u"Database"_s, session.database);
    addFact(lines, u"Isolation"_s, session.isolation);
    addFact(lines, u"Transaction since"_s, session.transactionStarted.sourceText);
    if (session.openTransactions)
        addFact(lines, u"Open transactions"_s, QString::number(*session.openTransactions));
    if (session.priority)
        addFact(lines, u"Deadlock priority"_s, QString::number(*session.priority));
    if (session.logUsed)
        addFact(lines, u"Log used"_s, u"%1 bytes"_s.arg(*session.logUsed));
    addFact(lines, u"Waited for"_s, session.waitResource);
    addFact(lines, u"Statement"_s, session.statement.trimmed());
    if (session.inputBuffer.trimmed() != session.statement.trimmed())
        addFact(lines, u"Sent last"_s, session.inputBuffer.trimmed());
    return lines;
}

/// Laying out more than a person reads would stop the window.
QString readable(const QString& text)
{
    constexpr qsizetype maximum = 200'000;
    return text.size() <= maximum ? inLines(text)
                                  : inLines(text.left(maximum))
            + u"\n\n… %L1 characters more; the export for programs has them."_s.arg(text.size() - maximum);
}

struct KeptScenario {
    QString id; ///< empty: there is none, and `notice` says why
    BarNotice notice;
};

/// Makes a scenario of the deadlock and writes it into the user's folder of scenarios. One that stands there
/// already stays: it may have been edited. Any thread; blocks for the disk.
KeptScenario keepScenario(const deadlock::Deadlock& deadlock)
{
    const auto made = scenario::deadlockScenario(deadlock);
    if (!made)
        return {{},
            {.level = AgeLevel::Amber,
                .text = u"No scenario can be made of it."_s,
                .detail = made.error().what}};
    const QDir folder = scenario::userFolder();
    const QString path = folder.filePath(made->scenario->id + u".json"_s);
    if (!folder.mkpath(u"."_s))
        return {{}, {.level = AgeLevel::Red, .text = u"%1 can't be made."_s.arg(folder.path())}};
    const bool isThere = QFileInfo::exists(path);
    if (const auto written = isThere ? Result<void>() : writeFile(path, made->scenario->text); !written)
        return {{}, {.level = AgeLevel::Red, .text = written.error().what, .detail = written.error().detail}};
    const QString text =
        isThere ? u"The scenario was made before, and stays as it is: %1."_s : u"The scenario is %1."_s;
    return {made->scenario->id,
        {.level = AgeLevel::Normal,
            .text = text.arg(QDir::toNativeSeparators(path)),
            .detail = u"Not in it: "_s + made->leftOut.join(u' ')}};
}

const QString openText = u"Open &files…"_s;
const QString familyTip = u"Counts deadlocks of the same kind, over time, before and after a date"_s;
const QString goToTip = u"Its sessions, locks, audit and time, where they are on view"_s;

QToolButton* makeToolButton(const QString& text, const char* name, const QString& tip)
{
    QToolButton* button = named(name, flatButton(text, tip));
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

QString deadlockSessions(const deadlock::Deadlock& deadlock)
{
    QStringList parts;
    const QList<deadlock::Link> links = deadlock.links();
    for (const int participant : deadlock.participants) {
        const deadlock::Participant& session = deadlock.participant(participant);
        const QString victim = deadlock.isVictim(participant) ? u", the victim"_s : QString();
        QStringList lines{u"Session %1%2"_s.arg(session.sessionLabel(), victim)};
        for (const deadlock::Link& link : links)
            if (link.waiter == participant)
                lines << u"  "_s + deadlock::sentenceOf(deadlock, link);
        parts << (lines + factsOf(session)).join(u'\n');
    }
    return parts.join(u"\n\n"_s);
}

/// One deadlock: drawn, in words with what the rules find, its sessions, and the report as it stood.
class DeadlockView : public QTabWidget {
public:
    explicit DeadlockView(QWidget* parent = nullptr)
        : QTabWidget(parent)
        , m_cure(named("deadlockCure", demiBold(1.0, selectable(wrapped(new QLabel)))))
        , m_picture(new DeadlockPicture)
        , m_words(new DeadlockWordsView)
    {
        setObjectName(u"deadlockView"_s);
        setDocumentMode(true);
        m_cure->setMargin(8);
        auto* area = new QScrollArea;
        area->setFrameShape(QFrame::NoFrame);
        area->setWidgetResizable(true);
        area->setWidget(m_picture);
        auto* picture = new QWidget(this);
        addAll(*withoutMargins(new QVBoxLayout(picture)), {m_cure, {area, 1}});
        addTab(picture, u"&Picture"_s);
        addTab(m_words, u"In &words"_s);
        m_sessions = addText(u"&Sessions"_s, u"deadlockSessions"_s);
        m_report = addText(u"&Report"_s, u"deadlockReport"_s);
        m_report->setFont(theme::monospace());
        show(std::nullopt);
    }

    void show(const std::optional<deadlock::Deadlock>& deadlock)
    {
        m_cure->setVisible(deadlock.has_value());
        m_cure->setText(deadlock ? inOneLine(deadlockCure(deadlock::findingsOf(*deadlock))) : QString());
        m_picture->show(deadlock);
        m_words->show(deadlock);
        m_sessions->setPlainText(deadlock ? readable(deadlockSessions(*deadlock)) : QString());
        m_report->setPlainText(deadlock ? readable(deadlock->report->raw) : QString());
        for (int tab = 1; tab < count(); ++tab)
            setTabEnabled(tab, deadlock.has_value());
    }
    /// Adds one more view of it, which gets its data elsewhere.
    void addPanel(QWidget* panel, const QString& title) { setTabEnabled(addTab(panel, title), false); }

private:
    QPlainTextEdit* addText(const QString& title, const QString& name)
    {
        auto* text = new QPlainTextEdit(this);
        text->setObjectName(name);
        text->setReadOnly(true);
        text->setFrameShape(QFrame::NoFrame);
        text->setTabChangesFocus(true);
        addTab(text, title);
        return text;
    }

    QLabel* m_cure;
    DeadlockPicture* m_picture;
    DeadlockWordsView* m_words;
    QPlainTextEdit* m_sessions;
    QPlainTextEdit* m_report;
};

DeadlocksPage::DeadlocksPage(AppContext& context, DeadlockBook& book, QWidget* parent)
    : TablePage(pageName, context, parent)
    , m_book(book)
    , m_model(new DeadlocksModel)
    , m_lists(new QStackedWidget)
    , m_families(new FamiliesView)
    , m_deadlock(new DeadlockView)
    , m_proof(new ProofPanel(context))
    , m_export(new DeadlockExportButton)
    , m_source(faint(sentenceLabel("deadlockSource")))
    , m_byFamily(makeToolButton(u"By fa&mily"_s, "byFamily", familyTip))
    , m_goTo(makeToolButton(u"&Go to ▾"_s, "goTo", goToTip))
{
    setUp(m_model);
    arrange();
    connect(m_open, &QPushButton::clicked, this, &DeadlocksPage::askForFiles);
    connect(m_make, &QPushButton::clicked, this, [this] { // the next dialog asks where to execute it
        showFamilies(false);
        m_deadlock->setCurrentWidget(m_proof);
        m_proof->focusStart();
    });
    connect(m_clear, &QPushButton::clicked, this, &DeadlocksPage::clear);
    connect(m_byFamily, &QToolButton::toggled, this, &DeadlocksPage::showFamilies);
    connect(m_goTo, &QToolButton::clicked, this, [this] {
        auto* menu = deletedOnClose(new QMenu(this));
        addJumps(*menu);
        menu->popup(m_goTo->mapToGlobal(QPoint(0, m_goTo->height())));
    });
    connect(m_families, &FamiliesView::familyChosen, this, [this](const QString& id) {
        setFilter(u"family:=%1"_s.arg(id));
        showFamilies(false);
        if (m_model->rowCount() > 0)
            view().selectRow(0);
    });
    connect(m_export, &ExportMenu::statusMessage, this, &Page::statusMessage);
    m_export->setProof([this] { return m_proof->section(); });
    connect(m_proof, &ProofPanel::scenarioRequested, this, &DeadlocksPage::makeScenario);
    connect(m_proof, &ProofPanel::runningChanged, this, [this] {
        if (!isRunning())
            Q_EMIT stopped();
    });
    connect(&view(), &TableView::currentRowChanged, this, &DeadlocksPage::showChosen);
    connect(&context, &AppContext::serverChanged, this, &DeadlocksPage::showRecords);
    connect(&context, &AppContext::pastTimeChanged, this, &DeadlocksPage::showRecords);
    connect(&book, &DeadlockBook::recordsChanged, this, &DeadlocksPage::showRecords);
    connect(&book, &DeadlockBook::recordedNoticeChanged, this, &DeadlocksPage::showRecordedNotice);
    connect(&book, &DeadlockBook::changed, this, [this] {
        showList();
        if (isVisible())
            m_book.markSeen();
    });
    showList();
    showRecords();
    showRecordedNotice();
}

void DeadlocksPage::arrange()
{
    m_open = addActButton(
        openText, u"Reports of SQL Server (.xdl, XML of events, error log) and logs of PostgreSQL"_s);
    m_make = addActButton(u"Make it &happen…"_s,
        u"Executes a scenario made of it: whether the deadlock happens again, and which change cures it"_s);
    m_clear = addActButton(u"&Clear"_s, u"Empty the list; files and servers stay as they are"_s);
    m_byFamily->setCheckable(true);
    for (QWidget* each : std::initializer_list<QWidget*>{m_byFamily, m_goTo, m_export})
        addControl(each);
    divideView(m_lists, m_deadlock);
    static_cast<QBoxLayout*>(layout())->insertWidget(1, m_source);
    m_lists->addWidget(&view());
    m_lists->addWidget(m_families);
    // Its chart must not take the space of the views below the list.
    m_families->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Ignored);
    m_deadlock->addPanel(m_proof, u"Pr&oof"_s);
    m_families->restoreLayout(context().settings());
}

const DeadlockRow* DeadlocksPage::chosen() const
{
    const int row = view().currentViewRow();
    return row < 0 ? nullptr : &m_model->rowAt(row);
}

void DeadlocksPage::showChosen()
{
    const DeadlockRow* const row = chosen();
    const auto deadlock = row ? std::optional(row->deadlock) : std::nullopt;
    m_deadlock->show(deadlock);
    m_proof->show(deadlock, row ? row->identity.event : QString());
    m_export->show(deadlock);
    updateActs();
}

void DeadlocksPage::updateActs()
{
    if (!m_make)
        return; // the constructor is not there yet
    const QString none = m_byFamily->isChecked()
        ? u"Show the deadlocks one by one first: press “By family” again."_s
        : chosen() ? QString()
                   : u"Select a deadlock first."_s;
    setReason(m_make, none);
    setReason(m_clear, m_book.list().isEmpty() ? u"The list is empty."_s : QString());
    m_export->setEnabled(none.isEmpty());
    setReason(m_goTo, none, goToTip);
}

/// In the order by time. By another one, the user compares, and does not follow what comes.
bool DeadlocksPage::isNewestChosen() const
{
    const bool isByTime = m_model->sortColumn() < 0
        || (m_model->sortColumn() == DeadlocksModel::At && m_model->sortOrder() == Qt::DescendingOrder);
    return view().currentViewRow() < 0 || (isByTime && view().currentViewRow() == 0);
}

void DeadlocksPage::showList()
{
    const bool wasNewest = isNewestChosen();
    m_shownTime = context().pastTime();
    std::vector<DeadlockRow> rows =
        m_book.list().rows(m_shownTime ? std::optional(m_shownTime->at) : std::nullopt);
    const bool isEmpty = rows.empty();
    m_families->show(rows);
    m_model->showDeadlocks(std::move(rows));
    updateEmptyState();
    const qint64 leftOut = m_book.list().leftOut();
    if (leftOut > std::exchange(m_shownLeftOut, leftOut))
        notice().say({.level = AgeLevel::Amber, .text = m_book.list().leftOutText()});
    m_deadlock->setVisible(!isEmpty && !m_byFamily->isChecked());
    if (!isEmpty && (wasNewest || view().currentViewRow() < 0))
        view().selectRow(0);
    showChosen();
    Q_EMIT countTextChanged();
}

QString DeadlocksPage::countText() const
{
    const qint64 leftOut = m_book.list().leftOut();
    return leftOut == 0
        ? TablePage::countText()
        : u"%1 · list full, %2%L3 dropped"_s.arg(TablePage::countText(), m_book.list().atLeast())
              .arg(leftOut);
}

void DeadlocksPage::showFamilies(bool byFamily)
{
    m_byFamily->setChecked(byFamily);
    m_lists->setCurrentIndex(byFamily ? 1 : 0);
    m_deadlock->setVisible(!byFamily && m_model->counts().total > 0);
    updateActs();
    (byFamily ? static_cast<QWidget*>(m_families) : &view())->setFocus();
}

void DeadlocksPage::focusFilter()
{
    showFamilies(false); // it filters those
    TablePage::focusFilter();
}

/// Shows the present records of the server on view.
void DeadlocksPage::showRecords()
{
    const bool isKnown = context().hasServer() && !context().pastTime();
    const auto records = isKnown ? m_book.records(context().profile().display()) : std::nullopt;
    m_source->setVisible(records.has_value());
    m_source->setText(records ? recordsText(*records) : QString());
    m_source->setToolTip(records ? toolTipText(recordsCostText(records->cost)) : QString());
}

void DeadlocksPage::showRecordedNotice()
{
    if (m_book.recordedNotice())
        notice().say(*m_book.recordedNotice());
    else if (notice().text() == m_recordedText)
        notice().clear();
    m_recordedText = m_book.recordedNotice() ? notice().text() : QString();
}

void DeadlocksPage::showEvent(QShowEvent* event)
{
    TablePage::showEvent(event);
    m_book.markSeen();
}

void DeadlocksPage::clear()
{
    m_wasOpened = false;
    m_proof->clear();
    notice().clear();
    m_book.clear();
}

void DeadlocksPage::askForFiles()
{
    auto* dialog = deletedOnClose(new QFileDialog(this, u"Open reports of deadlocks"_s));
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({ReportDrop::nameFilter(), u"All files (*)"_s});
    connect(dialog, &QFileDialog::filesSelected, this, &DeadlocksPage::openFiles);
    dialog->open();
}

void DeadlocksPage::openFiles(const QStringList& paths)
{
    m_wasOpened = true;
    showFamilies(false);
    Q_EMIT statusMessage(u"Reading %1…"_s.arg(
        paths.size() == 1 ? QDir::toNativeSeparators(paths.first()) : u"%1 files"_s.arg(paths.size())));
    m_files.ask(
        this,
        [paths](const std::stop_token& stop) {
            QList<FileAnswer> answers;
            for (const QString& path : paths) {
                if (stop.stop_requested())
                    break;
                answers.append(answerOf(path, deadlock::readReportFile(path)));
            }
            return answers;
        },
        [this](const QList<FileAnswer>& answers) { takeAnswer(answers); });
}

DeadlocksPage::FileAnswer DeadlocksPage::answerOf(
    const QString& path, const Result<deadlock::ReportsRead>& read)
{
    if (!read)
        return {.path = path, .told = Failure(read.error())};
    return {.path = path,
        .told = DeadlockList::rowsOfReports(read->reports),
        .counted = deadlock::countText(read->reports),
        .mentioned = deadlock::sentencesOf(*read)};
}

void DeadlocksPage::pasteText(const QString& text)
{
    m_wasOpened = true;
    showFamilies(false);
    m_files.ask(
        this,
        [bytes = text.toUtf8()](const std::stop_token&) {
            QBuffer buffer;
            buffer.setData(bytes);
            buffer.open(QIODevice::ReadOnly);
            const QString place = u"pasted text"_s;
            return QList<FileAnswer>{answerOf(place, deadlock::readFrom(buffer, place))};
        },
        [this](const QList<FileAnswer>& answers) { takeAnswer(answers); });
}

void DeadlocksPage::takeAnswer(const QList<FileAnswer>& answers)
{
    QStringList failures;
    QStringList counted;
    QList<DeadlockList::ReportRows> all;
    const auto isNone = [](const DeadlockList::ReportRows& each) { return each.rows.empty(); };
    for (const FileAnswer& answer : answers) {
        if (!answer.told) {
            failures << answer.told.error().toString();
        } else if (std::ranges::all_of(*answer.told, isNone)) {
            const QString why = !answer.told->isEmpty()
                ? u"no ring of waits stands in it: it is no deadlock, or a part is missing."_s
                : answer.mentioned.isEmpty() ? u"no deadlock stands in it."_s
                                             : answer.mentioned.join(u'\n');
            failures << u"%1: %2"_s.arg(QDir::toNativeSeparators(answer.path), why);
        } else {
            all << *answer.told;
            counted << answer.counted;
        }
    }
    QStringList fresh;
    for (const DeadlockList::ReportRows& each : std::as_const(all))
        if (!isNone(each) && !m_book.list().has(*each.report))
            fresh << each.rows.front().identity.event;
    notice().clear();
    const qint64 leftOutBefore = m_book.list().leftOut();
    const DeadlockList::Came came = m_book.addRows(all, DeadlockList::Cause::OwnAct);
    int newest = m_model->rowCount();
    for (const QString& key : std::as_const(fresh))
        if (const int row = m_model->find(key); row >= 0)
            newest = std::min(newest, row);
    if (newest < m_model->rowCount())
        view().selectRow(newest);
    if (!failures.isEmpty())
        notice().say(
            {.level = AgeLevel::Red, .text = u"Not all could be read."_s, .detail = failures.join(u'\n')});
    const QString result = came.deadlocks > 0
        ? u"%1 new in the list."_s.arg(came.deadlocks)
        : u"%1; nothing new."_s.arg(counted.isEmpty() ? u"No deadlock"_s : counted.join(u", "_s));
    const bool isMoreLeftOut = m_book.list().leftOut() > leftOutBefore;
    Q_EMIT statusMessage(sentences({result, isMoreLeftOut ? m_book.list().leftOutText() : QString()}));
}

bool DeadlocksPage::isRunning() const
{
    return m_proof->isRunning();
}

void DeadlocksPage::stop()
{
    m_proof->stop();
}

void DeadlocksPage::makeScenario()
{
    const DeadlockRow* const row = chosen();
    if (!row)
        return;
    m_proof->setSaving(true);
    m_scenarios.ask(
        this, [deadlock = row->deadlock](const std::stop_token&) { return keepScenario(deadlock); },
        [this](const KeptScenario& kept) {
            m_proof->setSaving(false);
            notice().say(kept.notice);
            if (!kept.id.isEmpty() && isVisible()) // else the user has gone elsewhere meanwhile
                Q_EMIT openPage(u"scenarios"_s, kept.id);
        });
}

/// Recorded ones are found when their time is on view.
void DeadlocksPage::showRows(const SnapshotPtr& snapshot)
{
    if (snapshot && context().pastTime())
        m_book.noteSnapshot(*snapshot, context().profile().display());
    if (m_shownTime != context().pastTime())
        showList();
}

TablePage::EmptyText DeadlocksPage::emptyText() const
{
    if (context().pastTime() && !m_book.list().isEmpty())
        return {u"No deadlock up to that time"_s,
            u"The deadlocks in the list are all of later times. Live shows them."_s};
    return {u"No deadlock yet"_s,
        u"Open a report of SQL Server or a log of PostgreSQL, or drop it on the window. Deadlocks on the servers that are open here are listed without your help: by the server's own records where these can be read, else if a poll sees them before they are resolved."_s,
        QString(openText).remove(u'&')};
}

void DeadlocksPage::addJumps(QMenu& menu)
{
    const DeadlockRow* const row = chosen();
    if (!row)
        return;
    for (const DeadlockJump& jump : jumpsOf(*row, context(), snapshot())) {
        addEntry(menu, *this, inMenu(jump.text), jump.reasonAgainst, [this, jump] {
            if (jump.jumpTime)
                Q_EMIT timeTravelRequested(*jump.jumpTime);
            else if (jump.filter.isEmpty())
                Q_EMIT showSubject(jump.page, jump.subject);
            else
                Q_EMIT openPage(jump.page, jump.filter);
        });
    }
}

void DeadlocksPage::fillRowMenu(QMenu& menu)
{
    addEntry(menu, *m_make);
    QMenu* goTo = menu.addMenu(u"&Go to"_s);
    addJumps(*goTo);
}

void DeadlocksPage::saveLayout()
{
    TablePage::saveLayout();
    m_families->saveLayout(context().settings());
}

} // namespace lockscope::ui
