// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.camunda.bpm.engine.ProcessEngine;
import org.camunda.bpm.engine.delegate.DelegateExecution;
import org.camunda.bpm.engine.delegate.JavaDelegate;
import org.camunda.bpm.engine.impl.cfg.StandaloneProcessEngineConfiguration;
import org.camunda.bpm.model.bpmn.Bpmn;

/** A process whose only task is a job. */
final class CamundaProgram implements Frameworks.Program {
    private static final CountDownLatch RAN = new CountDownLatch(1);

    /** Named in the process, hence public. */
    public static final class Report implements JavaDelegate {
        @Override
        public void execute(DelegateExecution execution) {
            Frameworks.underTheLock();
            RAN.countDown();
        }
    }

    @Override
    public void run(Database database) throws Exception {
        StandaloneProcessEngineConfiguration configuration = new StandaloneProcessEngineConfiguration();
        configuration.setDataSource(database);
        configuration.setDatabaseSchemaUpdate("true");
        configuration.setJobExecutorActivate(true);
        configuration.setHistory("none");
        configuration.setDmnFeelEnableLegacyBehavior(true); // else it needs Scala
        configuration.setMetricsEnabled(false);
        ProcessEngine engine = configuration.buildProcessEngine();
        if (engine.getRuntimeService().createProcessInstanceQuery().count() == 0) {
            engine.getRepositoryService().createDeployment().addModelInstance("report.bpmn", Bpmn
                    .createExecutableProcess("report").camundaHistoryTimeToLive(1).startEvent().serviceTask()
                    .camundaAsyncBefore().camundaClass(Report.class).endEvent().done()).deploy();
            engine.getRuntimeService().startProcessInstanceByKey("report");
        }
        if (!RAN.await(Frameworks.patience(), TimeUnit.SECONDS)) {
            throw new Frameworks.Locked("no job was free");
        }
        engine.close(); // waits for the job to be committed
    }
}
