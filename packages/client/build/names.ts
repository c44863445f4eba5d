/** The client's names for what the contracts leave without one: of responses, bodies and queries, by operation. */
export const NAMES: Readonly<
  Record<string, { readonly response?: string; readonly body?: string; readonly query?: string }>
> = {
  changePlan: { response: 'PlanChangeResult' },
  createApiKey: { response: 'IssuedApiKey' },
  exportCatalog: { response: 'ExportedCatalog' },
  createWebhookEndpoint: { response: 'IssuedWebhookEndpoint' },
  getProcessor: { response: 'ProcessorConnection' },
  getReferralCode: { response: 'ReferralCodeHistory' },
  getTeamWebhookEvent: { response: 'WebhookEventWithPayload' },
  getWebhookDelivery: { response: 'WebhookDeliveryDetails' },
  getWebhookUrl: { response: 'WebhookUrl' },
  listCancellations: { query: 'AnalyticsWindow' },
  listDunningCases: { query: 'DunningFilters' },
  previewPortalConfig: { response: 'PortalPreview' },
  recordUsage: { response: 'RecordedUsage' },
  recoverWebhookEvents: { body: 'WebhookRecoveryCreate' },
  removeMember: { response: 'RemovedMember' },
  resumeSubscription: { response: 'ResumedSubscription' },
  rotateApiKey: { response: 'IssuedApiKey' },
  rotateWebhookSecret: { response: 'IssuedWebhookEndpoint', body: 'WebhookSecretRotation' },
  sendWebhookEvent: { body: 'WebhookSend' },
  setPortalConfig: { body: 'PortalConfigSet' },
  testWebhookEndpoint: { body: 'WebhookTest' },
};
