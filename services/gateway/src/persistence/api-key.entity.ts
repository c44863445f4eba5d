import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ApiKeyId, ProjectId, TeamId } from '@billing/contracts/ids';
import type { Scope } from '@billing/contracts/scopes';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  indexes: [{ name: 'api_keys_project_index', properties: ['teamId', 'projectId', 'createdAt'] }],
  properties: {
    id: p.text().primary().$type<ApiKeyId>(),
    teamId: p.text().$type<TeamId>(),
    projectId: p.text().$type<ProjectId>(),
    name: p.text(),
    scopes: p.array().$type<Scope[]>(),
    prefix: p.text(),
    last4: p.text(),
    /** SHA-256 in hex; the secret itself is not stored. */
    secretHash: p.text().unique('api_keys_secret_hash_unique'),
    /** The hash before the last rotation, valid until `previousExpiresAt`. */
    previousSecretHash: p.text().strictNullable().unique('api_keys_previous_secret_hash_unique'),
    previousExpiresAt: p.datetime().strictNullable(),
    expiresAt: p.datetime().strictNullable(),
    lastUsedAt: p.datetime().strictNullable(),
    /** No response contains a revoked key; its row stays for the record. */
    revokedAt: p.datetime().strictNullable(),
    createdBy: p.text(),
    /** The user who received the secret of the last rotation. */
    rotatedBy: p.text().strictNullable(),
    createdAt: p.datetime(),
  },
});

/** An API key of a project. */
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);
