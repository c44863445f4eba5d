import { randomBytes } from 'node:crypto';
import { SCOPES, type Scope } from '@billing/contracts/scopes';
import { cookieOf, type Call } from './http-client.ts';

export const PASSWORD = 'correct horse battery';

/** The path that accepts the invitation with this link. */
export const acceptPath = (url: string): string => `/api/service/invitations/${url.split('token=')[1]}/accept`;

interface ApiKey {
  readonly id: string;
  readonly secret: string;
  readonly bearer: { readonly authorization: string };
}

/** Creates users, teams, projects and API keys over HTTP. */
export function tenants(call: Call) {
  /** Signs up a new user, which also signs them in. */
  async function signUp(email = `${randomBytes(6).toString('hex')}@example.com`) {
    const response = await call('POST', '/api/auth/sign-up/email', {
      body: { name: 'Ada', email, password: PASSWORD },
    });
    if (response.status !== 200) throw new Error(`sign-up: ${response.status} ${response.text}`);
    const cookie = cookieOf(response);
    return {
      email,
      password: PASSWORD,
      cookie,
      userId: String(response.body.user.id),
      /** Calls with the user's session. */
      call: (method: string, path: string, body?: unknown) => call(method, path, { body, headers: { cookie } }),
    };
  }

  /** Creates a team with an owner and a project. */
  async function createTenant() {
    const owner = await signUp();
    const { team } = (await owner.call('POST', '/api/service/teams', { name: 'Acme' })).body;
    const teamPath = `/api/service/teams/${team.id}`;
    const { project } = (await owner.call('POST', `${teamPath}/projects`, { name: 'Shop' })).body;
    const path = `${teamPath}/projects/${project.id}`;
    const createKey = async (scopes: readonly Scope[] = SCOPES, more: object = {}): Promise<ApiKey> => {
      const { body } = await owner.call('POST', `${path}/api-keys`, { name: 'a key', scopes, ...more });
      return { secret: body.secret, id: body.apiKey.id, bearer: { authorization: `Bearer ${body.secret}` } };
    };
    return { owner, teamId: String(team.id), projectId: String(project.id), teamPath, path, createKey };
  }

  /** Invites a user to the team and accepts as them. */
  async function addMember(
    { owner, teamPath }: Pick<Awaited<ReturnType<typeof createTenant>>, 'owner' | 'teamPath'>,
    user: Awaited<ReturnType<typeof signUp>>,
    role: 'owner' | 'member' = 'member',
  ): Promise<void> {
    const { body } = await owner.call('POST', `${teamPath}/members`, { email: user.email, role });
    const response = await user.call('POST', acceptPath(body.invitation.url));
    if (response.status !== 200) throw new Error(`accept: ${response.status} ${response.text}`);
  }

  return { signUp, createTenant, addMember };
}
