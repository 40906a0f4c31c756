// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/CentralArea.h"

#include "core/base/Sentences.h"
#include "core/base/ShownText.h"
#include "core/db/Dialect.h"
#include "core/record/Damage.h"
#include "ui/kit/theme/Theme.h"
#include "ui/kit/widgets/LogInForm.h"
#include "ui/kit/widgets/WidgetParts.h"
#include "ui/shell/servers/ShownServer.h"
#include "ui/shell/timetravel/TimeBar.h"
#include "ui/shell/window/ServerNotices.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

using monitor::Health;

namespace {

constexpr QSize smallest(560, 420);

} // namespace

PageStack::PageStack(QWidget* parent)
    : QStackedWidget(parent)
{
    // The largest of the hidden pages must not keep the window from fitting a small screen.
    setMinimumSize(smallest);
}

int PageStack::add(const PageName& name, Make make)
{
    m_places.push_back({.name = name, .make = std::move(make)});
    return static_cast<int>(m_places.size()) - 1;
}

QStringList PageStack::ids() const
{
    return textOfEach(m_places, [](const Place& each) { return each.name.id; });
}

int PageStack::placeOf(const QString& id) const
{
    const auto found = std::ranges::find_if(
        m_places, [&id](const Place& each) { return each.name.id.compare(id, Qt::CaseInsensitive) == 0; });
    return found == m_places.end() ? -1 : static_cast<int>(found - m_places.begin());
}

Page* PageStack::page(const QString& id)
{
    const int place = placeOf(id);
    return place < 0 ? nullptr : &pageAt(size_t(place));
}

Page& PageStack::pageAt(size_t place)
{
    if (Page* const made = m_places[place].page)
        return *made;
    Page* const page = m_places[place].page = m_places[place].make();
    page->setParent(this);
    page->hide();
    page->showSnapshot(nullptr); // as one that was emptied when the server on view came
    connect(page, &Page::openPage, this, &PageStack::show);
    connect(page, &Page::showSubject, this, &PageStack::reveal);
    connect(page, &Page::selectionDetail, this,
        [this, page](const DetailSubject& subject) { setSubject(page, subject); });
    Q_EMIT pageMade(page);
    return *page;
}

QList<Page*> PageStack::made() const
{
    QList<Page*> pages;
    for (const Place& each : m_places)
        if (each.page)
            pages << each.page;
    return pages;
}

void PageStack::makeAll()
{
    for (size_t place = 0; place < m_places.size(); ++place)
        pageAt(place);
}

bool PageStack::show(const QString& id, const QString& filter)
{
    const int place = placeOf(id);
    if (place < 0)
        return false;
    Page& page = pageAt(size_t(place));
    m_place = size_t(place);
    if (indexOf(&page) < 0)
        addWidget(&page); // only now: a hidden page in the layout costs time
    setCurrentWidget(&page);
    if (!filter.isEmpty())
        page.setFilter(filter);
    Q_EMIT pageShown(place);
    Q_EMIT subjectChanged();
    return true;
}

void PageStack::reveal(const QString& id, const DetailSubject& subject)
{
    show(id);
    if (!current().reveal(subject)) {
        current().setFilter({});
        current().reveal(subject);
    }
}

const DetailSubject& PageStack::subject() const
{
    static const DetailSubject nothing;
    const auto found = m_subjects.constFind(&current());
    return found == m_subjects.constEnd() ? nothing : *found;
}

void PageStack::setSubject(const Page* page, const DetailSubject& subject)
{
    m_subjects.insert(page, subject);
    if (page == m_places[m_place].page)
        Q_EMIT subjectChanged();
}

void PageStack::follow(const DetailSubject& subject)
{
    Page& page = current();
    page.reveal(subject);
    setSubject(&page, subject);
}

void PageStack::empty()
{
    m_subjects.clear();
    for (Page* const page : made())
        page->showSnapshot(nullptr);
    Q_EMIT subjectChanged();
}

void PageStack::saveLayout()
{
    for (Page* const page : made())
        page->saveLayout();
}

bool PageStack::isRunning() const
{
    return std::ranges::any_of(made(), &Page::isRunning);
}

void PageStack::stop()
{
    for (Page* const page : made())
        if (page->isRunning())
            page->stop();
}

