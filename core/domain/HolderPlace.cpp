// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/HolderLife.h"

#include "core/domain/Framework.h"
#include "core/domain/LockTable.h"

#include <QCoreApplication>
#include <QSysInfo>

#include <algorithm>
#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace lockscope {

using namespace Qt::StringLiterals;

namespace {

bool isNumericAddress(const QString& text)
{
    // Asked for each session of each row.
    const auto isOfV4 = [](QChar c) { return c == u'.' || (c >= u'0' && c <= u'9'); };
    return text.contains(u':') || (text.count(u'.') == 3 && std::ranges::all_of(text, isOfV4));
}

/// Returns a name that distinguishes a machine from others; empty for all else.
QString usefulName(const QString& host)
{
    return isNumericAddress(host) || isOwnName(host) ? QString() : host;
}

/// Returns an address that distinguishes a machine from others; empty for all else.
QString usefulAddress(const QString& address)
{
    const QString plain = isNumericAddress(address) ? plainAddress(address) : QString();
    return isOwnName(plain) ? QString() : plain;
}

/// "build-7" is "build-7.example.org"; of two with domains both count.
bool isSameName(const QString& one, const QString& other)
{
    if (one.compare(other, Qt::CaseInsensitive) == 0)
        return true;
    if (one.contains(u'.') && other.contains(u'.'))
        return false;
    return one.section(u'.', 0, 0).compare(other.section(u'.', 0, 0), Qt::CaseInsensitive) == 0;
}

} // namespace

QString plainAddress(const QString& address)
{
    QString plain = address.trimmed().toLower().section(u'%', 0, 0);
    if (plain.startsWith(u"::ffff:"_s) && plain.contains(u'.'))
        plain.remove(0, 7);
    return plain;
}

bool isOwnName(const QString& plain)
{
    static constexpr QStringView names[] = {
        u"localhost", u"local", u"<local machine>", u"::1", u"::", u"0.0.0.0"};
    return plain.startsWith(u"127.") || std::ranges::any_of(names, [&plain](QStringView name) {
        return plain.compare(name, Qt::CaseInsensitive) == 0;
    });
}

HolderPattern::HolderPattern(const QString& pattern)
    : m_whole(wholePattern(pattern))
    , m_isUsable(!pattern.isEmpty() && m_whole.isValid())
{
}

HolderParts HolderPattern::partsOf(const QString& text) const
{
    HolderParts parts;
    const auto match = m_isUsable && !text.isEmpty() ? matchWhole(m_whole, text) : std::nullopt;
    if (!match)
        return parts;
    const QStringList names = m_whole.namedCaptureGroups();
    const auto group = [&](const QString& name) {
        return names.contains(name) ? match->captured(name).trimmed() : QString();
    };
    parts.host = group(u"host"_s);
    parts.address = group(u"address"_s);
    parts.owner = group(u"owner"_s);
    parts.program = group(u"program"_s);
    parts.processId = group(u"pid"_s).toLongLong();
    parts.session = SessionId{group(u"session"_s).toLongLong()};
    // Without a zone it is some client's local time.
    if (const auto since = ServerTime::fromIsoString(group(u"since"_s)); since.isValid())
        parts.since = since;
    return parts;
}

HolderPlace::HolderPlace(const HolderParts& holder)
    : m_host(usefulName(holder.host))
    , m_address(usefulAddress(holder.address))
{
    if (m_address.isEmpty())
        m_address = usefulAddress(holder.host);
}

HolderPlace::Match HolderPlace::compare(const Session& session) const
{
    const QString name = usefulName(session.host);
    QString address = usefulAddress(session.address);
    if (address.isEmpty())
        address = usefulAddress(session.host);
    const bool comparesNames = !m_host.isEmpty() && !name.isEmpty();
    const bool comparesAddresses = !m_address.isEmpty() && !address.isEmpty();
    const bool isSame = comparesNames && isSameName(m_host, name);
    const bool isSameAddress = comparesAddresses && m_address == address;
    if (comparesNames && comparesAddresses && isSame != isSameAddress)
        return Match::Unclear; // behind one address are several machines, and machines have several
    if (isSame || isSameAddress)
        return Match::Same;
    // Without a name of its own on both sides it may be that machine by another address.
    return comparesNames ? Match::Other : Match::Unclear;
}

namespace {

QString accountName()
{
    // The effective account, not $USER: that one survives sudo and can be set to anything.
    std::vector<char> buffer(4096);
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found)
        return QString::fromLocal8Bit(found->pw_name);
    const QString user = qEnvironmentVariable("USERNAME");
    return user.isEmpty() ? qEnvironmentVariable("USER") : user;
}

} // namespace

const LockRowTable::Column* LockRowTable::column(const QString& name) const
{
    const auto found = std::ranges::find_if(
        columns, [&name](const Column& each) { return each.name.compare(name, Qt::CaseInsensitive) == 0; });
    return found == columns.end() ? nullptr : &*found;
}

LockOwnerInfo LockOwnerInfo::ofThisProcess()
{
    static const QString account = accountName();
    static const QString host = QSysInfo::machineHostName();
    LockOwnerInfo party;
    party.owner = account;
    party.host = host;
    party.program = QCoreApplication::applicationName();
    party.processId = QCoreApplication::applicationPid();
    return party;
}

} // namespace lockscope
