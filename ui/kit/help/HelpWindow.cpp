// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/HelpWindow.h"

#include "ui/kit/help/HelpBrowser.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/WidgetParts.h"

#include <QHBoxLayout>
#include <QHash>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QVBoxLayout>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int targetRole = Qt::UserRole;
constexpr int deepestLevel = 2; ///< of the headings in the contents

const QString helpGeometryKey = u"help/geometry"_s;
const QString helpSplitterKey = u"help/splitter"_s;
const QString manualGroup = u"Manual"_s;

} // namespace

HelpWindow::HelpWindow(QSettings& settings)
    : m_settings(settings)
    , m_search(named("helpSearch", u"Search the manual"_s, new QLineEdit(this)))
    , m_contents(named("helpContents", u"Contents"_s, new QTreeWidget(this)))
    , m_hits(named("helpHits", u"Found in the manual"_s, new QListWidget(this)))
    , m_left(new QStackedWidget(this))
    , m_browser(new HelpBrowser(m_manual, this))
    , m_splitter(new QSplitter(this))
{
    setWindowTitle(u"Manual – Lockscope"_s);
    setWindowIcon(theme::icon(u"lockscope"_s));
    setObjectName(u"helpWindow"_s);
    setAttribute(Qt::WA_QuitOnClose, false);

    m_contents->setHeaderHidden(true);
    m_contents->setFrameShape(QFrame::NoFrame);
    m_contents->setExpandsOnDoubleClick(false);
    const auto openItem = [this](QTreeWidgetItem* item) {
        if (item)
            m_browser->open(item->data(0, targetRole).toString());
    };
    connect(m_contents, &QTreeWidget::currentItemChanged, this, openItem);
    connect(m_contents, &QTreeWidget::itemClicked, this, openItem); // also of the page that is scrolled away
    m_hits->setFrameShape(QFrame::NoFrame);
    m_hits->setWordWrap(true);
    m_hits->setSpacing(4);
    m_hits->setAlternatingRowColors(true);
    connect(m_hits, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item && m_browser->open(item->data(targetRole).toString()))
            m_browser->goToMark(true);
    });
    m_left->addWidget(m_contents);
    m_left->addWidget(m_hits);
    divide(*m_splitter, {{m_left, 0}, {m_browser, 1}});
    m_splitter->setHandleWidth(1);

    addAll(*withoutMargins(new QVBoxLayout(this), 0), {makeTop(), {m_splitter, 1}});
    addKeys();
    fillContents();
    connect(m_browser, &QTextBrowser::sourceChanged, this, &HelpWindow::showWhere);
    // Later, because the contents that were clicked on are filled again.
    connect(
        m_browser, &QTextBrowser::sourceChanged, this,
        [this](const QUrl& url) {
            if (url.fileName() == ownpages::keys)
                Q_EMIT keysNeeded();
        },
        Qt::QueuedConnection);

    resize(1'000, 720);
    m_splitter->setSizes({260, 740});
    restoreGeometry(m_settings.value(helpGeometryKey).toByteArray());
    m_splitter->restoreState(m_settings.value(helpSplitterKey).toByteArray());
}

HelpWindow::~HelpWindow()
{
    m_settings.setValue(helpGeometryKey, saveGeometry());
    m_settings.setValue(helpSplitterKey, m_splitter->saveState());
}

