// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/ServerPlace.h"

#include "core/base/PlainFile.h"
#include "core/domain/Engine.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

namespace lockscope::record {

using namespace Qt::StringLiterals;

namespace {

/// One of the many ways to say a host: in lower case, without the dot at the end of its full name.
QString hostName(const QString& host)
{
    if (host.startsWith(u'/'))
        return host; // the folder of a socket
    // Another server may listen at 127.0.0.2.
    const bool isAddressOfItsOwn = host.startsWith(u"127."_s) && host != u"127.0.0.1";
    if (db::isThisHost(host) && !isAddressOfItsOwn)
        return u"localhost"_s;
    return (host.endsWith(u'.') ? host.chopped(1) : host).toLower();
}

QString filePlace(const QString& path)
{
    const QFileInfo file(path);
    const QString itself = file.canonicalFilePath(); // of links
    return itself.isEmpty() ? QDir::cleanPath(file.absoluteFilePath()) : itself;
}

} // namespace

QString serverPlace(const db::ServerUrl& url)
{
    if (url.sandbox)
        return u"sandbox:"_s;
    if (url.isFile())
        return u"sqlite:"_s + filePlace(url.database);
    QStringList hosts;
    for (const db::ServerUrl::Host& host : url.hosts()) {
        const int port = portOf(url.engine, host);
        hosts << hostName(host.name) + (port == 0 ? QString() : u":%1"_s.arg(port));
    }
    // As libpq: without a database's name it is the user's.
    const bool isUsers = url.database.isEmpty() && url.engine == Engine::Postgres;
    // Of several hosts it is the one in the requested role.
    const QString role = url.moreHosts.isEmpty() ? QString() : url.options.value(u"target_session_attrs"_s);
    return u"%1://%2/%3"_s.arg(engineKey(url.engine), hosts.join(u','), isUsers ? url.user : url.database)
        + (role.isEmpty() ? QString() : u"?"_s + role);
}

QString recordingsFolder()
{
    return stateFolder() + u"/recordings"_s;
}

QStringList ownRecordings(QDir::SortFlags order)
{
    const QDir folder(recordingsFolder());
    QStringList files = folder.entryList({u"*.lockscope"_s}, QDir::Files, order);
    for (QString& name : files)
        name = folder.filePath(name);
    return files;
}

QString recordingPath(const db::ServerUrl& url)
{
    return recordingPath(serverPlace(url));
}

QString recordingPath(const QString& place)
{
    constexpr qsizetype longest = 60;
    constexpr qsizetype digits = 8; // distinguish places that are alike once they are a file's name
    static const QRegularExpression scheme(u"^[a-z]+:/*"_s);
    QString name;
    for (const QChar c : place == u"sandbox:" ? u"sandbox"_s : QString(place).remove(scheme).left(longest))
        name += c.isLetterOrNumber() || c == u'.' || c == u'-' ? c : u'_';
    const QByteArray hash = QCryptographicHash::hash(place.toUtf8(), QCryptographicHash::Sha256).toHex();
    return u"%1/%2-%3.lockscope"_s.arg(recordingsFolder(), name, QString::fromLatin1(hash.left(digits)));
}

QString causeServer(const db::ServerUrl& url)
{
    return causeServer(serverPlace(url));
}

QString causeServer(const QString& place)
{
    const qsizetype scheme = place.indexOf(u"://"_s);
    if (scheme < 0)
        return place.endsWith(u':') ? place.chopped(1) : place.section(u':', 1);
    // The database stands behind the last slash: a socket's folder has some, too.
    return place.sliced(scheme + 3).section(u'/', 0, -2);
}

QString causeDatabase(const QString& place)
{
    return place.contains(u"://"_s) ? place.section(u'/', -1).section(u'?', 0, 0) : QString();
}

} // namespace lockscope::record
