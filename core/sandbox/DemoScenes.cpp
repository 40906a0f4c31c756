// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/DemoStage.h"

namespace lockscope::sandbox {

using namespace Qt::StringLiterals;

namespace {

using Step = DemoPart::Step;

Step changeOrder(qint64 order, const QString& state)
{
    return {"postgres/demo/change_order", {order, state}};
}

Step reserveStock(qint64 product)
{
    return {"postgres/demo/reserve_stock", {product}};
}

Step checkCredit(qint64 customer)
{
    return {"postgres/demo/check_credit", {customer}};
}

Step readProduct(qint64 product)
{
    return {"postgres/demo/read_product", {product}};
}

/// Somebody went to lunch with a form open.
DemoScene forgottenForm()
{
    return {{u"support-desk"_s, {}, {checkCredit(17), changeOrder(4711, u"in dispute"_s)}},
        {
            {u"web-1"_s, milliseconds(50), {reserveStock(12), changeOrder(4711, u"paid"_s)}},
            {u"web-2"_s, milliseconds(200), {reserveStock(12), changeOrder(4720, u"paid"_s)}},
            {u"billing"_s, milliseconds(350), {checkCredit(17)}},
            {u"warehouse"_s, milliseconds(9'000), {reserveStock(31), reserveStock(12)}},
            {u"sync/4711"_s, milliseconds(21'000), {reserveStock(31)}},
        }};
}

/// The report freezes the orders, and then does not come to an end.
DemoScene endlessReport()
{
    return {
        {u"nightly-report"_s, {}, {{"postgres/demo/freeze_orders", {}}, {"postgres/demo/count_orders", {}}}},
        {
            {u"web-2"_s, milliseconds(50), {reserveStock(40), changeOrder(4730, u"paid"_s)}},
            {u"web-3"_s, milliseconds(200), {reserveStock(40), changeOrder(4731, u"paid"_s)}},
            {u"sync/4711"_s, milliseconds(350), {changeOrder(4711, u"synchronised"_s)}},
            {u"shipping"_s, milliseconds(12'000), {checkCredit(55), changeOrder(4702, u"shipped"_s)}},
            {u"web-1"_s, milliseconds(25'000), {checkCredit(55)}},
        }};
}

/// A reader that forgot to end its transaction; a migration behind it; and everybody behind the migration.
DemoScene migrationBehindAReader()
{
    return {{u"price-export"_s, {}, {readProduct(12)}},
        {
            {u"migration-42"_s, milliseconds(50), {{"postgres/demo/change_products_table", {}}}},
            {u"web-1"_s, milliseconds(250), {checkCredit(8), readProduct(12)}},
            {u"web-3"_s, milliseconds(400), {checkCredit(8)}},
            {u"warehouse"_s, milliseconds(7'000), {reserveStock(77)}},
            {u"web-2"_s, milliseconds(18'000), {readProduct(5)}},
        }};
}

} // namespace

const std::vector<DemoScene>& demoScenes()
{
    static const std::vector<DemoScene> scenes{forgottenForm(), endlessReport(), migrationBehindAReader()};
    return scenes;
}

} // namespace lockscope::sandbox
