import type { PriceMigration, PriceMigrationFinding } from '@billing/client';
import { Card } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { formatCount } from '#ui/amount.ts';
import { Details } from '#ui/details.tsx';
import { Time } from '#ui/time.tsx';
import { isOpen } from '../syncs/sync-counts.ts';
import { MIGRATION_OUTCOME, progressText } from './migration-words.ts';
import { PriceLabel } from './price-label.tsx';

type Outcome = PriceMigrationFinding['outcome'];

/** What a migration replaces, for whom, how far it is, and what it has found; each number opens its list. */
export function MigrationDetails({ migration }: { readonly migration: PriceMigration }) {
  const { fromPriceId, toPriceId, keepDiscounts, filter } = migration;
  const metadata = Object.entries(filter.metadata);
  return (
    <Card title="Subscriptions">
      <Details
        of={{
          From: <PriceLabel id={fromPriceId} />,
          To: <PriceLabel id={toPriceId} />,
          When: 'At the end of each one’s period',
          Discounts: keepDiscounts ? 'Stay' : 'Are removed with the change',
          'Created before': filter.createdBefore && <Time at={filter.createdBefore} show="time" />,
          Metadata:
            metadata.length === 0 ? null : (
              <code>{metadata.map(([name, value]) => `${name}=${value}`).join(', ')}</code>
            ),
          'Looked at': <Progress migration={migration} />,
          ...Object.fromEntries(
            (Object.keys(MIGRATION_OUTCOME) as Outcome[]) // an object's keys are typed as string
              .filter(outcome => migration.counts[outcome] > 0)
              .map(outcome => [
                MIGRATION_OUTCOME[outcome].name,
                <ProjectLink key={outcome} page={`price-migrations/${migration.id}`} search={{ outcome }}>
                  {formatCount(migration.counts[outcome])}
                </ProjectLink>,
              ]),
          ),
        }}
      />
    </Card>
  );
}

function Progress({ migration }: { readonly migration: PriceMigration }) {
  const { progress } = migration;
  const { done, total } = progress;
  return (
    <span className="row">
      {isOpen(migration) && (
        <progress
          aria-label="How far it is"
          // How full it is cannot be known before the total is.
          value={total === null ? 0 : done}
          max={Math.max(total ?? done, 1)}
        />
      )}
      <span className="num">{progressText(progress)}</span>
    </span>
  );
}