QWidget* HelpWindow::makeTop()
{
    auto* top = new QWidget(this);
    auto* row = withMargins(new QHBoxLayout(top), {8, 6, 8, 6});
    const auto add = [&](const QString& text, const QString& iconName, const QList<QKeySequence>& keys,
                         auto act) {
        QAction* action = addKey(*this, manualGroup, text, keys, act, Qt::WindowShortcut);
        action->setIcon(theme::icon(iconName));
        QToolButton* button = flatButton({}, {}, top);
        button->setDefaultAction(action);
        button->setToolTip(u"%1 (%2)"_s.arg(text, keys.first().toString(QKeySequence::NativeText)));
        row->addWidget(button);
        return action;
    };
    QAction* back = add(u"Back"_s, u"back"_s, {Qt::ALT | Qt::Key_Left}, [this] { m_browser->backward(); });
    QAction* forward =
        add(u"Forward"_s, u"forward"_s, {Qt::ALT | Qt::Key_Right}, [this] { m_browser->forward(); });
    back->setEnabled(false);
    forward->setEnabled(false);
    connect(m_browser, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
    connect(m_browser, &QTextBrowser::forwardAvailable, forward, &QAction::setEnabled);
    add(u"Contents"_s, u"contents"_s, {Qt::ALT | Qt::Key_Home}, [this] { open(Manual::contents); });
    row->addStretch(1);

    m_search->setPlaceholderText(m_search->accessibleName());
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(240);
    connect(m_search, &QLineEdit::textChanged, this, &HelpWindow::search);
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        if (m_hits->currentRow() < 0)
            m_hits->setCurrentRow(0);
        else
            m_browser->goToMark(true);
    });
    row->addWidget(m_search);
    return top;
}

