import { createHash } from 'node:crypto';
import {
  CustomerId,
  PriceId,
  ProjectId,
  SubscriptionChangeId,
  TeamId,
  type ProjectScope,
} from '@billing/contracts/ids';
import { CATALOG_KEY, ROUTING_KEYS } from '@billing/contracts/metadata';
import { catalogKey } from '@billing/contracts/resources/catalog-key';

type Metadata = Readonly<Record<string, string>>;

/** The ids that this service writes into metadata. A value of another form is the tenant's own, and stays there. */
const IDS = {
  teamId: TeamId.schema,
  projectId: ProjectId.schema,
  customerId: CustomerId.schema,
  priceId: PriceId.schema,
};

/** Returns the team that metadata name. */
export const namedTeam = ({ teamId }: Metadata): TeamId | undefined =>
  teamId === undefined ? undefined : IDS.teamId.safeParse(teamId).data;

/** Returns the project that metadata name. */
export const namedProject = ({ projectId }: Metadata): ProjectId | undefined =>
  projectId === undefined ? undefined : IDS.projectId.safeParse(projectId).data;

/** Returns the change of a subscription that metadata name. */
export const namedChange = ({ changeId }: Metadata): SubscriptionChangeId | undefined =>
  changeId === undefined ? undefined : SubscriptionChangeId.schema.safeParse(changeId).data;

/** Returns the id of a change that nothing names: it follows from that of its invoice. */
export const changeOfInvoice = (invoiceId: string): SubscriptionChangeId =>
  SubscriptionChangeId.fromDigest(createHash('sha256').update(`change:${invoiceId}`).digest());

/** Returns what of `marks` may be written into metadata: under the other keys these have something of the tenant's own. */
export function writableMarks(marks: Metadata, metadata: Metadata): Record<string, string> {
  const isOwn = (key: string) =>
    Object.entries(IDS).some(([name, id]) => name === key && !id.safeParse(metadata[key]).success);
  return Object.fromEntries(Object.entries(marks).filter(([key]) => metadata[key] === undefined || !isOwn(key)));
}

const ROUTING: ReadonlySet<string> = new Set(ROUTING_KEYS);

/** Returns the metadata that callers see: all keys but those that route the processor's events. */
export function withoutRouting(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !ROUTING.has(key)));
}

/** Returns the metadata of a product, a price or a coupon that callers see, and its key: null for none, and for a text that is no key. */
export function withoutKey(metadata: Metadata): {
  readonly key: string | null;
  readonly metadata: Record<string, string>;
} {
  const { [CATALOG_KEY]: key, ...rest } = withoutRouting(metadata);
  return { key: catalogKey.safeParse(key).data ?? null, metadata: rest };
}

/** Returns metadata as the processor stores it: a key with an empty value is no key. https://docs.stripe.com/api/metadata */
export function withoutEmpty(metadata: Metadata): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ''));
}

/**
 * Returns what to send so that `next` replaces `current`: the processor merges metadata, and removes a key that is sent
 * with an empty value. Routing keys are in neither of the two and stay.
 */
export function replacement(current: Metadata, next: Metadata): Record<string, string> {
  const removed = Object.keys(current).filter(key => !Object.hasOwn(next, key));
  return { ...Object.fromEntries(removed.map(key => [key, ''])), ...next };
}

/** Returns whether two have the same keys and values, in any order. */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every(key => one[key] === other[key]);
}

const PORTAL_SETUP = 'portal-payment-method';

/** Returns the metadata of a setup session of our portal; no other session has all of it. */
export const portalSetupMetadata = ({ teamId, projectId }: ProjectScope, customerId: CustomerId) => ({
  teamId,
  projectId,
  customerId,
  purpose: PORTAL_SETUP,
});

/** Returns whether our portal made a session for a customer of the project. */
export const isPortalSetup = (metadata: Metadata, { teamId, projectId }: ProjectScope): boolean =>
  metadata['purpose'] === PORTAL_SETUP && metadata['teamId'] === teamId && metadata['projectId'] === projectId;
