// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.axonframework.common.stream.BlockingStream;
import org.axonframework.common.transaction.NoTransactionManager;
import org.axonframework.eventhandling.EventMessageHandler;
import org.axonframework.eventhandling.GenericEventMessage;
import org.axonframework.eventhandling.GenericTrackedEventMessage;
import org.axonframework.eventhandling.GlobalSequenceTrackingToken;
import org.axonframework.eventhandling.SimpleEventHandlerInvoker;
import org.axonframework.eventhandling.TrackedEventMessage;
import org.axonframework.eventhandling.TrackingEventProcessor;
import org.axonframework.eventhandling.TrackingEventProcessorConfiguration;
import org.axonframework.eventhandling.TrackingToken;
import org.axonframework.eventhandling.tokenstore.jdbc.JdbcTokenStore;
import org.axonframework.eventhandling.tokenstore.jdbc.PostgresTokenTableFactory;
import org.axonframework.messaging.StreamableMessageSource;
import org.axonframework.serialization.json.JacksonSerializer;

/** A processor of events handles the only one that there is. */
final class AxonProgram implements Frameworks.Program {
    private static final class OneEvent implements StreamableMessageSource<TrackedEventMessage<?>> {
        @Override
        public BlockingStream<TrackedEventMessage<?>> openStream(TrackingToken from) {
            return new BlockingStream<>() {
                private boolean isOver = from != null;

                @Override
                public Optional<TrackedEventMessage<?>> peek() {
                    return isOver ? Optional.empty()
                            : Optional.of(new GenericTrackedEventMessage<>(new GlobalSequenceTrackingToken(0),
                                    GenericEventMessage.asEventMessage("report")));
                }

                @Override
                public boolean hasNextAvailable(int timeout, TimeUnit unit) throws InterruptedException {
                    if (isOver) {
                        unit.sleep(timeout);
                    }
                    return !isOver;
                }

                @Override
                public TrackedEventMessage<?> nextAvailable() {
                    TrackedEventMessage<?> event = peek().orElseThrow();
                    isOver = true;
                    return event;
                }

                @Override
                public void close() {
                    // nothing is kept
                }
            };
        }
    }

    @Override
    public void run(Database database) throws Exception {
        JdbcTokenStore tokens = JdbcTokenStore.builder().connectionProvider(database::getConnection)
                .serializer(JacksonSerializer.defaultSerializer()).build();
        tokens.createSchema(PostgresTokenTableFactory.INSTANCE);
        CountDownLatch ran = new CountDownLatch(1);
        EventMessageHandler handler = event -> {
            Frameworks.underTheLock();
            ran.countDown();
            return null;
        };
        TrackingEventProcessor processor = TrackingEventProcessor.builder().name("report")
                .eventHandlerInvoker(SimpleEventHandlerInvoker.builder().eventHandlers(handler).build())
                .messageSource(new OneEvent()).tokenStore(tokens).transactionManager(NoTransactionManager.INSTANCE)
                .trackingEventProcessorConfiguration(TrackingEventProcessorConfiguration
                        .forSingleThreadedProcessing().andInitialTrackingToken(source -> null))
                .build();
        processor.start();
        if (!ran.await(Frameworks.patience(), TimeUnit.SECONDS)) {
            throw new Frameworks.Locked("the segment is another node's");
        }
        processor.shutDown();
    }
}
