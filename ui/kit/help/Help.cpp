// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/help/Help.h"

#include "ui/kit/help/Chapter.h"
#include "ui/kit/help/HelpWindow.h"
#include "ui/kit/help/OwnPages.h"
#include "ui/kit/widgets/KeyAction.h"

#include <QMenu>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

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
