import { defineEntity, p } from '@mikro-orm/core';
import type { CustomerId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { FeatureValue, Grant as GrantResource } from '@billing/contracts/resources/feature';

/** A feature that was given to a customer by hand. */
const GrantSchema = defineEntity({
  name: 'Grant',
  tableName: 'grants',
  properties: {
    teamId: p.text().primary().$type<TeamId>(),
    projectId: p.text().primary().$type<ProjectId>(),
    customerId: p.text().primary().$type<CustomerId>(),
    key: p.text().primary(),
    /** Null when it was taken back: the row goes on counting versions. */
    value: p.json().strictNullable().$type<FeatureValue | null>(),
    expiresAt: p.datetime().strictNullable(),
    note: p.text().strictNullable(),
    version: p.integer(),
  },
});

export class Grant extends GrantSchema.class {}
GrantSchema.setClass(Grant);

/** Returns a grant as callers see it; undefined when it was taken back. */
export const toGrant = ({ key, value, expiresAt, note }: Grant): GrantResource | undefined =>
  value === null ? undefined : { key, value, expiresAt, note };
