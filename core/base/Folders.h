// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QDir>

namespace lockscope {

/// Returns a folder of Lockscope's in this account, which need not exist, by the XDG base directory
/// specification: a relative path in the variable is ignored.
inline QString ownFolder(const char* variable, QLatin1StringView byDefault)
{
    const QString set = qEnvironmentVariable(variable);
    return QDir::cleanPath(QDir::isAbsolutePath(set) ? set : QDir::home().filePath(byDefault))
        + QStringLiteral("/lockscope");
}
inline QString configFolder()
{
    return ownFolder("XDG_CONFIG_HOME", QLatin1StringView(".config"));
}
inline QString dataFolder()
{
    return ownFolder("XDG_DATA_HOME", QLatin1StringView(".local/share"));
}
inline QString stateFolder()
{
    return ownFolder("XDG_STATE_HOME", QLatin1StringView(".local/state"));
}
inline QString cacheFolder()
{
    return ownFolder("XDG_CACHE_HOME", QLatin1StringView(".cache"));
}

} // namespace lockscope
