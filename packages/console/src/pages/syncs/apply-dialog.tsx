import type { Sync, SyncCreate } from '@billing/client';
import { useProject } from '#api/project.ts';
import { WriteDialog } from '#resource/write-dialogs.tsx';
import { formatCount } from '#ui/amount.ts';
import { Time } from '#ui/time.tsx';
import { planOf, type PlannedType } from './apply-plan.ts';
import { countOf } from './types.ts';

interface ApplyDialogProps {
  /** Says what the apply will do; undefined when no report does. */
  readonly report: Sync | undefined;
  /** What it compares, when not everything. */
  readonly wanted: Pick<SyncCreate, 'types' | 'filter'>;
}

/** Asks before the records are made equal to Stripe, and says what that changes. */
export function ApplyDialog({ report, wanted }: ApplyDialogProps) {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="Make the records equal to Stripe"
      lead={report ? <Plan report={report} /> : <p>{WITHOUT_REPORT}</p>}
      action="Apply"
      write={(fields: FormData) =>
        billing.syncs.create({ ...wanted, mode: 'apply', markAtProcessor: fields.has('mark') })
      }
      stale={[key()]}
      opens={({ id }) => `settings/syncs/${id}`}
    >
      <label className="check">
        <input type="checkbox" name="mark" />
        <span>
          Write the ids of the records into the metadata at Stripe, so that its events name this project.{' '}
          <span className="muted">Nothing else is changed there, and nothing is billed.</span>
        </span>
      </label>
    </WriteDialog>
  );
}

const WITHOUT_REPORT =
  'No report says what this will do. Go back and compare first: a report changes nothing. Without one, every record is created, changed or removed here as Stripe has it.';

function Plan({ report }: { readonly report: Sync }) {
  const { types, left } = planOf(report);
  return (
    <div className="stack-s">
      <p>
        By the report of <Time at={report.finishedAt} show="time" />
        {types.length === 0 ? ', the records equal Stripe: nothing is changed here.' : ', this changes here:'}
      </p>
      {types.length > 0 && (
        <ul className="plan" aria-label="What is changed">
          {types.map(planned => (
            <li key={planned.type}>{planText(planned)}</li>
          ))}
        </ul>
      )}
      <p className="muted">
        {left > 0 && `${formatCount(left)} findings stay as they are: they are skipped or in conflict. `}
        What has changed at Stripe since the report is taken over too.
      </p>
    </div>
  );
}

function planText({ type, created, changed, removed }: PlannedType): string {
  const parts = [
    created > 0 && `${countOf(type, created)} created`,
    changed > 0 && `${countOf(type, changed)} changed`,
    removed > 0 && `${countOf(type, removed)} removed`,
  ];
  return parts.filter(part => part !== false).join(', ');
}
