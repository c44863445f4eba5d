import type { EntityManager } from '@mikro-orm/postgresql';
import type { PublicEventContent } from '@billing/contracts/events/public-data';
import type { TeamId } from '@billing/contracts/ids';
import { eventResource } from '@billing/contracts/resources/event';
import { executeBound } from '@billing/database/bound-statement';
import { NO_DETAILS } from '@billing/contracts/resources/billing-details';
import { countBytes, partitionOf } from '../stored-bytes.ts';

/** What events of a customer lose once it is deleted. */
const PERSONAL: ReadonlySet<string> = new Set(['email', 'name', 'externalId', 'metadata']);
/** Fields of them that every customer has stay, with nothing in them, as in `customer.deleted`. */
const EMPTY: Readonly<Record<string, unknown>> = { email: null, metadata: {} };

/**
 * Returns the body of an event of a customer, its state or its billing details, without personal data; everything else keeps its
 * place.
 */
export function erasedBody(body: string, objectType: PersonalType): string {
  const without = WITHOUT[objectType];
  const event = Object.entries(eventResource.parse(JSON.parse(body)));
  const erased = event.map(([name, part]) => {
    if (name !== 'data' && name !== 'previousAttributes') return [name, part] as const;
    const fields = eventResource.nullable().parse(part);
    return [name, fields && without(fields, name)] as const;
  });
  return JSON.stringify(Object.fromEntries(erased));
}

/** What events are about that have personal data of a customer. */
type PersonalType = 'customer' | 'customer_state' | 'customer_billing_details';
type Fields = Readonly<Record<string, unknown>>;
type Part = 'data' | 'previousAttributes';

function withoutPersonal(fields: Fields, part: Part): Fields {
  const kept = part === 'data' ? EMPTY : {};
  const left = Object.entries(fields).filter(([name]) => !PERSONAL.has(name) || name in kept);
  return Object.fromEntries(left.map(([name, value]) => [name, name in kept ? kept[name] : value]));
}

/** A state says whose it is: in every published state the name is erased. */
function withoutName({ customer, ...others }: Fields, part: Part): Fields {
  if (part === 'previousAttributes') return others;
  return { customer: { ...eventResource.parse(customer), externalId: null, email: null }, ...others };
}

/** All of them are personal, but whose they are and when they changed. */
function withoutDetails({ customerId, updatedAt }: Fields, part: Part): Fields {
  if (part === 'previousAttributes') return {};
  return { customerId, ...NO_DETAILS, updatedAt };
}

const WITHOUT: Readonly<Record<PersonalType, (fields: Fields, part: Part) => Fields>> = {
  customer: withoutPersonal,
  customer_state: withoutName,
  customer_billing_details: withoutDetails,
};

interface ErasableRow {
  readonly team_id: string;
  readonly project_id: string;
  readonly id: string;
  readonly object_type: PersonalType;
  readonly body: string;
}

/**
 * Erases the personal data of customers that are deleted from their stored events, in the transaction that records that
 * they are, or an event of theirs that comes late. `customer.deleted` itself has none, nor has the last state.
 */
export async function eraseDeleted(
  tx: EntityManager,
  changes: readonly (Pick<PublicEventContent, 'projectId' | 'object'> & { readonly teamId: TeamId })[],
): Promise<void> {
  if (changes.length === 0) return;
  const customers = changes.map(({ teamId, projectId, object: { id } }) => {
    return { team_id: teamId, project_id: projectId, object_id: id };
  });
  const rows = await executeBound<ErasableRow>(
    tx,
    `select e.team_id, e.project_id, e.id, e.object_type, e.body
       from (select distinct team_id, project_id, object_id from json_populate_recordset(null::events, $1::json)) k
       join events d on (d.team_id, d.project_id, d.object_id) = (k.team_id, k.project_id, k.object_id)
                    and d.type = 'customer.deleted'
       join events e on (e.team_id, e.project_id, e.object_id) = (d.team_id, d.project_id, d.object_id)
                    and e.object_type in ('customer', 'customer_state', 'customer_billing_details') and e.type <> 'customer.deleted'
                    and not e.is_erased`,
    [JSON.stringify(customers)],
  );
  const erased = rows.map(row => ({ ...row, erased: erasedBody(row.body, row.object_type) }));
  const personal = erased.filter(row => row.object_type !== 'customer_state' || row.erased !== row.body);
  if (personal.length === 0) return;
  await executeBound(
    tx,
    `with erased as (
       update events e set body = k.body, is_erased = true
         from json_to_recordset($1::json) as k(team_id text, project_id text, id text, body text)
        where (e.team_id, e.project_id, e.id) = (k.team_id, k.project_id, k.id)
       returning e.team_id, ${partitionOf('events', 'e.recorded_at')} as store,
                 octet_length(new.body) - octet_length(old.body) as bytes)
     ${countBytes('erased')}`,
    [JSON.stringify(personal.map(row => ({ ...row, body: row.erased })))],
  );
}
