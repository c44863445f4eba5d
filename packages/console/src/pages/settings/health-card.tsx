import type { ProcessorHealth } from '@billing/client';
import { useQuery } from '@tanstack/react-query';
import { useProject } from '#api/project.ts';
import { Card } from '#layout/page.tsx';
import { Button } from '#ui/button.tsx';
import { ErrorState, SkeletonLines } from '#ui/states.tsx';
import { CHECK_STATUS, HEALTH_STATUS, StatusBadge } from '#ui/statuses.tsx';
import { withLocalTimes } from '#ui/time.tsx';

const TITLES: Readonly<Record<ProcessorHealth['checks'][number]['name'], string>> = {
  key: 'Secret key',
  endpoint: 'Webhook endpoint',
  signatures: 'Signatures',
  events: 'Webhook events',
  drift: 'Records',
  clock: 'Clock',
};

/** Whether the connection works, check by check, and what to do where it does not. */
export function HealthCard() {
  const { team, teamKey } = useProject();
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: teamKey('processor-health'),
    queryFn: ({ signal }) => team.processor.health({ signal }),
    staleTime: 30_000,
  });
  return (
    <Card title="Health" actions={data && <StatusBadge of={HEALTH_STATUS[data.status]} />}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonLines />}
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
