import { BillingClient } from './billing-client.ts';
import type { CallOptions, ConnectionOptions, WriteOptions } from './options.ts';
import type { PageOptions } from './pages.ts';
import { createRequests, segment, type Requests } from './requests.ts';
import type * as wire from './session-wire.ts';
import type { WebhookEvent } from './wire.ts';
import { openTransport } from './transport.ts';

type Connection = Omit<ConnectionOptions, 'apiKey'>;

/** A client of the operations that need a signed-in user, for pages at the gateway's own origin. */
export class SessionClient {
  readonly #connection: Connection;
  readonly #requests: Requests;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(connection: Connection) {
    this.#connection = connection;
    this.#requests = createRequests(openTransport(connection, '/api/service'));
  }

  readonly teams = {
    /** Creates a team with the signed-in user as its owner. */
    create: async (body: wire.TeamCreate, options?: WriteOptions): Promise<wire.Team> =>
      (await this.#requests.post<{ team: wire.Team }>('/teams', body, options)).team,
    list: (page?: PageOptions, options?: CallOptions) =>
      this.#requests.list<wire.Team>('/teams', 'teams', page, options),
    /** Renames a team; only its owners may. */
    update: async (id: string, body: wire.TeamUpdate, options?: CallOptions): Promise<wire.Team> =>
      (await this.#requests.patch<{ team: wire.Team }>(`/teams/${segment(id)}`, body, options)).team,
  };

  /** Accepts an invitation by the secret of its link. */
  acceptInvitation(token: string, options?: WriteOptions): Promise<wire.AcceptedInvitation> {
    return this.#requests.post(`/invitations/${segment(token)}/accept`, {}, options);
  }

  team(teamId: string): TeamClient {
    return new TeamClient(this.#connection, teamId);
  }
}

/** A client of one team, for its signed-in members. */
export class TeamClient {
  readonly #connection: Connection;
  readonly #teamId: string;
  readonly #requests: Requests;

  constructor(connection: Connection, teamId: string) {
    this.#connection = connection;
    this.#teamId = teamId;
    this.#requests = createRequests(openTransport(connection, `/api/service/teams/${segment(teamId)}`));
  }

  /** The project's client; it needs no API key while someone is signed in. */
  billing(projectId: string): BillingClient {
    return new BillingClient({ ...this.#connection, teamId: this.#teamId, projectId });
  }

  readonly projects = {
    create: async (body: wire.ProjectCreate, options?: WriteOptions): Promise<wire.Project> =>
      (await this.#requests.post<{ project: wire.Project }>('/projects', body, options)).project,
    list: (page?: PageOptions, options?: CallOptions) =>
      this.#requests.list<wire.Project>('/projects', 'projects', page, options),
    get: async (id: string, options?: CallOptions): Promise<wire.Project> =>
      (await this.#requests.get<{ project: wire.Project }>(`/projects/${segment(id)}`, undefined, options)).project,
    update: async (id: string, body: wire.ProjectUpdate, options?: CallOptions): Promise<wire.Project> =>
      (await this.#requests.patch<{ project: wire.Project }>(`/projects/${segment(id)}`, body, options)).project,
  };

  readonly apiKeys = {
    /** Creates a key; its secret is returned only here. */
    create: (projectId: string, body: wire.ApiKeyCreate, options?: WriteOptions) =>
      this.#requests.post<wire.IssuedApiKey>(keysOf(projectId), body, options),
    list: (projectId: string, page?: PageOptions, options?: CallOptions) =>
      this.#requests.list<wire.ApiKey>(keysOf(projectId), 'apiKeys', page, options),
    /** Replaces the secret; the old one stays valid for `overlapMs`. */
    rotate: (projectId: string, id: string, body: wire.ApiKeyRotate, options?: WriteOptions) =>
      this.#requests.post<wire.IssuedApiKey>(`${keysOf(projectId)}/${segment(id)}/rotate`, body, options),
    revoke: (projectId: string, id: string, options?: CallOptions) =>
      this.#requests.delete(`${keysOf(projectId)}/${segment(id)}`, options),
  };

  readonly members = {
    list: (page?: PageOptions, options?: CallOptions) =>
      this.#requests.list<wire.Member>('/members', 'members', page, options),
    /** Makes an invitation; its `url` is returned only here. */
    invite: async (body: wire.InvitationCreate, options?: WriteOptions): Promise<wire.IssuedInvitation> =>
      (await this.#requests.post<{ invitation: wire.IssuedInvitation }>('/members', body, options)).invitation,
    /** Removes a member and revokes the API keys they made. */
    remove: (userId: string, options?: CallOptions) =>
      this.#requests.send<wire.RemovedMember>({ method: 'DELETE', path: `/members/${segment(userId)}`, options }),
  };

  readonly invitations = {
    list: (page?: PageOptions, options?: CallOptions) =>
      this.#requests.list<wire.Invitation>('/invitations', 'invitations', page, options),
    withdraw: (id: string, options?: CallOptions) => this.#requests.delete(`/invitations/${segment(id)}`, options),
  };

  readonly processor = {
    get: (options?: CallOptions) => this.#requests.get<wire.ProcessorConnection>('/processor', undefined, options),
    /** Checks whether the connection works, and says what to do if it does not. */
    health: (options?: CallOptions) =>
      this.#requests.get<wire.ProcessorHealth>('/processor/health', undefined, options),
    /** Connects the team with its secret key; needs a password that was checked within 15 minutes. */
    connect: async (body: wire.ProcessorConnect, options?: WriteOptions): Promise<wire.ConnectedProcessor> =>
      (await this.#requests.post<{ processor: wire.ConnectedProcessor }>('/processor/connect', body, options))
        .processor,
    disconnect: (options?: CallOptions) => this.#requests.delete('/processor', options),
    /** Disconnects, and deletes what mirrors the account in all projects; `teamName` confirms it. */
    purge: async (teamName: string, options?: CallOptions): Promise<void> => {
      const request = { method: 'DELETE', path: '/processor', query: { purge: true }, options } as const;
      await this.#requests.send({ ...request, body: { confirm: teamName } });
    },
    webhookUrl: (options?: CallOptions) =>
      this.#requests.get<wire.WebhookUrl>('/processor/webhook-url', undefined, options),
  };

  readonly webhookEvents = {
    /** Lists the events of all projects; those without one with `projectId: 'none'`. */
    list: (filters?: wire.TeamWebhookEventFilters, options?: CallOptions) =>
      this.#requests.list<WebhookEvent>('/webhook-events', 'webhookEvents', filters, options),
    get: (id: string, options?: CallOptions) =>
      this.#requests.get<wire.WebhookEventWithPayload>(`/webhook-events/${segment(id)}`, undefined, options),
    replay: async (id: string, options?: WriteOptions): Promise<WebhookEvent> =>
      (await this.#requests.post<{ webhookEvent: WebhookEvent }>(`/webhook-events/${segment(id)}/replay`, {}, options))
        .webhookEvent,
  };

  readonly deadLetters = {
    list: (filters?: wire.DeadLetterFilters, options?: CallOptions) =>
      this.#requests.list<wire.DeadLetter>('/dead-letters', 'deadLetters', filters, options),
    get: async (id: string, options?: CallOptions): Promise<wire.DeadLetterWithData> =>
      (
        await this.#requests.get<{ deadLetter: wire.DeadLetterWithData }>(
          `/dead-letters/${segment(id)}`,
          undefined,
          options,
        )
      ).deadLetter,
    retry: (id: string, options?: WriteOptions) =>
      this.#requests.post<{ success: boolean }>(`/dead-letters/${segment(id)}/retry`, {}, options),
    /** Deletes it for good: its event is never handled. */
    drop: (id: string, options?: CallOptions) => this.#requests.delete(`/dead-letters/${segment(id)}`, options),
  };

  readonly auditLog = {
    list: (filters?: wire.AuditLogFilters, options?: CallOptions) =>
      this.#requests.list<wire.AuditEntry>('/audit-log', 'entries', filters, options),
  };
}

const keysOf = (projectId: string): string => `/projects/${segment(projectId)}/api-keys`;
