/** The methods of a resource of the client: the operation that each calls. */
type Methods = Readonly<Record<string, string>>;

/** A resource: what it is about, its methods, and the function of `own-methods.ts` that adds what is more than one call. */
type Resource = readonly [about: string, methods: Methods, own?: string];

/** A class of the client: the path that those of its operations begin with, and its resources. */
export interface MethodClass {
  readonly root: string;
  readonly resources: Readonly<Record<string, Resource>>;
}

/** Methods that are named by the verb of their operation: `create` calls `createProduct`. */
const byVerb = (...operations: readonly string[]): Methods =>
  Object.fromEntries(operations.map(id => [id.replace(/[A-Z].*/, ''), id]));

export const METHOD_CLASSES: Readonly<Record<string, MethodClass>> = {
  ProjectMethods: {
    root: '/api/service/teams/:teamId/projects/:projectId',
    resources: {
      products: [
        'What is sold.',
        byVerb('createProduct', 'listProducts', 'getProduct', 'updateProduct', 'deleteProduct'),
      ],
      prices: ['What products cost.', byVerb('createPrice', 'listPrices', 'getPrice', 'updatePrice', 'deletePrice')],
      features: [
        'What products give, and your product checks.',
        { ...byVerb('createFeature', 'listFeatures', 'getFeature', 'updateFeature'), listGiven: 'listGivenFeatures' },
      ],
      productFeatures: [
        'What products give of features.',
        byVerb('listProductFeatures', 'getProductFeature', 'setProductFeature', 'removeProductFeature'),
      ],
      priceFeatures: [
        'What prices give of features, instead of their products.',
        byVerb('listPriceFeatures', 'getPriceFeature', 'setPriceFeature', 'removePriceFeature'),
      ],
      grants: [
        'Features that single customers were given, whatever they have bought; a grant never lowers that.',
        byVerb('listGrants', 'getGrant', 'setGrant', 'removeGrant'),
      ],
      states: [
        'What customers may use, read anew each time; `entitlements` is for every request of yours.',
        {},
        'stateMethods',
      ],
      customers: [
        'Who buys.',
        {
          ...byVerb('createCustomer', 'listCustomers', 'getCustomer', 'updateCustomer', 'deleteCustomer'),
          setTestCard: 'setTestCard',
        },
      ],
      testClocks: [
        'Clocks of test mode, in whose time customers are billed.',
        byVerb('createTestClock', 'listTestClocks', 'getTestClock', 'advanceTestClock', 'deleteTestClock'),
      ],
      billingDetails: ['Who is billed, and with which tax.', byVerb('getBillingDetails', 'updateBillingDetails')],
      usage: [
        'What customers have used, which metered prices bill.',
        { ...byVerb('recordUsage', 'listUsage'), sumUp: 'getUsageSummaries' },
      ],
      checkout: [
        'Sales: by a page of the processor on which customers pay, or at once.',
        { preview: 'previewCheckout' },
        'checkoutMethods',
      ],
      subscriptions: [
        'What customers have bought that goes on until they cancel.',
        {
          ...byVerb('listSubscriptions', 'getSubscription', 'changePlan'),
          previewChange: 'previewPlanChange',
          previewCancel: 'previewCancellation',
          pause: 'pauseSubscription',
          unpause: 'resumeSubscription',
          previewUnpause: 'previewResume',
          setDiscount: 'setSubscriptionDiscount',
          setTax: 'setSubscriptionTax',
          createInvoiceItem: 'createInvoiceItem',
          listInvoiceItems: 'listInvoiceItems',
          deleteInvoiceItem: 'deleteInvoiceItem',
        },
        'subscriptionMethods',
      ],
      invoices: [
        'What customers are to pay, or have paid.',
        {
          ...byVerb(
            'listInvoices',
            'getInvoice',
            'createInvoice',
            'previewInvoice',
            'finalizeInvoice',
            'deleteInvoice',
          ),
          ...byVerb('sendInvoice', 'retryInvoice', 'voidInvoice'),
          markPaid: 'markInvoicePaid',
          markUncollectible: 'markInvoiceUncollectible',
        },
      ],
      dunning: ['Payments of subscriptions that failed, and what became of them.', {}, 'dunningMethods'],
      payments: [
        'What customers have paid.',
        { ...byVerb('listPayments', 'getPayment', 'refundPayment'), totals: 'getPaymentTotals' },
      ],
      coupons: [
        'What can be taken off a price.',
        byVerb('createCoupon', 'listCoupons', 'getCoupon', 'updateCoupon', 'deleteCoupon'),
      ],
      promotionCodes: [
        'With which customers redeem coupons.',
        byVerb('createPromotionCode', 'listPromotionCodes', 'getPromotionCode', 'updatePromotionCode'),
      ],
      portal: [
        'Links with which customers see and change their billing.',
        byVerb('createPortalSession', 'listPortalSessions', 'revokePortalSession'),
      ],
      portalConfig: [
        'What the portal lets customers do, and how it looks.',
        byVerb('getPortalConfig', 'previewPortalConfig', 'setPortalConfig'),
      ],
      referrals: [
        'Customers who bring others, and what they earn by it.',
        {
          ...byVerb('applyReferral', 'listReferrals'),
          config: 'getReferralConfig',
          updateConfig: 'updateReferralConfig',
          createCode: 'createReferralCode',
          listCodes: 'listReferralCodes',
          getCode: 'getReferralCode',
          deactivateCode: 'deactivateReferralCode',
          listCredits: 'listReferralCredits',
          retryCredit: 'retryReferralCredit',
        },
      ],
      analytics: [
        'What the project earns, of whom, and how that changes.',
        {
          ...byVerb('getAnalytics'),
          history: 'getAnalyticsHistory',
          subscriptions: 'listAnalyticsSubscriptions',
          customersByMrr: 'listCustomersByMrr',
          cancellations: 'listCancellations',
        },
        'analyticsMethods',
      ],
      events: ['Every change in the project, in order.', byVerb('listEvents', 'getEvent'), 'eventMethods'],
      webhookEndpoints: [
        'Addresses of yours that events are posted to.',
        {
          ...byVerb('createWebhookEndpoint', 'listWebhookEndpoints', 'getWebhookEndpoint', 'updateWebhookEndpoint'),
          ...byVerb('deleteWebhookEndpoint', 'testWebhookEndpoint', 'sendWebhookEvent', 'recoverWebhookEvents'),
          rotateSecret: 'rotateWebhookSecret',
        },
      ],
      webhookDeliveries: [
        'What is posted to them, and what came of it.',
        byVerb('listWebhookDeliveries', 'getWebhookDelivery', 'retryWebhookDelivery'),
      ],
      webhookEvents: ['What the processor has sent.', byVerb('listWebhookEvents')],
      catalog: [
        'All that the project sells, as a document of your repository.',
        { export: 'exportCatalog', apply: 'applyCatalog' },
      ],
      syncs: [
        'The processor’s account and the project’s records, compared and made equal.',
        { ...byVerb('createSync', 'listSyncs', 'getSync', 'cancelSync'), findings: 'listSyncFindings' },
      ],
      priceMigrations: [
        'Moves of all subscriptions of a price to another one.',
        {
          ...byVerb('createPriceMigration', 'listPriceMigrations', 'getPriceMigration', 'cancelPriceMigration'),
          findings: 'listPriceMigrationFindings',
        },
      ],
    },
  },
  TeamMethods: {
    root: '/api/service/teams/:teamId',
    resources: {
      projects: ['What the team bills for.', byVerb('createProject', 'listProjects', 'getProject', 'updateProject')],
      apiKeys: [
        'With which backends call a project.',
        byVerb('createApiKey', 'listApiKeys', 'rotateApiKey', 'revokeApiKey'),
      ],
      members: ['Who belongs to the team.', byVerb('listMembers', 'inviteMember', 'removeMember')],
      invitations: ['Who may join it.', byVerb('listInvitations', 'withdrawInvitation')],
      processor: [
        'The team’s account at the payment processor.',
        { ...byVerb('getProcessor', 'connectProcessor'), health: 'getProcessorHealth', webhookUrl: 'getWebhookUrl' },
        'processorMethods',
      ],
      webhookEvents: [
        'What the processor has sent, for all projects and none.',
        byVerb('listTeamWebhookEvents', 'getTeamWebhookEvent', 'replayTeamWebhookEvent'),
      ],
      deadLetters: [
        'Events that a service could not handle.',
        byVerb('listDeadLetters', 'getDeadLetter', 'retryDeadLetter', 'dropDeadLetter'),
      ],
      auditLog: ['Who did what in the team.', byVerb('listAuditLog')],
    },
  },
  SessionMethods: {
    root: '/api/service',
    resources: { teams: ['The teams of whoever is signed in.', byVerb('createTeam', 'listTeams', 'updateTeam')] },
  },
};
