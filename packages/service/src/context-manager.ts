import { EventEmitter } from 'node:events';
import type { Context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';

/**
 * Keeps the current trace through promises and callbacks, but not in the listeners of streams: to bind every listener of
 * every request costs more than the rest of telemetry. Code that goes on from a listener returns to the trace itself, as
 * `keepTrace` does.
 */
export class ContextManager extends AsyncLocalStorageContextManager {
  override bind<Target>(context: Context, target: Target): Target {
    return target instanceof EventEmitter ? target : super.bind(context, target);
  }
}
