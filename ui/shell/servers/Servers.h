// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/BackgroundThread.h"
#include "core/base/Mutex.h"
#include "core/base/PostToThread.h"
#include "core/base/Worker.h"
#include "core/profiles/ProfileFile.h"
#include "core/watch/ServerWatch.h"
#include "ui/shell/servers/ServerSession.h"

#include <QHash>
#include <QList>
#include <QPointer>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>

class QSettings;

namespace lockscope::ui {

/// watch::identityOf(), or what a test has in its place.
using IdentityOf = std::function<record::Identity(const db::ServerProfile&)>;

/// Calls `found(context, identity)`: for a file later, unless `context` is gone by then, because its disk may
/// hang; it is found on a thread of its own. GUI thread.
template <class Context, class Found>
void findIdentity(
    Context& context, const db::ServerProfile& profile, const IdentityOf& identityOf, Found found)
{
    if (!profile.url.isFile())
        return found(context, identityOf(profile));
    const BackgroundThread finder(
        [to = QPointer(&context), profile, identityOf, found = std::move(found)](const std::stop_token&) {
            postTo(to, [found, identity = identityOf(profile)](Context& there) { found(there, identity); });
        });
}

/// The password that the user typed for one server in this run. Connections ask for it from their own
/// threads, each time again: one that is typed while a server is open counts from the next connection on.
class TypedPassword {
public:
    void set(const QString& password)
    {
        const MutexLock guard(m_mutex);
        m_password = password;
    }
    std::optional<QString> get() const
    {
        const MutexLock guard(m_mutex);
        return m_password;
    }
    /// `typed`, or what `otherwise` says as long as nothing was typed.
    static db::PasswordProvider provider(
        std::shared_ptr<const TypedPassword> typed, db::PasswordProvider otherwise)
    {
        return [typed = std::move(typed), otherwise = std::move(otherwise)](
                   const QString& url) -> Result<QString> {
            if (const auto password = typed->get())
                return *password;
            return otherwise ? otherwise(url) : Result<QString>(QString());
        };
    }

private:
    mutable Mutex m_mutex;
    std::optional<QString> m_password LOCKSCOPE_GUARDED_BY(m_mutex);
};

/// The servers of the list: the named profiles of the settings and those given for this run only; each with
/// its session if it is open. GUI thread.
class Servers : public QObject {
    Q_OBJECT

public:
    Servers(QSettings& settings, bool readOnly, db::KeychainPtr keychain, QObject* parent = nullptr);
    ~Servers() override;

    int count() const { return static_cast<int>(m_items.size()); }
    const db::ServerProfile& profile(int row) const { return m_items[row].profile; }
    ServerSession* session(int row) const { return m_items[row].session; } ///< null if not open
    int rowOf(const ServerSession* session) const;
    /// Returns the row of an equal URL; -1: there is none.
    int rowOf(const db::ServerProfile& profile) const;
    /// Returns the row of an equal URL, or a new one for this run only.
    int rowFor(const db::ServerProfile& profile);

    /// Blocks on the disk for a file, unless its place is known.
    ServerSession* open(int row, ServerSession::Options options);
    using OptionsOf = std::function<ServerSession::Options(int row)>;
    /// Does the same, then calls `opened`: for a file later, when its place is known, or never if it was
    /// removed or replaced by then. `optionsOf` is asked when it is opened: settings may change until then.
    /// However often a file is opened, one thread waits for its disk.
    void openWhenFound(int row, const OptionsOf& optionsOf, const std::function<void(ServerSession*)>& opened,
        const IdentityOf& identityOf = watch::identityOf);
    bool isOpening(int row) const; ///< there will be a session when the place of the file is known
    /// Sets them for the next open of that row, instead of the options' provider.
    void setPasswords(int row, db::PasswordProvider passwords);
    /// Returns the password that the user typed for it in this run.
    std::optional<QString> typedPassword(int row) const { return m_items[row].typed->get(); }
    /// Takes the password that the user typed for it: from the next connection on, until the program ends;
    /// tried at once on an open server. `keep`: in the keychain, once the server has taken it.
    void logIn(int row, const QString& password, bool keep);
    /// Acts there may be recorded in a local file: kept with a saved server, else for this run.
    void allowLocalAudit(ServerSession* session);
    ServerSession* adopt(ServerSession* session); ///< takes it over, as a row for this run only
    /// The row of that recording, or -1.
    int rowOfRecording(const QString& place) const;
    void add(const db::ServerProfile& profile); ///< and saves it
    QList<db::ServerProfile> saved() const;
    /// Saves servers of a file: new ones, and those that replace the one of their name.
    void import(const QList<profiles::ImportItem>& items);
    /// Remembers the servers that are open, or will be when their place is known, for the next start: saved
    /// ones and those of this run, but no sandbox. `others` of the list are about to be opened, in their
    /// order.
    void rememberOpen(const ServerSession* shown, const QList<db::ServerProfile>& others);
    /// Returns those that were open at the last end, the one that was on view last.
    QList<db::ServerProfile> openBefore();
    /// Closes its session: it may be another server now. Then the password of the old URL goes, too.
    void replace(int row, const db::ServerProfile& profile);
    /// Has a table of somebody else read from the next connection on, and closes the present one.
    void approve(int row, const db::ApprovedTable& table);
    void remove(int row); ///< and its password, unless another row has the same URL
    /// Puts it into the keychain; a failure becomes a message.
    void keepPassword(int row, const QString& password);
    /// The same of another server than those of the list: a team's history.
    void keepPasswordOf(const db::ServerUrl& url, const QString& password) { writePassword(url, password); }
    /// Waits until the keychain has what it was given so far. False if that takes longer.
    bool finishKeychain(milliseconds atMost) const;
    void setProbes(const monitor::ProbeSelection& probes);

Q_SIGNALS:
    void changed(); ///< rows
    void opened(lockscope::ui::ServerSession* session); ///< it has signals of its own for what happens there
    void aboutToClose(lockscope::ui::ServerSession* session);
    void message(const QString& text);

private:
    struct Item {
        db::ServerProfile profile;
        bool saved = false;
        ServerSession* session = nullptr;
        db::PasswordProvider passwords = {};
        std::shared_ptr<TypedPassword> typed = std::make_shared<TypedPassword>();
        QString keepIfTaken = {}; ///< a password that the server has not taken yet
    };
    /// A call of openWhenFound().
    struct Opening {
        db::ServerProfile profile;
        OptionsOf optionsOf;
        std::function<void(ServerSession*)> opened;
    };
    static bool isRecording(const Item& item) { return item.session && item.session->recording(); }
    void keepFormerConsent();
    void keepTakenPassword(const ServerSession* session);
    void watch(ServerSession* session);
    void close(Item& item);
    void save();
    void forgetPassword(const Item& gone);
    void writePassword(const db::ServerUrl& url, const QString& password);

    QSettings& m_settings;
    bool m_readOnly;
    /// So that many servers together are no burden for this machine either.
    const std::shared_ptr<monitor::PollPlaces> m_places = std::make_shared<monitor::PollPlaces>(16);
    db::KeychainPtr m_keychain;
    QList<Item> m_items;
    QHash<QString, QList<Opening>> m_openings; ///< by the URLs of files whose places are not known yet
    Worker m_keychainWorker;
    std::future<void> m_lastWrite; ///< of the keychain; invalid: there was none
};

} // namespace lockscope::ui
