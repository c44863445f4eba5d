import { BillingClient } from './billing-client.ts';
import { SessionMethods, TeamMethods } from './declared-methods.ts';
import type { ConnectionOptions, WriteOptions } from './options.ts';
import { Requests, segment } from './requests.ts';
import { openTransport } from './transport.ts';
import type * as wire from './wire.ts';

type Connection = Omit<ConnectionOptions, 'apiKey'>;

/** A client of the operations that need a signed-in user, for pages at the gateway's own origin. */
export class SessionClient extends SessionMethods {
  readonly #connection: Connection;
  readonly #requests: Requests;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(connection: Connection) {
    const requests = new Requests(openTransport(connection, '/api/service'));
    super(requests);
    this.#connection = connection;
    this.#requests = requests;
  }

  /** Accepts an invitation by the secret of its link. */
  async acceptInvitation(token: string, options?: WriteOptions): Promise<wire.AcceptedInvitation> {
    return this.#requests.send({ method: 'POST', path: `/invitations/${segment(token)}/accept`, body: {}, options });
  }

  team(teamId: string): TeamClient {
    return new TeamClient(this.#connection, teamId);
  }
}

/** A client of one team, for its signed-in members. */
export class TeamClient extends TeamMethods {
  readonly #connection: Connection;
  readonly #teamId: string;

  constructor(connection: Connection, teamId: string) {
    super(new Requests(openTransport(connection, `/api/service/teams/${segment(teamId)}`)));
    this.#connection = connection;
    this.#teamId = teamId;
  }

  /** The project's client; it needs no API key while someone is signed in. */
  billing(projectId: string): BillingClient {
    return new BillingClient({ ...this.#connection, teamId: this.#teamId, projectId });
  }
}