namespace {

/// A card with an icon, a title and two lines of explanation.
class StartChoice : public QAbstractButton {
public:
    StartChoice(const QString& iconName, const QString& title, const QString& explanation, QWidget* parent)
        : QAbstractButton(parent)
        , m_iconName(iconName)
        , m_explanation(explanation)
    {
        setText(title);
        setAccessibleDescription(explanation);
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
        setMinimumSize(150, 210);
        setMaximumSize(320, 230);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const ThemeColors& colors = theme::colors(palette());
        QPainter painter(this);
        const bool hot = underMouse() || hasFocus();
        theme::paintBox(painter, QRectF(rect()).adjusted(1, 1, -1, -1), 8,
            QPen(hot ? colors.accent : colors.border, hot ? 2 : 1), isDown() ? colors.infoFill : colors.card);
        const QRect area = rect().adjusted(22, 22, -22, -18);
        theme::icon(m_iconName, colors.accent).paint(&painter, QRect(area.topLeft(), QSize(34, 34)));
        painter.setPen(palette().color(QPalette::WindowText));
        painter.setFont(theme::scaled(1.25, QFont::DemiBold));
        const QRect title(area.left(), area.top() + 46, area.width(), painter.fontMetrics().height());
        painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, text());
        painter.setFont(theme::scaled(1.0));
        painter.setPen(colors.muted);
        painter.drawText(
            QRect(area.left(), title.bottom() + 8, area.width(), area.bottom() - title.bottom() - 8),
            static_cast<int>(Qt::AlignLeft) | Qt::AlignTop | Qt::TextWordWrap, m_explanation);
    }

private:
    QString m_iconName;
    QString m_explanation;
};

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent)
{
    auto* title = demiBold(2.1, new QLabel(u"Who holds the lock?"_s, this));
    QLabel* subtitle = faint(wrapped(new QLabel(
        u"Lockscope shows who holds which database lock, who waits, since when, and who blocks whom — and frees a stuck one safely."_s,
        this)));
    subtitle->setFont(theme::scaled(1.1));

    auto* tryIt = named("tryItHere",
        new StartChoice(QStringLiteral("play"), u"Try it here"_s,
            u"Starts a private PostgreSQL server on this machine, with sessions that contend for real locks. Stops with the window."_s,
            this));
    auto* server = named("connectToServer",
        new StartChoice(QStringLiteral("server"), u"Connect to a server…"_s,
            u"Watch PostgreSQL or SQL Server. Works with any login; each page says what more rights would show."_s,
            this));
    auto* file = named("openFile",
        new StartChoice(QStringLiteral("file"), u"Open a file…"_s,
            u"A lock table in an SQLite file, to watch it; or a recording (.lockscope), to view any time of it."_s,
            this));
    connect(tryIt, &QAbstractButton::clicked, this, &StartPage::tryItHere);
    connect(server, &QAbstractButton::clicked, this, &StartPage::connectToServer);
    connect(file, &QAbstractButton::clicked, this, &StartPage::openFile);

    QHBoxLayout* choices = withSpacing(rowOf({tryIt, server, file}), 18);

    QLabel* recorded = named("recordedByDefault",
        faint(wrapped(new QLabel(
            u"Each server is recorded on this computer, statements too, passwords never: by default for 7 days and up to 1 GB. A button in the status line turns that off."_s,
            this))));

    QVBoxLayout* block = withSpacing(
        columnOf({stretch(2), title, subtitle, spacer(18), choices, spacer(18), recorded, stretch(3)}), 10);
    addAll(*new QHBoxLayout(this), {stretch(1), {block, 8}, stretch(1)});
}

namespace {

/// Refused, or not even read from the keychain: then a password helps.
bool mayNeedPassword(const db::ServerProfile& profile, const Error& error)
{
    return (error.kind == ErrorKind::Login || error.kind == ErrorKind::Permission) && !profile.url.sandbox
        && db::Dialect::of(profile.url.engine).can(db::Capability::LogIn);
}

/// Returns the time of the last failure, and says that it was not the first one.
QString attemptText(const Error& error, const monitor::ServerMonitor::Failures& failures)
{
    const QString what = error.kind == ErrorKind::Login ? u"Refused"_s : u"Failed"_s;
    const QString when = failures.latest.toString(QStringLiteral("HH:mm:ss"));
    return failures.count < 2 ? u"%1 at %2."_s.arg(what, when)
                              : u"%1 again at %2 (attempt %3)."_s.arg(what, when).arg(failures.count);
}

QString remedyOfRecording(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::MissingObject:
        return u"It was begun, and nothing is in it yet. Try again once something was recorded."_s;
    case ErrorKind::BadInput:
        return u"Recordings are files that Lockscope or lockctl record has written. If it was one, take another copy of it: this one is damaged."_s;
    default:
        return u"See that the file is there and that this account may read it."_s;
    }
}

} // namespace

