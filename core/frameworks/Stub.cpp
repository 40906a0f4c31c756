// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Goes when the recogniser and the reader of files come: until then nothing is recognised.
#include "core/frameworks/Catalogue.h"
#include "core/frameworks/FrameworkFile.h"
#include "core/frameworks/Recogniser.h"
namespace lockscope::frameworks {
struct Recogniser::Rules { };
Recogniser::Recogniser(Engine engine, CataloguePtr catalogue)
    : m_engine(engine)
    , m_catalogue(std::move(catalogue))
{
}
void Recogniser::setFacts(const DatabaseFacts& facts)
{
    m_facts = facts;
}
void Recogniser::recognise(Snapshot&) { }
CataloguePtr catalogue()
{
    static const CataloguePtr none = std::make_shared<const Catalogue>();
    return none;
}
QString userFolder()
{
    return {};
}
Result<Framework> readFrameworkFile(const QString& name, const QByteArray&)
{
    return failure(ErrorKind::BadInput, name);
}
} // namespace lockscope::frameworks
