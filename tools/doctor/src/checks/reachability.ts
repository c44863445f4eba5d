import type { Finding } from '../finding.ts';

/** What `/health/ready` of a service said; null when it did not respond. */
export interface ServiceHealth {
  readonly service: string;
  readonly url: string;
  readonly failed: readonly string[] | null;
}

/** Finds services that do not respond, or whose dependencies do not. The gateway names services, which have findings of their own. */
export function checkServices(services: readonly ServiceHealth[]): Finding[] {
  const names = new Set(services.map(({ service }) => service));
  return services.flatMap(({ service, url, failed }): Finding[] => {
    if (failed === null)
      return [
        {
          check: 'service-unreachable',
          subject: service,
          problem: `${service} does not respond at ${url}.`,
          action: 'Start it, and read its log if it ends again.',
        },
      ];
    const own = failed.filter(dependency => !names.has(dependency));
    if (own.length === 0) return [];
    return [
      {
        check: 'service-not-ready',
        subject: service,
        problem: `${service} runs, but does not reach: ${own.join(', ')}.`,
        action: 'Make what it names reachable from there; it goes on by itself.',
      },
    ];
  });
}

/** The finding of a database that does not open. */
export const unreachableDatabase = (service: string, reason: string): Finding => ({
  check: 'database-unreachable',
  subject: service,
  problem: `The database of ${service} does not open: ${reason}.`,
  action: 'Start PostgreSQL, or correct the URL and the role’s password.',
});

/** The finding of a broker that does not respond. */
export const unreachableBroker = (reason: string): Finding => ({
  check: 'broker-unreachable',
  subject: 'nats',
  problem: `NATS does not respond: ${reason}`,
  action: 'Start nats-server; events wait in the outboxes meanwhile.',
});
