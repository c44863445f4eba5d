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
    /** Null for the current one; a replaced one is accepted until then. */
    validUntil: p.datetime().nullable(),
  },
});

/** A secret with which Stripe signs a team's events. */
export class SigningSecret extends SigningSecretSchema.class {}
SigningSecretSchema.setClass(SigningSecret);
