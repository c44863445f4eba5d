import type { Finding } from '../finding.ts';

/** The migrations of a service: what this version has, and what the database has run. */
export interface ServiceMigrations {
  readonly service: string;
  readonly declared: readonly string[];
  readonly run: readonly string[];
}

/** Finds migrations that have not run. */
export function checkMigrations(services: readonly ServiceMigrations[]): Finding[] {
  return services.flatMap(({ service, declared, run }): Finding[] => {
    const done = new Set(run);
    const pending = declared.filter(name => !done.has(name));
    if (pending.length === 0) return [];
    return [
      {
        check: 'migration-pending',
        subject: service,
        problem: `The schema of ${service} lacks ${pending.join(', ')}.`,
        action: `Restart ${service} with this version: it migrates its schema when it starts.`,
      },
    ];
  });
}
