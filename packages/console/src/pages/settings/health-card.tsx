import type { ProcessorHealth } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useProject } from '#api/project.ts';
import { Loading } from '#layout/loading.tsx';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { Button } from '#ui/button.tsx';
import { CHECK_STATUS, HEALTH_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { withLocalTimes } from '#ui/time.tsx';

type Check = ProcessorHealth['checks'][number];

const TITLES: Readonly<Record<Check['name'], string>> = {
  key: 'Secret key',
  endpoint: 'Webhook endpoint',
  signatures: 'Signatures',
  events: 'Webhook events',
  drift: 'Records',
  tax: 'Tax',
  storage: 'Storage',
  clock: 'Clock',
};

interface HealthCardProps {
  /** Moves the cursor to where the key is replaced; undefined for who may not. */
  readonly onReplaceKey: (() => void) | undefined;
}

/** Whether the connection works, check by check, and what to do where it does not. */
export function HealthCard({ onReplaceKey }: HealthCardProps) {
  const { team, teamKey } = useProject();
  const query = useQuery({
    queryKey: teamKey('processor-health'),
    queryFn: ({ signal }) => team.processor.health({ signal }),
    staleTime: 30_000,
  });
  const { data, isFetching, refetch } = query;
  return (
    <Card title="Health" actions={data && <StatusBadge of={HEALTH_STATUS[data.status]} />}>
      <Loading query={query} />
      {data && (
        <div className="stack">
          <ul className="health" aria-label="Checks">
            {data.checks.map(({ name, status, detail, fix }) => (
              <li key={name}>
                <StatusBadge of={CHECK_STATUS[status]} />
                <div>
                  <strong>{TITLES[name]}</strong>
                  <p className="muted">{withLocalTimes(detail)}</p>
                  {fix && <p>{fix}</p>}
                  {fix && <FixActions check={name} onReplaceKey={onReplaceKey} />}
                </div>
              </li>
            ))}
          </ul>
          <div>
            <Button icon="retry" busy={isFetching} onClick={() => void refetch()}>
              Check again
            </Button>
          </div>
        </div>
      )}
    </Card>
  );
}

/** The buttons that do what a check asks for. */
function FixActions({ check, onReplaceKey }: HealthCardProps & { readonly check: Check['name'] }) {
  const replaceKey = onReplaceKey && (
    <Button small onClick={onReplaceKey}>
      Replace the key
    </Button>
  );
  const actions: Readonly<Record<Check['name'], ReactNode>> = {
    key: replaceKey,
    endpoint: replaceKey,
    signatures: replaceKey,
    events: (
      <ProjectLink page="events" search={{ of: 'team' }} className="button small">
        See the webhook events
      </ProjectLink>
    ),
    drift: (
      <ProjectLink page="settings/syncs" className="button small">
        See the findings
      </ProjectLink>
    ),
    tax: (
      <ProjectLink page="subscriptions" search={{ tax: 'stopped' }} className="button small">
        See the subscriptions
      </ProjectLink>
    ),
    storage: null,
    clock: null,
  };
  return actions[check] && <div className="row fix">{actions[check]}</div>;
}
