// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/frameworks/Catalogue.h"

#include "core/frameworks/FrameworkFile.h"
#include "core/frameworks/TrustedFile.h"

#include <QDir>
#include <QStandardPaths>

#include <algorithm>

namespace lockscope::frameworks {

using namespace Qt::StringLiterals;

namespace {

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
        for (const QString& name : folder.entryList({u"*.json"_s}, QDir::Files, QDir::Name)) {
            QFile file(folder.filePath(name));
            if (file.open(QIODevice::ReadOnly))
                add(name, file.readAll(), true);
            else
                note(name, u"%1: The file can't be read: %2"_s.arg(name, file.errorString()));
        }
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
            if (const auto text = readTrustedFile(path, largestFrameworkFile + 1))
                add(path, *text, false);
            else
                note(path, textOf(text.error()));
        }
    }

    Catalogue take()
    {
        std::stable_sort(m_catalogue.frameworks.begin(), m_catalogue.frameworks.end(),
            [](const FrameworkPtr& a, const FrameworkPtr& b) {
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
        const auto other = std::find_if(m_catalogue.frameworks.begin(), m_catalogue.frameworks.end(),
            [&](const FrameworkPtr& one) { return one->id == framework->id; });
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
    const auto found = std::find_if(frameworks.begin(), frameworks.end(),
        [&id](const FrameworkPtr& framework) { return framework->id == id; });
    return found == frameworks.end() ? nullptr : *found;
}

QString userFolder()
{
    const QString set = qEnvironmentVariable("LOCKSCOPE_FRAMEWORK_DIR");
    return set.isEmpty()
        ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + u"/lockscope/frameworks"_s
        : set;
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
