import { z } from 'zod';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 24;

/** An id whose prefix names its kind: `ps_…` is a subscription, `pc_…` a customer. */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

function idKind<const Prefix extends string>(prefix: Prefix, noun: string, example: NoInfer<Id<Prefix>>) {
  const pattern = new RegExp(`^${prefix}_[0-9A-Za-z]{20,64}$`);
  // The pattern checks the prefix, but the type of a regex check is only `string`.
  const schema = z
    .string()
    .regex(pattern, `Expected an id that starts with ${prefix}_.`)
    .meta({ description: `The id of the ${noun}.`, example }) as unknown as z.ZodType<Id<Prefix>, Id<Prefix>>;
  return {
    schema,
    /** Of the example company whose data all examples of the API reference show. */
    example,
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

export const TeamId = idKind('team', 'team', 'team_4k2v8m6qz0r3w7n5t1x9b2c8');
export type TeamId = Id<'team'>;

export const ProjectId = idKind('proj', 'project', 'proj_7h3j9s5d1f8g2k6m4p0q7r3v');
export type ProjectId = Id<'proj'>;

export const ApiKeyId = idKind('key', 'API key', 'key_9g3h7j1k5m9n3p7q1r5s9t3v');
export type ApiKeyId = Id<'key'>;

export const InvitationId = idKind('inv', 'invitation', 'inv_2r6s0t4v8w2x6y0z4a8b2c6d');
export type InvitationId = Id<'inv'>;

export const AuditEntryId = idKind('aud', 'entry', 'aud_6w0x4y8z2a6b0c4d8e2f6g0h');
export type AuditEntryId = Id<'aud'>;

export const ProductId = idKind('pp', 'product', 'pp_2w6x0y4z8a3b7c1d5e9f2g6h');
export type ProductId = Id<'pp'>;

export const PriceId = idKind('pri', 'price', 'pri_5m9n3p7q1r5s9t3v7w1x5y9z');
export type PriceId = Id<'pri'>;

export const CustomerId = idKind('pc', 'customer', 'pc_8b2c6d0e4f8g2h6j0k4m8n2p');
export type CustomerId = Id<'pc'>;

export const SubscriptionId = idKind('ps', 'subscription', 'ps_6d0e4f8g2h6j0k4m8n2p6q0r');
export type SubscriptionId = Id<'ps'>;

export const InvoiceId = idKind('pinv', 'invoice', 'pinv_3t7v1w5x9y3z7a1b5c9d3e7f');
export type InvoiceId = Id<'pinv'>;

export const PaymentId = idKind('pay', 'payment', 'pay_7x1z5a9b3c7d1e5f9g3h7j1k');
export type PaymentId = Id<'pay'>;

export const ReferralId = idKind('ref', 'referral', 'ref_0w4x8y2z6a0b4c8d2e6f0g4h');
export type ReferralId = Id<'ref'>;

export const TestClockId = idKind('clk', 'test clock', 'clk_3d7e1f5g9h2j6k0m4n8p2q6r');
export type TestClockId = Id<'clk'>;

export const SyncId = idKind('sync', 'sync', 'sync_8t2v6w0x4y8z1a5b9c3d7e1f');
export type SyncId = Id<'sync'>;

export const PortalSessionId = idKind('portal_sess', 'portal session', 'portal_sess_4j8k2m6n0p4q8r2s6t0v4w8x');
export type PortalSessionId = Id<'portal_sess'>;

export const EventId = idKind('ev', 'event', 'ev_1s5t9v3w7x1y5z9a3b7c1d5e');
export type EventId = Id<'ev'>;

export const WebhookEndpointId = idKind('whe', 'endpoint', 'whe_5y9z3a7b1c5d9e3f7g1h5j9k');
export type WebhookEndpointId = Id<'whe'>;

export const WebhookDeliveryId = idKind('whd', 'delivery', 'whd_3m7n1p5q9r3s7t1v5w9x3y7z');
export type WebhookDeliveryId = Id<'whd'>;

export const FeatureId = idKind('feat', 'feature', 'feat_6f1g5h9j3k7m1n5p9q3r7s1t');
export type FeatureId = Id<'feat'>;

export const SubscriptionChangeId = idKind('chg', 'change', 'chg_8k1m5n9p3q7r1s5t9v3w7x1y');
export type SubscriptionChangeId = Id<'chg'>;

export const PriceMigrationId = idKind('pmig', 'price migration', 'pmig_3c7d1e5f9g3h7j1k5m9n3p7q');
export type PriceMigrationId = Id<'pmig'>;

export const CouponId = idKind('cpn', 'coupon', 'cpn_0a4b8c2d6e0f4g8h2j6k0m4n');
export type CouponId = Id<'cpn'>;

export const PromotionCodeId = idKind('prc', 'promotion code', 'prc_5p9q3r7s1t5v9w3x7y1z5a9b');
export type PromotionCodeId = Id<'prc'>;

export const WebhookRecoveryId = idKind('whr', 'recovery', 'whr_4k2v8m6qz0r3w7n5t1x9b2c8');
export type WebhookRecoveryId = Id<'whr'>;

/** The id of a user in examples; better-auth makes them. */
export const EXAMPLE_USER_ID = 'Zq7RkT2mYp9LwX4c';

/** The tenant scope of a resource. Every query of every service filters by it. */
export interface ProjectScope {
  readonly teamId: TeamId;
  readonly projectId: ProjectId;
}
