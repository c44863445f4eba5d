import type { TestClock } from '@billing/client';
import { useState } from 'react';
import { useProject } from '#api/project.ts';
import { choice } from '#resource/fields.tsx';
import { ConfirmWrite, WriteDialog } from '#resource/write-dialogs.tsx';
import { textOf } from '#ui/form.tsx';
import { editedTime, localText } from '#ui/local-text.ts';
import { Time } from '#ui/time.tsx';
import { CustomerName } from '../customers/customer-name.tsx';

/** Returns the time in a field of type `datetime-local`; undefined where nothing is written. */
const timeOf = (fields: FormData, name: string) => editedTime(textOf(fields, name), null) ?? undefined;

/** Creates a test clock. */
export function NewClockDialog() {
  const { billing, key } = useProject();
  return (
    <WriteDialog
      title="New test clock"
      action="Create the test clock"
      write={async fields => billing.testClocks.create({ name: textOf(fields, 'name'), now: timeOf(fields, 'now') })}
      stale={[key('test-clocks')]}
      done="The test clock is created. Put customers on it."
      opens={({ id }) => `test-clocks/${id}`}
      fields={[
        { name: 'name', label: 'Name', maxLength: 300, required: true, placeholder: 'A year of Pro' },
        { name: 'now', label: 'It starts at', type: 'datetime-local', hint: 'The present time unless given.' },
      ]}
    />
  );
}

const TARGETS = {
  next_invoice: 'Until the next invoice is charged',
  trial_end: 'Until the next trial ends',
  period_end: 'Until the next period ends',
  to: 'To a date',
};
const isTarget = (value: string): value is Exclude<keyof typeof TARGETS, 'to'> => value in TARGETS && value !== 'to';

/** Advances a test clock: to a time, or until something has happened. */
export function AdvanceDialog({ clock: { id, now } }: { readonly clock: TestClock }) {
  const { billing, key } = useProject();
  const [until, setUntil] = useState('next_invoice');
  return (
    <WriteDialog
      title="Advance the test clock"
      lead={
        <p className="muted">
          It is <Time at={now} show="time" /> there. It never goes back.
        </p>
      }
      action="Advance"
      write={async fields =>
        billing.testClocks.advance(id, isTarget(until) ? { until } : { to: timeOf(fields, 'to') ?? now })
      }
      stale={[key('test-clocks')]}
      refusals={{ nothing_ahead: 'until', time_not_ahead: 'to' }}
      fields={[
        choice({
          name: 'until',
          label: 'How far',
          options: TARGETS,
          value: until,
          onChange: event => setUntil(event.target.value),
        }),
        !isTarget(until) && {
          name: 'to',
          label: 'Date and time',
          type: 'datetime-local',
          required: true,
          min: localText(new Date(now)),
          hint: 'At most two years ahead.',
        },
      ]}
    />
  );
}

const CARDS = {
  ok: 'Pays',
  declines: 'Declines each charge',
  authentication: 'Wants the customer to confirm each charge',
};
const isCard = (value: string): value is keyof typeof CARDS => value in CARDS;

/** Gives a customer a test card. */
export function TestCardDialog({ customerId }: { readonly customerId: string }) {
  const { billing } = useProject();
  return (
    <WriteDialog
      title="Test card"
      lead="Its subscriptions are charged to this card from now on, in place of the one before."
      action="Give the card"
      write={async fields => {
        const card = textOf(fields, 'card');
        return isCard(card) ? billing.customers.setTestCard(customerId, { card }) : undefined;
      }}
      stale={[]}
      done="The customer has the card."
      fields={[choice({ name: 'card', label: 'The card', options: CARDS })]}
    />
  );
}

/** Deletes a test clock with its customers, once that is confirmed. */
export function DeleteClock({ clock: { id, name, customerIds } }: { readonly clock: TestClock }) {
  const { billing, key } = useProject();
  return (
    <ConfirmWrite
      title="Delete the test clock"
      action="Delete"
      write={() => billing.testClocks.delete(id)}
      stale={[key('customers')]}
      done="The test clock is deleted, here and in Stripe."
      opens={() => 'test-clocks'}
    >
      <bdi>{name}</bdi> disappears, here and in Stripe, for good.
      {customerIds.length > 0 && ' So do its customers, whose subscriptions end:'}
      {customerIds.map(customerId => (
        <span key={customerId}>
          <br />
          <CustomerName id={customerId} />
        </span>
      ))}
    </ConfirmWrite>
  );
}
