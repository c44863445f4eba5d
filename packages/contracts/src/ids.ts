import { z } from 'zod';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 24;

/** An id whose prefix names its kind: `ps_…` is a subscription, `pc_…` a customer. */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

function idKind<const Prefix extends string>(prefix: Prefix) {
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{20,64}$`);
  // The pattern checks the prefix, but the type of a regex check is only `string`.
  const schema = z.string().regex(pattern, `Expected an id that starts with ${prefix}_.`) as unknown as z.ZodType<
    Id<Prefix>,
    Id<Prefix>
  >;
  return {
    schema,
    /** Returns a new id with 120 random bits. */
    create: (): Id<Prefix> => `${prefix}_${toText(crypto.getRandomValues(new Uint8Array(LENGTH)))}`,
    /** Returns the id that follows from a digest of at least 24 bytes: the same bytes give the same id. */
    fromDigest: (digest: Uint8Array): Id<Prefix> => `${prefix}_${toText(digest.subarray(0, LENGTH))}`,
  };
}

/** What an id of one kind can be made and checked with. */
export type IdKind<Prefix extends string> = ReturnType<typeof idKind<Prefix>>;

function toText(bytes: Uint8Array): string {
  return Array.from(bytes, byte => ALPHABET[byte % ALPHABET.length]).join('');
}

export const TeamId = idKind('team');
export type TeamId = Id<'team'>;

export const ProjectId = idKind('proj');
export type ProjectId = Id<'proj'>;

export const ApiKeyId = idKind('key');
export type ApiKeyId = Id<'key'>;

export const InvitationId = idKind('inv');
export type InvitationId = Id<'inv'>;

export const AuditEntryId = idKind('aud');
export type AuditEntryId = Id<'aud'>;

export const ProductId = idKind('pp');
export type ProductId = Id<'pp'>;

export const PriceId = idKind('pri');
export type PriceId = Id<'pri'>;

export const CustomerId = idKind('pc');
export type CustomerId = Id<'pc'>;

export const SubscriptionId = idKind('ps');
export type SubscriptionId = Id<'ps'>;

export const InvoiceId = idKind('pinv');
export type InvoiceId = Id<'pinv'>;

export const PaymentId = idKind('pay');
export type PaymentId = Id<'pay'>;

export const ReferralId = idKind('ref');
export type ReferralId = Id<'ref'>;

export const SyncId = idKind('sync');
export type SyncId = Id<'sync'>;

export const PortalSessionId = idKind('portal_sess');
export type PortalSessionId = Id<'portal_sess'>;

/** The tenant scope of a resource. Every query of every service filters by it. */
export interface ProjectScope {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
}
