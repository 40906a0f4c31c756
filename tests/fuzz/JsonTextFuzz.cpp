// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/json/FileCheck.h"
#include "tests/fuzz/FuzzTarget.h"

#include <QJsonDocument>

namespace lockscope::test {

using namespace json;

namespace {

void checkNode(const JsonNode& node, qsizetype size)
{
    if (node.offset < 0 || node.offset >= size)
        qFatal("a value outside of the text");
    if (describe(node).isEmpty())
        qFatal("a value without a description");
    if (node.is(JsonNode::Type::Object)
        && (node.keys.size() != static_cast<qsizetype>(node.items.size())
            || node.keyOffsets.size() != node.items.size()))
        qFatal("an object with keys and no values");
    for (const JsonNode& item : node.items)
        checkNode(item, size);
}

} // namespace

/// Feeds bytes to parseJson; aborts if it accepts what Qt's reader refuses, or if a fault has no place.
static void fuzzJsonText(const QByteArray& text)
{
    const auto parsed = parseJson(text);
    if (!parsed) {
        const JsonFault& fault = parsed.error();
        if (fault.offset < 0 || fault.offset > text.size() || fault.what.isEmpty())
            qFatal("refused without a reason or a place");
        const TextPlace place = placeOf(text, fault.offset);
        if (place.line < 1 || place.column < 1)
            qFatal("no place");
        return;
    }
    checkNode(*parsed, text.size());
    // Qt reads arrays and objects only.
    if (parsed->is(JsonNode::Type::Object) || parsed->is(JsonNode::Type::Array)) {
        QJsonParseError error{};
        (void)QJsonDocument::fromJson(text, &error);
        if (error.error != QJsonParseError::NoError)
            qFatal("Qt refuses it: %s", qPrintable(error.errorString()));
    }
}

} // namespace lockscope::test

LOCKSCOPE_FUZZ(fuzzJsonText)