ConnectionErrorPage::ConnectionErrorPage(db::KeychainPtr keychain, QWidget* parent)
    : QWidget(parent)
    , m_sign(new QLabel(this))
    , m_title(demiBold(1.5, new QLabel(this)))
    , m_when(named("troubleWhen", new QLabel(this)))
    , m_body(named("troubleText", selectable(wrapped(new QLabel(this)), Qt::TextSelectableByMouse)))
    , m_logIn(new LogInForm(std::move(keychain), this))
    , m_retry(named("tryAgain", new QPushButton(u"Try again now"_s, this)))
    , m_edit(new QPushButton(u"Edit the server…"_s, this))
    , m_past(named("showPast", new QPushButton(u"Show the last recorded snapshot"_s, this)))
{
    m_sign->setFont(theme::scaled(2.4));
    m_title->setWordWrap(true);
    wrapped(m_when); // it may be the name of a file
    m_when->setFont(theme::scaled(1.0, QFont::DemiBold));
    m_body->setMinimumWidth(420);
    connect(m_retry, &QPushButton::clicked, this, [this] {
        if (m_isTrying)
            return; // one more attempt may be the one that locks an account
        beginTrying();
        Q_EMIT retryRequested();
    });
    connect(m_edit, &QPushButton::clicked, this, &ConnectionErrorPage::editRequested);
    connect(m_logIn, &LogInForm::entered, this, [this](const QString& password, bool keep) {
        beginTrying();
        Q_EMIT passwordEntered(password, keep);
    });
    m_past->hide();
    connect(m_past, &QPushButton::clicked, this, &ConnectionErrorPage::pastRequested);

    QHBoxLayout* buttons = rowOf({m_retry, m_edit, m_past, stretch(1)});
    auto* column = withSpacing(new QVBoxLayout, 10);
    addAll(*column,
        {stretch(2), m_sign, m_title, m_when, m_body, spacer(6), m_logIn, spacer(6), buttons, stretch(3)});
    addAll(*new QHBoxLayout(this), {stretch(1), {column, 4}, stretch(1)});
}

void ConnectionErrorPage::showConnecting(const db::ServerProfile& profile)
{
    setTrying(false);
    tell(QStringLiteral("◌"), theme::colors(palette()).muted, u"Connecting to %1…"_s.arg(profile.display()),
        profile.url.sandbox
            ? u"The first start of the sandbox creates its database, which takes a few seconds."_s
            : QString());
    offer(false, false);
}

void ConnectionErrorPage::showError(
    const db::ServerProfile& profile, const Error& error, const monitor::ServerMonitor::Failures& failures)
{
    if (m_url != profile.url.toString() || m_failures != failures)
        setTrying(false);
    m_url = profile.url.toString();
    m_failures = failures;
    QStringList parts{asSentence(error.what)};
    if (!error.detail.isEmpty())
        parts << asSentence(error.detail);
    // What helps in the window is not what helps on a command line.
    if (const QString hint =
            QString(error.hint)
                .replace(db::loginHint.toString(), u"Check user and password, then press Log in."_s);
        !hint.isEmpty())
        parts << asSentence(hint);
    if (error.kind != ErrorKind::Login)
        parts << u"Lockscope tries again by itself."_s;
    else if (!error.hint.contains(QLatin1String("not tried again by itself")))
        parts << u"It is not tried again by itself: a few logins that fail lock an account."_s;
    tell(QStringLiteral("■"), theme::colors(palette()).red,
        u"Nothing could be read from %1"_s.arg(profile.display()), parts.join(QStringLiteral("\n\n")));
    m_when->setText(m_isTrying ? u"Trying…"_s : attemptText(error, failures));
    m_when->show();
    const bool logIn = mayNeedPassword(profile, error);
    if (logIn)
        m_logIn->setServer(profile);
    offer(true, logIn);
}

void ConnectionErrorPage::showSilent(const db::ServerProfile& profile)
{
    setTrying(false);
    tell(QStringLiteral("■"), theme::colors(palette()).red, u"%1 does not answer"_s.arg(profile.display()),
        u"The connection is there, but the first poll has had no answer for a while. The server may be overloaded, stopped, or behind a firewall that swallows the packets."_s);
    offer(true, false);
}

void ConnectionErrorPage::showOpening(const QString& place)
{
    setTrying(false);
    tell(QStringLiteral("◌"), theme::colors(palette()).muted, u"Opening %1…"_s.arg(place), QString());
    offer(false, false);
}

void ConnectionErrorPage::showRecording(const QString& place, const Error& error)
{
    setTrying(false);
    QStringList parts{asSentence(error.what)};
    if (!error.detail.isEmpty())
        parts << asSentence(error.detail);
    parts << asSentence(error.hint.isEmpty() ? remedyOfRecording(error.kind) : error.hint);
    tell(QStringLiteral("■"), theme::colors(palette()).red, u"The recording can't be shown"_s,
        parts.join(QStringLiteral("\n\n")));
    m_when->setText(place);
    m_when->show();
    offer(true, false);
    m_edit->hide();
}

