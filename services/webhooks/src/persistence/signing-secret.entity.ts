import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const SigningSecretSchema = defineEntity({
  name: 'SigningSecret',
  tableName: 'signing_secrets',
  indexes: [{ name: 'signing_secrets_team', properties: ['teamId'] }],
  properties: {
    id: p.uuid().primary(),
    teamId: p.text().$type<TeamId>(),
    /** Opens with the credentials key, for this team only. */
    sealedSecret: p.text(),
    /** Null for the current one and the additional ones; a replaced one is accepted until then. */
    validUntil: p.datetime().nullable(),
    /** Of one more endpoint; valid as long as it is listed. */
    isAdditional: p.boolean(),
  },
});

/** A secret with which Stripe signs a team's events. */
export class SigningSecret extends SigningSecretSchema.class {}
SigningSecretSchema.setClass(SigningSecret);
