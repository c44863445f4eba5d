import { busAccessOf } from './bus-access.ts';
import { allEvents } from './events/all-events.ts';
import { SERVICES, type ServiceName } from './operation.ts';

/** A durable consumer, and the names of the event types that reach it from one publisher. */
export interface EventConsumer {
  readonly service: ServiceName;
  readonly name: string;
  readonly types: readonly string[];
}

/** Returns the consumers of what a service publishes. */
export function consumersOf(publisher: ServiceName): EventConsumer[] {
  const published = allEvents.filter(it => it.publishedBy.includes(publisher)).map(({ type }) => type.name);
  return SERVICES.flatMap(service =>
    [...busAccessOf(service).consumers].map(([name, filter]) => ({
      service,
      name,
      types: published.filter(type => matches(filter, type)),
    })),
  ).filter(({ types }) => types.length > 0);
}

/** Whether a subject matches a filter of NATS: `*` stands for one token, `>` for one or more at the end. */
function matches(filter: string, subject: string): boolean {
  const tokens = subject.split('.');
  const wanted = filter.split('.');
  if (wanted.at(-1) === '>') {
    if (tokens.length < wanted.length) return false;
    wanted.pop();
    tokens.length = wanted.length;
  }
  return tokens.length === wanted.length && wanted.every((token, at) => token === '*' || token === tokens[at]);
}
