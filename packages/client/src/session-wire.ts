import type { z } from 'zod';
import type { auditOperations } from '@billing/contracts/operations/audit';
import type { deadLetterOperations } from '@billing/contracts/operations/dead-letters';
import type { gatewayOperations } from '@billing/contracts/operations/gateway';
import type { webhooksOperations } from '@billing/contracts/operations/webhooks';
import type { apiKeyCreate, apiKeyRotate } from '@billing/contracts/resources/api-key';
import type { processorConnect } from '@billing/contracts/resources/processor-account';
import type {
  invitationCreate,
  projectCreate,
  projectUpdate,
  teamCreate,
  teamUpdate,
} from '@billing/contracts/resources/team';
import type { Filters, RequestBody } from './request-types.ts';

type Gateway = typeof gatewayOperations;
type Webhooks = typeof webhooksOperations;
type DeadLetters = typeof deadLetterOperations;
type ResponseOf<Declared extends { readonly response: z.ZodType }> = z.input<Declared['response']>;

export type Team = ResponseOf<Gateway['createTeam']>['team'];
export type Project = ResponseOf<Gateway['createProject']>['project'];
export type Member = ResponseOf<Gateway['listMembers']>['members'][number];
export type RemovedMember = ResponseOf<Gateway['removeMember']>;
export type Invitation = ResponseOf<Gateway['listInvitations']>['invitations'][number];
export type IssuedInvitation = ResponseOf<Gateway['inviteMember']>['invitation'];
export type AcceptedInvitation = ResponseOf<Gateway['acceptInvitation']>;
export type ApiKey = ResponseOf<Gateway['listApiKeys']>['apiKeys'][number];
export type IssuedApiKey = ResponseOf<Gateway['createApiKey']>;
export type AuditEntry = ResponseOf<(typeof auditOperations)['listAuditLog']>['entries'][number];
export type DeadLetter = ResponseOf<DeadLetters['listDeadLetters']>['deadLetters'][number];
export type DeadLetterWithData = ResponseOf<DeadLetters['getDeadLetter']>['deadLetter'];
export type ProcessorConnection = ResponseOf<Webhooks['getProcessor']>;
export type ProcessorHealth = ResponseOf<Webhooks['getProcessorHealth']>;
export type ConnectedProcessor = ResponseOf<Webhooks['connectProcessor']>['processor'];
export type WebhookUrl = ResponseOf<Webhooks['getWebhookUrl']>;
export type WebhookEventWithPayload = ResponseOf<Webhooks['getTeamWebhookEvent']>;

export type TeamCreate = RequestBody<typeof teamCreate>;
export type TeamUpdate = RequestBody<typeof teamUpdate>;
export type ProjectCreate = RequestBody<typeof projectCreate>;
export type ProjectUpdate = RequestBody<typeof projectUpdate>;
export type InvitationCreate = RequestBody<typeof invitationCreate>;
export type ApiKeyCreate = RequestBody<typeof apiKeyCreate>;
export type ApiKeyRotate = RequestBody<typeof apiKeyRotate>;
export type ProcessorConnect = RequestBody<typeof processorConnect>;
export type AuditLogFilters = Filters<(typeof auditOperations)['listAuditLog']>;
export type DeadLetterFilters = Filters<DeadLetters['listDeadLetters']>;
export type TeamWebhookEventFilters = Filters<Webhooks['listTeamWebhookEvents']>;