void ConnectionErrorPage::setRecorded(bool isRecorded)
{
    m_past->setVisible(isRecorded);
}

void ConnectionErrorPage::offer(bool retry, bool logIn)
{
    m_retry->setVisible(retry);
    m_edit->setVisible(retry);
    const bool wasOffered = !m_logIn->isHidden();
    m_logIn->setVisible(logIn);
    if (logIn && !wasOffered)
        m_logIn->focusPassword();
}

/// Until the try ends, the same error as before is not shown as a new one.
void ConnectionErrorPage::beginTrying()
{
    setTrying(true);
    m_when->setText(u"Trying…"_s);
}

void ConnectionErrorPage::setTrying(bool trying)
{
    m_isTrying = trying;
    m_logIn->setTrying(trying);
    m_retry->setText(trying ? u"Trying…"_s : u"Try again now"_s);
}

QString ConnectionErrorPage::text() const
{
    QStringList lines{m_title->text(), m_when->text(), m_body->text()};
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

void ConnectionErrorPage::tell(
    const QString& sign, const QColor& color, const QString& title, const QString& body)
{
    m_when->clear();
    m_when->hide();
    theme::setInk(m_sign, color);
    m_sign->setText(sign);
    m_title->setText(inOneLine(title));
    m_body->setText(inLines(body));
    m_body->setVisible(!body.isEmpty());
}

namespace {

constexpr int pagesIndex = 2;

} // namespace

CentralArea::CentralArea(db::KeychainPtr keychain, QWidget* parent)
    : QStackedWidget(parent)
    , m_start(new StartPage(this))
    , m_trouble(new ConnectionErrorPage(std::move(keychain), this))
    , m_pages(new PageStack(this))
    , m_notices(new ServerNotices(this))
    , m_foot(new QWidget(this))
    , m_timeBar(new TimeBar(m_foot))
{
    // Below the page: what appears there moves nothing that is about to be clicked.
    addAll(*withoutMargins(new QVBoxLayout(m_foot), 0), {m_notices, m_timeBar});
    setChapter(*m_timeBar, QStringLiteral("time-travel.md"));
    addWidget(m_start);
    addWidget(m_trouble);
    addWidget(m_pages);
    connect(this, &QStackedWidget::currentChanged, this,
        [this](int index) { m_foot->setVisible(index == pagesIndex); });
    m_foot->setVisible(currentIndex() == pagesIndex);
    setChapter(*m_start, QStringLiteral("getting-started.md"));
    setChapter(*m_trouble, QStringLiteral("connecting.md#when-it-fails"));
}

void CentralArea::showHealth(const ShownServer& shown)
{
    const ServerSession* session = shown.session();
    if (!session) {
        if (m_pages->current().needsServer())
            setCurrentWidget(m_start);
        else
            setCurrentIndex(pagesIndex);
        m_notices->clearHealth();
        return;
    }
    if (session->recording() && session->recording()->error) {
        setCurrentWidget(m_trouble);
        m_trouble->showRecording(session->recording()->place, *session->recording()->error);
        return;
    }
    if (!shown.isLive()) {
        showPastView(shown);
        return;
    }
    const monitor::ServerMonitor& monitor = session->monitor();
    const auto error = monitor.lastError();
    if (monitor.snapshot()) {
        setCurrentIndex(pagesIndex);
        m_pages->current().showHealth(monitor.health(), error, session->dataAge());
        m_notices->showHealth(*session);
        return;
    }
    if (m_pages->current().needsServer())
        setCurrentWidget(m_trouble);
    else
        setCurrentIndex(pagesIndex);
    if (monitor.health() == Health::Silent)
        m_trouble->showSilent(session->profile());
    else if (error)
        m_trouble->showError(session->profile(), *error, monitor.failures());
    else
        m_trouble->showConnecting(session->profile());
}

void CentralArea::showPastView(const ShownServer& shown)
{
    const TimeTravel& travel = shown.travel();
    if (travel.snapshot()) {
        setCurrentIndex(pagesIndex);
        m_pages->current().showHealth(
            travel.error() ? Health::Failed : Health::Live, travel.error(), milliseconds(0));
        m_notices->showPastView(travel);
        return;
    }
    setCurrentWidget(m_trouble);
    if (travel.error())
        m_trouble->showRecording(travel.source().place, *travel.error());
    else
        m_trouble->showOpening(travel.source().place);
}

QString CentralArea::chapterOnView() const
{
    return chapterOf(currentIndex() == pagesIndex ? m_pages->current() : *currentWidget());
}

} // namespace lockscope::ui
