import type { BillingEvent } from '@billing/client';
import { useProject } from '#api/project.ts';
import { useProductNames } from '#api/use-product-names.ts';
import { CursorTable } from '#layout/cursor-table.tsx';
import { SearchFilter, SelectFilter, useFilters } from '#layout/filters.tsx';
import type { Column } from '#layout/list-table.tsx';
import { Card, Page } from '#layout/page.tsx';
import { ProjectLink } from '#layout/project-link.tsx';
import { EmptyState } from '#ui/states.tsx';
import { Time } from '#ui/time.tsx';
import { TYPE_NAMES } from '../webhooks/event-types.ts';
import { CAUSES } from './causes.ts';
import { EventDetails } from './event-details.tsx';
import { eventSentence } from './event-sentence.ts';
import { EventsTabs } from './events-tabs.tsx';
import { Happening } from './sentence-text.tsx';

const LIVE_MS = 2_500;

const REST: readonly Column<BillingEvent>[] = [
  { title: 'Cause', width: 160, cell: ({ cause }) => CAUSES[cause.type] },
  { title: 'Happened', width: 'ago', cell: ({ timestamp }) => <Time at={timestamp} show="relative" /> },
];

/** The events that the project's own systems get, as they happen. */
export function TenantEventsPage() {
  const { billing, key } = useProject();
  const names = useProductNames();
  const filters = useFilters();
  const type = filters.oneOf('type', TYPE_NAMES);
  const objectId = filters.text('objectId') || undefined;
  const shown = { order: 'desc', objectId, ...(type && { types: [type] }) } as const;
  const columns: readonly Column<BillingEvent>[] = [
    {
      title: 'What happened',
      least: 440,
      cell: event => (
        <Happening of={eventSentence(event, names)}>
          <EventDetails event={event} narrow />
          <ProjectLink page={`events/to-you/${event.id}`}>Deliveries and body</ProjectLink>
        </Happening>
      ),
    },
    ...REST,
  ];
  return (
    <Page
      title="Events"
      lead="Each change of the project, in order. Your systems get them at their endpoints, or read them with a cursor."
      actions={<span className="live">Live</span>}
    >
      <EventsTabs />
      <div className="filters">
        <SelectFilter name="type" label="Type" options={TYPE_NAMES} all="All types" />
        <SearchFilter name="objectId" label="Object, such as ps_4k2…" />
      </div>
      <Card flush>
        <CursorTable<BillingEvent>
          label="Events to you"
          queryKey={key('tenant-events', shown)}
          list={(page, signal) => billing.events.list({ ...shown, ...page }, { signal })}
          columns={columns}
          rowKey={({ id }) => id}
          refreshMs={LIVE_MS}
          empty={
            <EmptyState icon="events" title={type || objectId ? 'No event matches' : 'Nothing has happened yet'}>
              {type || objectId
                ? 'Choose other filters to see more.'
                : 'The first change of a customer, a product or anything else of this project appears here.'}
            </EmptyState>
          }
        />
      </Card>
    </Page>
  );
}
