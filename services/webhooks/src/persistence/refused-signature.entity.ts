import { defineEntity, p } from '@mikro-orm/postgresql';
import type { TeamId } from '@billing/contracts/ids';

const RefusedSignatureSchema = defineEntity({
  name: 'RefusedSignature',
  tableName: 'refused_signatures',
  properties: {
    teamId: p.text().$type<TeamId>().primary(),
    minute: p.datetime().primary(),
    refused: p.integer(),
  },
});

/** How many webhooks of a team had a signature that was refused, in one minute. */
export class RefusedSignature extends RefusedSignatureSchema.class {}
RefusedSignatureSchema.setClass(RefusedSignature);
