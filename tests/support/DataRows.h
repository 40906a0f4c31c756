// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include <QTest>

#include <initializer_list>
#include <utility>

namespace lockscope::test {

/// Adds the columns of a test's data: `addColumns<QString, bool>("text", "isRight")`.
template <class... Types, class... Names> void addColumns(Names... names)
{
    static_assert(sizeof...(Types) == sizeof...(Names));
    (QTest::addColumn<Types>(names), ...);
}

/// Adds the only column of a test's data and its rows, each with a name and a value.
template <class Type>
void addRows(const char* column, std::initializer_list<std::pair<const char*, Type>> rows)
{
    QTest::addColumn<Type>(column);
    for (const auto& [name, value] : rows)
        QTest::newRow(name) << value;
}

/// Adds a row of a test's data: `row("empty", "", false)`. Text is a value of a column of QStrings.
template <class... Values> void row(const char* name, Values... values)
{
    QTestData& data = QTest::newRow(name);
    static_cast<void>((data << ... << values));
}

/// Adds the only column of a test's data, of QStrings, and a row for each text.
inline void addTexts(const char* column, std::initializer_list<const char*> texts)
{
    QTest::addColumn<QString>(column);
    for (const char* text : texts)
        row(text, text);
}

} // namespace lockscope::test

/// Fetches several values of a row of a test's data: `FETCH(int, status, QString, text)`. QFETCH fetches one.
#define FETCH(...)                                                                                           \
    FETCH_BY_COUNT(__VA_ARGS__, FETCH_6, , FETCH_5, , FETCH_4, , FETCH_3, , FETCH_2, )(__VA_ARGS__)
#define FETCH_BY_COUNT(T1, n1, T2, n2, T3, n3, T4, n4, T5, n5, T6, n6, form, ...) form
#define FETCH_2(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    QFETCH(__VA_ARGS__)
#define FETCH_3(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_2(__VA_ARGS__)
#define FETCH_4(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_3(__VA_ARGS__)
#define FETCH_5(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_4(__VA_ARGS__)
#define FETCH_6(Type, name, ...)                                                                             \
    QFETCH(Type, name);                                                                                      \
    FETCH_5(__VA_ARGS__)