void HelpWindow::addKeys()
{
    const auto add = [this](const QString& text, const QKeySequence& keys, auto act) {
        addKey(*this, manualGroup, text, {keys}, act, Qt::WindowShortcut);
    };
    add(u"Search the manual"_s, QKeySequence::Find, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    add(u"Next place where the words stand"_s, Qt::Key_F3, [this] { m_browser->goToMark(true); });
    add(u"The place before"_s, Qt::SHIFT | Qt::Key_F3, [this] { m_browser->goToMark(false); });
    add(u"End the search; close the window"_s, Qt::Key_Escape, [this] {
        if (m_search->text().isEmpty())
            close();
        m_search->clear();
    });
}

void HelpWindow::fillContents()
{
    const QSignalBlocker quiet(m_contents);
    m_contents->clear();
    const QSize roomy(0, fontMetrics().height() + 8);
    QHash<QString, QTreeWidgetItem*> items;
    for (const Manual::Chapter& page : m_manual.pages()) {
        QTreeWidgetItem* above = items.value(page.parent);
        auto* top = above ? new QTreeWidgetItem(above, {page.title()})
                          : new QTreeWidgetItem(m_contents, {page.title()});
        items.insert(page.id, top);
        if (above)
            top->setToolTip(0, page.title());
        top->setData(0, targetRole, page.id);
        top->setSizeHint(0, roomy);
        for (const Manual::Section& section : page.sections) {
            if (page.id == Manual::contents || above || section.level != deepestLevel)
                continue;
            auto* item = new QTreeWidgetItem(top, {section.title});
            item->setData(0, targetRole, QString(page.id + u'#' + section.anchor));
            item->setToolTip(0, section.title);
            item->setSizeHint(0, roomy);
        }
    }
}

void HelpWindow::setPage(const QString& id, const QString& markdown)
{
    if (const Manual::Chapter* before = m_manual.page(id); before && before->markdown == markdown)
        return;
    m_manual.setPage(id, markdown);
    fillContents();
    showWhere();
    if (m_browser->target().section(u'#', 0, 0) == id)
        m_browser->reload();
}

void HelpWindow::setFrameworks(const frameworks::Catalogue& catalogue, const QString& folder)
{
    m_manual.setPage(ownpages::frameworks, frameworkIndexPage(catalogue, folder));
    for (const FrameworkPtr& framework : catalogue.frameworks)
        m_manual.setPage(frameworkChapter(framework->id), frameworkPage(*framework), ownpages::frameworks);
    fillContents();
}

void HelpWindow::open(const QString& chapter)
{
    if (!m_browser->open(chapter))
        m_browser->open(Manual::contents);
    show();
    setWindowState(windowState() & ~Qt::WindowMinimized);
    raise();
    activateWindow();
    m_browser->setFocus();
}

/// The page that is open, and its section if it was gone to by name, is the current one of the contents.
void HelpWindow::showWhere()
{
    const QString target = m_browser->target();
    const QSignalBlocker quiet(m_contents);
    for (int i = 0; i < m_contents->topLevelItemCount(); ++i)
        m_contents->topLevelItem(i)->setExpanded(false);
    QTreeWidgetItem* current = nullptr;
    for (QTreeWidgetItemIterator at(m_contents); *at; ++at) {
        const QString of = (*at)->data(0, targetRole).toString();
        if (of == target || (!current && of == target.section(u'#', 0, 0)))
            current = *at;
    }
    if (!current)
        return;
    for (QTreeWidgetItem* open = current; open; open = open->parent())
        open->setExpanded(true);
    m_contents->setCurrentItem(current);
}

void HelpWindow::search(const QString& text)
{
    const QStringList words = Manual::wordsOf(text);
    if (!words.isEmpty() && m_left->currentWidget() == m_contents)
        Q_EMIT keysNeeded();
    m_browser->setMarked(m_manual.withTerms(words));
    m_left->setCurrentWidget(words.isEmpty() ? static_cast<QWidget*>(m_contents) : m_hits);
    m_hits->clear();
    for (const Manual::Hit& hit : m_manual.search(text)) {
        auto* item = new QListWidgetItem(hit.title + u'\n' + hit.excerpt, m_hits);
        item->setData(targetRole, hit.target);
    }
    if (m_hits->count() == 0 && !words.isEmpty()) {
        auto* none = new QListWidgetItem(u"No section has all of these words."_s, m_hits);
        none->setFlags(Qt::NoItemFlags);
    }
}

Help::Help(QSettings& settings, QWidget& window, std::function<QString()> chapterOnView)
    : QObject(&window)
    , m_settings(settings)
    , m_window(window)
    , m_menu(std::make_unique<QMenu>())
{
    QAction* onView = addKey(
        window, u"Window"_s, u"&Help on what is on view"_s, {Qt::Key_F1},
        [this, chapterOnView = std::move(chapterOnView)] { open(chapterOnView()); }, Qt::WindowShortcut);
    m_menu->setObjectName(u"helpMenu"_s);
    m_menu->addAction(onView);
    m_menu->addAction(u"&Paged? Start here"_s, this, [this] { open(u"paged.md"_s); });
    m_menu->addAction(u"&Contents of the manual"_s, this, [this] { open(Manual::contents); });
    m_menu->addAction(u"&Frameworks whose locks are known"_s, this, [this] { open(ownpages::frameworks); });
    m_menu->addAction(u"&Guided tour of races"_s, this, &Help::tourRequested)->setObjectName(u"guidedTour"_s);
    m_menu->addAction(u"&Keys"_s, this, [this] { open(ownpages::keys); });
    m_menu->addSeparator();
    m_menu->addAction(u"&About Lockscope"_s, this, [this] { open(ownpages::about); });
    window.installEventFilter(this);
}

Help::~Help() = default;

void Help::open(const QString& chapter)
{
    if (!m_manual) {
        m_manual = std::make_unique<HelpWindow>(m_settings);
        m_manual->setFrameworks(*frameworks::catalogue(), frameworks::userFolder());
        connect(m_manual.get(), &HelpWindow::keysNeeded, this, [this] {
            Q_EMIT keysRequested();
            listKeys();
        });
    }
    if (chapter == ownpages::keys)
        Q_EMIT keysRequested();
    listKeys();
    m_manual->setPage(ownpages::about, aboutPage());
    m_manual->open(chapter);
}

void Help::listKeys()
{
    m_manual->setPage(ownpages::keys, keysPage(keysOf({&m_window, m_manual.get()})));
}

bool Help::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != HelpRequest::eventType())
        return QObject::eventFilter(watched, event);
    event->accept();
    open(static_cast<HelpRequest*>(event)->chapter());
    return true;
}

} // namespace lockscope::ui
