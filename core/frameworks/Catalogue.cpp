// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/Catalogue.h"

#include "core/base/PlainFile.h"
#include "core/base/Result.h"
#include "core/frameworks/FrameworkFile.h"

#include <QByteArray>
#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

Failure unreadable(const QString& path, const QString& why)
{
    return failure(ErrorKind::Server, u"%1: It can't be read: %2."_s.arg(path, why));
}

Failure unsafe(const QString& path, const QString& why, const QString& hint)
{
    return failure(ErrorKind::Permission, u"%1: It is not used: %2."_s.arg(path, why), hint);
}

/// Returns whether nobody but this account or root can put files into a folder or on the way to it;
/// Permission otherwise, with what to do. Any thread; blocks for the disk.
Result<void> checkFolder(const QString& folder)
{
    const auto step = unsafeStep(QFileInfo(folder).canonicalFilePath());
    if (!step)
        return {};
    switch (step->why) {
    case UnsafeStep::Why::Unreachable:
        return unreadable(step->folder, qt_error_string(errno));
    case UnsafeStep::Why::Strangers:
        return unsafe(folder, u"%1 belongs to another account"_s.arg(step->folder),
            u"Give it to this account or root (chown)."_s);
    case UnsafeStep::Why::Open:
        break;
    }
    return unsafe(
        folder, u"others may write to %1"_s.arg(step->folder), u"Take that right from them (chmod go-w)."_s);
}

/// Reads a file, not a link, which belongs to this account or root and which nobody else may change.
Result<QByteArray> readOwnFile(const QString& path)
{
    const PlainFile file(path, PlainFile::Links::Refuse);
    const auto reason = file.reasonAgainst(PlainFile::Others::Read);
    if (reason && reason->kind != ErrorKind::Server)
        return unsafe(path, reason->what, reason->hint);
    auto content = file.read(largestFrameworkFile + 1);
    return content ? content : unreadable(path, content.error().what);
}

constexpr auto builtInFolder = ":/frameworks"_L1;

QString textOf(const Error& error)
{
    QString text = error.what;
    for (const QString& more : {error.detail, error.hint})
        if (!more.isEmpty())
            text += u'\n' + more;
    return text;
}

class Loader {
public:
    void loadBuiltIn()
    {
        const QDir folder(builtInFolder);
        for (const QString& name : folder.entryList({u"*.json"_s}, QDir::Files, QDir::Name))
            add(name, fileContent(folder.filePath(name)), true);
    }

    void loadFrom(const QDir& folder)
    {
        if (!folder.exists())
            return;
        if (const auto safe = checkFolder(folder.absolutePath()); !safe) {
            note(folder.absolutePath(), textOf(safe.error()));
            return;
        }
        for (const QString& name :
            folder.entryList({u"*.json"_s}, QDir::Files | QDir::System | QDir::Hidden, QDir::Name)) {
            if (name.endsWith(u".schema.json"))
                continue;
            const QString path = folder.absoluteFilePath(name);
            if (const auto text = readOwnFile(path))
                add(path, *text, false);
            else
                note(path, textOf(text.error()));
        }
    }

    Catalogue take()
    {
        std::ranges::stable_sort(m_catalogue.frameworks, [](const FrameworkPtr& a, const FrameworkPtr& b) {
            return a->name.compare(b->name, Qt::CaseInsensitive) < 0;
        });
        return std::move(m_catalogue);
    }

private:
    void note(const QString& file, const QString& text) { m_catalogue.errors.append({file, text}); }

    void add(const QString& file, const QByteArray& text, bool isBuiltIn)
    {
        auto read = readFrameworkFile(file, text);
        if (!read) {
            note(file, textOf(read.error()));
            return;
        }
        read->isBuiltIn = isBuiltIn;
        auto framework = std::make_shared<const Framework>(std::move(*read));
        const auto other = std::ranges::find_if(
            m_catalogue.frameworks, [&](const FrameworkPtr& one) { return one->id == framework->id; });
        if (other == m_catalogue.frameworks.end()) {
            m_catalogue.frameworks.push_back(std::move(framework));
            return;
        }
        note(file, u"%1: This file counts instead of the built-in one of the same name."_s.arg(file));
        *other = std::move(framework);
    }

    Catalogue m_catalogue;
};

} // namespace

FrameworkPtr Catalogue::find(const QString& id) const
{
    const auto found = std::ranges::find_if(
        frameworks, [&id](const FrameworkPtr& framework) { return framework->id == id; });
    return found == frameworks.end() ? nullptr : *found;
}

QString userFolder()
{
    const QString set = qEnvironmentVariable("LOCKSCOPE_FRAMEWORK_DIR");
    return set.isEmpty() ? dataFolder() + u"/frameworks"_s : set;
}

Catalogue loadCatalogue(const QString& folder)
{
    Loader loader;
    loader.loadBuiltIn();
    if (!folder.isEmpty())
        loader.loadFrom(QDir(folder));
    return loader.take();
}

CataloguePtr catalogue()
{
    static const auto once = std::make_shared<const Catalogue>(loadCatalogue(userFolder()));
    return once;
}

} // namespace lockscope::frameworks
