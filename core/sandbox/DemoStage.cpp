// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/sandbox/DemoStage.h"

namespace lockscope::sandbox {

void DemoStage::raiseCurtain(const DemoScene& scene)
{
    const std::lock_guard guard(m_mutex);
    m_scene = &scene;
    ++m_number;
    m_changed.notify_all();
}

void DemoStage::lowerCurtain()
{
    const std::lock_guard guard(m_mutex);
    m_scene = nullptr;
}

const DemoScene* DemoStage::nextScene(int& seen, const std::stop_token& stop)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, stop, [&] { return m_scene && m_number != seen; });
    if (stop.stop_requested())
        return nullptr;
    seen = m_number;
    return m_scene;
}

bool DemoStage::isOn(int number) const
{
    const std::lock_guard guard(m_mutex);
    return m_scene && m_number == number;
}

namespace {

bool runSteps(DemoActor& actor, const DemoPart& part)
{
    if (!actor.begin())
        return false;
    for (const DemoPart::Step& step : part.steps) {
        if (!actor.run(db::Statement::get(step.statement), step.params))
            return false;
    }
    return true;
}

} // namespace

void playHead(DemoStage& stage, DemoActor actor)
{
    const milliseconds stuckFor(90'000);
    const milliseconds calm(4'000);
    for (size_t next = 0; !actor.isStopped(); next = (next + 1) % demoScenes().size()) {
        const DemoScene& scene = demoScenes()[next];
        actor.appearAs(scene.head.program);
        if (!runSteps(actor, scene.head)) {
            actor.recover();
            continue;
        }
        stage.raiseCurtain(scene);
        const bool survived = actor.idle(stuckFor) && actor.commit();
        stage.lowerCurtain();
        if (survived)
            actor.sleep(calm);
        else
            actor.recover(); // ended by the operator: what the demo is there for
    }
}

void playVictim(DemoStage& stage, DemoActor actor, int index)
{
    int number = 0;
    while (const DemoScene* scene = stage.nextScene(number, actor.stopToken())) {
        const DemoPart& part = scene->victims[size_t(index)];
        if (!actor.sleep(part.entersAfter))
            return;
        actor.appearAs(part.program);
        // Who is cancelled or ended tries again for as long as there is something to wait for.
        while (stage.isOn(number) && !(runSteps(actor, part) && actor.commit())) {
            if (!actor.recover())
                return;
        }
    }
}

} // namespace lockscope::sandbox
