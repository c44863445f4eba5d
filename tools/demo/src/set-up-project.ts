import { randomBytes } from 'node:crypto';
import { gatewayOperations } from '@billing/contracts/operations/gateway';
import { webhooksOperations } from '@billing/contracts/operations/webhooks';
import { SCOPES } from '@billing/contracts/scopes';
import { z } from 'zod';
import { openBrowser } from './browser.ts';
import type { DemoContext } from './demo-context.ts';
import type { DemoState } from './demo-state.ts';
import { processorAccount } from './processor-account.ts';

/** A project with an API key and a connected processor. */
export type ReadyProject = Pick<
  DemoState,
  'user' | 'teamId' | 'projectId' | 'apiKeyId' | 'apiKey' | 'processorKey' | 'webhookEndpointId'
>;

/** Signs a user up and creates a team, a project, an API key and a connected processor. */
export async function setUpProject({ gatewayUrl, processorUrl, send, report }: DemoContext): Promise<ReadyProject> {
  const browser = openBrowser(gatewayUrl, send);
  const user = { email: `demo-${randomText(4)}@example.com`, password: randomText(12) };
  report(`signing up ${user.email}`);
  await browser.post('/api/auth/sign-up/email', { ...user, name: 'Demo' }, z.unknown());

  report('creating a team, a project and an API key');
  const { createTeam, createProject, createApiKey } = gatewayOperations;
  const { team } = await browser.post('/api/service/teams', { name: 'Demo team' }, createTeam.response);
  const teamPath = `/api/service/teams/${team.id}`;
  const { project } = await browser.post(`${teamPath}/projects`, { name: 'Demo project' }, createProject.response);
  const key = { name: 'Demo key', scopes: SCOPES };
  const keys = `${teamPath}/projects/${project.id}/api-keys`;
  const { apiKey, secret } = await browser.post(keys, key, createApiKey.response);

  report('connecting the processor');
  const { getWebhookUrl, connectProcessor } = webhooksOperations;
  const { webhookUrl } = await browser.get(`${teamPath}/processor/webhook-url`, getWebhookUrl.response);
  const processorKey = `sk_test_${randomText(12)}`;
  // Without a signing secret the endpoint is added at the processor, with all that it needs.
  const credentials = { secretKey: processorKey, publishableKey: `pk_test_${randomText(12)}` };
  await browser.post(`${teamPath}/processor/connect`, credentials, connectProcessor.response);
  const webhookEndpointId = await processorAccount(processorUrl, processorKey, send).findWebhookEndpoint(webhookUrl);

  return {
    user,
    teamId: team.id,
    projectId: project.id,
    apiKeyId: apiKey.id,
    apiKey: secret,
    processorKey,
    webhookEndpointId,
  };
}

const randomText = (bytes: number): string => randomBytes(bytes).toString('hex');
